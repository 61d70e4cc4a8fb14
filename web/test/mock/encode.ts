// The server's side of the binary frames, as docs/protocol.md has them.

import { kContactBytes, kDragBytes, kPoseBytes, kStateBytes } from '../../src/frames';
import type { DragsFrame, Frame, MeshData, SamplesFrame, StateFrame, Vec3 } from '../../src/frames';
import { kProtocol } from '../../src/protocol';

function makeFrame(bytes: number, kind: number, frame: Frame): DataView {
  const d = new DataView(new ArrayBuffer(bytes));
  d.setUint8(0, kind);
  d.setUint8(1, kProtocol);
  d.setUint16(2, frame.flags, true);
  d.setUint32(4, frame.scene, true);
  return d;
}

const putVec3 = (d: DataView, at: number, v: Vec3) => v.forEach((x, k) => d.setFloat32(at + 4 * k, x, true));

function encodeState(f: StateFrame): ArrayBuffer {
  const [bodies, joints, corners] = [f.poses.length / 7, f.joints.length / 2, f.support.length / 2];
  const bytes = kStateBytes + bodies * kPoseBytes + f.contacts.length * kContactBytes + (joints + corners) * 8;
  const d = makeFrame(bytes, 1, f);
  d.setFloat64(8, f.time, true);
  d.setUint32(16, f.step, true);
  [f.speed, f.stepMicroseconds, f.residual, f.penetration].forEach((x, k) => d.setFloat32(20 + 4 * k, x, true));
  [f.sweeps, f.groups, bodies, f.contacts.length, joints, corners].forEach((x, k) =>
    d.setUint16(36 + 2 * k, x, true),
  );
  putVec3(d, 48, f.com);
  putVec3(d, 60, f.zmp);
  putVec3(d, 72, f.cop);
  let at = kStateBytes;
  for (let i = 0; i < bodies; ++i, at += kPoseBytes) {
    for (let k = 0; k < 3; ++k) d.setFloat32(at + 4 * k, f.poses[7 * i + k]!, true);
    for (let k = 0; k < 4; ++k) d.setInt16(at + 12 + 2 * k, Math.round(f.poses[7 * i + 3 + k]! * 32767), true);
  }
  for (const c of f.contacts) {
    putVec3(d, at, c.position);
    putVec3(d, at + 12, c.force);
    c.normal.forEach((x, k) => d.setInt8(at + 24 + k, Math.round(x * 127)));
    d.setUint8(at + 27, c.state);
    d.setUint16(at + 28, Math.round(c.friction * 1000), true);
    d.setUint16(at + 30, c.body, true);
    at += kContactBytes;
  }
  for (const x of f.joints) d.setFloat32(at, x, true), (at += 4);
  for (const x of f.support) d.setFloat32(at, x, true), (at += 4);
  return d.buffer as ArrayBuffer;
}

function encodeSamples(f: SamplesFrame): ArrayBuffer {
  const d = makeFrame(16 + f.times.length * (8 + 4 * f.columns), 2, f);
  d.setUint32(8, f.watch, true);
  d.setUint16(12, f.columns, true);
  d.setUint16(14, f.times.length, true);
  let at = 16;
  f.times.forEach((t, r) => {
    d.setFloat64(at, t, true);
    at += 8;
    for (let c = 0; c < f.columns; ++c, at += 4) d.setFloat32(at, f.values[r * f.columns + c]!, true);
  });
  return d.buffer as ArrayBuffer;
}

function encodeDrags(f: DragsFrame): ArrayBuffer {
  const d = makeFrame(12 + f.drags.length * kDragBytes, 3, f);
  d.setUint16(8, f.drags.length, true);
  f.drags.forEach((drag, i) => {
    const at = 12 + i * kDragBytes;
    d.setUint16(at, drag.body, true);
    d.setUint16(at + 2, drag.viewer, true);
    putVec3(d, at + 4, drag.point);
    putVec3(d, at + 16, drag.target);
    d.setFloat32(at + 28, drag.newtons, true);
  });
  return d.buffer as ArrayBuffer;
}

export function encodeFrame(frame: Frame): ArrayBuffer {
  if (frame.kind === 'state') return encodeState(frame);
  return frame.kind === 'samples' ? encodeSamples(frame) : encodeDrags(frame);
}

export function encodeMesh(mesh: MeshData): ArrayBuffer {
  const d = new DataView(new ArrayBuffer(8 + 4 * mesh.positions.length + 4 * mesh.indices.length));
  d.setUint32(0, mesh.positions.length / 3, true);
  d.setUint32(4, mesh.indices.length / 3, true);
  mesh.positions.forEach((x, i) => d.setFloat32(8 + 4 * i, x, true));
  mesh.indices.forEach((n, i) => d.setUint32(8 + 4 * mesh.positions.length + 4 * i, n, true));
  return d.buffer as ArrayBuffer;
}
