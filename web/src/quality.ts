// Watches how long pictures take and gives up beauty for speed: first shadows, then sharpness.

export interface QualityLevel {
  shadows: boolean;
  pixelRatio: number;
}

const kTooSlow = 50; // ms
const kFrames = 12; // that must be too slow on average

export class Quality {
  /** Mean time between pictures, ms. */
  frameTime = 16;
  private last = 0;
  private count = 0;
  private sum = 0;
  private dropped = 0; // steps down the ladder
  private allowed = true;

  constructor(private readonly apply: (level: QualityLevel) => void) {
    this.update();
  }

  /** A picture was drawn at `now` (ms) and others before it without a rest. */
  frame(now: number): void {
    const took = now - this.last;
    this.last = now;
    if (took <= 0 || took > 2000) return; // first, or the page was hidden
    this.frameTime += 0.1 * (took - this.frameTime);
    this.sum += took;
    if (++this.count < kFrames) return;
    const mean = this.sum / this.count;
    this.sum = this.count = 0;
    if (mean > kTooSlow && this.dropped < 2) {
      // Without shadows to drop, sharpness goes first.
      this.dropped = this.allowed ? this.dropped + 1 : 2;
      this.update();
    }
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
