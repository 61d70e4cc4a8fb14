// npm run figures: how long pictures take, and how long after a move of the hand its effect is seen.

import { MockServer } from '../mock/server';
import { launch } from './browser';
import { findPlace } from './look_at';
import { describeReactions, quantile, readReactions, watchHands } from './reaction';

const browser = await launch();

for (const scene of ['scenes/humanoid_stand.yaml', 'scenes/pile.yaml']) {
  const server = new MockServer(scene);
  const port = await server.listen();
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 720 }, bypassCSP: true })).newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction(() => window.stance?.app.frame.value !== null);
  await page.waitForTimeout(3000); // until the quality has settled

  const intervals = await page.evaluate(async () => {
    const times: number[] = [];
    const { view } = window.stance;
    const before = view.onRender;
    view.onRender = (draws) => {
      if (draws) times.push(performance.now());
      before?.(draws);
    };
    await new Promise((r) => setTimeout(r, 5000));
    view.onRender = before;
    return times.slice(1).map((t, i) => t - times[i]!);
  });

  const at = await findPlace(page, 'humanoid/pelvis');
  await watchHands(browser, page);
  await page.keyboard.down('Control');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  for (let i = 0; i < 40; ++i) {
    await page.mouse.move(at.x + 20 + 2 * i, at.y - (i % 2) * 10);
    await page.waitForTimeout(350);
  }
  const reactions = await readReactions(browser, page);
  const ratio = await page.evaluate(() => (window.stance.view.canvas.width / window.stance.view.canvas.clientWidth).toFixed(2));
  console.log(`${scene}: picture every ${quantile(intervals, 0.5).toFixed(0)} ms (p95 ${quantile(intervals, 0.95).toFixed(0)}), pixel ratio ${ratio}`);
  console.log(`  ${describeReactions(reactions)}`);
  await page.close();
  await server.close();
}
await browser.close();
