import { describe, expect, it } from 'vitest';
import type { FenceContext } from '../../src/pace';
import { Pace } from '../../src/pace';

describe('Pace', () => {
  const make = () => {
    const kept = new Set<object>();
    const gl = {
      signaled: false,
      kept,
      SYNC_GPU_COMMANDS_COMPLETE: 1,
      SYNC_STATUS: 2,
      UNSIGNALED: 3,
      fenceSync: () => {
        const fence = {};
        kept.add(fence);
        return fence;
      },
      getSyncParameter: () => (gl.signaled ? 4 : 3),
      deleteSync: (fence: object) => kept.delete(fence),
      flush: () => undefined,
    };
    const took: number[] = [];
    return { gl, took, pace: new Pace(gl as unknown as FenceContext, (ms) => took.push(ms)) };
  };

  it('waits until the last picture is finished, and says how long it took', () => {
    const { gl, took, pace } = make();
    expect(pace.isReady(0)).toBe(true);
    pace.drawn(100);
    expect(pace.isReady(116)).toBe(false);
    expect(pace.isReady(133)).toBe(false);
    gl.signaled = true;
    expect(pace.isReady(150)).toBe(true);
    expect(pace.isReady(166)).toBe(true);
    expect(took).toEqual([42]); // 50, but noticed late
    expect(gl.kept.size).toBe(0);
  });
  it('does not wait for ever, nor take that for the speed', () => {
    const { took, pace } = make();
    pace.drawn(100);
    expect(pace.isReady(900)).toBe(false);
    expect(pace.isReady(1100)).toBe(true);
    expect(took).toEqual([]);
  });
  it('keeps no fence of a picture that another one followed', () => {
    const { gl, pace } = make();
    pace.drawn(100);
    pace.drawn(101);
    expect(gl.kept.size).toBe(1);
  });
});
