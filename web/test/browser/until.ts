import { kPatience } from './browser';

/** Waits for something that will come true; how long that takes does not matter. */
export async function until(what: () => boolean | Promise<boolean>, name: string): Promise<void> {
  const end = Date.now() + kPatience;
  while (!(await what())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${name}`);
    await new Promise((r) => setTimeout(r, 20));
  }
}
