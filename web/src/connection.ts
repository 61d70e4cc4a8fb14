// One WebSocket that mends itself: numbers requests, matches answers, tries again with growing pauses.

import { decodeFrame } from './frames';
import type { Frame } from './frames';
import { decodeServerText, kSubprotocol } from './protocol';
import type { Ok, Request, ServerMessage, SimError } from './protocol';

export type LinkState =
  | { state: 'connecting' }
  | { state: 'open' }
  | { state: 'lost'; retryAt: number; tries: number };

/** An answer of the server that says no. */
export class Refused extends Error {
  constructor(readonly answer: SimError) {
    super(answer.text);
  }
}

export interface ConnectionHandlers {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  link(link: LinkState): void;
}

const kFirstPause = 250; // ms
const kLongestPause = 5000;
const kSilence = 3000; // ms; a server says `status` every second

export class Connection {
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer = 0;
  private heard = false; // anything since the last look
  private silent = 0; // looks in a row that heard nothing
  private nextId = 1;
  private readonly waiting = new Map<number, { resolve: (ok: Ok) => void; reject: (why: Refused) => void }>();

  constructor(
    private readonly url: string,
    private readonly handlers: ConnectionHandlers,
  ) {
    window.setInterval(() => this.listen(), kSilence);
  }

  /** A connection can die without a word (a laptop that slept, a cut tunnel); two silences in a row tell. */
  private listen(): void {
    if (this.socket?.readyState !== WebSocket.OPEN || document.hidden) this.silent = 0;
    else this.silent = this.heard ? 0 : this.silent + 1;
    this.heard = false;
    if (this.silent < 2) return;
    this.silent = 0;
    const dead = this.socket;
    this.socket = null;
    dead?.close();
    this.lost();
  }

  open(): void {
    window.clearTimeout(this.timer);
    const old = this.socket;
    this.socket = null; // whose end is no news any more
    old?.close();
    this.handlers.link({ state: 'connecting' });
    const socket = new WebSocket(this.url, kSubprotocol);
    socket.binaryType = 'arraybuffer';
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.handlers.link({ state: 'open' });
    };
    socket.onmessage = (e: MessageEvent<string | ArrayBuffer>) => {
      if (this.socket === socket) this.take(e.data);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
  }

  /** Sends a request; the promise is settled by the server's answer, or by the loss of the connection. */
  request(request: Request): Promise<Ok> {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      if (!this.post(request, id)) {
        reject(new Refused({ type: 'error', text: 'not connected' }));
        return;
      }
      this.waiting.set(id, { resolve, reject });
    });
  }

  /** Sends a request whose answer does not matter (a drag's next target). */
  tell(request: Request): void {
    this.post(request, this.nextId++);
  }

  private post(request: Request, id: number): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify({ ...request, id }));
    return true;
  }

  private take(data: string | ArrayBuffer): void {
    this.heard = true;
    if (typeof data !== 'string') {
      const decoded = decodeFrame(data);
      if (decoded.ok) this.handlers.frame(decoded.value);
      else console.warn(decoded.why);
      return;
    }
    const decoded = decodeServerText(data);
    if (!decoded.ok) {
      console.warn(decoded.why);
      return;
    }
    const message = decoded.value;
    if ((message.type === 'ok' || message.type === 'error') && message.re !== undefined) {
      const promise = this.waiting.get(message.re);
      this.waiting.delete(message.re);
      if (message.type === 'ok') promise?.resolve(message);
      else if (promise) promise.reject(new Refused(message));
      if (promise || message.type === 'ok') return;
    }
    this.handlers.message(message);
  }

  private lost(): void {
    for (const { reject } of this.waiting.values()) reject(new Refused({ type: 'error', text: 'connection lost' }));
    this.waiting.clear();
    const pause = Math.min(kLongestPause, kFirstPause * 2 ** this.tries++);
    this.handlers.link({ state: 'lost', retryAt: Date.now() + pause, tries: this.tries });
    this.timer = window.setTimeout(() => this.open(), pause);
  }
}

/** The token of the page's own address goes with everything that it asks the server for. */
export function withToken(path: string): string {
  const token = new URLSearchParams(location.search).get('token');
  return token ? `${path}?token=${encodeURIComponent(token)}` : path;
}

export function socketUrl(): string {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${location.host}${withToken('/ws')}`;
}
