// The real program, started for tests and pictures. STANCE_PROGRAM names it; STANCE_PAGE names a folder (dist) whose page
// is tried instead of the one in the program.

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { kPatience } from '../browser/browser';

const kRoot = fileURLToPath(new URL('../../..', import.meta.url));
export const kProgram = process.env.STANCE_PROGRAM ?? join(kRoot, 'build/release/bin/stance');
export const haveProgram = existsSync(kProgram);
export const shipped = (name: string) => join(kRoot, 'scenes', name);

export async function makeContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(kPatience);
  const folder = process.env.STANCE_PAGE;
  // Its script and style; Chromium would not let a document that came from nowhere talk to this machine.
  for (const file of folder ? readdirSync(folder).filter((f) => !f.endsWith('.html')) : [])
    await context.route((url) => url.pathname === `/${file}`, (route) => route.fulfill({ path: join(folder!, file) }));
  return context;
}

export class Simulator {
  readonly folder = mkdtempSync(join(tmpdir(), 'stance_real_'));
  port = 0;
  said = '';
  private process: ChildProcess | null = null;

  /** A scene of the test's own, beside the others that the page offers. */
  write(name: string, text: string): string {
    writeFileSync(join(this.folder, name), text);
    return join(this.folder, name);
  }

  async start(scene: string, ...more: string[]): Promise<void> {
    const place = this.port ? ['--port', String(this.port)] : [];
    const child = spawn(kProgram, ['view', scene, ...place, ...more], { cwd: this.folder });
    this.process = child;
    await new Promise<void>((done, fail) => {
      const hear = (data: Buffer) => {
        this.said += String(data);
        const found = /http:\/\/[^:]+:(\d+)\//.exec(String(data));
        if (found) {
          this.port = Number(found[1]);
          done();
        }
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', (data: Buffer) => (this.said += String(data)));
      child.on('exit', () => fail(new Error(`the program ended: ${this.said}`)));
    });
  }

  /** Ends it as Ctrl-C does; the code that it left with. */
  async stop(): Promise<number | null> {
    const child = this.process;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((done) => child.on('exit', (code) => done(code)));
    child.kill('SIGINT');
    this.process = null;
    return ended;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
