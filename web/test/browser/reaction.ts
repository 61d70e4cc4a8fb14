// How long after a move of the hand its effect is on the screen: from the time stamp that the browser gave the input
// to the presentation, as Chromium's own trace has it, of the first picture made from a state that the simulator
// computed with this very place of the hand.

import type { Browser, Page } from 'playwright-core';

/** Milliseconds after the input. */
export interface Reaction {
  sent: number; // the page told the simulator
  heard: number; // the page has the answer
  drawn: number; // its picture is being drawn
  presented: number; // and seen; NaN where the trace does not tell
}

interface Seen {
  input: number;
  sent: number;
  heard: number;
  drawn: number;
  mark: string;
}
interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id?: string;
  id2?: { local?: string; global?: string };
  args?: Record<string, unknown>;
}

/** To be called before the first drag. */
export async function watchHands(browser: Browser, page: Page): Promise<void> {
  await page.evaluate(() => {
    const { app, view } = window.stance;
    const waiting = new Map<string, { input: number; sent: number; heard: number }>(); // by target, as the simulator rounds it
    const seen: Seen[] = [];
    Object.assign(window, { seenReactions: seen });

    let input = 0;
    for (const kind of ['pointerrawupdate', 'pointermove', 'pointerdown'])
      window.addEventListener(kind, (e) => (input = e.timeStamp), { capture: true });
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (this: WebSocket, data: string) {
      const message = JSON.parse(data) as { type: string; target?: number[] };
      const key = message.type === 'drag' ? Float32Array.from(message.target!).join() : '';
      if (key && !waiting.has(key)) waiting.set(key, { input, sent: performance.now(), heard: 0 });
      send.call(this, data);
    };
    const own = () => app.drags.value.find((d) => d.viewer === app.hello.value?.viewer)?.target.join() ?? '';
    app.drags.listen(() => {
      const move = waiting.get(own());
      if (move && !move.heard) move.heard = performance.now();
    });
    const before = view.onRender;
    view.onRender = (draws) => {
      before?.(draws);
      const [key, at] = [own(), waiting.get(own())];
      if (!at?.heard) return;
      const mark = `reaction ${seen.length}`;
      const { startTime } = performance.mark(mark);
      // Moves that another one overtook are seen in this picture too, and were that slow.
      for (const [target, move] of waiting) {
        waiting.delete(target);
        seen.push({ input: move.input, sent: move.sent, heard: at.heard, drawn: startTime, mark });
        if (target === key) break;
      }
    };
  });
  await browser.startTracing(page, { screenshots: false, categories: ['blink.user_timing', 'cc', 'benchmark'] });
}

export async function readReactions(browser: Browser, page: Page): Promise<Reaction[]> {
  const seen = await page.evaluate(() => (window as unknown as { seenReactions: Seen[] }).seenReactions);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const pictures = findPictures(traceEvents);
  return seen.map(({ input, sent, heard, drawn, mark }) => {
    const told = traceEvents.find((e) => e.name === mark);
    const picture = told && pictures.find((p) => p.pid === told.pid && p.from <= told.ts && told.ts <= p.to);
    const presented = picture ? drawn + (picture.presented - told.ts) / 1000 : NaN;
    return { sent: sent - input, heard: heard - input, drawn: drawn - input, presented: presented - input };
  });
}

interface Picture {
  pid: number;
  from: number; // of its work in the page, us
  to: number;
  presented: number;
}

/** The pictures that were presented: each is a span of the trace, one part of which is the work of the page. */
function findPictures(events: TraceEvent[]): Picture[] {
  const open = new Map<string, Picture>();
  const found: Picture[] = [];
  for (const e of [...events].sort((a, b) => a.ts - b.ts)) {
    if (e.ph !== 'b' && e.ph !== 'e') continue;
    const key = `${e.pid} ${e.id ?? e.id2?.local ?? e.id2?.global ?? ''}`;
    const picture = open.get(key);
    if (e.name === 'PipelineReporter') {
      if (e.ph === 'b') open.set(key, { pid: e.pid, from: NaN, to: NaN, presented: NaN });
      else if (picture) {
        open.delete(key);
        if (picture.to > picture.from) found.push({ ...picture, presented: e.ts });
      }
    } else if (e.name === 'SendBeginMainFrameToCommit' && picture) {
      if (e.ph === 'b') picture.from = e.ts;
      else picture.to = e.ts;
    }
  }
  return found;
}

export function quantile(values: number[], q: number): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

/** `input -> sent 1, heard 25, drawn 40, presented 90 (p95 ...)`, in milliseconds. */
export function describeReactions(reactions: Reaction[]): string {
  const part = (name: keyof Reaction) => {
    const values = reactions.map((r) => r[name]);
    return `${name} ${quantile(values, 0.5).toFixed(0)} (p95 ${quantile(values, 0.95).toFixed(0)})`;
  };
  const untold = reactions.filter((r) => !Number.isFinite(r.presented)).length;
  return `${(['sent', 'heard', 'drawn', 'presented'] as const).map(part).join(', ')} ms after the input; ${reactions.length} moves${untold ? `, ${untold} without a trace` : ''}`;
}
