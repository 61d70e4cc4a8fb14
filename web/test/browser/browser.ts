// Debian's Chromium, headless, drawing in software; nothing is downloaded.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

export const kChromium = process.env.STANCE_CHROMIUM ?? '/usr/bin/chromium';
/** ms: bounds what hangs, and nothing else. */
export const kPatience = 120000;
export const haveChromium = existsSync(kChromium);

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: kChromium,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-gl=angle',
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
    ],
  });
}
