// One picture at a time on its way to the screen. A browser lets pictures queue up; where each takes the processor
// tens of milliseconds, the newest state would wait behind old ones and hands would feel late.

const kLost = 1000; // ms after which a picture is not waited for any longer
const kLate = 8; // ms: its end is noticed with the next picture of the screen, half of those 16 ms too late on average

/** What is needed of WebGL 2. */
export type FenceContext = Pick<
  WebGL2RenderingContext,
  'fenceSync' | 'getSyncParameter' | 'deleteSync' | 'flush' | 'SYNC_GPU_COMMANDS_COMPLETE' | 'SYNC_STATUS' | 'UNSIGNALED'
>;

export class Pace {
  private fence: WebGLSync | null = null;
  private began = 0;

  /** `finished` hears how long a picture took, from its commands to their end (ms). */
  constructor(
    private readonly gl: FenceContext,
    private readonly finished: (took: number) => void,
  ) {}

  /** The commands of a picture were given, beginning at `began` (ms). */
  drawn(began: number): void {
    if (this.fence) this.gl.deleteSync(this.fence);
    this.fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    this.began = began;
    this.gl.flush();
  }

  /** Whether the last picture is finished, so that the next one would be drawn at once. */
  isReady(now: number): boolean {
    if (!this.fence) return true;
    const took = now - this.began;
    if (this.gl.getSyncParameter(this.fence, this.gl.SYNC_STATUS) === this.gl.UNSIGNALED && took < kLost) return false;
    this.gl.deleteSync(this.fence);
    this.fence = null;
    if (took < kLost) this.finished(Math.max(0, took - kLate));
    return true;
  }
}
