// What is drawn over the bodies.

import { h } from '../dom';
import type { Overlays } from '../overlays';
import { change, settings, toggle } from '../settings';
import { makeSlider } from './scene_panel';
import { makeSection } from './section';

const kToggles = [
  ['contacts', 'Contact points', 'C'],
  ['forces', 'Forces', 'V'],
  ['normals', 'Normals', 'N'],
  ['cones', 'Friction cones', 'K'],
  ['com', 'Centre of mass', 'M'],
  ['support', 'Support polygon', 'B'],
  ['cop', 'CoP', ''],
  ['zmp', 'ZMP', 'Z'],
  ['collision', 'Collision shapes', 'G'],
  ['seeThrough', 'See through', 'X'],
  ['grid', 'Grid', ''],
  ['names', 'Names', ''],
] as const;

export function makeShowPanel(overlays: Overlays): HTMLElement {
  const buttons = kToggles.map(([key, label, shortcut]) => {
    const button = h(
      'button',
      { type: 'button', className: 'toggle', id: `show-${key}`, title: shortcut ? `Key ${shortcut}` : '', onclick: () => toggle(key) },
      h('i', { data: { mark: key } }),
      label,
    );
    settings.watch((s) => {
      button.classList.toggle('on', s[key]);
      button.setAttribute('aria-pressed', String(s[key]));
    });
    return button;
  });
  const shadows = h('button', { type: 'button', className: 'toggle', id: 'show-shadows', title: 'Dropped by themselves when pictures take too long' }, h('i'), 'Shadows');
  shadows.onclick = () => change({ shadows: settings.value.shadows === 'auto' ? 'off' : 'auto' });
  settings.watch((s) => shadows.classList.toggle('on', s.shadows === 'auto'));

  const scale = makeSlider({
    id: 'force-scale',
    label: 'Arrows',
    title: 'Length of force arrows',
    min: -1,
    max: 1,
    value: Math.log10(settings.value.forceScale),
    show: (x) => `1 m = ${Math.round(1 / (overlays.metresPerNewton * 10 ** x))} N`,
    input: (x) => change({ forceScale: 10 ** x }),
  });
  const section = makeSection('show-panel', 'Show', true, h('div', { className: 'toggles' }, ...buttons, shadows), scale.row);
  return Object.assign(section, { refresh: () => scale.set(Math.log10(settings.value.forceScale)) });
}
