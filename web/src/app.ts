// What the page knows, and what it can ask for. Panels watch the signals and call the actions.

import { Connection, Refused, socketUrl, withToken } from './connection';
import type { LinkState } from './connection';
import { download, throttle } from './dom';
import { kFlag } from './frames';
import type { Drag, Frame, SamplesFrame, StateFrame } from './frames';
import { kProtocol } from './protocol';
import type { Hello, LooseShape, Ok, Request, Scene, Selected, ServerMessage, SimError, SimEvent, Status } from './protocol';
import { Signal } from './signal';

export type Tool = 'orbit' | 'pull' | 'push' | 'add';
export interface Toast {
  text: string;
  kind: 'info' | 'bad';
}
const kEventsKept = 400;
const kReading = 125; // ms

export class App {
  readonly link = new Signal<LinkState>({ state: 'connecting' });
  readonly hello = new Signal<Hello | null>(null);
  readonly scene = new Signal<Scene | null>(null);
  readonly status = new Signal<Status | null>(null);
  readonly frame = new Signal<StateFrame | null>(null);
  /** The newest of them, eight times a second: for numbers, which nobody reads faster. */
  readonly reading = new Signal<StateFrame | null>(null);
  readonly drags = new Signal<Drag[]>([]);
  readonly selection = new Signal<string | null>(null);
  readonly selected = new Signal<Selected | null>(null);
  readonly events = new Signal<SimEvent[]>([]);
  readonly error = new Signal<SimError | null>(null);
  readonly toast = new Signal<Toast | null>(null);
  readonly tool = new Signal<Tool>('orbit');
  /** Samples of watched channels, with the names of their columns. */
  readonly samples = new Signal<{ columns: string[]; frame: SamplesFrame } | null>(null);

  private readonly connection = new Connection(socketUrl(), {
    message: (m) => this.take(m),
    frame: (f) => this.takeFrame(f),
    link: (l) => this.takeLink(l),
  });
  private readonly read = throttle(kReading, () => (this.reading.value = this.frame.value));
  private channels: string[] = [];
  private joints = false;
  private lastLive = -Infinity; // time of the last frame that was not from the past
  private early: SimEvent[] | null = null; // what happened in a new scene before its first frame came
  private watch: { number: number; columns: string[] } | null = null;

  start(): void {
    this.connection.open();
  }

  retry(): void {
    this.connection.open();
  }

  private take(m: ServerMessage): void {
    switch (m.type) {
      case 'hello':
        this.hello.value = m;
        this.drags.value = [];
        if (m.protocol !== kProtocol)
          this.toast.value = { text: `The simulator speaks protocol ${m.protocol}, this page ${kProtocol}: reload the page`, kind: 'bad' };
        break;
      case 'scene':
        this.takeScene(m);
        break;
      case 'status':
        this.status.value = m;
        break;
      case 'event':
        this.events.value = [...this.events.value.slice(1 - kEventsKept), m];
        this.early?.push(m);
        break;
      case 'error':
        this.showError(m);
        break;
      case 'selected':
        if (m.body === this.selection.value) this.selected.value = m;
        break;
      case 'ok':
        break;
    }
  }

  private takeScene(scene: Scene): void {
    const before = this.scene.value;
    if (before?.file !== scene.file) {
      this.events.value = [];
      this.lastLive = -Infinity;
    }
    this.early = [];
    this.frame.value = null;
    this.scene.value = scene;
    this.sendWatch();
    // A body of the same name stays selected; the server forgot it.
    const name = this.selection.value;
    this.select(name !== null && scene.bodies.some((b) => b.name === name) ? name : null);
  }

  private takeFrame(f: Frame): void {
    if (f.scene !== this.scene.value?.scene) return;
    if (f.kind === 'state') {
      if (!(f.flags & kFlag.past)) this.takeLiveTime(f.time);
      this.frame.value = f;
      this.read();
    } else if (f.kind === 'drags') {
      this.drags.value = f.drags;
    } else if (f.watch === this.watch?.number) {
      this.samples.value = { columns: this.watch.columns, frame: f };
    }
  }

  /** When time went back (a reset, or somebody went on from the past), what had happened later has not happened. */
  private takeLiveTime(time: number): void {
    if (time < this.lastLive) this.events.value = this.events.value.filter((e) => e.time <= time || this.early?.includes(e));
    this.lastLive = time;
    this.early = null;
  }

  private takeLink(link: LinkState): void {
    if (link.state === 'lost') this.drags.value = [];
    this.link.value = link;
  }

  private showError(e: SimError): void {
    if (e.file !== undefined) this.error.value = e;
    else this.toast.value = { text: e.text, kind: 'bad' };
  }

  /** Asks, and shows the error if the answer is no; null then. */
  async ask(request: Request): Promise<Ok | null> {
    try {
      return await this.connection.request(request);
    } catch (why) {
      if (!(why instanceof Refused)) throw why;
      if (this.link.value.state === 'open') this.showError(why.answer);
      return null;
    }
  }

  get paused(): boolean {
    return this.status.value?.paused ?? false;
  }

  togglePause(): void {
    void this.ask({ type: this.paused ? 'play' : 'pause' });
  }
  step(count = 1): void {
    void this.ask({ type: 'step', count });
  }
  reset(): void {
    void this.ask({ type: 'reset' });
  }
  setSpeed(factor: number): void {
    void this.ask({ type: 'speed', factor });
  }
  async load(file: string): Promise<void> {
    if (await this.ask({ type: 'load', file })) this.error.value = null;
  }
  setLaw(law: string): void {
    void this.ask({ type: 'law', law });
  }
  setGravity(value: number[]): void {
    void this.ask({ type: 'gravity', value });
  }
  /** False when the server refuses. */
  async setVariable(name: string, value: number): Promise<boolean> {
    return (await this.ask({ type: 'set', name, value })) !== null;
  }
  setTarget(joint: string, value: number | null): void {
    this.connection.tell({ type: 'target', joint, value });
  }

  /** False when the server refuses: another viewer holds it, or the past is shown. */
  async drag(body: string, point: number[], target: number[]): Promise<boolean> {
    return (await this.ask({ type: 'drag', body, point, target })) !== null;
  }
  release(): void {
    this.connection.tell({ type: 'release' });
  }
  push(body: string, point: number[], force: number[], seconds: number): void {
    void this.ask({ type: 'push', body, point, force, seconds });
  }

  select(body: string | null): void {
    if (body === null && this.selection.value === null) return;
    this.selection.value = body;
    this.selected.value = null;
    void this.ask({ type: 'select', body });
  }

  async add(shape: LooseShape, mass: number, position: number[], velocity: number[]): Promise<void> {
    const ok = await this.ask({ type: 'add', shape, mass, position, velocity });
    if (ok?.body) this.select(ok.body);
  }
  async remove(body: string): Promise<void> {
    await this.ask({ type: 'remove', body });
  }

  seek(time: number | null): Promise<Ok | null> {
    return this.ask({ type: 'seek', time });
  }
  async continueFrom(time: number): Promise<void> {
    if (await this.ask({ type: 'continue', time })) this.events.value = this.events.value.filter((e) => e.time <= time);
  }

  async record(on: boolean): Promise<void> {
    if (!(await this.ask({ type: 'record', on }))) return;
    if (on) this.toast.value = { text: 'Recording. Stop to download it.', kind: 'info' };
    else download(withToken('/recording.h5'), 'recording.h5');
  }

  /** Which channels are plotted and whether the joint list is open: the server sends only these. */
  setWatch(channels: string[], joints: boolean): void {
    if (joints === this.joints && channels.join('\n') === this.channels.join('\n')) return;
    this.channels = channels;
    this.joints = joints;
    this.sendWatch();
  }
  get watched(): { channels: string[]; joints: boolean } {
    return { channels: this.channels, joints: this.joints };
  }

  private async sendWatch(): Promise<void> {
    this.watch = null;
    const scene = this.scene.value;
    if (!scene || this.link.value.state !== 'open') return;
    const channels = this.channels.filter((n) => scene.channels.some((c) => c.name === n));
    const ok = await this.ask({ type: 'watch', channels, joints: this.joints });
    if (ok?.watch !== undefined && this.scene.value === scene) this.watch = { number: ok.watch, columns: ok.columns ?? [] };
  }
}
