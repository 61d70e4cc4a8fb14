// npm run look [-- FOLDER]: pictures of the main views, to be looked at.

import { mkdirSync } from 'node:fs';
import { MockServer } from '../mock/server';
import { launch } from './browser';

const folder = process.argv[2] ?? 'test-results';
mkdirSync(folder, { recursive: true });
const server = new MockServer();
const port = await server.listen();
const browser = await launch();

async function shot(name: string, size: { width: number; height: number }, dark: boolean, act?: (page: import('playwright-core').Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: size, colorScheme: dark ? 'dark' : 'light', hasTouch: size.height > size.width, bypassCSP: true });
  const page = await context.newPage();
  page.on('console', (m) => console.log(`${name}: ${m.text()}`));
  page.on('pageerror', (e) => console.log(`${name}: ${e.message}`));
  await page.goto(`http://127.0.0.1:${port}/?quality=full`);
  await page.waitForFunction(() => window.stance?.app.frame.value !== null);
  await page.waitForTimeout(1500);
  await act?.(page);
  await page.screenshot({ path: `${folder}/${name}.png` });
  const time = await page.evaluate(() => window.stance.view.painter.quality.frameTime);
  console.log(`${name}: ${time.toFixed(0)} ms between pictures, shadows ${await page.evaluate(() => window.stance.view.painter.shadows)}`);
  await context.close();
}

const laptop = { width: 1280, height: 720 };
const only = process.argv[3];
const shots: [string, () => Promise<void>][] = [
  ['light', () => shot('light', laptop, false)],
  ['dark', () => shot('dark', laptop, true, async (page) => {
    await page.keyboard.press('k');
    await page.click('#joint-panel summary');
    await page.waitForTimeout(500);
  })],
  ['plots', () => shot('plots', laptop, false, async (page) => {
    await page.keyboard.press('p');
    await page.waitForTimeout(5000);
  })],
  ['drag', () => shot('drag', laptop, true, async (page) => {
    const box = (await page.locator('.view-canvas').boundingBox())!;
    const at = await page.evaluate(() => {
      const { app, view } = window.stance;
      const body = app.scene.value!.bodies.findIndex((b) => b.name === 'humanoid/pelvis');
      const p = view.poseOf(body)!.elements;
      return view.project(view.camera.position.clone().set(p[12]!, p[13]!, p[14]! + 0.2))!;
    });
    await page.keyboard.down('Control');
    await page.mouse.move(box.x + at.x, box.y + at.y);
    await page.mouse.dblclick(box.x + at.x, box.y + at.y);
    await page.mouse.down();
    await page.mouse.move(box.x + at.x + 150, box.y + at.y - 40, { steps: 6 });
    await page.waitForTimeout(700);
  })],
  ['tablet', () => shot('tablet', { width: 820, height: 1180 }, false, async (page) => {
    await page.click('#plots-button');
    await page.waitForTimeout(2500);
  })],
  ['tablet_wide', () => shot('tablet_wide', { width: 1024, height: 768 }, true)],
  ['help', () => shot('help', laptop, false, (page) => page.keyboard.press('?'))],
  ['error', () => shot('error', laptop, false, async (page) => {
    await page.selectOption('#scene', 'scenes/broken.yaml');
    await page.waitForSelector('#error:not([hidden])');
  })],
  ['past', () => shot('past', laptop, false, async (page) => {
    const box = (await page.locator('#timeline-track').boundingBox())!;
    await page.mouse.click(box.x + 0.6 * box.width, box.y + 12);
    await page.waitForTimeout(500);
  })],
  ['hard', () => shot('hard', laptop, true, async (page) => {
    await page.selectOption('#scene', 'scenes/hard.yaml');
    await page.waitForSelector('#trust.bad');
    await page.waitForTimeout(700);
  })],
  ['spoiled', () => shot('spoiled', laptop, false, async (page) => {
    await page.selectOption('#scene', 'scenes/hard.yaml');
    await page.waitForSelector('#trust.bad');
    await page.waitForSelector('#trust[data-light=warn]');
  })],
  ['other_law', () => shot('other_law', laptop, false, async (page) => {
    await page.evaluate(() => void window.stance.app.ask({ type: 'law', law: 'penalty_linear' }));
    await page.waitForSelector('#trust[data-light=none]');
    await page.waitForTimeout(1200);
  })],
  ['meshes', () => shot('meshes', laptop, false, async (page) => {
    await page.selectOption('#scene', 'scenes/meshes.yaml');
    await page.waitForTimeout(2500);
  })],
  ['pile', () => shot('pile', laptop, false, async (page) => {
    await page.selectOption('#scene', 'scenes/pile.yaml');
    await page.waitForTimeout(3500);
  })],
];
for (const [name, make] of shots) if (!only || only.split(',').includes(name)) await make();
await browser.close();
await server.close();
