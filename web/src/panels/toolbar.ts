// The bar on top: scene, transport, speed, law; record, screenshot, theme, help.

import type { App } from '../app';
import { h } from '../dom';
import { icon } from '../icons';
import type { IconName } from '../icons';
import { change, settings, toggle } from '../settings';

export function iconButton(name: IconName, title: string, onclick: () => void, id?: string): HTMLButtonElement {
  const button = h('button', { className: 'icon', title, type: 'button', onclick, aria: { label: title } }, icon(name));
  if (id) button.id = id;
  return button;
}

/** 0: as fast as it goes. */
export const kSpeeds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 0];
const speedName = (s: number) => (s === 0 ? 'max' : `${s}×`);

export function nextTheme(): void {
  const dark = document.documentElement.dataset.theme === 'dark';
  change({ theme: dark ? 'light' : 'dark' });
}

function makeSelect(id: string, title: string, onchange: (value: string) => void): HTMLSelectElement {
  const select = h('select', { id, title, aria: { label: title } });
  select.onchange = () => {
    onchange(select.value);
    select.blur(); // so that shortcuts work again
  };
  return select;
}

function fill(select: HTMLSelectElement, options: { value: string; text: string; title?: string }[]): void {
  select.replaceChildren(...options.map((o) => h('option', { value: o.value, title: o.title ?? '' }, o.text)));
}

const sceneName = (file: string) => file.replace(/^.*\//, '').replace(/\.(yaml|urdf)$/, '');

/** The program's name, and the choice of scenes and laws. */
function makePickers(app: App): { brand: HTMLElement; scenes: HTMLSelectElement; laws: HTMLSelectElement } {
  const scenes = makeSelect('scene', 'Scene', (file) => void app.load(file));
  const laws = makeSelect('law', 'Contact law', (law) => app.setLaw(law));
  const brand = h('span', { className: 'brand' }, h('b', {}, 'Stance'));
  app.hello.watch((hello) => {
    if (!hello) return;
    brand.title = `Stance ${hello.version}`;
    fill(scenes, hello.scenes.map((s) => ({ value: s.file, text: sceneName(s.file), title: s.about })));
    fill(laws, hello.laws.map((l) => ({ value: l, text: l.replaceAll('_', ' ') })));
  });
  const showFile = () => {
    const file = app.scene.value?.file;
    if (!file) return;
    // A robot or scene given on the command line is not in the list.
    if (![...scenes.options].some((o) => o.value === file)) scenes.append(h('option', { value: file }, sceneName(file)));
    scenes.value = file;
    document.title = `${sceneName(file)} – Stance`;
  };
  app.scene.watch(showFile);
  app.error.listen(showFile); // the picker names the scene that runs, not the one that failed
  app.status.watch((s) => {
    if (s && document.activeElement !== laws) laws.value = s.law;
  });
  return { brand, scenes, laws };
}

function makeSpeeds(app: App): HTMLSelectElement {
  const speeds = makeSelect('speed', 'Speed  [ slower, ] faster', (s) => app.setSpeed(Number(s)));
  fill(speeds, kSpeeds.map((s) => ({ value: String(s), text: speedName(s) })));
  app.status.watch((s) => {
    if (!s || document.activeElement === speeds) return;
    if (![...speeds.options].some((o) => o.value === String(s.speed)))
      speeds.append(h('option', { value: String(s.speed) }, speedName(s.speed)));
    speeds.value = String(s.speed);
  });
  return speeds;
}

function makePlay(app: App): HTMLButtonElement {
  const play = iconButton('pause', 'Pause (Space)', () => app.togglePause(), 'play');
  play.classList.add('primary');
  app.status.watch((s) => {
    if (!s) return;
    const title = s.paused ? 'Play (Space)' : 'Pause (Space)';
    if (play.title === title) return;
    play.title = title;
    play.setAttribute('aria-label', title);
    play.replaceChildren(icon(s.paused ? 'play' : 'pause'));
  });
  return play;
}

function makeRecord(app: App): HTMLButtonElement {
  const record = iconButton('record', 'Record (Shift R)', () => void app.record(!app.status.value?.recording), 'record');
  app.status.watch((s) => {
    if (s) record.classList.toggle('recording', s.recording);
  });
  return record;
}

/** Whether the simulator is there, and how many look at it. */
function makeLink(app: App): HTMLElement {
  const link = h('span', { className: 'link', id: 'link' });
  const showLink = () => {
    const state = app.link.value.state;
    const viewers = app.status.value?.viewers ?? 1;
    link.dataset.state = state;
    link.textContent = state === 'open' ? (viewers > 1 ? `${viewers} viewers` : 'live') : state === 'lost' ? 'lost' : 'connecting';
  };
  app.link.watch(showLink);
  app.status.listen(showLink);
  return link;
}

export function makeToolbar(app: App, actions: { screenshot: () => void; help: () => void }): HTMLElement {
  const { brand, scenes, laws } = makePickers(app);
  const panel = iconButton('panel', 'Side panel (I)', () => toggle('panel'), 'panel-button');
  const plots = iconButton('chart', 'Plots (P)', () => toggle('plots'), 'plots-button');
  settings.watch((s) => {
    panel.classList.toggle('on', s.panel);
    plots.classList.toggle('on', s.plots);
  });

  return h(
    'header',
    { className: 'toolbar' },
    brand,
    h('label', { className: 'field wide' }, scenes),
    h(
      'div',
      { className: 'group' },
      iconButton('reset', 'Reset (R)', () => app.reset(), 'reset'),
      makePlay(app),
      iconButton('step', 'One step (.)', () => app.step(), 'step'),
    ),
    h('label', { className: 'field' }, h('span', {}, 'Speed'), makeSpeeds(app)),
    h('label', { className: 'field' }, h('span', {}, 'Law'), laws),
    h('span', { className: 'spacer' }),
    makeLink(app),
    h(
      'div',
      { className: 'group' },
      makeRecord(app),
      iconButton('camera', 'Screenshot (S)', actions.screenshot, 'screenshot'),
      plots,
      panel,
      iconButton('theme', 'Light or dark (T)', nextTheme, 'theme'),
      h('button', { className: 'icon', id: 'help', title: 'Shortcuts (?)', type: 'button', onclick: actions.help }, '?'),
    ),
  );
}
