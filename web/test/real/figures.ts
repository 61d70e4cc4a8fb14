// npm run figures:real [-- SECONDS]: one page and four protocol clients for a while. Prints how the simulator kept to
// the clock, how much it sent, and how long after a move of the hand its effect is drawn.

import WebSocket from 'ws';
import { launch } from '../browser/browser';
import { findPlace } from '../browser/look_at';
import { shipped, Simulator } from './simulator';

const seconds = Number(process.argv[2] ?? 60);
const simulator = new Simulator();
await simulator.start(shipped('humanoid_stand.yaml'));
const browser = await launch();
const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 }, bypassCSP: true })).newPage();
await page.goto(`http://127.0.0.1:${simulator.port}/`);
await page.waitForFunction(() => !!window.stance?.app.frame.value);
await page.waitForTimeout(3000); // until the quality has settled

const clients = Array.from({ length: 4 }, (_, k) => {
  const client = { bytes: 0, frames: 0, first: 0, last: 0, speeds: [] as number[] };
  const socket = new WebSocket(`ws://127.0.0.1:${simulator.port}/ws`, 'stance.v1');
  socket.binaryType = 'arraybuffer';
  socket.on('open', () => {
    if (k === 1) socket.send(JSON.stringify({ type: 'watch', id: 1, channels: ['humanoid/com', 'humanoid/contact_force'], joints: true }));
  });
  socket.on('message', (data, binary) => {
    client.bytes += (data as ArrayBuffer).byteLength ?? 0;
    if (!binary) return;
    const d = new DataView(data as ArrayBuffer);
    if (d.getUint8(0) !== 1) return;
    ++client.frames;
    client.last = d.getFloat64(8, true);
    client.first ||= client.last;
  });
  return { client, socket };
});
const clock = performance.now();

// The page drags meanwhile: from the event to the frame after the one that has its effect.
const at = await findPlace(page, 'humanoid/pelvis');
await page.evaluate(() => {
  const reactions: number[] = [];
  Object.assign(window, { reactions });
  window.addEventListener('pointermove', () => {
    const start = performance.now();
    const before = window.stance.app.drags.value[0]?.target.join() ?? '';
    const stop = window.stance.app.drags.listen((drags) => {
      const target = drags[0]?.target.join();
      if (target === undefined || target === before) return;
      stop();
      requestAnimationFrame(() => requestAnimationFrame(() => reactions.push(performance.now() - start)));
    });
  }, { capture: true });
});
await page.keyboard.down('Control');
await page.mouse.move(at.x, at.y);
await page.mouse.down();
for (let k = 0; performance.now() - clock < 1000 * seconds; ++k) {
  await page.mouse.move(at.x + 5 + 10 * (k % 2), at.y - 5 * (k % 3));
  await page.waitForTimeout(350);
}
const passed = (performance.now() - clock) / 1000;
const reactions = (await page.evaluate(() => (window as unknown as { reactions: number[] }).reactions)).sort((a, b) => a - b);
const quantile = (q: number) => (reactions[Math.min(reactions.length - 1, Math.floor(q * reactions.length))] ?? NaN).toFixed(0);
console.log(`reaction ${quantile(0.5)} ms, p95 ${quantile(0.95)} ms (${reactions.length} moves)`);
clients.forEach(({ client, socket }, k) => {
  console.log(
    `client ${k + 1}: ${(client.bytes / passed / 1000).toFixed(1)} kB/s, ${(client.frames / passed).toFixed(1)} frames/s, ` +
      `${((client.last - client.first) / passed).toFixed(4)} times real time`,
  );
  socket.close();
});
await browser.close();
await simulator.stop();
console.log(simulator.said.trim().split('\n').slice(-1)[0]);
await simulator.end();
