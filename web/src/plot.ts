// The curves of one channel over time.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h } from './dom';
import { compact } from './format';
import { icon } from './icons';
import type { Channel } from './protocol';
import { Series } from './series';
import { palette } from './theme';

const kColors = ['#e8771a', '#2f7fc9', '#22a06b', '#b45bd6', '#d9a400', '#e5484d', '#0fa3b1', '#8c7aa9'];
const kFewColumns = 6;
const kLookAgain = 1000; // ms

export class Plot {
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
