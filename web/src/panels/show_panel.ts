// What is drawn over the bodies.

import { h, setText } from '../dom';
import type { Overlays } from '../overlays';
import type { Painter } from '../painter';
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

export function makeShowPanel(overlays: Overlays, painter: Painter, onScale: (update: () => void) => void): HTMLElement {
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
  const shadows = h('button', { type: 'button', className: 'toggle', id: 'show-shadows', title: 'Dropped by themselves when pictures take too long' }, h('i'), h('span', {}, 'Shadows'));
  shadows.onclick = () => change({ shadows: settings.value.shadows === 'auto' ? 'off' : 'auto' });
  const showShadows = () => {
    const state = painter.shadows;
    shadows.classList.toggle('on', state === 'on');
    setText(shadows.lastElementChild as HTMLElement, state === 'slow' ? 'Shadows (too slow)' : 'Shadows');
  };
  settings.watch(showShadows);
  setInterval(showShadows, 1000);

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
  onScale(() => scale.set(Math.log10(settings.value.forceScale)));
  return makeSection('show-panel', 'Show', true, h('div', { className: 'toggles' }, ...buttons, shadows), scale.row);
}
