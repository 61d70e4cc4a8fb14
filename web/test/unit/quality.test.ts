import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Quality } from '../../src/quality';
import type { QualityLevel } from '../../src/quality';

describe('Quality', () => {
  let level: QualityLevel;
  const run = (q: Quality, from: number, count: number, ms: number) => {
    for (let i = 0; i < count; ++i) q.frame(from + i * ms);
  };
  const make = (dropped = 0, fixed = false) => new Quality((l) => (level = l), dropped, fixed);

  beforeEach(() => {
    vi.stubGlobal('window', { devicePixelRatio: 1 });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('keeps shadows at 40 ms and drops them at 60 ms', () => {
    const q = make();
    run(q, 5000, 100, 40);
    expect(level.shadows).toBe(true);
    run(q, 50000, 30, 60);
    expect(level.shadows).toBe(false);
    expect(level.pixelRatio).toBe(1);
  });
  it('drops sharpness too when pictures take 120 ms', () => {
    const q = make();
    run(q, 5000, 60, 120);
    expect(level.pixelRatio).toBeLessThan(1);
  });
  it('is not misled by a pause, a slow start or a new scene', () => {
    const q = make();
    q.frame(800); // the first picture, long after the page was opened
    run(q, 810, 10, 16);
    for (let t = 20000; t < 40000; t += 1000) {
      q.rest();
      q.frame(t);
      q.frame(t + 16);
    }
    vi.spyOn(performance, 'now').mockReturnValue(50000);
    q.settle();
    run(q, performance.now(), 10, 100);
    expect(level.shadows).toBe(true);
  });
  it('does as it is told: no shadows, or everything', () => {
    const q = make();
    q.allowShadows(false);
    expect(level.shadows).toBe(false);
    q.allowShadows(true);
    expect(level.shadows).toBe(true);
    run(make(0, true), 5000, 60, 300);
    expect(level.shadows).toBe(true);
  });
});
