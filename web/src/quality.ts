// Watches how long pictures take and gives up beauty for speed: first shadows, then sharpness.

export interface QualityLevel {
  shadows: boolean;
  pixelRatio: number;
}

const kTooSlow = 50; // ms
const kFarTooSlow = 90; // ms: then blurred is better
const kFrames = 12; // whose mean is judged
const kSettle = 1500; // ms after a scene came, in which shaders and meshes are made
const kPatience = 500; // ms after which fewer will do

/** `?quality=full` in the address: everything, however long it takes; for pictures. */
export const wantsAll = (): boolean => new URLSearchParams(location.search).get('quality') === 'full';

/** Whether pictures are drawn by the processor: then edges are not smoothed and shadows not even tried. */
export function drawsInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl ? String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

export class Quality {
  /** Mean time between pictures, ms. */
  frameTime = 16;
  private last = 0;
  private settled = 0;
  private count = 0;
  private sum = 0;
  allowed = true;

  /** `dropped`: steps down the ladder to begin with; `fixed`: and for ever. */
  constructor(
    private readonly apply: (level: QualityLevel) => void,
    private dropped: number,
    private readonly fixed: boolean,
  ) {
    this.update();
  }

  /** A picture was drawn at `now` (ms) and others before it without a rest. */
  frame(now: number): void {
    const took = now - this.last;
    const first = this.last === 0;
    this.last = now;
    if (first || took <= 0 || took > 2000 || now < this.settled) return; // or the page was hidden
    this.frameTime += 0.1 * (took - this.frameTime);
    this.sum += took;
    if (++this.count < kFrames && (this.count < 4 || this.sum < kPatience)) return;
    const mean = this.sum / this.count;
    this.sum = this.count = 0;
    if (!this.fixed && mean > (this.shadows ? kTooSlow : kFarTooSlow) && this.dropped < 2) {
      // Without shadows to drop, sharpness goes first.
      this.dropped = this.allowed ? this.dropped + 1 : 2;
      this.update();
    }
  }

  /** Much is new: what follows says nothing about speed for a while. */
  settle(): void {
    this.settled = performance.now() + kSettle;
    this.rest();
  }

  /** Nothing had to be drawn: the next interval says nothing about speed. */
  rest(): void {
    this.last = 0;
    this.sum = this.count = 0;
  }

  allowShadows(on: boolean): void {
    if (on === this.allowed) return;
    this.allowed = on;
    if (on) this.dropped = 0;
    this.update();
  }

  get shadows(): boolean {
    return this.allowed && this.dropped === 0;
  }

  private update(): void {
    const sharp = Math.min(window.devicePixelRatio || 1, 2);
    this.apply({ shadows: this.shadows, pixelRatio: this.dropped < 2 ? sharp : Math.max(0.7, sharp * 0.7) });
  }
}
