// Hands of one and of several people on the bodies of the real simulator: npm run test:real.

import { describe, expect, it } from 'vitest';
import { haveChromium } from '../browser/browser';
import { findPlace } from '../browser/look_at';
import { haveProgram, makeContext, shipped } from './simulator';
import { Stage } from './stage';

describe.skipIf(!haveChromium || !haveProgram)('Hands', () => {
  const stage = new Stage();

  it('push with the force that is set, while the button is down', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    await stage.reaches(0.3);
    await page.click('#tool-push');
    await page.locator('#push-force').fill('1.7'); // 10^1.7 = 50 N
    expect(await page.textContent('.tool-options output')).toBe('50 N');
    const before = await stage.place('cube4');
    const at = await findPlace(page, 'cube4');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForFunction(() => document.querySelector('[data-key=force-push]')?.textContent?.startsWith('50'));
    // 50 N on 1 kg that friction holds with less than 10 N.
    await page.waitForFunction((from) => {
      const { app, view } = window.stance;
      const e = view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === 'cube4'))!.elements;
      return Math.hypot(e[12]! - from[0]!, e[13]! - from[1]!) > 0.1;
    }, before);
    await page.mouse.up();
    // The arrow goes, although nothing else may move.
    await page.waitForFunction(() => !document.querySelector('[data-key=force-push]'));
  });

  it('select by double click, and show what acts on the body', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    await stage.reaches(0.5);
    const at = await findPlace(page, 'cube2');
    await page.mouse.dblclick(at.x, at.y);
    await page.waitForFunction(() => window.stance.app.selected.value?.body === 'cube2');
    const told = await page.evaluate(() => window.stance.app.selected.value!);
    // Contacts carry its weight and nothing more; below and above it touches its neighbours.
    expect(told.force[2]).toBeCloseTo(9.81, 2);
    expect(Math.hypot(...told.velocity)).toBeLessThan(1e-6);
    expect([...new Set(told.contacts.map((c) => c.with))].sort()).toEqual(['cube1', 'cube3']);
    await page.waitForSelector('#selection-panel .contacts-table td');
    for (const word of ['Mass', 'Velocity', 'Force', 'Torque', 'cube1', 'cube3'])
      expect(await page.textContent('#selection-panel')).toContain(word);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#selection-panel', { state: 'hidden' });
  });

  it('hold a body alone: others see who pulls, and are refused', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    const other = await stage.newPage();
    await stage.visit(other);
    await page.waitForFunction(() => document.querySelector('#link')?.textContent === '2 viewers');
    await page.bringToFront();
    const at = await findPlace(page, 'cube4');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 30, at.y - 60, { steps: 3 });
    await other.bringToFront();
    await other.waitForFunction(() => /N$/.test(document.querySelector('[data-key^=force-viewer]')?.textContent ?? ''));
    const there = await findPlace(other, 'cube4');
    await other.click('#tool-pull');
    await other.mouse.move(there.x, there.y);
    await other.mouse.down();
    await other.waitForFunction(() => /held by viewer/.test(document.querySelector('#toast')?.textContent ?? ''));
    await other.mouse.up();
    // Free again once the first one lets go.
    await page.bringToFront();
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.waitForFunction(() => window.stance.app.drags.value.length === 0);
    await stage.rests('cube4');
    await other.bringToFront();
    const again = await findPlace(other, 'cube4');
    await other.mouse.move(again.x, again.y);
    await other.mouse.down();
    await other.waitForFunction(() => window.stance.app.drags.value.length === 1);
    await other.mouse.up();
  });

  it('pull with a finger, on a tablet', async () => {
    await stage.simulator.start(shipped('stack.yaml'));
    const tablet = await makeContext(stage.browser, { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true, bypassCSP: true });
    const page = await tablet.newPage();
    await stage.visit(page);
    await page.tap('#tool-pull');
    const before = await stage.place('cube4', page);
    const at = await findPlace(page, 'cube4');
    const fingers = await tablet.newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
      fingers.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', at);
    for (let k = 1; k <= 5; ++k) await touch('touchMove', { x: at.x + 20 * k, y: at.y - 20 * k });
    await page.waitForFunction(() => parseFloat(document.querySelector('[data-key=force-mine]')?.textContent ?? '0') > 1);
    await page.waitForFunction((z) => {
      const { app, view } = window.stance;
      return view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === 'cube4'))!.elements[14]! > z! + 0.02;
    }, before[2]);
    await touch('touchEnd');
    await page.waitForFunction(() => window.stance.app.drags.value.length === 0);
    await tablet.close();
  });

  it('leave what they made to a page that is loaded again', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    await page.keyboard.press('4');
    await page.click('.tools [data-kind=sphere]');
    await page.click('.view-canvas', { position: { x: 700, y: 450 } });
    await page.waitForFunction(() => document.querySelector('#selected-name')?.textContent === 'object0');
    await page.selectOption('#law', 'lcp');
    await page.click('text=Mars');
    await page.waitForFunction(() => window.stance.app.status.value?.gravity[2] === -3.71);
    await stage.reaches(0.1);
    const radius = () => page.evaluate(() => window.stance.app.scene.value!.bodies.find((b) => b.name === 'object0')!.shapes[0]!.size[0]);
    expect(await radius()).toBeCloseTo(0.1, 6);
    await stage.visit(page);
    expect(await radius()).toBeCloseTo(0.1, 6);
    expect(await page.inputValue('#law')).toBe('lcp');
    expect(await page.textContent('.slider:has(#gravity) output')).toContain('3.71');
    expect(await stage.time()).toBeGreaterThan(0.1); // not from the start
  });

  it('throw an object from the camera, and delete it with its button', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    // Time stands still, or it might have landed before its velocity is told.
    await page.keyboard.press('Space');
    await page.waitForSelector('#play[title^=Play]');
    await page.click('#tool-add');
    await page.keyboard.down('Shift');
    await page.click('.view-canvas', { position: { x: 500, y: 250 } });
    await page.keyboard.up('Shift');
    await page.waitForFunction(() => Math.abs(Math.hypot(...(window.stance.app.selected.value?.velocity ?? [0])) - 6) < 1e-3);
    const before = await stage.place('object0');
    await page.keyboard.press('Space');
    await page.waitForFunction((from) => {
      const { app, view } = window.stance;
      const e = view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === 'object0'))!.elements;
      return Math.hypot(e[12]! - from[0]!, e[13]! - from[1]!, e[14]! - from[2]!) > 0.3;
    }, before);
    await page.click('#delete');
    await page.waitForFunction(() => !window.stance.app.scene.value!.bodies.some((b) => b.name === 'object0'));
  });

  it('set a variable to the digit, and see where it differs', async () => {
    await stage.open(shipped('brick_on_ramp.yaml'));
    const { page } = stage;
    // Step by step, or it might have slid off before it is looked at.
    await stage.pause();
    await page.fill('#var-friction-value', '0.123');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.stance.app.scene.value?.variables.find((v) => v.name === 'friction')?.value === 0.123);
    await page.waitForSelector('.slider.changed #var-friction-value');
    // tan 0.35 = 0.365: now it slides.
    for (let k = 0; k < 20; ++k) await page.keyboard.press('.');
    await page.waitForFunction(() => (window.stance.app.frame.value?.contacts ?? []).some((c) => c.state === 2));
    await page.locator('.slider:has(#var-friction) span').dblclick();
    await page.waitForFunction(() => window.stance.app.scene.value?.variables.find((v) => v.name === 'friction')?.value === 0.5);
  });

  it('make time slow, and as fast as it goes', async () => {
    await stage.open(shipped('stack.yaml'));
    const { page } = stage;
    // How fast that is, against a clock that a test turns: tests/view/pacer_test.cc.
    for (const factor of [0.1, 0]) {
      await page.selectOption('#speed', String(factor));
      await page.waitForFunction((wanted) => window.stance.app.status.value?.speed === wanted, factor);
      await stage.passes(0.1);
    }
  });
});
