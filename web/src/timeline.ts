// The last minutes: scrub back, go on from there, or return to the present.

import type { App } from './app';
import { h, setText } from './dom';
import { fixed, seconds } from './format';
import { kFlag } from './frames';
import { palette } from './theme';

const kColors: Record<string, string> = {
  fall: '--bad', refused: '--bad', missed: '--bad', overflow: '--bad',
  slip: '--warn', limit: '--warn', not_converged: '--warn', device: '--warn', immobile: '--warn',
};

export function makeTimeline(app: App): { element: HTMLElement; nudge: (seconds: number) => void } {
  const canvas = h('canvas', { className: 'track-canvas', id: 'timeline-track', tabIndex: 0, aria: { label: 'Timeline' } });
  const clock = h('output', { className: 'clock', id: 'clock' }, '0.000 s');
  const live = h('button', { type: 'button', className: 'button', id: 'live', title: 'Back to the present (L)', onclick: () => void app.seek(null) }, 'Back to live');
  const go = h('button', { type: 'button', className: 'button strong', id: 'continue', title: 'Forget what came after and go on (Enter)' }, 'Continue from here');
  const element = h('footer', { className: 'timeline', id: 'timeline' }, clock, canvas, h('div', { className: 'past-buttons' }, go, live));

  let wanted: number | null = null; // asked for, while an answer is on its way
  let asking = false;
  const seek = (time: number) => {
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

  const range = (): [number, number] => {
    const s = app.status.value;
    const now = app.frame.value && !(app.frame.value.flags & kFlag.past) ? app.frame.value.time : 0;
    const from = s?.from ?? 0;
    return [from, Math.max(s?.to ?? 0, now, from + 0.001)];
  };
  const timeAt = (clientX: number) => {
    const box = canvas.getBoundingClientRect();
    const [from, to] = range();
    return from + Math.min(1, Math.max(0, (clientX - box.left) / box.width)) * (to - from);
  };
  canvas.onpointerdown = (e) => {
    canvas.setPointerCapture(e.pointerId);
    seek(timeAt(e.clientX));
  };
  let hover: number | null = null;
  canvas.onpointermove = (e) => {
    hover = e.clientX - canvas.getBoundingClientRect().left;
    if (canvas.hasPointerCapture(e.pointerId)) seek(timeAt(e.clientX));
    draw();
  };
  canvas.onpointerleave = () => {
    hover = null;
    draw();
  };
  go.onclick = () => {
    const at = app.status.value?.at;
    if (at !== null && at !== undefined) void app.continueFrom(at);
  };

  let size: [number, number] = [0, 0]; // asked of the page only when it changes, not at every drawing
  function draw(): void {
    const ratio = window.devicePixelRatio || 1;
    const [w, hgt] = size;
    if (!w) return;
    if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(hgt * ratio)) {
      canvas.width = Math.round(w * ratio);
      canvas.height = Math.round(hgt * ratio);
    }
    const g = canvas.getContext('2d')!;
    const style = getComputedStyle(canvas);
    const color = (name: string) => style.getPropertyValue(name);
    const [from, to] = range();
    const x = (t: number) => Math.min(w, Math.max(0, ((t - from) / (to - from)) * w));
    const at = app.status.value?.at ?? null;
    const now = at !== null ? (app.frame.value?.time ?? at) : to;
    const mid = 12;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, hgt);
    g.fillStyle = color('--track');
    g.beginPath();
    g.roundRect(0, mid - 3, w, 6, 3);
    g.fill();
    g.fillStyle = color(at !== null ? '--orange' : '--accent');
    g.beginPath();
    g.roundRect(0, mid - 3, x(now), 6, 3);
    g.fill();

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
    for (const e of app.events.value) {
      if (e.time < from || e.time > to) continue;
      g.fillStyle = color(kColors[e.kind] ?? '--muted');
      g.fillRect(x(e.time) - 1, mid - 7, 2, 14);
    }
    if (hover !== null) {
      g.fillStyle = color('--ink');
      g.globalAlpha = 0.35;
      g.fillRect(hover - 0.5, mid - 8, 1, 16);
      g.globalAlpha = 1;
    }
    g.fillStyle = color('--panel');
    g.strokeStyle = color(at !== null ? '--orange' : '--accent');
    g.lineWidth = 2.5;
    g.beginPath();
    g.arc(Math.min(w - 7, Math.max(7, x(now))), mid, 5.5, 0, 7);
    g.fill();
    g.stroke();
  }

  app.reading.listen((f) => {
    if (!f) return;
    setText(clock, seconds(f.time));
    draw();
  });
  app.status.watch((s) => {
    element.classList.toggle('past', s !== null && s.at !== null);
    draw();
  });
  new ResizeObserver(() => {
    size = [canvas.clientWidth, canvas.clientHeight];
    draw();
  }).observe(canvas);
  palette.listen(draw);
  return {
    element,
    nudge: (by) => {
      const [from, to] = range();
      const here = app.status.value?.at ?? app.frame.value?.time ?? to;
      seek(Math.min(to, Math.max(from, here + by)));
    },
  };
}
