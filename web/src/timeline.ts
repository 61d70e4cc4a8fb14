// The last minutes: scrub back, go on from there, or return to the present.

import type { App } from './app';
import { h, setText } from './dom';
import { fixed, seconds } from './format';
import { kFlag } from './frames';
import type { SimEvent } from './protocol';
import { palette } from './theme';

const kColors: Record<string, string> = {
  fall: '--bad', refused: '--bad', missed: '--bad', overflow: '--bad',
  slip: '--warn', limit: '--warn', not_converged: '--warn', device: '--warn', immobile: '--warn',
};

/** Returns what asks for the state at a time. */
function makeSeeker(app: App): (time: number) => void {
  let wanted: number | null = null; // asked for, while an answer is on its way
  let asking = false;
  return (time) => {
    wanted = time;
    if (asking) return;
    asking = true;
    void (async () => {
      // One request at a time; the newest place wins.
      while (wanted !== null) {
        const next: number = wanted;
        wanted = null;
        await app.seek(next);
      }
      asking = false;
    })();
  };
}

/** The times at the two ends of the track. */
function rangeOf(app: App): [number, number] {
  const s = app.status.value;
  const now = app.frame.value && !(app.frame.value.flags & kFlag.past) ? app.frame.value.time : 0;
  const from = s?.from ?? 0;
  return [from, Math.max(s?.to ?? 0, now, from + 0.001)];
}

/** What is drawn on, and what the parts of the track have in common. */
interface Track {
  g: CanvasRenderingContext2D;
  size: [number, number]; // of the canvas in the page's pixels
  range: [number, number]; // of time
  x: (time: number) => number;
  color: (name: string) => string;
}

const kMid = 12; // of the bar, from above

/** Fits the canvas to `size`, empties it, and returns what to draw on. */
function startTrack(canvas: HTMLCanvasElement, size: [number, number], range: [number, number]): Track {
  const ratio = window.devicePixelRatio || 1;
  const [w, hgt] = size;
  if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(hgt * ratio)) {
    canvas.width = Math.round(w * ratio);
    canvas.height = Math.round(hgt * ratio);
  }
  const g = canvas.getContext('2d')!;
  const style = getComputedStyle(canvas);
  const [from, to] = range;
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, hgt);
  return {
    g,
    size,
    range,
    x: (t) => Math.min(w, Math.max(0, ((t - from) / (to - from)) * w)),
    color: (name) => style.getPropertyValue(name),
  };
}

/** The whole bar, and in color what lies before `now`. */
function drawBar({ g, size: [w], x, color }: Track, now: number, accent: string): void {
  g.fillStyle = color('--track');
  g.beginPath();
  g.roundRect(0, kMid - 3, w, 6, 3);
  g.fill();
  g.fillStyle = color(accent);
  g.beginPath();
  g.roundRect(0, kMid - 3, x(now), 6, 3);
  g.fill();
}

function drawTicks({ g, size: [w, hgt], range: [from, to], x, color }: Track): void {
  // Whole numbers that leave some 90 pixels between them.
  const span = (to - from) * (90 / w);
  const unit = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60].find((u) => u >= span) ?? 120;
  g.font = '10px system-ui, sans-serif';
  g.fillStyle = color('--muted');
  for (let n = Math.ceil(from / unit); n * unit <= to; ++n) {
    const text = `${fixed(n * unit, unit < 1 ? 1 : 0)} s`;
    const place = x(n * unit);
    if (place < 14 || place > w - 14) continue;
    g.textAlign = 'center';
    g.fillText(text, place, hgt - 4);
  }
}

function drawEvents({ g, range: [from, to], x, color }: Track, events: SimEvent[]): void {
  for (const e of events) {
    if (e.time < from || e.time > to) continue;
    g.fillStyle = color(kColors[e.kind] ?? '--muted');
    g.fillRect(x(e.time) - 1, kMid - 7, 2, 14);
  }
}

/** A thin line under the pointer, `place` pixels from the left. */
function drawHover({ g, color }: Track, place: number): void {
  g.fillStyle = color('--ink');
  g.globalAlpha = 0.35;
  g.fillRect(place - 0.5, kMid - 8, 1, 16);
  g.globalAlpha = 1;
}

function drawKnob({ g, size: [w], x, color }: Track, now: number, accent: string): void {
  g.fillStyle = color('--panel');
  g.strokeStyle = color(accent);
  g.lineWidth = 2.5;
  g.beginPath();
  g.arc(Math.min(w - 7, Math.max(7, x(now))), kMid, 5.5, 0, 7);
  g.fill();
  g.stroke();
}

/** The canvas with the track: it draws itself when asked to, and when its size changes. */
function makeTrack(app: App, seek: (time: number) => void): { canvas: HTMLCanvasElement; draw: () => void } {
  const canvas = h('canvas', { className: 'track-canvas', id: 'timeline-track', tabIndex: 0, aria: { label: 'Timeline' } });
  let hover: number | null = null;
  let size: [number, number] = [0, 0]; // asked of the page only when it changes, not at every drawing
  const draw = () => {
    if (!size[0]) return;
    const track = startTrack(canvas, size, rangeOf(app));
    const at = app.status.value?.at ?? null;
    const now = at !== null ? (app.frame.value?.time ?? at) : track.range[1];
    const accent = at !== null ? '--orange' : '--accent';
    drawBar(track, now, accent);
    drawTicks(track);
    drawEvents(track, app.events.value);
    if (hover !== null) drawHover(track, hover);
    drawKnob(track, now, accent);
  };

  const timeAt = (clientX: number) => {
    const box = canvas.getBoundingClientRect();
    const [from, to] = rangeOf(app);
    return from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * (to - from);
  };
  canvas.onpointerdown = (e) => {
    canvas.setPointerCapture(e.pointerId);
    seek(timeAt(e.clientX));
  };
  canvas.onpointermove = (e) => {
    hover = e.clientX - canvas.getBoundingClientRect().left;
    if (canvas.hasPointerCapture(e.pointerId)) seek(timeAt(e.clientX));
    draw();
  };
  canvas.onpointerleave = () => {
    hover = null;
    draw();
  };
  new ResizeObserver(() => {
    size = [canvas.clientWidth, canvas.clientHeight];
    draw();
  }).observe(canvas);
  return { canvas, draw };
}

export function makeTimeline(app: App): { element: HTMLElement; nudge: (seconds: number) => void } {
  const seek = makeSeeker(app);
  const { canvas, draw } = makeTrack(app, seek);
  const clock = h('output', { className: 'clock', id: 'clock' }, '0.000 s');
  const live = h('button', { type: 'button', className: 'button', id: 'live', title: 'Back to the present (L)', onclick: () => void app.seek(null) }, 'Back to live');
  const go = h('button', { type: 'button', className: 'button strong', id: 'continue', title: 'Forget what came after and go on (Enter)' }, 'Continue from here');
  const element = h('footer', { className: 'timeline', id: 'timeline' }, clock, canvas, h('div', { className: 'past-buttons' }, go, live));
  go.onclick = () => {
    const at = app.status.value?.at;
    if (at !== null && at !== undefined) void app.continueFrom(at);
  };

  app.reading.listen((f) => {
    if (!f) return;
    setText(clock, seconds(f.time));
    draw();
  });
  app.status.watch((s) => {
    element.classList.toggle('past', s !== null && s.at !== null);
    draw();
  });
  palette.listen(draw);
  return {
    element,
    nudge: (by) => {
      const [from, to] = rangeOf(app);
      const here = app.status.value?.at ?? app.frame.value?.time ?? to;
      seek(Math.min(to, Math.max(from, here + by)));
    },
  };
}
