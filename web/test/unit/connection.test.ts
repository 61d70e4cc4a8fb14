import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection, Refused } from '../../src/connection';
import type { LinkState } from '../../src/connection';
import type { ServerMessage } from '../../src/protocol';

/** A WebSocket whose other end is the test. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor(readonly url: string, readonly protocol: string) {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  close(): void {
    this.readyState = 3;
  }
  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }
  drop(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}
const newest = () => FakeSocket.all.at(-1)!;

describe('Connection', () => {
  let links: LinkState[];
  let messages: ServerMessage[];
  let connection: Connection;

  beforeEach(() => {
    vi.useFakeTimers();
    FakeSocket.all = [];
    vi.stubGlobal('window', globalThis);
    vi.stubGlobal('document', { hidden: false });
    vi.stubGlobal('WebSocket', FakeSocket);
    [links, messages] = [[], []];
    connection = new Connection('ws://x/ws', {
      message: (m) => messages.push(m),
      frame: () => undefined,
      link: (l) => links.push(l),
    });
    connection.open();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('asks for the protocol by name', () => {
    expect(newest().protocol).toBe('stance.v1');
  });

  it('tries again after 0.25, 0.5, 1, 2, 4, 5, 5 s, and from the beginning after success', () => {
    for (const pause of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
      const tries = FakeSocket.all.length;
      newest().drop();
      vi.advanceTimersByTime(pause - 1);
      expect(FakeSocket.all.length).toBe(tries);
      vi.advanceTimersByTime(1);
      expect(FakeSocket.all.length).toBe(tries + 1);
    }
    newest().open();
    newest().drop();
    const tries = FakeSocket.all.length;
    vi.advanceTimersByTime(250);
    expect(FakeSocket.all.length).toBe(tries + 1);
  });

  it('gives each request its own answer, in any order', async () => {
    newest().open();
    const first = connection.request({ type: 'pause' });
    const second = connection.request({ type: 'load', file: 'x' });
    const [a, b] = newest().sent.map((s) => (JSON.parse(s) as { id: number }).id) as [number, number];
    expect(a).not.toBe(b);
    newest().onmessage!({ data: JSON.stringify({ type: 'error', re: b, text: 'no x', file: 'x', line: 3 }) });
    newest().onmessage!({ data: JSON.stringify({ type: 'ok', re: a }) });
    await expect(first).resolves.toMatchObject({ re: a });
    await expect(second).rejects.toMatchObject({ answer: { line: 3 } });
    expect(messages).toEqual([]);
  });

  it('refuses what is asked without a connection, and what was waiting when it is lost', async () => {
    await expect(connection.request({ type: 'play' })).rejects.toBeInstanceOf(Refused);
    newest().open();
    const waiting = connection.request({ type: 'play' });
    newest().drop();
    await expect(waiting).rejects.toThrow('lost');
  });

  it('takes a server that says nothing for lost, and one that speaks not', () => {
    newest().open();
    const trust = { steps: 1, not_converged: 0, refused: 0, contacts_dropped: 0, contacts_missed: 0, residual: 0, distance: 0, gap_velocity: 0, impulse_error: 0, energy_error: 0 };
    const status = { type: 'status', paused: false, speed: 1, law: 'exact', gravity: [0, 0, 0], recording: false, from: 0, to: 1, at: null, viewers: 1, trust };
    for (let i = 0; i < 30; ++i) {
      newest().onmessage!({ data: JSON.stringify(status) });
      vi.advanceTimersByTime(1000);
    }
    expect(links.at(-1)!.state).toBe('open');
    vi.advanceTimersByTime(9000);
    expect(links.some((l) => l.state === 'lost')).toBe(true);
  });
});
