import { describe, expect, it } from 'vitest';
import { decodeFrame, decodeMesh } from '../../src/frames';
import type { Frame, StateFrame } from '../../src/frames';
import { decodeServerText, decodeViewerText, encodeText, kServerMessages, kViewerMessages } from '../../src/protocol';
import type { ServerMessage, ViewerMessage } from '../../src/protocol';
import { encodeFrame, encodeMesh } from '../mock/encode';
import examples from '../protocol_examples.json';

/** Numbers that look random and are the same at every run. */
function makeRandom(seed: number): () => number {
  let s = seed;
  return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296;
}

const state: StateFrame = {
  kind: 'state',
  scene: 7,
  flags: 9,
  time: 12.345678901,
  step: 12345,
  speed: 0.5,
  stepMicroseconds: 41.5,
  residual: 2 ** -30,
  penetration: 2 ** -20,
  sweeps: 12,
  groups: 3,
  com: [0.25, -0.5, 0.75],
  zmp: [0.125, 0, 0],
  cop: [NaN, NaN, NaN],
  poses: Float64Array.of(1, 2, 3, 1, 0, 0, 0, -0.5, 0.25, 8, 0, 0, 1, 0),
  contacts: [
    { position: [1, 0, 0], force: [0, -2, 64], normal: [0, 0, 1], state: 1, friction: 0.7, body: 1 },
    { position: [0, 1, 0], force: [8, 0, 0], normal: [1, 0, 0], state: 2, friction: 1.25, body: 2 },
  ],
  joints: Float32Array.of(0.5, NaN, 1.5, 1.25),
  support: Float32Array.of(0, 0, 1, 0, 1, 1),
};
const frames: Frame[] = [
  state,
  { ...state, poses: new Float64Array(), contacts: [], joints: new Float32Array(), support: new Float32Array() },
  { kind: 'samples', scene: 1, flags: 0, watch: 4, columns: 2, times: Float64Array.of(0.001, 0.002), values: Float32Array.of(1, 2, 3, NaN) },
  { kind: 'samples', scene: 1, flags: 0, watch: 4, columns: 0, times: new Float64Array(), values: new Float32Array() },
  { kind: 'drags', scene: 1, flags: 2, drags: [{ body: 3, viewer: 2, point: [1, 2, 3], target: [4, 5, 6], newtons: 12.5 }] },
  { kind: 'drags', scene: 1, flags: 0, drags: [] },
];

describe('Text', () => {
  const server = examples.server as ServerMessage[];
  const viewer = examples.viewer as ViewerMessage[];

  it('has an example of every message in both directions', () => {
    expect([...new Set(server.map((m) => m.type))].sort()).toEqual(Object.keys(kServerMessages).sort());
    expect([...new Set(viewer.map((m) => m.type))].sort()).toEqual(Object.keys(kViewerMessages).sort());
  });
  it.each(server.map((m, i) => [`${m.type} ${i}`, m] as const))('brings %s through unchanged', (_, m) => {
    expect(decodeServerText(encodeText(m))).toEqual({ ok: true, value: m });
  });
  it.each(viewer.map((m, i) => [`${m.type} ${i}`, m] as const))('brings %s of a viewer through unchanged', (_, m) => {
    expect(decodeViewerText(encodeText(m))).toEqual({ ok: true, value: m });
  });

  it('refuses every message that lacks a required member, and names it', () => {
    let checked = 0;
    for (const [messages, decode, schemas] of [
      [server, decodeServerText, kServerMessages],
      [viewer, decodeViewerText, kViewerMessages],
    ] as const) {
      for (const message of messages) {
        const { members } = schemas[message.type as keyof typeof schemas] as { members: Record<string, object> };
        for (const key of Object.keys(members)) {
          if (key === 'type' || 'optional' in members[key]!) continue;
          const { [key]: _left, ...rest } = message as Record<string, unknown>;
          const decoded = decode(JSON.stringify(rest));
          expect(decoded.ok).toBe(false);
          if (!decoded.ok) expect(decoded.why).toContain(key);
          ++checked;
        }
      }
    }
    expect(checked).toBeGreaterThan(60);
  });

  it('never throws on text that is no message', () => {
    const odd = ['', 'null', '[]', '{}', '"x"', '1e999', '{"type":"scene"}', '{"type":"toString"}', '{"type":"__proto__"}', '{"type":1}', '{'];
    for (const raw of odd) expect(decodeServerText(raw).ok).toBe(false);
  });

  it('refuses a number that is not finite', () => {
    expect(decodeServerText('{"type":"event","time":1e999,"kind":"slip","text":""}').ok).toBe(false);
  });
});

describe('Frames', () => {
  it.each(frames.map((f, i) => [`${f.kind} ${i}`, f] as const))('brings %s through unchanged', (_, f) => {
    const decoded = decodeFrame(encodeFrame(f));
    expect(decoded.ok).toBe(true);
    if (decoded.ok) expectClose(decoded.value, f);
  });

  it('has the sizes that the document states', () => {
    expect(encodeFrame(frames[1]!).byteLength).toBe(84);
    expect(encodeFrame(state).byteLength).toBe(84 + 2 * 20 + 2 * 32 + 2 * 8 + 3 * 8);
  });

  it('refuses every frame cut off anywhere, and every frame with a byte too many', () => {
    for (const f of frames) {
      const whole = encodeFrame(f);
      for (let n = 0; n < whole.byteLength; ++n) expect(decodeFrame(whole.slice(0, n)).ok).toBe(false);
      const longer = new Uint8Array(whole.byteLength + 1);
      longer.set(new Uint8Array(whole));
      expect(decodeFrame(longer.buffer).ok).toBe(false);
    }
  });

  it('never throws on random bytes, with and without a true head', () => {
    const random = makeRandom(1);
    for (let n = 0; n < 20000; ++n) {
      const bytes = new Uint8Array(Math.floor(random() * 300));
      for (let i = 0; i < bytes.length; ++i) bytes[i] = Math.floor(random() * 256);
      if (n % 2 && bytes.length > 1) [bytes[0], bytes[1]] = [1 + (n % 3), 1];
      expect(() => decodeFrame(bytes.buffer)).not.toThrow();
    }
  });

  it('never throws on a true frame with bytes changed', () => {
    const random = makeRandom(2);
    for (let n = 0; n < 20000; ++n) {
      const bytes = new Uint8Array(encodeFrame(frames[n % frames.length]!));
      for (let k = 0; k < 4; ++k) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      expect(() => decodeFrame(bytes.buffer)).not.toThrow();
    }
  });

  it('refuses another version and an unknown kind', () => {
    const bytes = new Uint8Array(encodeFrame(state));
    bytes[1] = 2;
    expect(decodeFrame(bytes.buffer)).toMatchObject({ ok: false, why: expect.stringContaining('protocol 2') });
    [bytes[0], bytes[1]] = [9, 1];
    expect(decodeFrame(bytes.buffer).ok).toBe(false);
  });

  it.each(Object.entries(examples.binary))('reads the kept bytes of %s as they were meant', (_, { hex, means }) => {
    const bytes = Uint8Array.from(hex.match(/../g)!.map((h) => parseInt(h, 16)));
    const decoded = decodeFrame(bytes.buffer);
    expect(decoded.ok).toBe(true);
    if (decoded.ok) expect(JSON.parse(JSON.stringify(plain(decoded.value)))).toMatchObject(means);
  });

  it('gives unit quaternions whatever the rounding', () => {
    const decoded = decodeFrame(encodeFrame({ ...state, poses: Float64Array.of(0, 0, 0, 0.5, 0.5, -0.5, 0.5) }));
    if (!decoded.ok || decoded.value.kind !== 'state') throw new Error('not a state');
    expect(Math.hypot(...decoded.value.poses.slice(3, 7))).toBeCloseTo(1, 12);
  });
});

describe('Meshes', () => {
  const mesh = { positions: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), indices: Uint32Array.of(0, 1, 2) };
  it('come through unchanged', () => {
    expect(decodeMesh(encodeMesh(mesh))).toEqual({ ok: true, value: mesh });
  });
  it('are refused when cut off or when a corner names no vertex', () => {
    const whole = encodeMesh(mesh);
    for (let n = 0; n < whole.byteLength; ++n) expect(decodeMesh(whole.slice(0, n)).ok).toBe(false);
    expect(decodeMesh(encodeMesh({ ...mesh, indices: Uint32Array.of(0, 1, 3) })).ok).toBe(false);
  });
});

/** Typed arrays as lists, so that JSON can hold them. */
function plain(frame: Frame): object {
  return Object.fromEntries(Object.entries(frame).map(([k, v]) => [k, ArrayBuffer.isView(v) ? Array.from(v as unknown as number[]) : v]));
}

/** Equal but for the rounding of quaternions (1/32767) and of f32. */
function expectClose(a: unknown, b: unknown): void {
  if (typeof b === 'number') {
    if (Number.isNaN(b)) expect(a).toBeNaN();
    else expect(Math.abs((a as number) - b)).toBeLessThanOrEqual(4e-5 + 1e-7 * Math.abs(b));
  } else if (typeof b === 'object' && b !== null) {
    expect(Object.keys(a as object)).toEqual(Object.keys(b));
    for (const key of Object.keys(b)) expectClose((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]);
  } else {
    expect(a).toBe(b);
  }
}
