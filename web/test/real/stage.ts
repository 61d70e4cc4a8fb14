// A page and a simulator for every test; whatever the page complains about fails the test.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
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

  /**
   * Simulated over real time, as seen in the page. The page may stand still for a while on a busy machine, so it is
   * looked at again until it is as it should be: a wrong rate stays wrong.
   */
  async keepsRate(isRight: (rate: number) => boolean): Promise<void> {
    const seen: number[] = [];
    while (seen.length < 8) {
      const [from, began] = [await this.time(), Date.now()];
      await this.page.waitForTimeout(1500);
      seen.push(((await this.time()) - from) / ((Date.now() - began) / 1000));
      if (isRight(seen.at(-1)!)) return;
    }
    throw new Error(`simulated over real time, again and again: ${seen.map((x) => x.toFixed(3)).join(' ')}`);
  }

  /** Where a body is, in the world. */
  place(body: string, page = this.page): Promise<number[]> {
    return page.evaluate((name) => {
      const { app, view } = window.stance;
      return view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === name))!.elements.slice(12, 15);
    }, body);
  }
}
