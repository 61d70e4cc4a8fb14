// A page and a simulator for every test; whatever the page complains about fails the test. The simulator keeps to the
// clock on the wall as well as the machine lets it: tests wait for simulated time and never compare the two.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { kFlag } from '../../src/frames';
import { launch } from '../browser/browser';
import { makeContext, shipped, Simulator } from './simulator';

export class Stage {
  browser!: Browser;
  context!: BrowserContext;
  page!: Page;
  simulator!: Simulator;
  private troubles: string[] = [];

  constructor() {
    beforeAll(async () => {
      this.browser = await launch();
    });
    afterAll(async () => {
      await this.browser?.close();
    });
    beforeEach(async () => {
      this.simulator = new Simulator();
      this.troubles = [];
      this.context = await makeContext(this.browser, { viewport: { width: 1280, height: 720 }, acceptDownloads: true, bypassCSP: true });
      this.page = await this.newPage();
    });
    afterEach(async () => {
      await this.context.close();
      await this.simulator.end();
      expect(this.troubles).toEqual([]);
    });
  }

  async newPage(): Promise<Page> {
    const page = await this.context.newPage();
    page.on('pageerror', (e) => this.troubles.push(e.message));
    return page;
  }

  async open(scene = shipped('humanoid_stand.yaml')): Promise<void> {
    await this.simulator.start(scene);
    await this.visit(this.page);
  }

  async visit(page: Page): Promise<void> {
    await page.goto(`http://127.0.0.1:${this.simulator.port}/`);
    await page.waitForFunction(() => !!window.stance?.app.frame.value);
  }

  time(): Promise<number> {
    return this.page.evaluate(() => window.stance.app.frame.value!.time);
  }

  reaches(time: number): Promise<unknown> {
    return this.page.waitForFunction((wanted) => (window.stance.app.frame.value?.time ?? 0) > wanted, time);
  }

  /** So much simulated time passes. */
  async passes(seconds: number): Promise<void> {
    await this.reaches((await this.time()) + seconds);
  }

  /** Stands still: what follows is the same however long it takes on the wall. */
  async pause(page = this.page): Promise<void> {
    await page.click('#play');
    await page.waitForFunction((paused) => ((window.stance.app.frame.value?.flags ?? 0) & paused) !== 0, kFlag.paused);
  }

  /** A body has come to rest: nowhere else after 0.2 s of simulated time. */
  async rests(body: string): Promise<void> {
    for (;;) {
      const before = await this.place(body);
      await this.passes(0.2);
      if (Math.hypot(...(await this.place(body)).map((x, k) => x - before[k]!)) < 1e-4) return;
    }
  }

  /** Where a body is, in the world. */
  place(body: string, page = this.page): Promise<number[]> {
    return page.evaluate((name) => {
      const { app, view } = window.stance;
      return view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === name))!.elements.slice(12, 15);
    }, body);
  }
}
