// What the light of the trust report says. Green only where every link was checked and nothing was wrong.

import { compact } from './format';
import { kFlag } from './frames';
import type { LinkState } from './connection';
import type { Status } from './protocol';

/** good: green; warn: amber; bad: red; none: grey, where nothing was checked. */
export type Light = 'good' | 'warn' | 'bad' | 'none';

export interface Verdict {
  light: Light;
  text: string;
  title: string;
}

/** Flags of a frame that spoil its steps. */
export const kSpoiled = kFlag.notConverged | kFlag.refused | kFlag.dropped | kFlag.missed;

const some = (count: number, one: string, more = `${one}s`): string => `${count.toLocaleString('en')} ${count === 1 ? one : more}`;

/** All that went wrong since the run began, in words; empty: nothing. */
export function tellWrong(t: Status['trust']): string[] {
  const out: string[] = [];
  if (t.refused) out.push(`${some(t.refused, 'step')} refused`);
  if (t.contacts_missed) out.push(`${some(t.contacts_missed, 'contact')} missed`);
  if (t.contacts_dropped) out.push(`${some(t.contacts_dropped, 'contact')} dropped`);
  if (t.not_converged) out.push(`${some(t.not_converged, 'step')} of ${t.steps.toLocaleString('en')} not converged`);
  return out;
}

/** `now`: flags of the steps that are shown, or were a moment ago. */
export function judge(link: LinkState['state'], status: Status | null, now: number): Verdict {
  if (link !== 'open' || !status) return { light: 'none', text: 'Not connected', title: 'Nothing is known of the simulation' };
  const t = status.trust;
  const wrong = tellWrong(t);
  const title = [...wrong, ...(wrong.length ? ['since the run began'] : [])].join(', ');
  const alarm = (text: string): Verdict => ({ light: 'bad', text, title: title || text });
  if (now & kFlag.refused) return alarm('Step refused');
  if (now & kFlag.missed) return alarm('Contact missed');
  if (now & kFlag.dropped) return alarm('Contact dropped');
  if (now & kFlag.notConverged) return alarm('Not converged');
  if (t.refused) return { light: 'bad', text: `${some(t.refused, 'step')} refused`, title };
  if (t.contacts_missed || t.contacts_dropped) {
    const [count, what] = t.contacts_missed ? [t.contacts_missed, 'missed'] : [t.contacts_dropped, 'dropped'];
    return { light: 'bad', text: `${some(count, 'contact')} ${what}`, title };
  }
  if (t.not_converged) return { light: 'warn', text: `${some(t.not_converged, 'bad step')}`, title };
  if (now & kFlag.device)
    return { light: 'warn', text: 'Device inexact', title: 'A device feels something else than the simulation between steps: see the events' };
  if (!t.steps) return { light: 'none', text: 'No step yet', title: 'Nothing was solved, so nothing was checked' };
  if (status.law !== 'exact')
    return {
      light: 'none',
      text: 'Not the exact law',
      title: `The equations of ${status.law} hold; its impulses are up to ${compact(t.distance, 2)} from the exact law (residual)`,
    };
  return {
    light: 'good',
    text: 'Converged',
    title: `All ${some(t.steps, 'step')} since the run began converged, no contact was dropped or missed`,
  };
}
