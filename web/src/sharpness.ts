// What a picture may cost where the processor draws it: shadows go when it takes more than 50 ms, then pixels, and come back
// in the other order.

const kTooSlow = 50; // ms for a picture
const kFastAgain = 40; // ms: with shadows it would not be too slow at once
const kPictures = 8; // whose median is judged
const kLeast = 0.7; // pixels for each of the screen's, along a side: coarser is ugly
const kStep = 0.12; // a change by less is not worth a flicker
const kGrowth = 1.25; // at most, at a time: growing is a guess
const kPause = 1500; // ms between changes
const kSettle = 1500; // ms after a scene came, in which shaders and meshes are made

export class Sharpness {
  shadows = true;
  private times: number[] = [];
  private changed = 0;
  private settled = 0;

  /** `full`: the screen's own pixels for each CSS pixel. */
  constructor(
    readonly full: number,
    public ratio = full,
  ) {}

  /** Much is new at `now` (ms): what follows says nothing about speed for a while. */
  settle(now: number): void {
    this.settled = now + kSettle;
    this.times = [];
  }

  /** A picture took so long (ms); true when the next one shall look otherwise. */
  took(ms: number, now: number): boolean {
    if (now < this.settled) return false;
    this.times.push(ms);
    if (this.times.length < kPictures) return false;
    const median = this.times.sort((a, b) => a - b)[kPictures >> 1]!;
    this.times = [];
    if (now - this.changed < kPause || !this.judge(median)) return false;
    this.changed = now;
    return true;
  }

  private judge(median: number): boolean {
    if (this.shadows && median > kTooSlow) {
      this.shadows = false;
      return true;
    }
    // The time grows with the pixels, the square of the ratio, or slower.
    const wanted = this.ratio * Math.min(kGrowth, Math.sqrt(kTooSlow / median));
    const next = Math.min(this.full, Math.max(kLeast, wanted));
    if (next !== this.ratio && (next === this.full || Math.abs(next - this.ratio) >= kStep * this.ratio)) {
      this.ratio = next;
      return true;
    }
    if (this.shadows || median > kFastAgain) return false;
    this.shadows = true;
    return true;
  }
}
