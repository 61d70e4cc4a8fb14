// Curves of any channel: those of the simulator, and what every picture tells of itself.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { App } from './app';
import { h } from './dom';
import { compact } from './format';
import { icon } from './icons';
import { kFlag } from './frames';
import type { StateFrame } from './frames';
import type { Channel } from './protocol';
import { Series } from './series';
import { change, settings } from './settings';
import { palette } from './theme';

const kColors = ['#e8771a', '#2f7fc9', '#22a06b', '#b45bd6', '#d9a400', '#e5484d', '#0fa3b1', '#8c7aa9'];
const kWindows = [2, 5, 10, 30, 60];
const kFewColumns = 6;
const kLookAgain = 1000; // ms
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

class Plot {
  readonly element: HTMLElement;
  readonly series: Series;
  private readonly area = h('div', { className: 'plot-area' });
  private chart: uPlot | null = null;
  private zoomed = false;
  private seconds = 10;
  private held: uPlot.AlignedData | null = null; // what is shown while it is held
  private looked = 0;
  private tells: boolean[] = []; // by column: it is not zero all the time

  constructor(
    readonly channel: Channel,
    remove: () => void,
  ) {
    this.series = new Series(channel.columns.length);
    const close = h('button', { type: 'button', className: 'icon small', title: 'Remove', onclick: remove }, icon('close'));
    const title = h('div', { className: 'plot-title' }, h('b', {}, channel.name), channel.unit ? ` ${channel.unit}` : '', h('span', { className: 'spacer' }), close);
    this.element = h('div', { className: 'plot', data: { channel: channel.name } }, title, this.area);
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  private size(): { width: number; height: number } {
    // The legend takes its own row.
    return { width: Math.max(120, this.area.clientWidth), height: Math.max(60, this.area.clientHeight - 22) };
  }

  private resize(): void {
    this.chart?.setSize(this.size());
  }

  build(): void {
    this.chart?.destroy();
    this.area.replaceChildren();
    this.tells = [];
    this.looked = 0;
    const dark = palette.value.dark;
    const axis: uPlot.Axis = {
      stroke: dark ? '#8d98a8' : '#667085',
      grid: { stroke: dark ? '#2b323c' : '#e6e9ee', width: 1 },
      ticks: { show: false },
      font: '10px system-ui, sans-serif',
      size: 18,
      gap: 3,
    };
    const log = this.channel.name.endsWith('residual');
    const decades = (_u: uPlot, splits: number[]) => splits.map((s) => (Math.abs(Math.log10(s) % 1) < 1e-9 ? s : null));
    const options: uPlot.Options = {
      ...this.size(),
      padding: [6, 8, 0, 0],
      scales: {
        // NaN, where a body is not there, must not spoil the range.
        x: { time: false, range: (_u, low, high) => (this.zoomed ? [low, high] : [high - this.seconds, high]) },
        y: log ? { distr: 3 } : { range: (_u, low, high) => paddedRange(low, high) },
      },
      axes: [axis, { ...axis, ...(log ? { grid: { ...axis.grid, filter: decades } } : {}), size: 52, values: (_u, ticks) => ticks.map((t) => (t === null ? '' : compact(t))) }],
      cursor: { sync: { key: 'stance' }, drag: { x: true, y: false, setScale: true }, points: { size: 6 } },
      legend: { live: true, markers: { width: 0, fill: (_u, i) => colorOf(i - 1) } },
      series: [
        { label: 't', value: (_u, v: number | null) => (v === null ? '' : `${v.toFixed(3)} s`) },
        ...this.channel.columns.map((label, i) => ({
          label: label || this.channel.name,
          stroke: colorOf(i),
          width: 1.4,
          points: { show: false },
          spanGaps: false,
          value: (_u: uPlot, v: number | null) => (v === null || v === undefined ? '' : compact(v)),
        })),
      ],
      hooks: { setSelect: [(u) => { if (u.select.width > 2) this.zoomed = true; }] },
    };
    this.chart = new uPlot(options, this.held ?? this.data(10), this.area);
    // A double click goes back to the moving window (uPlot's own shows all data).
    this.chart.over.addEventListener('dblclick', () => (this.zoomed = false));
  }

  /** Stands still with what it shows now, while the series goes on; or moves again. */
  hold(on: boolean): void {
    // A copy: after a reset the series writes over its own rows.
    this.held = on ? (this.data(this.seconds).map((column) => column.slice()) as unknown as uPlot.AlignedData) : null;
    if (this.held && !this.zoomed) this.show(this.held);
  }

  private data(seconds: number): uPlot.AlignedData {
    return this.series.tail(seconds) as unknown as uPlot.AlignedData;
  }

  /** Of many columns, those that are nothing but zero say nothing: their names would crowd out the others. */
  private hideEmpty(data: uPlot.AlignedData): void {
    const now = performance.now();
    if (this.channel.columns.length <= kFewColumns || now - this.looked < kLookAgain) return;
    this.looked = now;
    const tells = data.slice(1).map((column) => (column as Float64Array).some((x) => Math.abs(x) > 1e-9));
    const rows = this.chart!.root.querySelectorAll('.u-series');
    tells.forEach((on, i) => {
      if (this.tells[i] === on) return; // and what was hidden by hand stays hidden
      this.tells[i] = on;
      rows[i + 1]?.classList.toggle('nothing', !on);
      this.chart!.setSeries(i + 1, { show: on });
    });
  }

  draw(seconds: number): void {
    // While zoomed in, the curve stands still under the eye.
    if (!this.chart || this.zoomed || this.held) return;
    this.seconds = seconds;
    const data = this.data(seconds);
    this.hideEmpty(data);
    this.show(data);
  }

  private show(data: uPlot.AlignedData): void {
    this.chart?.setData(data);
    // Without a pointer over it the legend tells the newest values.
    if ((this.chart?.cursor.left ?? -1) < 0 && data[0].length) this.chart?.setLegend({ idx: data[0].length - 1 });
  }

  destroy(): void {
    this.chart?.destroy();
    this.chart = null;
  }
}

const colorOf = (i: number) => kColors[((i % kColors.length) + kColors.length) % kColors.length]!;

function paddedRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const pad = Math.max(0.08 * (high - low), 1e-3 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
  return [low - pad, high + pad];
}

export function makePlots(app: App, slowly: boolean): HTMLElement {
  const grid = h('div', { className: 'plot-grid' });
  const windows = h('select', { title: 'Time shown', aria: { label: 'Time shown' } }, ...kWindows.map((w) => h('option', { value: String(w) }, `${w} s`)));
  const hold = h('button', { type: 'button', className: 'button', id: 'plots-hold', title: 'Hold the curves; drag over one to zoom, double click to leave' }, 'Hold');
  const adder = makeAdder(app, (name) => choose([...without(name), name]));
  const element = h(
    'section',
    { className: 'plots', id: 'plots', aria: { label: 'Plots' } },
    h('div', { className: 'plots-bar' }, adder, h('span', { className: 'hint' }, 'drag to zoom · double click to leave'), h('span', { className: 'spacer' }), h('label', { className: 'field' }, h('span', {}, 'Last'), windows), hold),
    grid,
  );
  const plots = new Map<string, Plot>();
  let held = false;
  hold.onclick = () => {
    held = !held;
    hold.classList.toggle('on', held);
    plots.forEach((p) => p.hold(held));
  };
  windows.onchange = () => change({ window: Number(windows.value) });

  const choose = (channels: string[]) => change({ channels });
  const without = (name: string) => (settings.value.channels ?? []).filter((c) => c !== name);
  const offered = () => [...(app.scene.value?.channels ?? []), ...kOwn];

  const update = () => {
    const s = settings.value;
    windows.value = String(s.window);
    element.hidden = !s.plots;
    // Something to look at from the first moment.
    if (s.plots && !s.channels && app.scene.value) {
      const first = app.scene.value.channels.filter((c) => /\/(com|contact_force|position)$/.test(c.name)).slice(0, 2);
      choose([...first.map((c) => c.name), 'report/residual']);
      return;
    }
    const wanted = s.plots && s.channels ? s.channels.filter((n) => offered().some((c) => c.name === n)) : [];
    for (const [name, plot] of plots)
      if (!wanted.includes(name)) {
        plot.destroy();
        plot.element.remove();
        plots.delete(name);
      }
    for (const name of wanted) {
      if (plots.has(name)) continue;
      const plot = new Plot(offered().find((c) => c.name === name)!, () => choose(without(name)));
      plots.set(name, plot);
      grid.append(plot.element);
      plot.build();
      plot.hold(held);
    }
    app.setWatch(wanted.filter((n) => !kOwn.some((c) => c.name === n)), app.watched.joints);
  };
  settings.watch(update);
  app.scene.listen((scene) => {
    // Another scene may have other columns under the same name.
    for (const [name, plot] of plots) {
      const now = offered().find((c) => c.name === name);
      if (now && now.columns.join() === plot.channel.columns.join()) continue;
      plot.destroy();
      plot.element.remove();
      plots.delete(name);
    }
    if (scene) update();
  });
  palette.listen(() => plots.forEach((p) => p.build()));

  app.samples.listen((s) => {
    if (!s) return;
    for (const plot of plots.values()) {
      const columns = plot.channel.columns.map((c) => s.columns.indexOf(c ? `${plot.channel.name}:${c}` : plot.channel.name));
      if (columns.some((c) => c < 0)) continue;
      s.frame.times.forEach((t, row) => plot.series.push(t, columns.map((c) => s.frame.values[row * s.frame.columns + c]!)));
    }
  });
  let last = 0;
  app.frame.listen((f) => {
    // A frame may come before the status that says the same.
    if (!f || !plots.size || f.flags & kFlag.past) return;
    for (const own of kOwn) {
      const plot = plots.get(own.name);
      if (plot && !(f.flags & kFlag.paused)) plot.series.push(f.time, [own.read(f)]);
    }
    const now = performance.now();
    if (now - last < (slowly ? kRedrawSlowly : kRedraw)) return;
    last = now;
    plots.forEach((p) => p.draw(settings.value.window));
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
    const channels = [...(app.scene.value?.channels ?? []), ...kOwn].filter((c) => c.name.toLowerCase().includes(wanted));
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
