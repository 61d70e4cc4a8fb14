// What tests look at in the page.

import type { Page } from 'playwright-core';

/** Where a body of the scene is on the page. */
export async function findPlace(page: Page, name: string): Promise<{ x: number; y: number }> {
  const box = (await page.locator('.view-canvas').boundingBox())!;
  const at = await page.evaluate((wanted) => {
    const { app, view } = window.stance;
    const e = view.poseOf(app.scene.value!.bodies.findIndex((b) => b.name === wanted))!.elements;
    return view.project(view.camera.position.clone().set(e[12]!, e[13]!, e[14]! + (wanted.endsWith('pelvis') ? 0.2 : 0)))!;
  }, name);
  return { x: box.x + at.x, y: box.y + at.y };
}

/** Share of the canvas' pixels that differ clearly between the scene as it is and without its bodies. */
export const findDrawnShare = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const { view } = window.stance;
    const read = async (picture: Promise<Blob>) => {
      const bitmap = await createImageBitmap(await picture);
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const g = canvas.getContext('2d')!;
      g.drawImage(bitmap, 0, 0);
      return g.getImageData(0, 0, bitmap.width, bitmap.height).data;
    };
    // Both at once: nothing moves in between.
    const first = view.painter.screenshot();
    const hidden = view.world.children.filter((o) => (o.userData.body as number) > 0);
    hidden.forEach((o) => o.scale.setScalar(0));
    const second = view.painter.screenshot();
    hidden.forEach((o) => o.scale.setScalar(1));
    view.invalidate();
    const [full, empty] = [await read(first), await read(second)];
    let differ = 0;
    for (let i = 0; i < full.length; i += 4)
      if (Math.abs(full[i]! - empty[i]!) + Math.abs(full[i + 1]! - empty[i + 1]!) + Math.abs(full[i + 2]! - empty[i + 2]!) > 60) ++differ;
    return differ / (full.length / 4);
  });

/** Pixels of a channel's plot that have the colour of its first series, orange; none before there is a plot. */
export const countInk = (page: Page, channel: string): Promise<number> =>
  page.evaluate((wanted) => {
    const canvas = document.querySelector<HTMLCanvasElement>(`[data-channel="${wanted}"] canvas`);
    if (!canvas) return 0;
    const d = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i]! > 190 && d[i + 2]! < 90 && d[i + 3]! > 100) ++n;
    return n;
  }, channel);

/** So many pictures of the screen have passed in the page: as many times it could have drawn. */
export const passPictures = (page: Page, count: number): Promise<void> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((done) => {
        let seen = 0;
        const next = () => (++seen > wanted ? done() : void requestAnimationFrame(next));
        next();
      }),
    count,
  );

/**
 * So many milliseconds have passed by the page's own timers, and numbers were shown after that. Timers fire in their
 * order: what the page does every so often it has done by then, or does not do any more.
 */
export const passTimers = (page: Page, ms: number): Promise<void> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((done) => {
        setTimeout(() => {
          let seen = 0;
          const stop = window.stance.app.reading.listen(() => {
            if (++seen < 3) return;
            stop();
            done();
          });
        }, wanted);
      }),
    ms,
  );

/** The camera has come to rest: the same for ten pictures. */
export const waitForCamera = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((done) => {
        let [same, last] = [0, ''];
        const next = () => {
          const now = window.stance.view.camera.position.toArray().join();
          same = now === last ? same + 1 : 0;
          last = now;
          if (same >= 10) done();
          else requestAnimationFrame(next);
        };
        next();
      }),
  );
