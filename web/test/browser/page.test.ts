// The page in a real browser against the mock. `npm run build` comes first.

import { describe, expect, it } from 'vitest';
import { haveChromium, kPatience } from './browser';
import { countInk, findDrawnShare, findPlace, passPictures, passTimers } from './look_at';
import { browser, heardAll, open, page, passes, port, sent, serve, server, turnUntil, useStage } from './mock_stage';
import { until } from './until';

const placeOf = (name: string) => findPlace(page, name);
const drawnShare = () => findDrawnShare(page);

describe.skipIf(!haveChromium)('Page', () => {
  useStage();

  it('draws the robot and says what it is', async () => {
    await open();
    expect(await page.title()).toBe('humanoid_stand – Stance');
    expect(await drawnShare()).toBeGreaterThan(0.02);
    expect(await page.textContent('#about')).toContain('humanoid');
  });

  it('draws nothing where the scene is empty', async () => {
    await open('scenes/empty.yaml');
    expect(await drawnShare()).toBe(0);
  });

  it('draws meshes that it fetches', async () => {
    await open('scenes/meshes.yaml');
    await page.waitForFunction(() => {
      let triangles = 0;
      window.stance.view.world.children
        .filter((o) => o.userData.body === 0)
        .forEach((o) => o.traverse((m) => {
          const g = (m as { geometry?: { getAttribute(n: string): { count: number } } }).geometry;
          if (g && m.userData.collision === false) triangles += g.getAttribute('position').count / 3;
        }));
      return triangles > 3000;
    });
  });

  it('asks for pause, step, play, reset and speed by buttons', async () => {
    await open();
    await page.click('#play');
    await until(() => sent('pause').length === 1, 'pause');
    await page.waitForSelector('#play[title^=Play]');
    const before = server.simulatedTime;
    await page.click('#step');
    await until(() => sent('step').length === 1, 'step');
    expect(server.simulatedTime - before).toBeCloseTo(0.001, 9);
    await page.click('#play');
    await until(() => sent('play').length === 1, 'play');
    await page.click('#reset');
    await until(() => sent('reset').length === 1, 'reset');
    await page.selectOption('#speed', '0.5');
    await until(() => sent('speed').some((m) => m.factor === 0.5), 'speed');
    await page.selectOption('#law', 'lcp');
    await until(() => sent('law').some((m) => m.law === 'lcp'), 'law');
  });

  it('tells the time of the last step, however quickly they came', async () => {
    await open();
    await page.click('#play');
    await page.waitForSelector('#play[title^=Play]');
    for (let k = 0; k < 7; ++k) await page.keyboard.press('.');
    await until(() => sent('step').length === 7, 'steps');
    const told = `${server.simulatedTime.toFixed(3)}\u202fs`;
    for (const id of ['#clock', '#trust-time']) await page.locator(id, { hasText: told }).waitFor();
  });

  it('obeys keys, and lists them on ?', async () => {
    await open();
    await page.keyboard.press('Space');
    await until(() => sent('pause').length === 1, 'pause');
    await page.keyboard.press('.');
    await until(() => sent('step').length === 1, 'step');
    await page.keyboard.press('k');
    expect(await page.getAttribute('#show-cones', 'aria-pressed')).toBe('true');
    await page.keyboard.press('?');
    expect(await page.isVisible('#help-card')).toBe(true);
    expect(await page.textContent('#help-card')).toContain('friction cones');
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#help-card')).toBe(false);
  });

  it('pulls with Ctrl + drag in the plane of the view and shows newtons', async () => {
    await open();
    const at = await placeOf('humanoid/pelvis');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await until(() => sent('drag').length > 0, 'drag');
    await page.mouse.move(at.x + 120, at.y, { steps: 5 });
    await passes(0.1);
    await page.waitForFunction(() => /[1-9]/.test(document.querySelector('[data-key=force-mine]')?.textContent ?? ''));
    const shown = await page.textContent('[data-key=force-mine]');
    expect(shown).toMatch(/^[\d.]+\s?k?N$/);

    const first = sent('drag')[0]!;
    const last = sent('drag').at(-1)!;
    expect(last.body).toBe('humanoid/pelvis');
    expect(last.point).toEqual(first.point);
    expect(Math.hypot(...last.point)).toBeLessThan(0.5); // on the body, in its frame
    const moved = last.target.map((x, k) => x - first.target[k]!);
    const view = await page.evaluate(() => {
      const { view } = window.stance;
      const box = view.canvas.getBoundingClientRect();
      const distance = view.camera.position.distanceTo(view.controls.target);
      return {
        facing: view.controls.target.clone().sub(view.camera.position).normalize().toArray(),
        metresPerPixel: (2 * distance * Math.tan((view.camera.fov * Math.PI) / 360)) / box.height,
      };
    });
    // In the plane of the view, and as far as the pointer went (the body is about as far as the target).
    expect(Math.abs(moved.reduce((s, x, k) => s + x * view.facing[k]!, 0))).toBeLessThan(1e-3);
    expect(Math.hypot(...moved) / (120 * view.metresPerPixel)).toBeGreaterThan(0.7);
    expect(Math.hypot(...moved) / (120 * view.metresPerPixel)).toBeLessThan(1.3);

    await page.mouse.up();
    await page.keyboard.up('Control');
    await until(() => sent('release').length === 1, 'release');
    await page.waitForFunction(() => !document.querySelector('[data-key=force-mine]'));
  });

  it('tells where the hand is as it moves, not picture by picture', async () => {
    await open();
    const at = await placeOf('humanoid/pelvis');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await until(() => sent('drag').length > 0, 'drag');
    await page.evaluate(({ x, y }) => {
      const { canvas } = window.stance.view;
      canvas.dispatchEvent(new PointerEvent('pointerrawupdate', { bubbles: true, pointerId: 1, clientX: x + 60, clientY: y }));
    }, at);
    const begun = sent('drag')[0]!.target;
    await until(() => sent('drag').some((m) => Math.hypot(...m.target.map((x, k) => x - begun[k]!)) > 0.05), 'the new place');
    await page.mouse.up();
    await page.keyboard.up('Control');
  });

  it('rests when nothing moves, and shows that well', async () => {
    await open();
    await page.click('#play');
    await page.waitForSelector('#play[title^=Play]');
    await page.waitForFunction(() => window.stance.view.painter.renderer.getPixelRatio() >= 2);
    expect(await page.evaluate(() => window.stance.view.painter.renderer.shadowMap.enabled)).toBe(true);
    // How each picture is drawn, once it is known that one is.
    await page.evaluate(() => {
      const { view } = window.stance;
      const before = view.onRender;
      const pictures: { ratio: number; shadows: boolean }[] = [];
      Object.assign(window, { pictures });
      view.onRender = (draws) => {
        const { renderer } = view.painter;
        if (draws) pictures.push({ ratio: renderer.getPixelRatio(), shadows: renderer.shadowMap.enabled });
        before?.(draws);
      };
    });
    const pictures = () => page.evaluate(() => (window as unknown as { pictures: { ratio: number; shadows: boolean }[] }).pictures);
    await passPictures(page, 40);
    expect(await pictures()).toEqual([]);
    await page.keyboard.press('Space');
    await until(() => sent('play').length === 1, 'play');
    // On a busy machine there may be time for a good one between two that show a move.
    await turnUntil(async () => (await pictures()).filter((p) => p.ratio <= 1 && !p.shadows).length > 5, 'quick pictures');
    const first = (await pictures())[0]!;
    expect(first.ratio).toBeLessThanOrEqual(1);
    expect(first.shadows).toBe(false);
  });

  it('tells newcomers what hands can do, until they did it', async () => {
    await open();
    expect(await page.isVisible('#hint')).toBe(true);
    const at = await placeOf('humanoid/pelvis');
    await page.keyboard.down('Control');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.waitForSelector('#hint', { state: 'hidden' });
    await page.mouse.up();
    await page.keyboard.up('Control');
    await page.reload();
    await page.waitForFunction(() => !!window.stance?.app.frame.value);
    expect(await page.isVisible('#hint')).toBe(false);
  });

  it('pulls and pushes with the tools, without Ctrl', async () => {
    await open();
    const at = await placeOf('humanoid/pelvis');
    await page.click('#tool-pull');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await until(() => sent('drag').length > 0, 'drag');
    await page.mouse.up();
    await page.click('#tool-push');
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await until(() => sent('push').length > 0, 'push');
    await page.mouse.up();
    const push = sent('push')[0]!;
    expect(Math.hypot(...push.force)).toBeCloseTo(50, 3); // what the scene sets
    expect(push.body).toBe('humanoid/pelvis');
  });

  it('turns the view with a plain drag and sends nothing', async () => {
    await open();
    const at = await placeOf('humanoid/pelvis');
    const before = await page.evaluate(() => window.stance.view.camera.position.toArray());
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 80, at.y + 10, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction((b) => Math.hypot(...window.stance.view.camera.position.toArray().map((x, k) => x - b[k]!)) > 0.1, before);
    await heardAll();
    expect(sent('drag')).toHaveLength(0);
  });

  it('selects by double click and shows wrench, velocity and contacts', async () => {
    await open();
    const at = await placeOf('humanoid/left_foot');
    await page.mouse.dblclick(at.x, at.y);
    await until(() => sent('select').some((m) => m.body !== null), 'select');
    await page.waitForSelector('#selection-panel .facts-table tr');
    const text = await page.textContent('#selection-panel');
    for (const word of ['Mass', 'Velocity', 'Force', 'Torque']) expect(text).toContain(word);
    expect(await page.textContent('#selected-name')).toBe(sent('select').find((m) => m.body !== null)!.body);
  });

  it('adds, selects and deletes an object', async () => {
    await open();
    await page.click('#object-panel summary');
    await page.click('#object-panel [data-kind=sphere]');
    await page.click('#drop');
    await until(() => sent('add').length === 1, 'add');
    expect(sent('add')[0]!.shape.kind).toBe('sphere');
    await page.waitForFunction(() => document.querySelector('#selected-name')?.textContent === 'object0');
    await page.keyboard.press('Delete');
    await until(() => sent('remove').some((m) => m.body === 'object0'), 'remove');
    await page.waitForFunction(() => !window.stance.app.scene.value!.bodies.some((b) => b.name === 'object0'));
    await page.waitForSelector('#selection-panel', { state: 'hidden' });
  });

  it('fills plots of channels, old and new', async () => {
    await open();
    await page.keyboard.press('p');
    await until(() => sent('watch').some((m) => m.channels.includes('humanoid/com')), 'watch');
    await turnUntil(async () => (await countInk(page, 'humanoid/com')) >= 40, 'a curve');
    await page.click('#add-plot');
    await page.fill('.menu .find', 'joint_pos');
    await page.click('.menu-list button');
    await until(() => sent('watch').some((m) => m.channels.includes('humanoid/joint_position')), 'watch of another');
  });

  it('lets plots be held and zoomed, and go on', async () => {
    await open();
    await page.keyboard.press('p');
    const plot = '[data-channel="humanoid/com"]';
    await page.waitForSelector(`${plot} canvas`);
    const looks = () =>
      page.evaluate((of) => {
        const canvas = document.querySelector<HTMLCanvasElement>(`${of} canvas`)!;
        const d = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data;
        return d.reduce((sum, x, i) => (sum * 31 + x * (i % 97)) % 1000000007, 7);
      }, plot);
    const changes = async () => {
      const before = await looks();
      await turnUntil(async () => (await looks()) !== before, 'a change of the curve');
    };
    // Longer than between two drawings of a curve, with new samples on both sides.
    const stands = async () => {
      const before = await looks();
      await passes(0.5);
      await passTimers(page, 500);
      await passes(0.5);
      await passPictures(page, 3);
      expect(await looks()).toBe(before);
    };
    await until(() => sent('watch').some((m) => m.channels.includes('humanoid/com')), 'watch');
    await changes();
    await page.click('#plots-hold');
    await stands();
    await page.click('#plots-hold');
    await changes();
    const box = (await page.locator(`${plot} .u-over`).boundingBox())!;
    await page.mouse.move(box.x + 0.6 * box.width, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.9 * box.width, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await passPictures(page, 3);
    await stands(); // what one looks at closely does
    await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 40);
    await passPictures(page, 3);
    await changes();
  });

  it('shows joints only when asked, and sets a target', async () => {
    await open();
    await page.click('#joint-panel summary');
    await until(() => sent('watch').some((m) => m.joints), 'watch of joints');
    await page.waitForFunction(() => /°/.test(document.querySelector('[data-joint] output')?.textContent ?? ''));
    expect(await page.locator('[data-joint]').count()).toBe(30);
    expect(await page.textContent('[data-joint="humanoid/left_knee"] .aim')).toMatch(/°$/);
    await page.locator('[data-joint="humanoid/neck_yaw"] .track').scrollIntoViewIfNeeded();
    await page.locator('[data-joint="humanoid/neck_yaw"] .track').click({ position: { x: 10, y: 7 } });
    await until(() => sent('target').some((m) => m.joint === 'humanoid/neck_yaw' && m.value !== null), 'target');
  });

  it('scrubs back, goes on from there, and returns to the present', async () => {
    await open();
    await passes(2);
    const box = (await page.locator('#timeline-track').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + 12);
    await until(() => sent('seek').length > 0, 'seek');
    await page.waitForSelector('#past:not([hidden])');
    const asked = sent('seek').at(-1)!.time!;
    expect(asked).toBeCloseTo(1, 1);
    await page.waitForFunction((t) => Math.abs(window.stance.app.frame.value!.time - t) < 0.05, asked);
    await page.locator('#trust-speed', { hasText: 'past' }).waitFor();
    expect(server.simulatedTime).toBeCloseTo(2, 2);
    await page.click('#continue');
    await until(() => sent('continue').length === 1, 'continue');
    expect(sent('continue')[0]!.time).toBeCloseTo(asked, 6);
    await page.waitForSelector('#past', { state: 'hidden' });
    expect(Math.abs(server.simulatedTime - asked)).toBeLessThan(0.02); // the picture before it
    await passes(0.5);
    expect(server.simulatedTime).toBeLessThan(2);

    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('#past:not([hidden])');
    await page.click('#live');
    await until(() => sent('seek').at(-1)?.time === null, 'seek to the present');
    await page.waitForSelector('#past', { state: 'hidden' });
  });

  it('shows an error of a scene with file and line, and goes on', async () => {
    await open();
    await page.selectOption('#scene', 'scenes/broken.yaml');
    await page.waitForSelector('#error:not([hidden])');
    expect(await page.textContent('#error-place')).toBe('scenes/broken.yaml:12:14');
    expect(await page.textContent('#error-text')).toContain('frcition');
    expect(await page.inputValue('#scene')).toBe('scenes/humanoid_stand.yaml');
    await passes(0.1);
    await page.selectOption('#scene', 'scenes/empty.yaml');
    await page.waitForSelector('#error', { state: 'hidden' });
  });

  it('turns the report red when a step did not converge', async () => {
    await open();
    await passes(0.05); // before the first step nothing was checked
    await page.waitForFunction(() => document.querySelector('#verdict')?.textContent === 'Converged');
    expect(await page.locator('#trust.bad').count()).toBe(0);
    await page.selectOption('#scene', 'scenes/hard.yaml');
    await page.waitForSelector('#trust.bad');
    expect(await page.textContent('#verdict')).toBe('Not converged');
    const red = await page.evaluate(() => getComputedStyle(document.querySelector('#verdict')!).backgroundColor);
    const [r, g, b] = red.match(/\d+/g)!.map(Number) as [number, number, number];
    expect(r).toBeGreaterThan(g + b);
  });

  it('is green again at no time after a step that did not converge, nor by another law', async () => {
    await open();
    const light = () => page.evaluate(() => document.querySelector<HTMLElement>('#trust')!.dataset.light);
    await passes(0.05);
    await until(async () => (await light()) === 'good', 'green');
    await page.evaluate(() => void window.stance.app.ask({ type: 'law', law: 'penalty_linear' }));
    await until(async () => (await light()) === 'none', 'grey by another law');
    expect(await page.textContent('#verdict')).toBe('Not the exact law');
    await page.evaluate(() => void window.stance.app.ask({ type: 'law', law: 'exact' }));
    await until(async () => (await light()) === 'good', 'green by the exact one');
    server.missed = 2;
    await until(async () => (await page.textContent('#verdict')) === '2 contacts missed', 'the count');
    expect(await light()).toBe('bad');
    server.missed = 0;
    await until(async () => (await light()) === 'good', 'green');
    await page.selectOption('#scene', 'scenes/hard.yaml');
    await page.waitForSelector('#trust.bad');
    await passes(0.6); // no step of this half second is bad, and the alarm goes
    await until(async () => (await light()) === 'warn', 'amber');
    expect(await page.textContent('#verdict')).toMatch(/^\d+ bad steps$/);
  });

  it('says that the connection is lost, and finds the server again with the whole scene', async () => {
    await open();
    await page.click('#plots-button');
    await until(() => sent('watch').some((m) => m.channels.length > 0), 'watch');
    const old = port;
    await server.close();
    await page.waitForSelector('#lost:not([hidden])');
    expect(await page.textContent('#lost')).toContain('Connection lost');
    await serve('scenes/pile.yaml', old);
    await page.waitForSelector('#lost', { state: 'hidden' });
    await page.waitForFunction(() => window.stance.app.scene.value?.file === 'scenes/pile.yaml' && window.stance.app.frame.value);
    await until(() => sent('watch').some((m) => m.channels.length > 0), 'the same plots');
  });

  it('records and downloads, and takes a picture', async () => {
    await open();
    await page.click('#record');
    await until(() => sent('record').some((m) => m.on), 'record');
    await page.waitForSelector('#record.recording');
    const [recording] = await Promise.all([page.waitForEvent('download'), page.click('#record')]);
    expect(recording.suggestedFilename()).toBe('recording.h5');
    const [picture] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('s')]);
    expect(picture.suggestedFilename()).toMatch(/^humanoid_stand_[\d.]+s\.png$/);
  });

  it('sends variables and gravity', async () => {
    await open();
    await page.locator('#var-friction').fill('0.4');
    await until(() => sent('set').some((m) => m.name === 'friction' && Math.abs(m.value - 0.4) < 1e-6), 'set');
    await page.click('text=Moon');
    await until(() => sent('gravity').some((m) => m.value[2] === -1.62), 'gravity');
  });

  it('survives messages and frames that make no sense', async () => {
    await open();
    server.say({ type: 'nonsense' } as never);
    server.say({ type: 'scene', scene: 'three' } as never);
    for (const raw of [new Uint8Array(3), new Uint8Array(500).fill(255), Uint8Array.of(1, 1, 0, 0, 1, 0, 0, 0)]) server.sayBytes(raw);
    await passes(0.1);
  });

  it('works under its own policy and asks no other host for anything', async () => {
    const strict = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    strict.setDefaultTimeout(kPatience);
    const own = await strict.newPage();
    const [complaints, hosts] = [[] as string[], new Set<string>()];
    own.on('console', (m) => {
      if (m.type() === 'error') complaints.push(m.text());
    });
    own.on('request', (r) => hosts.add(new URL(r.url()).host || 'data'));
    await serve('scenes/meshes.yaml');
    await own.goto(`http://127.0.0.1:${port}/`);
    await own.locator('#trust-time', { hasText: 's' }).waitFor();
    await own.keyboard.press('p');
    await own.locator('.plot canvas').first().waitFor();
    server.turn(1);
    await own.locator('#trust-time', { hasText: '1.000' }).waitFor(); // all that came before was taken
    expect(complaints).toEqual([]);
    expect([...hosts].filter((host) => host !== 'data')).toEqual([`127.0.0.1:${port}`]);
    await strict.close();
  });

  it('follows light and dark', async () => {
    await open();
    const shade = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForSelector('html[data-theme=dark]');
    const dark = await shade();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.waitForSelector('html[data-theme=light]');
    expect(await shade()).not.toBe(dark);
    await page.keyboard.press('t');
    expect(await shade()).toBe(dark);
  });

  it('fits a tablet: nothing sticks out', async () => {
    await page.setViewportSize({ width: 820, height: 1180 });
    await open();
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(820);
    for (const id of ['#play', '#help', '#verdict', '#timeline-track']) {
      const box = (await page.locator(id).boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(820);
    }
    expect(await page.isVisible('#side')).toBe(false);
    await page.click('#panel-button');
    expect(await page.isVisible('#side')).toBe(true);
  });
});
