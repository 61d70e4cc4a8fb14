// Curves of any channel: those of the simulator, and what every picture tells of itself.

import type { App } from './app';
import { h } from './dom';
import { kFlag } from './frames';
import type { SamplesFrame, StateFrame } from './frames';
import { Plot } from './plot';
import type { Channel, Scene } from './protocol';
import { change, settings } from './settings';
import { palette } from './theme';

const kWindows = [2, 5, 10, 30, 60];
const kRedraw = 66; // ms
const kRedrawSlowly = 200; // where the processor draws, which has hands to follow

/** Known from the state frames, without asking for them. */
const kOwn: (Channel & { read: (f: StateFrame) => number })[] = [
  { name: 'report/residual', unit: '', columns: ['residual'], read: (f) => Math.max(f.residual, 1e-17) },
  { name: 'report/penetration', unit: 'm', columns: ['penetration'], read: (f) => f.penetration },
  { name: 'report/real_time', unit: '×', columns: ['real time'], read: (f) => f.speed },
  { name: 'report/step_time', unit: 'µs', columns: ['step'], read: (f) => f.stepMicroseconds },
  { name: 'report/contacts', unit: '', columns: ['contacts'], read: (f) => f.contacts.length },
];

const offered = (app: App): Channel[] => [...(app.scene.value?.channels ?? []), ...kOwn];
const choose = (channels: string[]) => change({ channels });
const without = (name: string) => (settings.value.channels ?? []).filter((c) => c !== name);

/** Something to look at from the first moment. */
function chooseFirst(scene: Scene): void {
  const first = scene.channels.filter((c) => /\/(com|contact_force|position)$/.test(c.name)).slice(0, 2);
  choose([...first.map((c) => c.name), 'report/residual']);
}

/** The plots that are shown, by the name of their channel. */
class PlotGrid {
  readonly element = h('div', { className: 'plot-grid' });
  private readonly plots = new Map<string, Plot>();
  private held = false;

  get isEmpty(): boolean {
    return !this.plots.size;
  }

  hold(on: boolean): void {
    this.held = on;
    this.plots.forEach((p) => p.hold(on));
  }

  build(): void {
    this.plots.forEach((p) => p.build());
  }

  draw(seconds: number): void {
    this.plots.forEach((p) => p.draw(seconds));
  }

  /** Shows these channels and no others; those that are shown already go on. */
  show(channels: Channel[]): void {
    for (const [name, plot] of this.plots) if (!channels.some((c) => c.name === name)) this.remove(name, plot);
    for (const channel of channels) {
      if (this.plots.has(channel.name)) continue;
      const plot = new Plot(channel, () => choose(without(channel.name)));
      this.plots.set(channel.name, plot);
      this.element.append(plot.element);
      plot.build();
      plot.hold(this.held);
    }
  }

  /** Another scene may have other columns under the same name. */
  dropOthers(channels: Channel[]): void {
    for (const [name, plot] of this.plots) {
      const now = channels.find((c) => c.name === name);
      if (now && now.columns.join() === plot.channel.columns.join()) continue;
      this.remove(name, plot);
    }
  }

  private remove(name: string, plot: Plot): void {
    plot.destroy();
    plot.element.remove();
    this.plots.delete(name);
  }

  takeSamples(names: string[], frame: SamplesFrame): void {
    for (const plot of this.plots.values()) {
      const columns = plot.channel.columns.map((c) => names.indexOf(c ? `${plot.channel.name}:${c}` : plot.channel.name));
      if (columns.some((c) => c < 0)) continue;
      frame.times.forEach((t, row) => plot.series.push(t, columns.map((c) => frame.values[row * frame.columns + c]!)));
    }
  }

  /** What the frame tells of itself. */
  takeFrame(f: StateFrame): void {
    for (const own of kOwn) this.plots.get(own.name)?.series.push(f.time, [own.read(f)]);
  }
}

/** The bar above the plots: channels to add, the time shown, and a button that holds them. */
function makeBar(app: App, hold: (on: boolean) => void): { bar: HTMLElement; windows: HTMLSelectElement } {
  const windows = h('select', { title: 'Time shown', aria: { label: 'Time shown' } }, ...kWindows.map((w) => h('option', { value: String(w) }, `${w} s`)));
  windows.onchange = () => change({ window: Number(windows.value) });
  const holder = h('button', { type: 'button', className: 'button', id: 'plots-hold', title: 'Hold the curves; drag over one to zoom, double click to leave' }, 'Hold');
  let held = false;
  holder.onclick = () => {
    held = !held;
    holder.classList.toggle('on', held);
    hold(held);
  };
  const bar = h(
    'div',
    { className: 'plots-bar' },
    makeAdder(app, (name) => choose([...without(name), name])),
    h('span', { className: 'hint' }, 'drag to zoom · double click to leave'),
    h('span', { className: 'spacer' }),
    h('label', { className: 'field' }, h('span', {}, 'Last'), windows),
    holder,
  );
  return { bar, windows };
}

export function makePlots(app: App, slowly: boolean): HTMLElement {
  const grid = new PlotGrid();
  const { bar, windows } = makeBar(app, (on) => grid.hold(on));
  const element = h('section', { className: 'plots', id: 'plots', aria: { label: 'Plots' } }, bar, grid.element);

  const update = () => {
    const s = settings.value;
    windows.value = String(s.window);
    element.hidden = !s.plots;
    if (s.plots && !s.channels && app.scene.value) {
      chooseFirst(app.scene.value); // which calls this again
      return;
    }
    const channels = offered(app);
    const wanted = s.plots && s.channels ? s.channels.flatMap((n) => channels.find((c) => c.name === n) ?? []) : [];
    grid.show(wanted);
    app.setWatch(wanted.map((c) => c.name).filter((n) => !kOwn.some((c) => c.name === n)), app.watched.joints);
  };
  settings.watch(update);
  app.scene.listen((scene) => {
    grid.dropOthers(offered(app));
    if (scene) update();
  });
  palette.listen(() => grid.build());

  app.samples.listen((s) => {
    if (s) grid.takeSamples(s.columns, s.frame);
  });
  let last = 0;
  app.frame.listen((f) => {
    // A frame may come before the status that says the same.
    if (!f || grid.isEmpty || f.flags & kFlag.past) return;
    if (!(f.flags & kFlag.paused)) grid.takeFrame(f);
    const now = performance.now();
    if (now - last < (slowly ? kRedrawSlowly : kRedraw)) return;
    last = now;
    grid.draw(settings.value.window);
  });
  return element;
}

/** A button with a list of channels that can be searched. */
function makeAdder(app: App, add: (name: string) => void): HTMLElement {
  const find = h('input', { type: 'search', placeholder: 'Find a channel', className: 'find' });
  const list = h('div', { className: 'menu-list' });
  const menu = h('div', { className: 'menu', hidden: true }, find, list);
  const button = h('button', { type: 'button', className: 'button', id: 'add-plot' }, 'Add a channel');
  const show = () => {
    const wanted = find.value.trim().toLowerCase();
    const channels = offered(app).filter((c) => c.name.toLowerCase().includes(wanted));
    list.replaceChildren(
      ...channels.slice(0, 200).map((c) =>
        h(
          'button',
          { type: 'button', onclick: () => { add(c.name); menu.hidden = true; } },
          c.name,
          h('span', { className: 'muted' }, ` ${c.unit}${c.columns.length > 1 ? ` · ${c.columns.length}` : ''}`),
        ),
      ),
    );
  };
  find.oninput = show;
  button.onclick = () => {
    menu.hidden = !menu.hidden;
    if (menu.hidden) return;
    show();
    find.focus();
  };
  document.addEventListener('pointerdown', (e) => {
    if (!menu.contains(e.target as Node) && e.target !== button) menu.hidden = true;
  });
  return h('div', { className: 'menu-host' }, button, menu);
}
