// The tools beside the view: for touch screens, and for those who do not know the keys yet.

import type { App, Tool } from '../app';
import { h } from '../dom';
import type { IconName } from '../icons';
import { icon } from '../icons';
import { change, settings } from '../settings';
import type { Signal } from '../signal';
import type { NextObject } from './object_panel';
import { makeKinds } from './object_panel';
import { makeSlider } from './scene_panel';
import { iconButton } from './toolbar';

const kTools: { tool: Tool; icon: IconName; name: string; title: string }[] = [
  { tool: 'orbit', icon: 'orbit', name: 'Look', title: 'Look around (1)' },
  { tool: 'pull', icon: 'pull', name: 'Pull', title: 'Pull at bodies (2), or Ctrl + drag with any tool' },
  { tool: 'push', icon: 'push', name: 'Push', title: 'Push bodies with a set force (3); Shift: along the view' },
  { tool: 'add', icon: 'add', name: 'Add', title: 'Place objects (4); Shift: throw them' },
];

export function makeTools(app: App, next: Signal<NextObject>, actions: { home: () => void; follow: () => void; following: () => boolean }): HTMLElement {
  const buttons = kTools.map(({ tool, icon: name, name: label, title }) => {
    const button = h('button', { type: 'button', className: 'tool', id: `tool-${tool}`, title, onclick: () => (app.tool.value = tool) }, icon(name), h('span', {}, label));
    app.tool.watch((t) => button.classList.toggle('on', t === tool));
    return button;
  });
  const follow = iconButton('follow', 'Follow the selected body, or the robot (F)', () => {
    actions.follow();
    follow.classList.toggle('on', actions.following());
  }, 'follow');
  setInterval(() => follow.classList.toggle('on', actions.following()), 300);

  // How hard and how long a push is; only with that tool.
  const force = makeSlider({
    id: 'push-force',
    label: 'Force',
    title: 'Of a push',
    min: 0,
    max: 3,
    value: Math.log10(settings.value.pushForce ?? 50),
    show: (x) => `${Math.round(10 ** x)} N`,
    input: (x) => change({ pushForce: Math.round(10 ** x) }),
  });
  const duration = makeSlider({
    id: 'push-seconds',
    label: 'For',
    title: 'Of a push; hold the button to repeat it',
    min: 0.02,
    max: 1,
    value: settings.value.pushSeconds,
    show: (x) => `${x.toFixed(2)} s`,
    input: (x) => change({ pushSeconds: Number(x.toFixed(2)) }),
  });
  const options = h('div', { className: 'tool-options' }, force.row, duration.row);
  const kinds = h('div', { className: 'tool-options wide' }, makeKinds(next), h('p', { className: 'muted' }, 'Click where it shall fall; Shift throws it'));
  app.tool.watch((t) => {
    options.hidden = t !== 'push';
    kinds.hidden = t !== 'add';
  });
  app.scene.listen((s) => {
    if (s && settings.value.pushForce === null) force.set(Math.log10(Math.max(1, s.interaction.push)));
  });
  return h(
    'div',
    { className: 'tools' },
    h('div', { className: 'rail' }, ...buttons, h('hr'), iconButton('home', 'See everything (H)', actions.home, 'home'), follow),
    options,
    kinds,
  );
}
