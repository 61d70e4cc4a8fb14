import { describe, expect, it } from 'vitest';
import { compact, fixed, jointValue, length, newtons, power } from '../../src/format';

describe('Numbers', () => {
  it('keep the digits that matter', () => {
    expect([1.2345, 123.45, 0.012345, 1.2e-9, 0, NaN].map((x) => compact(x))).toEqual(['1.23', '123', '0.0123', '1.2e−9', '0', '–']);
  });
  it('choose a prefix', () => {
    expect([0.25, 2e-3, 3e-6, 4e-9, 1e-12].map(length)).toEqual(['0.250', '2.00', '3.00', '4.00', '0'].map((x, i) => `${x}\u202f${['mm', 'mm', 'µm', 'nm', 'm'][i]}`).map((x, i) => (i === 0 ? '250\u202fmm' : x)));
  });
  it('write tolerances as they are set', () => {
    expect([1e-8, 2.5e-4].map(power)).toEqual(['1e−8', '2.5e−4']);
  });
  it('give nothing no sign', () => {
    expect([-0.01, -0.06, 0, -2].map((x) => fixed(x, 1))).toEqual(['0.0', '−0.1', '0.0', '−2.0']);
  });
  it('name forces and angles as people do', () => {
    expect(newtons(3.14159)).toBe('3.1\u202fN');
    expect(newtons(2345)).toBe('2.35\u202fkN');
    expect(jointValue(Math.PI / 2, 'rad')).toBe('90.0°');
  });
});
