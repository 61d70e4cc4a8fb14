// Rows of samples, the oldest of which make room; one time column and as many values as a channel has.

const kRows = 60000; // a minute at 1 kHz

export class Series {
  private times = new Float64Array(1024);
  private columns: Float64Array[];
  private start = 0;
  private end = 0;

  constructor(count: number) {
    this.columns = Array.from({ length: count }, () => new Float64Array(1024));
  }

  get length(): number {
    return this.end - this.start;
  }

  /** Rows come in order of time; one that is not later begins a new story, as after a reset. */
  push(time: number, values: ArrayLike<number>): void {
    while (this.end > this.start && time <= this.times[this.end - 1]!) --this.end;
    if (this.end === this.times.length) this.makeRoom();
    this.times[this.end] = time;
    this.columns.forEach((c, k) => (c[this.end] = values[k] ?? NaN));
    ++this.end;
    if (this.length > kRows) ++this.start;
  }

  private makeRoom(): void {
    const size = Math.min(2 * Math.max(this.length, 512), 2 * kRows);
    const copy = (from: Float64Array) => {
      const to = new Float64Array(size);
      to.set(from.subarray(this.start, this.end));
      return to;
    };
    this.times = copy(this.times);
    this.columns = this.columns.map(copy);
    this.end -= this.start;
    this.start = 0;
  }

  clear(): void {
    this.start = this.end = 0;
  }

  /** The last `seconds`: times, then columns; views, not copies. */
  tail(seconds: number): Float64Array[] {
    const since = (this.end ? this.times[this.end - 1]! : 0) - seconds;
    let [low, high] = [this.start, this.end];
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.times[mid]! < since) low = mid + 1;
      else high = mid;
    }
    return [this.times, ...this.columns].map((c) => c.subarray(low, this.end));
  }
}
