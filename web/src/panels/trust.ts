// The trust report: how far the run can be believed. Always visible; what its light says is in verdict.ts.

import type { App } from '../app';
import { h, setText } from '../dom';
import { compact, length, micros, power, seconds, times } from '../format';
import { kFlag } from '../frames';
import type { StateFrame } from '../frames';
import type { Status } from '../protocol';
import { judge, kSpoiled } from '../verdict';
import type { Light } from '../verdict';

const kHold = 1500; // ms that the alarm stays after the last bad frame, so that it is seen
const kColors = { good: '--good', warn: '--warn', bad: '--bad', none: '--muted' };
const kSpark = 90; // points of the small curve

/** By key: what the label says, and what is told of it under the pointer. */
const kCells = {
  residual: ['Residual', 'Largest residual of the contact problem since the last picture; line: tolerance'],
  gap: ['Gap velocity', 'Worst of any row since the run began: how far its velocity is from its law, in m/s'],
  impulse: ['Impulse error', 'Worst of any row since the run began: how far its impulse is from its law, in N s'],
  energy: ['Energy error', 'What the integrator added since the run began'],
  penetration: ['Penetration', 'Deepest penetration since the last picture'],
  speed: ['Real time', 'Simulated over real time'],
  step: ['Step', 'Computing time of one step'],
  contacts: ['Contacts', 'Contact points'],
  groups: ['Groups', 'Groups of contacts solved apart'],
  sweeps: ['Sweeps', 'Sweeps of the solver'],
  time: ['Time', 'Simulated time'],
} as const;
type Key = keyof typeof kCells;
const kKeys = Object.keys(kCells) as Key[];

/** What the cells say: of a frame, of the whole run, and of the worst frame while an alarm lasts. */
function describe(f: StateFrame, trust: Status['trust'] | undefined, worst: StateFrame | null): Record<Key, string> {
  return {
    residual: compact(worst?.residual ?? f.residual, 2),
    gap: trust ? `${compact(trust.gap_velocity, 2)} m/s` : '–',
    impulse: trust ? `${compact(trust.impulse_error, 2)} N s` : '–',
    energy: trust ? `${compact(trust.energy_error, 2)} J` : '–',
    penetration: length(worst?.penetration ?? f.penetration),
    speed: f.flags & kFlag.past ? 'past' : f.flags & kFlag.paused ? 'paused' : times(f.speed),
    step: micros(f.stepMicroseconds),
    contacts: String(f.contacts.length),
    groups: String(f.groups),
    sweeps: String(worst?.sweeps ?? f.sweeps),
    time: seconds(f.time),
  };
}

/** Time passes more slowly than was asked for. */
function isSlow(f: StateFrame, status: Status | null): boolean {
  return !(f.flags & (kFlag.paused | kFlag.past)) && (status?.speed ?? 0) > 0 && f.speed < 0.97 * status!.speed;
}

export function makeTrust(app: App): HTMLElement {
  const cells = {} as Record<Key, HTMLElement>;
  const spark = h('canvas', { className: 'spark', width: 92, height: 22 });
  const verdict = h('div', { className: 'verdict', id: 'verdict' }, '–');
  const strip = h('section', { className: 'trust', id: 'trust', aria: { label: 'Trust report' } }, verdict);
  for (const key of kKeys) {
    const [label, title] = kCells[key];
    cells[key] = h('b', { id: `trust-${key}` }, '–');
    const value = h('div', {}, cells[key], key === 'residual' ? spark : null);
    strip.append(h('div', { className: 'cell', title, data: { key } }, h('span', {}, label), value));
  }

  const residuals: number[] = [];
  let badUntil = 0;
  let held = 0; // flags of the last bad frame, while the alarm stays
  let worst: StateFrame | null = null; // what the alarm is about, shown while it lasts
  app.scene.listen((scene) => {
    if (scene) setText(strip.querySelector<HTMLElement>('[data-key=residual] span')!, `Residual ≤ ${power(scene.tolerance)}`);
    residuals.length = 0;
    badUntil = 0;
    worst = null;
  });

  const light = (): Light => {
    const f = app.frame.value;
    const isHeld = performance.now() < badUntil;
    if (!isHeld) worst = null;
    const now = judge(app.link.value.state, app.status.value, (f?.flags ?? 0) | (isHeld ? held : 0));
    strip.classList.toggle('bad', now.light === 'bad');
    strip.dataset.light = now.light;
    setText(verdict, now.text);
    verdict.title = now.title;
    return now.light;
  };
  const show = (f: StateFrame) => {
    const shown = light();
    const status = app.status.value;
    const texts = describe(f, status?.trust, worst);
    for (const key of kKeys) setText(cells[key], texts[key]);
    strip.classList.toggle('high', (worst?.residual ?? f.residual) > (app.scene.value?.tolerance ?? Infinity));
    cells.speed.classList.toggle('warn', isSlow(f, status));
    drawSpark(spark, residuals, app.scene.value?.tolerance ?? 1e-8, shown);
  };

  app.reading.listen((f) => {
    if (f) show(f);
  });
  app.link.watch(light);
  app.status.watch(light);
  app.frame.listen((f) => {
    if (!f) return;
    residuals.push(f.residual);
    if (residuals.length > kSpark) residuals.shift();
    const flags = f.flags & kSpoiled;
    if (!flags) return;
    badUntil = performance.now() + kHold;
    held = flags;
    if (!worst || f.residual >= worst.residual) worst = f;
    if (!strip.classList.contains('bad')) show(f); // an alarm does not wait
  });
  return strip;
}

function drawSpark(canvas: HTMLCanvasElement, values: number[], tolerance: number, light: Light): void {
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
  g.strokeStyle = style.getPropertyValue(kColors[light]);
  g.lineWidth = 1.5;
  g.beginPath();
  values.forEach((r, i) => g.lineTo((i / (kSpark - 1)) * width, y(r)));
  g.stroke();
}
