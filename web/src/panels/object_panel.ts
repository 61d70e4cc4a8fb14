// New loose bodies: shape, size and mass of the next one.

import type { App } from '../app';
import { h } from '../dom';
import type { LooseShape } from '../protocol';
import { Signal } from '../signal';
import { makeSection } from './section';

const kDensity = 500; // kg/m³ of a mass that was not chosen
const kSizes = {
  box: { names: ['x', 'y', 'z'], size: [0.2, 0.2, 0.2] },
  sphere: { names: ['radius'], size: [0.1] },
  capsule: { names: ['radius', 'length'], size: [0.06, 0.2] },
  cylinder: { names: ['radius', 'length'], size: [0.1, 0.2] },
} as const;
type Kind = keyof typeof kSizes;

export interface NextObject {
  shape: LooseShape;
  mass: number;
}

const massOf = (shape: LooseShape) => Number((volume(shape) * kDensity).toPrecision(2));
function makeNext(kind: Kind): NextObject {
  const shape = { kind, size: [...kSizes[kind].size] };
  return { shape, mass: massOf(shape) };
}

/** Buttons for the kinds of shapes; the one of the next object is lit. */
export function makeKinds(next: Signal<NextObject>): HTMLElement {
  const chips = (Object.keys(kSizes) as Kind[]).map((kind) =>
    h('button', { type: 'button', className: 'chip', data: { kind }, onclick: () => (next.value = makeNext(kind)) }, kind),
  );
  next.watch(({ shape }) => chips.forEach((c) => c.classList.toggle('on', c.dataset.kind === shape.kind)));
  return h('div', { className: 'chips' }, ...chips);
}

function volume(shape: LooseShape): number {
  const [a = 0, b = 0, c = 0] = shape.size;
  const ball = (4 / 3) * Math.PI * a ** 3;
  const rod = Math.PI * a ** 2 * b;
  return { box: a * b * c, sphere: ball, cylinder: rod, capsule: rod + ball }[shape.kind];
}

/** Half of its height when it stands: where to put its middle. */
export function halfHeight(shape: LooseShape): number {
  const [a = 0, b = 0, c = 0] = shape.size;
  return { box: c / 2, sphere: a, cylinder: b / 2, capsule: b / 2 + a }[shape.kind];
}

export function makeObjectPanel(app: App, drop: () => void): { section: HTMLElement; next: Signal<NextObject> } {
  const next = new Signal<NextObject>(makeNext('box'));
  const mass = h('input', { type: 'number', min: '0.001', step: 'any', id: 'object-mass' });
  const sizes = h('div', { className: 'sizes' });
  const show = (input: HTMLInputElement, value: number) => {
    if (document.activeElement !== input) input.value = String(value); // not under the fingers of who types
  };

  let inputs: HTMLInputElement[] = [];
  const makeInputs = (kind: Kind) => {
    inputs = kSizes[kind].names.map(() => h('input', { type: 'number', min: '0.005', step: '0.01' }));
    for (const input of inputs)
      input.oninput = () => {
        const shape = { kind, size: inputs.map((n) => Number(n.value)) };
        if (shape.size.every((v) => v > 0)) next.value = { shape, mass: massOf(shape) };
      };
    sizes.replaceChildren(...kSizes[kind].names.map((name, i) => h('label', {}, h('span', {}, name), inputs[i]!)));
  };
  let kind: Kind | null = null;
  next.watch(({ shape, mass: kg }) => {
    if (shape.kind !== kind) makeInputs((kind = shape.kind));
    shape.size.forEach((x, i) => show(inputs[i]!, x));
    show(mass, kg);
  });
  mass.oninput = () => {
    if (Number(mass.value) > 0) next.value = { ...next.value, mass: Number(mass.value) };
  };
  const dropButton = h('button', { type: 'button', className: 'button', id: 'drop', onclick: drop, title: 'Falls where the camera looks' }, 'Drop');
  const place = h('button', { type: 'button', className: 'button', id: 'place', title: 'Then click where it shall fall; with Shift it is thrown from the camera', onclick: () => (app.tool.value = 'add') }, 'Place…');
  const section = makeSection(
    'object-panel',
    'Add an object',
    false,
    makeKinds(next),
    sizes,
    h('div', { className: 'sizes' }, h('label', {}, h('span', {}, 'mass, kg'), mass), h('div', { className: 'buttons' }, dropButton, place)),
  );
  return { section, next };
}
