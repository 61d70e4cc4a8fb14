import { describe, expect, it } from 'vitest';
import { Series } from '../../src/series';

describe('Series', () => {
  it('shows the last seconds only', () => {
    const s = new Series(1);
    for (let i = 0; i < 5000; ++i) s.push(i * 0.01, [i]);
    const [times, values] = s.tail(1) as [Float64Array, Float64Array];
    expect(times[0]).toBeCloseTo(48.99, 9);
    expect(Array.from(values.slice(-2))).toEqual([4998, 4999]);
  });
  it('forgets what came after when time goes back', () => {
    const s = new Series(1);
    for (const t of [1, 2, 3, 4, 2.5]) s.push(t, [t]);
    expect(Array.from(s.tail(100)[0]!)).toEqual([1, 2, 2.5]);
  });
  it('never grows beyond its rows', () => {
    const s = new Series(2);
    for (let i = 0; i < 150000; ++i) s.push(i, [i, -i]);
    expect(s.length).toBe(60000);
    const [times, , second] = s.tail(1e9) as Float64Array[];
    expect(times![0]).toBe(90000);
    expect(second!.at(-1)).toBe(-149999);
  });
});
