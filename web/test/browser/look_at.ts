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
