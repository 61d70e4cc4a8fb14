// The page in a real browser against the real simulator: npm run test:real.

import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { haveChromium } from '../browser/browser';
import { countInk, findDrawnShare, findPlace } from '../browser/look_at';
import { until } from '../browser/until';
import { haveProgram, kProgram, makeContext, shipped } from './simulator';
import { Stage } from './stage';

describe.skipIf(!haveChromium || !haveProgram)('Page and simulator', () => {
  const stage = new Stage();
  const open = (scene?: string) => stage.open(scene);
  const time = () => stage.time();
  const reaches = (t: number) => stage.reaches(t);

  it('loads, draws the robot, and goes on', async () => {
    const { page } = stage;
    await open();
    expect(await page.title()).toBe('humanoid_stand – Stance');
    expect(await findDrawnShare(page)).toBeGreaterThan(0.02);
    await reaches(1);
    expect(await page.textContent('#verdict')).toBe('Converged');
    const frame = await page.evaluate(() => {
      const f = window.stance.app.frame.value!;
      return { contacts: f.contacts.length, com: f.com, corners: f.support.length / 2 };
    });
    expect(frame.contacts).toBe(8);
    expect(frame.com[2]).toBeGreaterThan(0.4);
    expect(frame.corners).toBeGreaterThanOrEqual(4);
  });

  it('pauses, steps and resets', async () => {
    const { page } = stage;
    await open();
    await reaches(0.2);
    await stage.pause();
    await page.waitForSelector('#play[title^=Play]');
    const before = await time();
    await page.click('#step');
    await page.waitForFunction((t) => Math.abs(window.stance.app.frame.value!.time - t - 0.001) < 1e-9, before);
    await page.click('#reset');
    await page.waitForFunction(() => window.stance.app.frame.value?.time === 0);
    await page.click('#play');
    await reaches(0.1);
  });

  it('drags the body that is picked, which moves and pulls back', async () => {
    const { page } = stage;
    await open();
    await reaches(0.3);
    const at = await findPlace(page, 'humanoid/pelvis');
    const place = () => stage.place('humanoid/pelvis');
    const start = await place();
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 250, at.y, { steps: 4 });
    await page.waitForFunction(() => parseFloat(document.querySelector('[data-key=force-mine]')?.textContent ?? '0') > 20);
    // Stiff joints hold it: it gives way by millimetres, then tips.
    await until(async () => Math.hypot(...(await place()).map((x, k) => x - start[k]!)) > 0.02, 'a way of 2 cm');
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.waitForFunction(() => !document.querySelector('[data-key=force-mine]'));
  });

  it('fills plots and shows joints', async () => {
    const { page } = stage;
    await open();
    await page.keyboard.press('p');
    await until(async () => (await countInk(page, 'humanoid/com')) >= 40, 'a curve');
    await page.click('#joint-panel summary');
    await page.waitForFunction(() => /°/.test(document.querySelector('[data-joint] output')?.textContent ?? ''));
    expect(await page.locator('[data-joint]').count()).toBe(30);
  });

  it('scrubs back to a state, and goes on from there', async () => {
    const { page } = stage;
    await open();
    await reaches(2.5);
    const box = (await page.locator('#timeline-track').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 12);
    await page.waitForSelector('#past:not([hidden])');
    const late = await page.evaluate(() => window.stance.app.status.value!.to);
    await page.waitForFunction((to) => window.stance.app.frame.value!.time < 0.8 * to, late);
    const shown = await time();
    expect(await time()).toBe(shown); // it stands
    // Every status is heard, while pictures may be left out: the first one of the new present is from before `late`.
    const present = page.evaluate(
      () =>
        new Promise<number>((done) => {
          const stop = window.stance.app.status.listen((s) => {
            if (!s || s.at !== null) return;
            stop();
            done(s.to);
          });
        }),
    );
    await page.click('#continue');
    expect(await present).toBeGreaterThanOrEqual(shown);
    expect(await present).toBeLessThan(late);
    await page.waitForSelector('#past', { state: 'hidden' });
    await page.waitForFunction((from) => window.stance.app.frame.value!.time > from, shown);
  });

  it('shows what is wrong with a scene, and goes on', async () => {
    const { page, simulator } = stage;
    const first = simulator.write('fine.yaml', 'version: 1\nenvironment: {floor: {shape: {plane: {}}}}\n' +
      'objects: {box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, position: [0, 0, 0.1]}}\n');
    simulator.write('bad.yaml', 'version: 1\nobjects:\n  box: {shape: {box: {size: [1, 1, 1]}}, mas: 2}\n');
    await open(first);
    const name = await page.evaluate(() => window.stance.app.hello.value!.scenes.find((s) => s.file.endsWith('bad.yaml'))!.file);
    await page.selectOption('#scene', name);
    await page.waitForSelector('#error:not([hidden])');
    expect(await page.textContent('#error-place')).toMatch(/bad\.yaml:3:\d+$/);
    expect(await page.textContent('#error-text')).toContain('mas');
    const before = await time();
    await reaches(before);
    await page.selectOption('#scene', 'scenes/stack.yaml');
    await page.waitForSelector('#error', { state: 'hidden' });
    await page.waitForFunction(() => window.stance.app.scene.value?.file === 'scenes/stack.yaml');
  });

  it('turns red when a step did not converge', async () => {
    const { page, simulator } = stage;
    // A pile on one sweep a step cannot meet such a tolerance.
    await open(simulator.write('hard.yaml', 'version: 1\ncontact: {tolerance: 1e-12, max_sweeps: 1}\nenvironment: {floor: {shape: {plane: {}}}}\n' +
      'objects: {box: {shape: {box: {size: [0.2, 0.2, 0.2]}}, mass: 1, copies: 4, position: [0.03 * i, 0, 0.1 + 0.2 * i]}}\n'));
    await page.waitForSelector('#trust.bad');
    expect(await page.textContent('#verdict')).toBe('Not converged');
    await page.waitForFunction(() => (window.stance.app.status.value?.trust.not_converged ?? 0) > 0);
    // a run is not clean again because it stands still
    await page.evaluate(() => void window.stance.app.ask({ type: 'pause' }));
    await page.waitForFunction(() => window.stance.app.status.value?.paused);
    expect(await page.evaluate(() => document.querySelector<HTMLElement>('#trust')!.dataset.light)).not.toBe('good');
  });

  it('shows the error of a first scene that cannot be read, and loads it once it is mended', async () => {
    const { page, simulator } = stage;
    const file = simulator.write('first.yaml', 'version: 1\nenvironment:\n  floor: {shape: {plain: {}}}\n');
    await simulator.start(file);
    await page.goto(`http://127.0.0.1:${simulator.port}/`);
    await page.waitForSelector('#error:not([hidden])');
    expect(await page.textContent('#error-place')).toMatch(/first\.yaml:3:\d+$/);
    expect(await page.isVisible('#waiting')).toBe(false);
    simulator.write('first.yaml', 'version: 1\nenvironment:\n  floor: {shape: {plane: {}}}\n');
    await page.click('text=Load it again');
    await page.waitForSelector('#error', { state: 'hidden' });
    await page.waitForFunction(() => !!window.stance.app.frame.value);
  });

  it('drops an object, changes law and gravity, and removes it again', async () => {
    const { page } = stage;
    await open(shipped('stack.yaml'));
    await page.click('#object-panel summary');
    await page.click('#object-panel [data-kind=sphere]');
    await page.click('#drop');
    await page.waitForFunction(() => document.querySelector('#selected-name')?.textContent === 'object0');
    await page.waitForSelector('#selection-panel .facts-table tr');
    await page.selectOption('#law', 'lcp');
    await page.waitForFunction(() => window.stance.app.status.value?.law === 'lcp');
    await page.click('text=Moon');
    await page.waitForFunction(() => window.stance.app.status.value?.gravity[2] === -1.62);
    await page.click('.view-canvas', { position: { x: 20, y: 300 } });
    await page.keyboard.press('Delete');
    await page.waitForFunction(() => !window.stance.app.scene.value!.bodies.some((b) => b.name === 'object0'));
  });

  it('records what is done, and it replays to the bit', async () => {
    const { page, simulator } = stage;
    await open(shipped('stack.yaml'));
    await reaches(0.3);
    await page.click('#record');
    await page.waitForSelector('#record.recording');
    const at = await findPlace(page, 'cube4');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 80, at.y - 20, { steps: 8 });
    await stage.passes(0.4);
    await page.mouse.up();
    await page.keyboard.up('Control');
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#record')]);
    const file = `${simulator.folder}/downloaded.h5`;
    await download.saveAs(file);
    const said = String(execFileSync(kProgram, ['replay', file]));
    expect(said).toContain('the same, bit for bit');
    expect(String(execFileSync(kProgram, ['info', file, '--json']))).toContain('"drag"');
  });

  it('finds the simulator again after it was started anew', async () => {
    const { page, simulator } = stage;
    await open();
    await page.click('#plots-button');
    expect(await simulator.stop()).toBe(0);
    await page.waitForSelector('#lost:not([hidden])');
    await simulator.start(shipped('pile.yaml'));
    await page.waitForSelector('#lost', { state: 'hidden' });
    await page.waitForFunction(() => window.stance.app.scene.value?.file === 'scenes/pile.yaml' && !!window.stance.app.frame.value);
  });

  it('works under its policy, with a token where one is asked for', async () => {
    const { simulator } = stage;
    const strict = await makeContext(stage.browser, { viewport: { width: 1280, height: 720 } });
    const page = await strict.newPage();
    const complaints: string[] = [];
    page.on('console', (m) => {
      if (m.type() === 'error') complaints.push(m.text());
    });
    await simulator.start(shipped('stack.yaml'), '--listen', '0.0.0.0');
    const token = /token=([0-9a-f]+)/.exec(simulator.said)![1]!;
    expect((await page.request.get(`http://127.0.0.1:${simulator.port}/`)).status()).toBe(403);
    await page.goto(`http://127.0.0.1:${simulator.port}/?token=${token}`);
    await page.locator('#trust-time', { hasText: /[1-9]\d*\.\d/ }).waitFor(); // it has gone on for a second
    expect(complaints).toEqual([]);
    await strict.close();
  });
});
