// How many pixels a picture may have where the processor draws it: as many as it manages in time.

const kAim = 50; // ms for a picture
const kTooSlow = 60; // ms: then something else must go too
const kPictures = 8; // whose median is judged
const kLeast = 0.7; // pixels for each of the screen's, along a side: coarser is ugly
const kStep = 0.12; // a change by less is not worth a flicker
const kGrowth = 1.25; // at most, at a time: growing is a guess
const kPause = 1500; // ms between changes

export class Sharpness {
  private times: number[] = [];
  private changed = 0;
  /** With the fewest pixels pictures still take too long. */
  isTooSlow = false;

  /** `full`: the screen's own pixels for each CSS pixel. */
  constructor(
    readonly full: number,
    public ratio = full,
  ) {}

  /** A picture took so long (ms); true when the next one shall have another ratio. */
  took(ms: number, now: number): boolean {
    this.times.push(ms);
    if (this.times.length < kPictures) return false;
    const median = this.times.sort((a, b) => a - b)[kPictures >> 1]!;
    this.times = [];
    if (this.ratio === kLeast && median > kTooSlow) this.isTooSlow = true;
    if (now - this.changed < kPause) return false;
    // The time grows with the pixels, the square of the ratio, or slower.
    const wanted = this.ratio * Math.min(kGrowth, Math.sqrt(kAim / median));
    const next = Math.min(this.full, Math.max(kLeast, wanted));
    if (Math.abs(next - this.ratio) < kStep * this.ratio && next !== this.full) return false;
    if (next === this.ratio) return false;
    this.ratio = next;
    this.changed = now;
    return true;
  }
}
