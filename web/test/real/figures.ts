// npm run figures:real [-- SECONDS]: one page and four protocol clients for a while. Prints how the simulator kept to
// the clock, how much it sent, and how long after a move of the hand its effect is seen.

import WebSocket from 'ws';
import { launch } from '../browser/browser';
import { findPlace } from '../browser/look_at';
import { describeReactions, readReactions, watchHands } from '../browser/reaction';
import { makeContext, shipped, Simulator } from './simulator';

const seconds = Number(process.argv[2] ?? 60);
const simulator = new Simulator();
await simulator.start(shipped('humanoid_stand.yaml'));
const browser = await launch();
const page = await (await makeContext(browser, { viewport: { width: 1280, height: 720 }, bypassCSP: true })).newPage();
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

// The page drags meanwhile.
const at = await findPlace(page, 'humanoid/pelvis');
await watchHands(browser, page);
await page.keyboard.down('Control');
await page.mouse.move(at.x, at.y);
await page.mouse.down();
for (let k = 0; performance.now() - clock < 1000 * seconds; ++k) {
  await page.mouse.move(at.x + 5 + 10 * (k % 2), at.y - 5 * (k % 3));
  await page.waitForTimeout(350);
}
const passed = (performance.now() - clock) / 1000;
const heard = clients.map(({ client }) => ({ ...client })); // before the trace is read, which takes its time
console.log(describeReactions(await readReactions(browser, page)));
console.log(`pixels ${await page.evaluate(() => (window.stance.view.canvas.width / window.stance.view.canvas.clientWidth).toFixed(2))} for each of the page's`);
heard.forEach((client, k) => {
  console.log(
    `client ${k + 1}: ${(client.bytes / passed / 1000).toFixed(1)} kB/s, ${(client.frames / passed).toFixed(1)} frames/s, ` +
      `${((client.last - client.first) / passed).toFixed(4)} times real time`,
  );
});
clients.forEach(({ socket }) => socket.close());
await browser.close();
await simulator.stop();
console.log(simulator.said.trim().split('\n').slice(-1)[0]);
await simulator.end();
