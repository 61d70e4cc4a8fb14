// Joints: where each is between its limits, where it is pulled to. Dragging on the track sets the target.

import type { App } from '../app';
import { h, setText, throttle } from '../dom';
import { jointValue } from '../format';
import type { Joint } from '../protocol';
import { makeSection } from './section';

interface Row {
  row: HTMLElement;
  update: (position: number, target: number) => void;
}

function makeRow(app: App, joint: Joint): Row {
  const [low, high] = [joint.lower ?? -Math.PI, joint.upper ?? Math.PI];
  const place = (x: number) => `${Math.min(100, Math.max(0, ((x - low) / (high - low || 1)) * 100))}%`;
  const needle = h('i', { className: 'needle' });
  const wanted = h('i', { className: 'wanted' });
  const track = h('div', { className: 'track' }, wanted, needle);
  const value = h('output', {}, '–');
  const name = h('span', { title: joint.name }, joint.name.replace(/^[^/]*\//, '').replaceAll('_', ' '));
  const aim = h('output', { className: 'aim', title: 'Target' });
  const row = h('div', { className: 'joint', data: { joint: joint.name } }, name, track, value, aim);

  if (joint.held) {
    track.classList.add('held');
    track.title = 'Drag: set the target. Double click: give it back to its controller';
    const send = throttle(33, (x: number) => app.setTarget(joint.name, x));
    const follow = (e: PointerEvent) => {
      const box = track.getBoundingClientRect();
      send(low + Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)) * (high - low));
    };
    track.onpointerdown = (e) => {
      track.setPointerCapture(e.pointerId);
      follow(e);
    };
    track.onpointermove = (e) => {
      if (track.hasPointerCapture(e.pointerId)) follow(e);
    };
    // After the target of the second click, which may still wait to be sent.
    track.ondblclick = () => setTimeout(() => app.setTarget(joint.name, null), 60);
  }
  return {
    row,
    update: (position, target) => {
      needle.style.left = place(position);
      wanted.style.display = Number.isFinite(target) ? '' : 'none';
      if (Number.isFinite(target)) wanted.style.left = place(target);
      setText(value, jointValue(position, joint.unit));
      const reach = 0.02 * (high - low);
      row.classList.toggle('limit', position < low + reach || position > high - reach);
      setText(aim, Number.isFinite(target) ? jointValue(target, joint.unit) : '');
    },
  };
}

export function makeJointPanel(app: App): HTMLElement {
  const rows = h('div', { className: 'joints' });
  const filter = h('input', { type: 'search', placeholder: 'Find a joint', className: 'find' });
  const head = h('div', { className: 'joint joint-head' }, h('span'), h('span'), h('span', {}, 'value'), h('span', {}, 'target'));
  const section = makeSection('joint-panel', 'Joints', false, filter, head, rows);
  let made: Row[] = [];

  const applyFilter = () => {
    const wanted = filter.value.trim().toLowerCase().replaceAll(' ', '_');
    for (const { row } of made) row.hidden = !row.dataset.joint!.toLowerCase().includes(wanted);
  };
  filter.oninput = applyFilter;
  section.ontoggle = () => app.setWatch(app.watched.channels, section.open);
  app.scene.watch((scene) => {
    made = (scene?.joints ?? []).map((j) => makeRow(app, j));
    rows.replaceChildren(...made.map((m) => m.row));
    section.hidden = made.length === 0;
    applyFilter();
  });
  app.reading.listen((f) => {
    if (!f || !section.open || f.joints.length !== 2 * made.length) return;
    made.forEach((m, i) => m.update(f.joints[2 * i]!, f.joints[2 * i + 1]!));
  });
  return section;
}
