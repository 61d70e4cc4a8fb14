// npm run figures: how long pictures take, and how long after a move of the hand its effect is drawn.

import { MockServer } from '../mock/server';
import { launch } from './browser';

const browser = await launch();

function quantile(values: number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? NaN;
}

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
    view.onRender = () => {
      times.push(performance.now());
      before?.();
    };
    await new Promise((r) => setTimeout(r, 5000));
    view.onRender = before;
    return times.slice(1).map((t, i) => t - times[i]!);
  });

  // From the event to the frame after the one in which the server's answer is drawn.
  const box = (await page.locator('.view-canvas').boundingBox())!;
  const at = await page.evaluate(() => {
    const { app, view } = window.stance;
    const e = view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === 'humanoid/pelvis'))!.elements;
    return view.project(view.camera.position.clone().set(e[12]!, e[13]!, e[14]! + 0.2))!;
  });
  await page.evaluate(() => {
    const reactions: number[] = [];
    Object.assign(window, { reactions });
    window.addEventListener('pointermove', () => {
      const start = performance.now();
      const before = window.stance.app.drags.value[0]?.target.join() ?? '';
      const stop = window.stance.app.drags.listen((drags) => {
        const target = drags[0]?.target.join();
        if (target !== undefined && target !== before) {
          stop();
          requestAnimationFrame(() => requestAnimationFrame(() => reactions.push(performance.now() - start)));
        }
      });
    }, { capture: true });
  });
  await page.keyboard.down('Control');
  await page.mouse.move(box.x + at.x, box.y + at.y);
  await page.mouse.down();
  for (let i = 0; i < 40; ++i) {
    await page.mouse.move(box.x + at.x + 20 + 2 * i, box.y + at.y - (i % 2) * 10);
    await page.waitForTimeout(350);
  }
  const reactions = await page.evaluate(() => (window as unknown as { reactions: number[] }).reactions);
  const level = await page.evaluate(() => `shadows ${window.stance.view.quality.shadows}, pixel ratio ${window.stance.view.renderer.getPixelRatio()}`);
  console.log(
    `${scene}: picture every ${quantile(intervals, 0.5).toFixed(0)} ms (p95 ${quantile(intervals, 0.95).toFixed(0)}); ` +
      `reaction ${quantile(reactions, 0.5).toFixed(0)} ms (p95 ${quantile(reactions, 0.95).toFixed(0)}, ${reactions.length} moves); ${level}`,
  );
  await page.close();
  await server.close();
}
await browser.close();
