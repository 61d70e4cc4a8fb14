import { describe, expect, it } from 'vitest';
import type { StateFrame } from '../../src/frames';
import { looksDifferent } from '../../src/stillness';

const scale = { metresPerPixel: 0.002, metresPerNewton: 0.004 };
const make = (): StateFrame => ({
  kind: 'state', scene: 1, flags: 0, time: 0, step: 0, speed: 1, stepMicroseconds: 0, residual: 0, penetration: 0, sweeps: 1, groups: 1,
  com: [0, 0, 0.8],
  zmp: [NaN, NaN, NaN],
  cop: [0, 0, 0],
  poses: Float64Array.of(0, 0, 1, 1, 0, 0, 0),
  contacts: [{ position: [0, 0, 0], force: [0, 0, 100], normal: [0, 0, 1], state: 1, friction: 0.7, body: 1 }],
  joints: new Float32Array(),
  support: Float32Array.of(0, 0, 1, 0, 0, 1),
});
const changed = (change: (f: StateFrame) => void) => {
  const f = make();
  change(f);
  return looksDifferent(f, make(), scale);
};

describe('looksDifferent', () => {
  it('passes over what the eye cannot see', () => {
    expect(changed(() => undefined)).toBe(false);
    expect(changed((f) => (f.time = 9))).toBe(false);
    expect(changed((f) => (f.poses[0] = 1e-4))).toBe(false);
    expect(changed((f) => f.poses.set([-1, 0, 1 / 32767, 0], 3))).toBe(false); // the same rotation, rounded otherwise
    expect(changed((f) => (f.contacts[0]!.force[0] = 0.05))).toBe(false);
  });
  it('sees what moves by a pixel, turns, comes or goes', () => {
    expect(changed((f) => (f.poses[2] = 1.002))).toBe(true);
    expect(changed((f) => f.poses.set([Math.cos(0.002), Math.sin(0.002), 0, 0], 3))).toBe(true);
    expect(changed((f) => (f.contacts[0]!.force[0] = 0.5))).toBe(true);
    expect(changed((f) => (f.contacts[0]!.state = 2))).toBe(true);
    expect(changed((f) => (f.contacts = []))).toBe(true);
    expect(changed((f) => (f.com[0] = 0.002))).toBe(true);
    expect(changed((f) => (f.zmp = [0, 0, 0]))).toBe(true);
    expect(changed((f) => (f.support[0] = 0.002))).toBe(true);
    expect(changed((f) => (f.support = new Float32Array()))).toBe(true);
    expect(changed((f) => (f.scene = 2))).toBe(true);
  });
  it('cares for forces only where they are drawn', () => {
    const f = make();
    f.contacts[0]!.force = [0, 0, 900];
    expect(looksDifferent(f, make(), { ...scale, metresPerNewton: 0 })).toBe(false);
  });
});
