// The trust report: how far the last steps can be believed. Always visible, red when one did not converge.

import type { App } from '../app';
import { h, setText } from '../dom';
import { compact, length, micros, power, seconds, times } from '../format';
import { kFlag } from '../frames';
import type { StateFrame } from '../frames';

const kHold = 1500; // ms that the alarm stays after the last bad frame, so that it is seen
const kSpark = 90; // points of the small curve

export function makeTrust(app: App): HTMLElement {
  const cells = new Map<string, HTMLElement>();
  const cell = (key: string, label: string, title: string, ...extra: HTMLElement[]) => {
    const value = h('b', { id: `trust-${key}` }, '–');
    cells.set(key, value);
    return h('div', { className: 'cell', title, data: { key } }, h('span', {}, label), h('div', {}, value, ...extra));
  };
  const spark = h('canvas', { className: 'spark', width: 92, height: 22 });
  const verdict = h('div', { className: 'verdict', id: 'verdict' }, '–');
  const strip = h(
    'section',
    { className: 'trust', id: 'trust', aria: { label: 'Trust report' } },
    verdict,
    cell('residual', 'Residual', 'Largest residual of the contact problem since the last picture; line: tolerance', spark),
    cell('penetration', 'Penetration', 'Deepest penetration since the last picture'),
    cell('speed', 'Real time', 'Simulated over real time'),
    cell('step', 'Step', 'Computing time of one step'),
    cell('contacts', 'Contacts', 'Contact points'),
    cell('groups', 'Groups', 'Groups of contacts solved apart'),
    cell('sweeps', 'Sweeps', 'Sweeps of the solver'),
    cell('time', 'Time', 'Simulated time'),
  );

  const residuals: number[] = [];
  let badUntil = 0;
  let bad = 0;
  let last: StateFrame | null = null; // not from the past
  let worst: StateFrame | null = null; // what the alarm is about, shown while it lasts
  app.scene.listen((scene) => {
    if (scene) setText(strip.querySelector<HTMLElement>('[data-key=residual] span')!, `Residual ≤ ${power(scene.tolerance)}`);
    residuals.length = 0;
    badUntil = 0;
    worst = null;
  });
  const badFlags = (f: StateFrame) => f.flags & (kFlag.notConverged | kFlag.refused);

  const set = (key: string, text: string) => setText(cells.get(key)!, text);
  const show = (f: StateFrame) => {
    const alarmed = badFlags(f) !== 0 || performance.now() < badUntil;
    if (!alarmed) worst = null;
    set('residual', compact(worst?.residual ?? f.residual, 2));
    set('penetration', length(worst?.penetration ?? f.penetration));
    set('speed', f.flags & kFlag.past ? 'past' : f.flags & kFlag.paused ? 'paused' : times(f.speed));
    set('step', micros(f.stepMicroseconds));
    set('contacts', String(f.contacts.length));
    set('groups', String(f.groups));
    set('sweeps', String(worst?.sweeps ?? f.sweeps));
    set('time', seconds(f.time));
    strip.classList.toggle('bad', alarmed);
    const refused = (worst ?? f).flags & kFlag.refused;
    setText(verdict, alarmed ? (refused ? 'Step refused' : 'Not converged') : bad ? `Converged · ${bad} bad` : 'Converged');
    verdict.title = bad ? `${bad} ${bad === 1 ? 'picture' : 'pictures'} since the start had a step that did not converge` : 'Every step so far converged';
    const slow = !(f.flags & (kFlag.paused | kFlag.past)) && (app.status.value?.speed ?? 0) > 0 && f.speed < 0.97 * app.status.value!.speed;
    cells.get('speed')!.classList.toggle('warn', slow);
    drawSpark(spark, residuals, app.scene.value?.tolerance ?? 1e-8, alarmed);
  };

  app.reading.listen((f) => {
    if (f) show(f);
  });
  app.frame.listen((f) => {
    if (!f) return;
    residuals.push(f.residual);
    if (residuals.length > kSpark) residuals.shift();
    const isBad = badFlags(f) !== 0;
    if (!(f.flags & kFlag.past)) {
      // another run has its own count; without a step since the last frame its flags are told again
      if (last && f.time < last.time) bad = 0;
      if (isBad && !(last && last.step === f.step && badFlags(last) === badFlags(f))) ++bad;
      last = f;
    }
    if (isBad) {
      badUntil = performance.now() + kHold;
      if (!worst || f.residual >= worst.residual) worst = f;
    }
    if (isBad && !strip.classList.contains('bad')) show(f); // an alarm does not wait
  });
  return strip;
}

function drawSpark(canvas: HTMLCanvasElement, values: number[], tolerance: number, bad: boolean): void {
  const g = canvas.getContext('2d');
  if (!g) return;
  const { width, height } = canvas;
  const style = getComputedStyle(canvas);
  g.clearRect(0, 0, width, height);
  const [low, high] = [Math.log10(tolerance) - 6, Math.log10(tolerance) + 3];
  const y = (r: number) => {
    const place = (Math.log10(Math.max(r, 1e-300)) - low) / (high - low);
    return height - 1.5 - Math.min(1, Math.max(0, place)) * (height - 3);
  };
  g.strokeStyle = style.getPropertyValue('--line-strong');
  g.setLineDash([2, 3]);
  g.beginPath();
  g.moveTo(0, y(tolerance));
  g.lineTo(width, y(tolerance));
  g.stroke();
  g.setLineDash([]);
  g.strokeStyle = style.getPropertyValue(bad ? '--bad' : '--good');
  g.lineWidth = 1.5;
  g.beginPath();
  values.forEach((r, i) => g.lineTo((i / (kSpark - 1)) * width, y(r)));
  g.stroke();
}
