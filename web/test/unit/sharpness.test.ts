import { describe, expect, it } from 'vitest';
import { Sharpness } from '../../src/sharpness';

let now = 10000; // ms

/** Draws for a while on a machine that needs `ms` for a picture with all pixels. */
function run(s: Sharpness, ms: number, pictures = 400): number {
  let changes = 0;
  for (let i = 0; i < pictures; ++i) {
    // A picture's end is noticed with the next one of the screen, and half of that is taken off (pace.ts).
    const took = Math.ceil((ms * s.ratio ** 2) / s.full ** 2 / 16.7) * 16.7 - 8;
    now += took + 8;
    if (s.took(took, now)) ++changes;
  }
  return changes;
}

describe('Sharpness', () => {
  it('stays sharp where that is fast enough', () => {
    const s = new Sharpness(1);
    expect(run(s, 45)).toBe(0);
    expect(s.ratio).toBe(1);
  });
  it('gives up pixels until pictures come in time, and then rests', () => {
    const s = new Sharpness(1);
    expect(run(s, 80)).toBeLessThan(6);
    expect(s.ratio).toBeLessThan(0.85);
    expect(80 * s.ratio ** 2).toBeLessThanOrEqual(58);
    expect(s.shadows).toBe(false);
    const found = s.ratio;
    run(s, 80);
    expect(s.ratio).toBe(found);
  });
  it('drops shadows when pictures take more than 50 ms, before any pixel', () => {
    const s = new Sharpness(1);
    while (s.shadows) s.took(60, (now += 60));
    expect(s.ratio).toBe(1);
    const other = new Sharpness(1);
    for (let i = 0; i < 100; ++i) other.took(48, (now += 48));
    expect(other.shadows).toBe(true);
  });
  it('never draws less than half of the pixels', () => {
    const s = new Sharpness(1);
    run(s, 1000);
    expect(s.ratio).toBe(0.7);
  });
  it('is not misled by a new scene, nor for ever by a busy machine', () => {
    const s = new Sharpness(1);
    s.settle(now);
    for (let i = 0; i < 12; ++i) s.took(120, (now += 120));
    expect(s.ratio).toBe(1);
    expect(s.shadows).toBe(true);
    run(s, 1000);
    expect(s.shadows).toBe(false);
    run(s, 30);
    expect(s.shadows).toBe(true);
    expect(s.ratio).toBe(1);
  });
  it('is sharp again when the machine has time', () => {
    const s = new Sharpness(2);
    run(s, 200);
    expect(s.ratio).toBeLessThan(1.5);
    run(s, 15);
    expect(s.ratio).toBe(2);
  });
  it('is not misled by one slow picture', () => {
    const s = new Sharpness(1);
    for (let i = 0; i < 200; ++i) s.took(i % 8 === 3 ? 500 : 20, (now += 50));
    expect(s.ratio).toBe(1);
  });
});
