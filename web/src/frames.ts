// The binary frames of docs/protocol.md: decoded here, encoded by the server (and by the tests' mock).

import { kProtocol, wrong } from './protocol';
import type { Decoded } from './protocol';

export const kFlag = { paused: 1, notConverged: 2, refused: 4, past: 8, recording: 16, dropped: 32, missed: 64, device: 128 } as const;
export const kContactState = { open: 0, sticks: 1, slides: 2 } as const;

export type Vec3 = [number, number, number];

export interface ContactPoint {
  position: Vec3;
  /** On the first body, N. */
  force: Vec3;
  /** Unit, out of the second body towards the first. */
  normal: Vec3;
  state: number;
  friction: number;
  body: number;
}

export interface StateFrame {
  kind: 'state';
  scene: number;
  flags: number;
  time: number;
  step: number;
  speed: number;
  stepMicroseconds: number;
  residual: number;
  penetration: number;
  sweeps: number;
  groups: number;
  /** NaN where there is none. */
  com: Vec3;
  zmp: Vec3;
  cop: Vec3;
  /** x y z qw qx qy qz for every body that moves. */
  poses: Float64Array;
  contacts: ContactPoint[];
  /** Position and target (NaN: none) of every joint; empty unless watched. */
  joints: Float32Array;
  /** x y of each corner, in order around. */
  support: Float32Array;
}

export interface SamplesFrame {
  kind: 'samples';
  scene: number;
  flags: number;
  watch: number;
  columns: number;
  times: Float64Array;
  /** rows x columns */
  values: Float32Array;
}

export interface Drag {
  body: number;
  viewer: number;
  point: Vec3;
  target: Vec3;
  newtons: number;
}
export interface DragsFrame {
  kind: 'drags';
  scene: number;
  flags: number;
  drags: Drag[];
}

export type Frame = StateFrame | SamplesFrame | DragsFrame;

export const kHeadBytes = 8;
export const kStateBytes = 84;
export const kPoseBytes = 20;
export const kContactBytes = 32;
export const kDragBytes = 32;

const readVec3 = (d: DataView, at: number): Vec3 => [
  d.getFloat32(at, true),
  d.getFloat32(at + 4, true),
  d.getFloat32(at + 8, true),
];

function decodeState(d: DataView, scene: number, flags: number): Decoded<StateFrame> {
  if (d.byteLength < kStateBytes) return wrong('state: cut off');
  const u16 = (at: number) => d.getUint16(at, true);
  const f32 = (at: number) => d.getFloat32(at, true);
  const [bodies, contacts, joints, corners] = [u16(40), u16(42), u16(44), u16(46)];
  const whole = kStateBytes + bodies * kPoseBytes + contacts * kContactBytes + (joints + corners) * 8;
  if (d.byteLength !== whole) return wrong(`state: ${d.byteLength} bytes, not ${whole}`);

  const frame: StateFrame = {
    kind: 'state',
    scene,
    flags,
    time: d.getFloat64(8, true),
    step: d.getUint32(16, true),
    speed: f32(20),
    stepMicroseconds: f32(24),
    residual: f32(28),
    penetration: f32(32),
    sweeps: u16(36),
    groups: u16(38),
    com: readVec3(d, 48),
    zmp: readVec3(d, 60),
    cop: readVec3(d, 72),
    poses: new Float64Array(bodies * 7),
    contacts: [],
    joints: new Float32Array(joints * 2),
    support: new Float32Array(corners * 2),
  };
  let at = kStateBytes;
  for (let i = 0; i < bodies; ++i, at += kPoseBytes) {
    for (let k = 0; k < 3; ++k) frame.poses[7 * i + k] = f32(at + 4 * k);
    // Rounded to 16 bits, so not quite of length one.
    const q = [0, 1, 2, 3].map((k) => d.getInt16(at + 12 + 2 * k, true));
    const length = Math.hypot(...q);
    for (let k = 0; k < 4; ++k) frame.poses[7 * i + 3 + k] = length > 0 ? q[k]! / length : k === 0 ? 1 : 0;
  }
  for (let i = 0; i < contacts; ++i, at += kContactBytes) {
    const n = [0, 1, 2].map((k) => d.getInt8(at + 24 + k)) as Vec3;
    const length = Math.hypot(...n) || 1;
    frame.contacts.push({
      position: readVec3(d, at),
      force: readVec3(d, at + 12),
      normal: [n[0] / length, n[1] / length, n[2] / length],
      state: d.getUint8(at + 27),
      friction: u16(at + 28) / 1000,
      body: u16(at + 30),
    });
  }
  for (let i = 0; i < 2 * joints; ++i, at += 4) frame.joints[i] = f32(at);
  for (let i = 0; i < 2 * corners; ++i, at += 4) frame.support[i] = f32(at);
  return { ok: true, value: frame };
}

function decodeSamples(d: DataView, scene: number, flags: number): Decoded<SamplesFrame> {
  if (d.byteLength < 16) return wrong('samples: cut off');
  const columns = d.getUint16(12, true);
  const rows = d.getUint16(14, true);
  const whole = 16 + rows * (8 + 4 * columns);
  if (d.byteLength !== whole) return wrong(`samples: ${d.byteLength} bytes, not ${whole}`);
  const times = new Float64Array(rows);
  const values = new Float32Array(rows * columns);
  let at = 16;
  for (let r = 0; r < rows; ++r) {
    times[r] = d.getFloat64(at, true);
    at += 8;
    for (let c = 0; c < columns; ++c, at += 4) values[r * columns + c] = d.getFloat32(at, true);
  }
  return {
    ok: true,
    value: { kind: 'samples', scene, flags, watch: d.getUint32(8, true), columns, times, values },
  };
}

function decodeDrags(d: DataView, scene: number, flags: number): Decoded<DragsFrame> {
  if (d.byteLength < 12) return wrong('drags: cut off');
  const count = d.getUint16(8, true);
  const whole = 12 + count * kDragBytes;
  if (d.byteLength !== whole) return wrong(`drags: ${d.byteLength} bytes, not ${whole}`);
  const drags: Drag[] = [];
  for (let i = 0, at = 12; i < count; ++i, at += kDragBytes) {
    drags.push({
      body: d.getUint16(at, true),
      viewer: d.getUint16(at + 2, true),
      point: readVec3(d, at + 4),
      target: readVec3(d, at + 16),
      newtons: d.getFloat32(at + 28, true),
    });
  }
  return { ok: true, value: { kind: 'drags', scene, flags, drags } };
}

/** What a binary frame holds, or why it cannot be taken; never throws. */
export function decodeFrame(buffer: ArrayBuffer): Decoded<Frame> {
  if (buffer.byteLength < kHeadBytes) return wrong('frame: shorter than its head');
  const d = new DataView(buffer);
  const [kind, version, flags, scene] = [d.getUint8(0), d.getUint8(1), d.getUint16(2, true), d.getUint32(4, true)];
  if (version !== kProtocol) return wrong(`frame of protocol ${version}, this page speaks ${kProtocol}`);
  switch (kind) {
    case 1:
      return decodeState(d, scene, flags);
    case 2:
      return decodeSamples(d, scene, flags);
    case 3:
      return decodeDrags(d, scene, flags);
    default:
      return wrong(`frame of unknown kind ${kind}`);
  }
}

export interface MeshData {
  positions: Float32Array;
  indices: Uint32Array;
}

/** The body of GET /mesh/N. */
export function decodeMesh(buffer: ArrayBuffer): Decoded<MeshData> {
  if (buffer.byteLength < 8) return wrong('mesh: cut off');
  const d = new DataView(buffer);
  const [vertices, triangles] = [d.getUint32(0, true), d.getUint32(4, true)];
  if (buffer.byteLength !== 8 + 12 * vertices + 12 * triangles) return wrong('mesh: wrong length');
  const positions = new Float32Array(buffer, 8, 3 * vertices);
  const indices = new Uint32Array(buffer, 8 + 12 * vertices, 3 * triangles);
  if (indices.some((i) => i >= vertices)) return wrong('mesh: a corner names a vertex that is not there');
  return { ok: true, value: { positions, indices } };
}
