// A page and a mock of the simulator for every test; whatever the page complains about fails the test.

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ViewerMessage } from '../../src/protocol';
import { MockServer } from '../mock/server';
import { launch } from './browser';

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
  server = new MockServer(scene);
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

export async function until(what: () => boolean, name: string, ms = 15000): Promise<void> {
  const end = Date.now() + ms;
  while (!what()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${name}`);
    await new Promise((r) => setTimeout(r, 20));
  }
}
