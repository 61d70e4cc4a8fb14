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
  const next = new Signal<NextObject>({ shape: { kind: 'box', size: [...kSizes.box.size] }, mass: 4 });
  const mass = h('input', { type: 'number', min: '0.001', step: 'any', value: '4', id: 'object-mass' });
  const sizes = h('div', { className: 'sizes' });
  const kinds = h('div', { className: 'chips' });

  const setShape = (shape: LooseShape) => {
    const kg = Number((volume(shape) * kDensity).toPrecision(2));
    mass.value = String(kg);
    next.value = { shape, mass: kg };
  };
  const setKind = (kind: Kind) => {
    const { names, size } = kSizes[kind];
    const inputs = names.map((_, i) => h('input', { type: 'number', min: '0.005', step: '0.01', value: String(size[i]) }));
    for (const input of inputs)
      input.oninput = () => {
        const values = inputs.map((n) => Number(n.value));
        if (values.every((v) => v > 0)) setShape({ kind, size: values });
      };
    sizes.replaceChildren(...names.map((name, i) => h('label', {}, h('span', {}, name), inputs[i]!)));
    for (const chip of kinds.children) chip.classList.toggle('on', (chip as HTMLElement).dataset.kind === kind);
    setShape({ kind, size: [...size] });
  };
  kinds.append(
    ...(Object.keys(kSizes) as Kind[]).map((kind) =>
      h('button', { type: 'button', className: 'chip', data: { kind }, onclick: () => setKind(kind) }, kind),
    ),
  );
  setKind('box');
  mass.oninput = () => {
    if (Number(mass.value) > 0) next.value = { ...next.value, mass: Number(mass.value) };
  };
  const dropButton = h('button', { type: 'button', className: 'button', id: 'drop', onclick: drop, title: 'Falls where the camera looks' }, 'Drop');
  const place = h('button', { type: 'button', className: 'button', id: 'place', title: 'Then click where it shall fall; with Shift it is thrown from the camera', onclick: () => (app.tool.value = 'add') }, 'Place…');
  const section = makeSection(
    'object-panel',
    'Add an object',
    false,
    kinds,
    sizes,
    h('div', { className: 'sizes' }, h('label', {}, h('span', {}, 'mass, kg'), mass), h('div', { className: 'buttons' }, dropButton, place)),
  );
  return { section, next };
}
