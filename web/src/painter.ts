// When a picture is drawn, and how well. Only when it would look different from the one that is shown; where the
// processor draws, one at a time, fast while things move and well once they stand.

import * as THREE from 'three';
import { Pace } from './pace';
import { Quality, drawsInSoftware, wantsAll } from './quality';
import { Sharpness } from './sharpness';

const kStill = 400; // ms without a change, after which one good picture is worth its time
const kFinest = 2; // pixels for each CSS pixel in a good picture: smooth edges

/** `flat`: on the ground only, and hard. */
export type Shadows = 'none' | 'flat' | 'soft';

export interface Painted {
  readonly world: THREE.Scene;
  readonly camera: THREE.PerspectiveCamera;
  /** Before it is decided whether to draw. */
  tick(): void;
  /** Before a picture is drawn, or when only texts beside things have changed. */
  prepare(draws: boolean): void;
  castShadows(how: Shadows): void;
}

export class Painter {
  /** Pictures are drawn by the processor. */
  readonly software = !wantsAll() && drawsInSoftware();
  readonly renderer = new THREE.WebGLRenderer({ antialias: !this.software, stencil: this.software, powerPreference: 'high-performance' });
  readonly canvas = this.renderer.domElement;
  readonly quality: Quality;
  /** Of the canvas, in CSS pixels. */
  width = 0;
  height = 0;

  private readonly pace: Pace | null;
  private readonly sharpness = new Sharpness(Math.min(window.devicePixelRatio || 1, 2));
  /** Pixels for each CSS pixel. */
  ratio = 1;
  private isDirty = true; // the next picture would look different
  private isStale = true; // texts may have changed
  private isFine = false; // the picture that is shown is a good one
  private lastChange = 0;

  constructor(
    private readonly host: HTMLElement,
    private readonly painted: Painted,
  ) {
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.canvas.className = 'view-canvas';
    host.prepend(this.canvas);
    this.pace = this.software ? new Pace(this.renderer.getContext() as WebGL2RenderingContext, (ms) => this.onFinished(ms)) : null;
    this.quality = new Quality((level) => this.apply(level.shadows, level.pixelRatio), this.software ? 1 : 0, wantsAll() || this.software);
  }

  /** Shadows are seen, take too long, or are not wanted. */
  get shadows(): 'on' | 'slow' | 'off' {
    if (!this.quality.allowed) return 'off';
    return (this.software ? this.isFine || this.sharpness.shadows : this.quality.shadows) ? 'on' : 'slow';
  }

  start(): void {
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.resize();
    const loop = (now: number) => {
      requestAnimationFrame(loop);
      this.loop(now);
    };
    requestAnimationFrame(loop);
  }

  invalidate(): void {
    this.isDirty = true;
  }

  invalidateTexts(): void {
    this.isStale = true;
  }

  private loop(now: number): void {
    this.painted.tick();
    if (this.pace && !this.pace.isReady(performance.now())) return;
    if (this.isDirty) {
      this.lastChange = now;
      this.setFine(false);
      this.draw();
      this.quality.frame(now);
      return;
    }
    this.quality.rest();
    if (this.software && !this.isFine && now - this.lastChange > kStill && !this.canvas.matches(':active')) {
      this.setFine(true);
      this.draw();
    } else if (this.isStale) {
      this.isStale = false;
      this.painted.prepare(false);
    }
  }

  private draw(): void {
    const began = performance.now();
    this.isDirty = this.isStale = false;
    this.painted.prepare(true);
    this.renderer.render(this.painted.world, this.painted.camera);
    this.pace?.drawn(began);
  }

  private onFinished(ms: number): void {
    if (this.isFine) return;
    if (!this.sharpness.took(ms, performance.now())) return;
    this.setRatio(this.sharpness.ratio);
    this.setShadows(this.wantedShadows());
    this.isDirty = true;
  }

  /** Much is new. */
  settle(): void {
    this.quality.settle();
    this.sharpness.settle(performance.now());
    this.isDirty = true;
  }

  private apply(shadows: boolean, ratio: number): void {
    this.isDirty = true;
    if (this.software) {
      this.setShadows(this.wantedShadows());
    } else {
      this.setShadows(shadows ? 'soft' : 'none');
      this.setRatio(ratio);
    }
  }

  private setFine(on: boolean): void {
    if (!this.software || this.isFine === on) return;
    this.isFine = on;
    this.setShadows(this.wantedShadows());
    this.setRatio(on ? Math.max(kFinest, this.sharpness.full) : this.sharpness.ratio);
  }

  private wantedShadows(): Shadows {
    if (this.quality && !this.quality.allowed) return 'none';
    return this.isFine ? 'soft' : this.sharpness.shadows ? 'flat' : 'none';
  }

  private setShadows(how: Shadows): void {
    this.renderer.shadowMap.enabled = how === 'soft';
    this.painted.castShadows(how);
  }

  private setRatio(ratio: number): void {
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.setSize();
  }

  private resize(): void {
    const [w, h] = [this.host.clientWidth, this.host.clientHeight];
    if (!w || !h || (w === this.width && h === this.height)) return;
    [this.width, this.height] = [w, h];
    this.painted.camera.aspect = w / h;
    this.painted.camera.updateProjectionMatrix();
    this.setFine(false);
    this.setSize();
    this.draw(); // at once: a cleared canvas would flash
  }

  /** Clears the canvas: a picture must follow in the same breath. */
  private setSize(): void {
    this.isDirty = true;
    if (this.width) this.renderer.setDrawingBufferSize(this.width, this.height, this.ratio);
  }

  /** A good picture of what is seen now, as PNG. */
  screenshot(): Promise<Blob> {
    this.setFine(true);
    this.draw();
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'),
    );
  }
}
