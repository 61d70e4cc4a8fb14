// What went wrong once, in a real browser against the mock. `npm run build` comes first.

import { beforeEach, describe, expect, it } from 'vitest';
import { haveChromium } from './browser';
import { findPlace, passPictures, passTimers, waitForCamera } from './look_at';
import { heardAll, newPage, open, page, passes, port, sent, serve, server, useStage, visit } from './mock_stage';
import { until } from './until';

const pause = async () => {
  await page.keyboard.press('Space');
  await page.waitForFunction(() => window.stance.app.status.value?.paused === true);
};
const tool = () => page.evaluate(() => window.stance.app.tool.value);

/** Takes the tool and presses the button on the robot, so that something is sent. */
async function press(kind: 'pull' | 'push'): Promise<{ x: number; y: number }> {
  await page.click(`#tool-${kind}`);
  const at = await findPlace(page, 'humanoid/pelvis');
  await page.mouse.move(at.x, at.y);
  const message = kind === 'pull' ? 'drag' : 'push';
  const before = sent(message).length;
  await page.mouse.down();
  await page.mouse.move(at.x + 2, at.y); // from the next event on the pointer is captured
  await until(() => sent(message).length > before, message);
  return at;
}
/** Several times as long as between two pushes nothing comes; what was on its way does not count. */
async function expectNoMorePushes(): Promise<void> {
  await heardAll();
  const before = sent('push').length;
  await passTimers(page, 800);
  await heardAll();
  expect(sent('push').length).toBe(before);
}

/** The longest time between neighbours of a curve, as its legend tells under a pointer that goes along it. */
async function findLongestGap(channel: string): Promise<number> {
  const over = page.locator(`[data-channel="${channel}"] .u-over`);
  const box = (await over.boundingBox())!;
  const times: number[] = [];
  for (let k = 1; k < 40; ++k) {
    await page.mouse.move(box.x + (k / 40) * box.width, box.y + box.height / 2);
    await passPictures(page, 2); // the legend follows with the next one
    const text = await page.locator(`[data-channel="${channel}"] .u-legend .u-value`).first().textContent();
    const time = Number.parseFloat(text ?? '');
    if (Number.isFinite(time)) times.push(time);
  }
  expect(times.at(-1)! - times[0]!).toBeGreaterThan(1.5); // it shows some time at all
  return Math.max(...times.slice(1).map((t, k) => t - times[k]!));
}

describe.skipIf(!haveChromium)('Mended', () => {
  useStage();

  it('a push ends when the button comes up outside the view', async () => {
    await open();
    await press('push');
    const side = (await page.locator('#side').boundingBox())!;
    await page.mouse.move(side.x + side.width / 2, side.y + side.height - 20, { steps: 4 });
    await page.mouse.up();
    await expectNoMorePushes();
  });

  it('a push ends with Esc, another tool, a reset; each can be followed by another', async () => {
    await open();
    const ends: [string, () => Promise<void>][] = [
      ['push', () => page.keyboard.press('Escape')],
      ['pull', () => page.keyboard.press('2')],
      ['push', () => page.keyboard.press('r')],
    ];
    for (const [toolAfter, end] of ends) {
      await press('push');
      const first = sent('push').length;
      await until(() => sent('push').length > first, 'another push'); // it repeats itself
      await end();
      await expectNoMorePushes();
      expect(await tool()).toBe(toolAfter);
      await page.mouse.up();
    }
  });

  it('a push ends with the connection', async () => {
    await open();
    await press('push');
    await server.close();
    await page.waitForSelector('#lost:not([hidden])');
    await serve(undefined, port);
    await page.waitForSelector('#lost', { state: 'hidden' });
    await expectNoMorePushes();
    expect(sent('push')).toHaveLength(0);
    await page.mouse.up();
  });

  it('a hand lets go when the page hides, loses the focus or the pointer', async () => {
    await open();
    const ends = {
      hides: () =>
        page.evaluate(() => {
          Object.defineProperty(document, 'hidden', { value: true, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
          Object.defineProperty(document, 'hidden', { value: false, configurable: true });
        }),
      blurs: () => page.evaluate(() => void window.dispatchEvent(new Event('blur'))),
      leaves: () => page.evaluate(() => void window.dispatchEvent(new Event('pagehide'))),
      loses: () => page.evaluate(() => window.stance.view.canvas.releasePointerCapture(1)),
    };
    for (const [name, end] of Object.entries(ends)) {
      const at = await press('pull');
      const before = sent('release').length;
      await end();
      await page.mouse.move(at.x + 5, at.y); // capture that is given up is lost with the next event
      await until(() => sent('release').length === before + 1, `release when the page ${name}`);
      await page.waitForFunction(() => !document.querySelector('[data-key=force-mine]'));
      await page.mouse.up();
      await press('push');
      await end();
      await page.mouse.move(at.x, at.y);
      await expectNoMorePushes();
      await page.mouse.up();
    }
  });

  it('a hand that is still closed holds on after a reset, and not in another scene', async () => {
    await open();
    await press('pull');
    await page.keyboard.press('r');
    await until(() => sent('reset').length === 1, 'reset');
    const isAgain = () => server.received.slice(server.received.findIndex((m) => m.type === 'reset')).some((m) => m.type === 'drag');
    await until(isAgain, 'the drag again');
    await page.waitForFunction(() => window.stance.app.drags.value.length === 1 && !!document.querySelector('[data-key=force-mine]'));
    expect(sent('release')).toHaveLength(0);
    await page.evaluate(() => window.stance.app.load('scenes/pile.yaml'));
    await until(() => sent('release').length === 1, 'release');
    await page.mouse.up();
  });

  it('a key that is held does once what it does; only steps and the timeline repeat', async () => {
    await open();
    const hold = async (key: string, times = 4) => {
      for (let k = 0; k < times; ++k) await page.keyboard.down(key);
      await page.keyboard.up(key);
    };
    await hold('r');
    await hold('k', 3);
    expect(await page.getAttribute('#show-cones', 'aria-pressed')).toBe('true');
    await hold('Space');
    await hold('.');
    await until(() => sent('step').length === 4, 'steps');
    expect(sent('reset')).toHaveLength(1);
    expect([sent('pause').length, sent('play').length]).toEqual([1, 0]);
    await page.keyboard.down('ArrowLeft');
    for (const count of [1, 2, 3]) {
      await until(() => sent('seek').length >= count, 'seek');
      await page.keyboard.down('ArrowLeft');
    }
    await page.keyboard.up('ArrowLeft');
  });

  it('events of the run before are gone after a reset', async () => {
    await open();
    await passes(1);
    server.say({ type: 'event', time: server.simulatedTime, kind: 'slip', text: 'of the run before' });
    await page.locator('#events', { hasText: 'of the run before' }).waitFor({ state: 'attached' });
    await pause();
    await page.keyboard.press('r');
    await page.waitForFunction(() => window.stance.app.frame.value?.time === 0);
    expect(await page.textContent('#events')).not.toContain('of the run before');
    await page.keyboard.press('Space');
    await passes(0.1);
    server.say({ type: 'event', time: server.simulatedTime, kind: 'slip', text: 'of this run' });
    await page.locator('#events', { hasText: 'of this run' }).waitFor({ state: 'attached' });
  });

  it('an event of a new run stays, though it came before the first picture', async () => {
    await open();
    await passes(1);
    await pause();
    await page.evaluate(() => {
      const { app } = window.stance;
      const stop = app.scene.listen(() => {
        stop();
        (app as unknown as { take(m: unknown): void }).take({ type: 'event', time: 0.004, kind: 'touch', text: 'early' });
      });
    });
    await page.keyboard.press('r');
    await page.waitForFunction(() => window.stance.app.frame.value?.time === 0);
    expect(await page.textContent('#events')).toContain('early');
  });

  it('events are forgotten when another viewer goes on from before them', async () => {
    await open();
    await passes(0.5);
    server.say({ type: 'event', time: 0.2, kind: 'slip', text: 'earlier' });
    await passes(1.5);
    server.say({ type: 'event', time: server.simulatedTime, kind: 'slip', text: 'later' });
    await page.locator('#events', { hasText: 'later' }).waitFor({ state: 'attached' });
    const other = await newPage();
    await visit(other);
    await other.evaluate(() => window.stance.app.seek(0.5));
    await page.waitForSelector('#past:not([hidden])');
    await page.locator('#trust-speed', { hasText: 'past' }).waitFor();
    expect(await page.textContent('#events')).toContain('later'); // so far it is only looked at
    await other.evaluate(() => window.stance.app.continueFrom(0.5));
    await page.waitForSelector('#past', { state: 'hidden' });
    await page.locator('#events', { hasText: 'later' }).waitFor({ state: 'detached' });
    expect(await page.textContent('#events')).toContain('earlier');
  });

  it('single steps that did not converge are counted', async () => {
    await open();
    await pause();
    await page.selectOption('#scene', 'scenes/hard.yaml');
    await page.waitForFunction(() => window.stance.app.scene.value?.file === 'scenes/hard.yaml' && !!window.stance.app.frame.value);
    await heardAll();
    await passPictures(page, 2); // whether the state before the first step was seen, and counted, is chance
    const count = () => page.evaluate(() => Number(/^(\d+) steps? of/.exec(document.querySelector<HTMLElement>('#verdict')!.title)?.[1] ?? 0));
    const before = await count();
    await page.keyboard.press('.');
    await page.waitForSelector('#trust.bad');
    await until(async () => (await count()) === before + 1, 'one more step is told');
    // It stays red as long as this step is the one that is seen.
    await passTimers(page, 2000);
    expect(await page.textContent('#verdict')).toBe('Not converged');
  });

  it('a frame from the past leaves the curves alone, whenever its status comes', async () => {
    await open();
    await page.keyboard.press('p');
    await page.waitForSelector('[data-channel="report/residual"] canvas');
    await passes(4);
    server.showPast(server.simulatedTime - 3.5);
    await passes(0.1);
    await pause();
    expect(await findLongestGap('report/residual')).toBeLessThan(1.5);
  });

  it('curves that were held have no hole afterwards', async () => {
    await open();
    await page.keyboard.press('p');
    await page.waitForSelector('[data-channel="humanoid/com"] canvas');
    await passes(1);
    await page.click('#plots-hold');
    await passes(3);
    await page.click('#plots-hold');
    await passes(0.5);
    await pause();
    for (const channel of ['humanoid/com', 'report/residual']) expect(await findLongestGap(channel)).toBeLessThan(1.5);
  });

  it('the last plot can be removed, and stays so', async () => {
    await open();
    await page.keyboard.press('p');
    await page.waitForSelector('.plot');
    for (let left = await page.locator('.plot').count(); left > 0; --left) {
      await page.locator('.plot [title=Remove]').first().click();
      await page.waitForFunction((n) => document.querySelectorAll('.plot').length === n, left - 1);
    }
    await page.reload();
    await page.waitForFunction(() => !!window.stance?.app.frame.value);
    expect(await page.isVisible('#plots')).toBe(true);
    expect(await page.locator('.plot').count()).toBe(0);
  });

  describe('a scene whose looks are meshes that come late', () => {
    let arrive: () => void;
    const camera = () => page.evaluate(() => window.stance.view.camera.position.toArray());
    const haveArrived = () =>
      page.waitForFunction(() => {
        const { view } = window.stance;
        const bodies = view.world.children.filter((o) => (o.userData.body as number) > 0);
        return bodies.every((o) => o.children.some((m) => m.userData.collision === true));
      });
    const distance = (a: number[], b: number[]) => Math.hypot(...a.map((x, k) => x - b[k]!));
    beforeEach(async () => {
      const arrived = new Promise<void>((done) => (arrive = done));
      await page.route('**/mesh/*', async (route) => {
        await arrived;
        await route.continue();
      });
      await open('scenes/carved.yaml');
      await pause();
    });

    it('is looked at as a whole once they are there', async () => {
      arrive();
      await haveArrived();
      const framed = await camera();
      await page.keyboard.press('h');
      expect(distance(await camera(), framed)).toBeLessThan(1e-3);
    });

    it('stays as it is for those who moved the camera meanwhile', async () => {
      const box = (await page.locator('.view-canvas').boundingBox())!;
      const before = await camera();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.wheel(0, -240);
      await page.waitForFunction((b) => Math.hypot(...window.stance.view.camera.position.toArray().map((x, k) => x - b[k]!)) > 0.1, before);
      await waitForCamera(page);
      const chosen = await camera();
      arrive();
      await haveArrived();
      expect(distance(await camera(), chosen)).toBeLessThan(0.05);
    });
  });

  it('a variable that is refused goes back to what it is', async () => {
    await open();
    await page.locator('#var-crouch').fill('1.6');
    await until(() => sent('set').length === 1, 'set');
    await page.locator('#toast', { hasText: 'knees' }).waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#var-crouch')?.value === '0.873');
    expect(await page.inputValue('#var-crouch-value')).toBe('0.873');
    await page.fill('#var-crouch-value', '7');
    await page.keyboard.press('Enter');
    await until(() => sent('set').length === 2, 'set');
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#var-crouch-value')?.value === '0.873');
  });
});
