// npm run look:real [-- FOLDER]: pictures of the real thing, for the documents.

import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { launch } from '../browser/browser';
import { findPlace } from '../browser/look_at';
import { makeContext, shipped, Simulator } from './simulator';

const folder = process.argv[2] ?? 'test-results';
mkdirSync(folder, { recursive: true });
const browser = await launch();

async function shot(name: string, scene: string, dark: boolean, act: (page: Page) => Promise<void>): Promise<void> {
  const simulator = new Simulator();
  await simulator.start(shipped(scene));
  const context = await makeContext(browser, { viewport: { width: 1120, height: 640 }, colorScheme: dark ? 'dark' : 'light', bypassCSP: true });
  await context.addInitScript(() => localStorage.setItem('stance.settings.2', JSON.stringify({ hinted: true })));
  const page = await context.newPage();
  page.on('pageerror', (e) => console.log(`${name}: ${e.message}`));
  await page.goto(`http://127.0.0.1:${simulator.port}/?quality=full`);
  await page.waitForFunction(() => !!window.stance?.app.frame.value);
  await page.waitForTimeout(1500);
  await act(page);
  await page.screenshot({ path: `${folder}/${name}.png` });
  await context.close();
  await simulator.end();
}

async function pull(page: Page, body: string, x: number, y: number): Promise<void> {
  const at = await findPlace(page, body);
  await page.mouse.dblclick(at.x, at.y);
  await page.keyboard.down('Control');
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + x, at.y + y, { steps: 6 });
}

await shot('viewer_drag', 'humanoid_stand.yaml', false, async (page) => {
  await pull(page, 'humanoid/pelvis', 90, -20);
  await page.waitForTimeout(1200);
});
await shot('viewer_plots', 'humanoid_stand.yaml', true, async (page) => {
  await page.keyboard.press('p');
  await page.keyboard.press('k');
  await page.waitForTimeout(1500);
  await pull(page, 'humanoid/pelvis', 30, 0);
  await page.waitForTimeout(2000);
  await page.mouse.up();
  await page.waitForTimeout(1500);
});
await shot('viewer_pile', 'pile.yaml', false, async (page) => {
  await page.waitForTimeout(3000);
});
await shot('viewer_past', 'dominoes.yaml', true, async (page) => {
  await page.evaluate(() => window.stance.app.seek(0.3)); // half of them have fallen
  await page.waitForTimeout(300);
  await page.keyboard.press('h');
  await page.waitForTimeout(800);
});
await browser.close();
