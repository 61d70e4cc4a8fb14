// A page and a mock of the simulator for every test; whatever the page complains about fails the test. Simulated time
// passes only as the test turns it, and everything else is awaited: nothing here depends on how busy the machine is.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ViewerMessage } from '../../src/protocol';
import { MockServer } from '../mock/server';
import { kPatience, launch } from './browser';
import { until } from './until';

type Of<T extends ViewerMessage['type']> = Extract<ViewerMessage, { type: T }>;

export let browser: Browser;
export let context: BrowserContext;
export let page: Page;
export let server: MockServer;
export let port: number;
let troubles: string[];

export function useStage(): void {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
  });
  beforeEach(async () => {
    // Playwright's waitForFunction evaluates text in the page, which the page's policy forbids; one test runs under it.
    context = await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true, bypassCSP: true });
    context.setDefaultTimeout(kPatience);
    troubles = [];
    page = await newPage();
  });
  afterEach(async () => {
    await context.close();
    await server.close();
    expect(troubles).toEqual([]);
  });
}

export async function newPage(): Promise<Page> {
  const made = await context.newPage();
  made.on('pageerror', (e) => troubles.push(e.message));
  return made;
}

/** Starts a mock, at a port that it has had before if given. */
export async function serve(scene?: string, at?: number): Promise<void> {
  server = new MockServer(scene, 'turned');
  port = await server.listen(at);
}

export async function visit(who: Page): Promise<void> {
  await who.goto(`http://127.0.0.1:${port}/`);
  await who.waitForFunction(() => !!window.stance?.app.frame.value);
}

export async function open(scene?: string): Promise<void> {
  await serve(scene);
  await visit(page);
}

/** What the page has sent so far. */
export const sent = <T extends ViewerMessage['type']>(type: T) => server.received.filter((m): m is Of<T> => m.type === type);

/** Turns the simulator's clock by so many seconds, and waits until the page shows that time. */
export async function passes(seconds: number): Promise<void> {
  server.turn(seconds);
  await page.waitForFunction((t) => Math.abs((window.stance.app.frame.value?.time ?? -1) - t) < 1e-9, server.simulatedTime);
}

/** Turns the clock picture by picture until that has come true. */
export async function turnUntil(what: () => boolean | Promise<boolean>, name: string): Promise<void> {
  await until(async () => {
    server.turn(1 / 60);
    return what();
  }, name);
}

/** Everything that the page has sent before this has arrived. */
export async function heardAll(): Promise<void> {
  const before = sent('target').length;
  await page.evaluate(() => window.stance.app.setTarget('humanoid/neck_yaw', null));
  await until(() => sent('target').length > before, 'target');
}
