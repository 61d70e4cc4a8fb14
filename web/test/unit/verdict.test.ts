import { describe, expect, it } from 'vitest';
import { kFlag } from '../../src/frames';
import type { Status } from '../../src/protocol';
import { judge } from '../../src/verdict';

const clean: Status['trust'] = {
  steps: 1200, not_converged: 0, refused: 0, contacts_dropped: 0, contacts_missed: 0,
  residual: 1e-9, distance: 1e-9, gap_velocity: 1e-10, impulse_error: 1e-11, energy_error: 0,
};
const make = (trust: Partial<Status['trust']> = {}, law = 'exact'): Status => ({
  type: 'status', paused: false, speed: 1, law, gravity: [0, 0, -9.81], recording: false, from: 0, to: 1, at: null, viewers: 1,
  trust: { ...clean, ...trust },
});

describe('The light', () => {
  it('is green when every link was checked and nothing was wrong', () => {
    expect(judge('open', make(), 0)).toMatchObject({ light: 'good', text: 'Converged' });
    expect(judge('open', make(), kFlag.paused | kFlag.past | kFlag.recording)).toMatchObject({ light: 'good' });
  });
  it.each([
    ['not_converged', 'warn', '3 bad steps'],
    ['refused', 'bad', '3 steps refused'],
    ['contacts_dropped', 'bad', '3 contacts dropped'],
    ['contacts_missed', 'bad', '3 contacts missed'],
  ] as const)('is never green again once %s counts', (what, light, text) => {
    const verdict = judge('open', make({ [what]: 3 }), 0);
    expect(verdict).toMatchObject({ light, text });
    expect(verdict.title).toContain('since the run began');
    expect(judge('open', make({ [what]: 1 }), 0).text).not.toMatch(/1 .*s(teps|contacts)/);
  });
  it.each([
    [kFlag.notConverged, 'Not converged'],
    [kFlag.refused, 'Step refused'],
    [kFlag.dropped, 'Contact dropped'],
    [kFlag.missed, 'Contact missed'],
  ] as const)('is red while flag %d is up, though no count has come yet', (flag, text) => {
    expect(judge('open', make(), flag)).toMatchObject({ light: 'bad', text });
  });
  it('tells the worst first', () => {
    expect(judge('open', make(), kFlag.notConverged | kFlag.missed).text).toBe('Contact missed');
    expect(judge('open', make({ not_converged: 5, contacts_missed: 1 }), 0)).toMatchObject({ light: 'bad', text: '1 contact missed' });
  });
  it('is amber while a device feels something else', () => {
    expect(judge('open', make(), kFlag.device).light).toBe('warn');
  });
  it('is grey where nothing was checked', () => {
    expect(judge('open', null, 0).light).toBe('none');
    expect(judge('lost', make(), 0).light).toBe('none');
    expect(judge('connecting', make(), 0).light).toBe('none');
    expect(judge('open', make({ steps: 0 }), 0)).toMatchObject({ light: 'none', text: 'No step yet' });
  });
  it('is grey by another law, and says how far that is from the exact one', () => {
    const verdict = judge('open', make({ distance: 0.25 }, 'penalty_linear'), 0);
    expect(verdict.light).toBe('none');
    expect(verdict.title).toContain('0.25 from the exact law');
  });
});
