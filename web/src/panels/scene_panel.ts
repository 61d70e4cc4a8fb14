// What the scene is, and what of it can be changed: its variables and gravity.

import type { App } from '../app';
import { h, setText } from '../dom';
import { compact } from '../format';
import type { Variable } from '../protocol';
import { makeSection } from './section';

const kEarth = 9.81;
const kPlaces: [string, number][] = [
  ['0', 0],
  ['Moon', 1.62],
  ['Mars', 3.71],
  ['Earth', kEarth],
];

interface SliderOptions {
  id: string;
  label: string;
  title: string;
  min: number;
  max: number;
  value: number;
  show: (value: number) => string;
  /** Between two places of the slider; none: as fine as it goes. */
  step?: number;
  /** While it moves, and when it is let go. */
  input?: (value: number) => void;
  commit?: (value: number) => void;
}

export function makeSlider(o: SliderOptions): { row: HTMLElement; set: (value: number) => void } {
  const value = h('output', {}, o.show(o.value));
  const input = h('input', { type: 'range', id: o.id, min: String(o.min), max: String(o.max), step: o.step ? String(o.step) : 'any', value: String(o.value) });
  input.oninput = () => {
    setText(value, o.show(Number(input.value)));
    o.input?.(Number(input.value));
  };
  input.onchange = () => {
    o.commit?.(Number(input.value));
    input.blur();
  };
  return {
    row: h('label', { className: 'slider', title: o.title }, h('span', {}, o.label), input, value),
    set: (x) => {
      if (document.activeElement === input) return;
      input.value = String(x);
      setText(value, o.show(x));
    },
  };
}

/** A slider beside a number that can be typed: other than the slider, to the last digit and beyond its ends. */
function makeVariable(v: Variable, commit: (value: number) => void): HTMLElement {
  const [min, max] = rangeOf(v);
  const title = `${v.about || v.name}; the scene starts again with it. Double click: ${compact(v.start)}`;
  const typed = h('input', { type: 'number', step: 'any', value: String(Number(v.value.toPrecision(4))), id: `var-${v.name}-value`, aria: { label: v.name } });
  typed.onchange = () => {
    if (typed.value !== '') commit(Number(typed.value));
    typed.blur();
  };
  const { row } = makeSlider({
    id: `var-${v.name}`,
    label: v.name,
    title,
    min,
    max,
    value: v.value,
    show: (x) => compact(x),
    // Things are counted in whole numbers.
    ...(Number.isInteger(v.start) && v.start > 2 ? { step: 1 } : {}),
    input: (x) => (typed.value = String(Number(x.toPrecision(3)))),
    commit: (x) => commit(Number(x.toPrecision(3))),
  });
  row.lastElementChild!.replaceWith(typed);
  row.ondblclick = (e) => {
    if (e.target !== typed) commit(v.start);
  };
  row.classList.toggle('changed', v.value !== v.start);
  return row;
}

/** A range that has the start in its middle, and zero as its end where the sign matters. */
function rangeOf(v: Variable): [number, number] {
  const far = Math.max(Math.abs(v.start), Math.abs(v.value) / 2);
  if (far === 0) return [-1, 1];
  return v.start < 0 ? [-2 * far, 0] : [0, 2 * far];
}

export function makeScenePanel(app: App): HTMLElement {
  const about = h('p', { className: 'about', id: 'about' });
  const facts = h('p', { className: 'facts' });
  const variables = h('div', { className: 'rows' });

  const gravity = makeSlider({
    id: 'gravity',
    label: 'Gravity',
    title: 'Downwards, m/s²; from the next step on',
    min: 0,
    max: 20,
    value: kEarth,
    show: (g) => `${g.toFixed(2)} m/s²`,
    input: (g) => app.setGravity([0, 0, -g]),
  });
  const places = h(
    'div',
    { className: 'chips' },
    ...kPlaces.map(([name, g]) =>
      h('button', { type: 'button', className: 'chip', onclick: () => app.setGravity([0, 0, -g]) }, name === '0' ? 'None' : name),
    ),
  );

  const showVariables = () => variables.replaceChildren(...(app.scene.value?.variables ?? []).map((v) => makeVariable(v, (x) => void set(v, x))));
  // A value that is refused does not stay in its row.
  const set = async (v: Variable, value: number) => {
    if (!(await app.setVariable(v.name, value))) showVariables();
  };

  app.scene.watch((scene) => {
    if (!scene) return;
    setText(about, scene.about || scene.file);
    const moving = scene.bodies.filter((b) => b.moves);
    const mass = moving.reduce((m, b) => m + b.mass, 0);
    const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
    setText(facts, `${count(moving.length, 'body', 'bodies')} · ${count(scene.joints.length, 'joint', 'joints')} · ${compact(mass)} kg · ${Number((scene.step * 1000).toPrecision(3))} ms steps`);
    showVariables();
  });
  app.status.watch((s) => {
    if (s) gravity.set(Math.hypot(...s.gravity));
  });
  return makeSection('scene-panel', 'Scene', true, about, facts, variables, gravity.row, places);
}
