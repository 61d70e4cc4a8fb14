// A server that speaks docs/protocol.md for the tests of the page and for working on it without the simulator.

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AddressInfo } from 'node:net';
import { IcosahedronGeometry, PlaneGeometry, TorusKnotGeometry } from 'three';
import type { BufferGeometry } from 'three';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { kFlag } from '../../src/frames';
import type { StateFrame, Vec3 } from '../../src/frames';
import { decodeViewerText, encodeText, kProtocol, kSubprotocol } from '../../src/protocol';
import type { ServerMessage, ViewerMessage } from '../../src/protocol';
import { encodeFrame, encodeMesh } from './encode';
import { kScenes, MockWorld } from './world';
import type { MockState } from './world';

const kWeb = fileURLToPath(new URL('../..', import.meta.url));
const kUrdf = join(kWeb, '../models/humanoid.urdf');
const kFrame = 1 / 60; // s
const kHistory = 180; // s
const kLaws = ['exact', 'lcp', 'penalty_fbl', 'penalty_linear', 'penalty_clipped', 'penalty_hunt_crossley'];
const kMime: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

interface Viewer {
  socket: WebSocket;
  number: number;
  channels: string[];
  joints: boolean;
  watch: number;
  selected: string | null;
}

/** What an error says. */
type Refusal = { text: string; file?: string; line?: number; column?: number };
/** Does what a message asks for; `answered`: and has said `ok` itself. Otherwise a plain `ok` follows, or the error. */
type Order<M> = (m: M, viewer: Viewer) => Refusal | 'answered' | null | void;
type Orders = { [M in ViewerMessage as M['type']]: Order<M> };

function makeMesh(n: number): ArrayBuffer | null {
  const make: (() => BufferGeometry)[] = [
    () => new TorusKnotGeometry(0.22, 0.07, 96, 16),
    () => new IcosahedronGeometry(0.12, 1).translate(0, 0, 0.12),
    () => {
      const g = new PlaneGeometry(2, 1.2, 40, 24);
      const p = g.getAttribute('position');
      for (let i = 0; i < p.count; ++i) p.setZ(i, 0.08 + 0.08 * Math.sin(5 * p.getX(i)) * Math.cos(6 * p.getY(i)));
      return g;
    },
  ];
  const geometry = make[n]?.();
  if (!geometry) return null;
  geometry.deleteAttribute('normal').deleteAttribute('uv');
  const merged = mergeVertices(geometry);
  return encodeMesh({
    positions: merged.getAttribute('position').array as Float32Array,
    indices: Uint32Array.from(merged.getIndex()!.array),
  });
}

/**
 * `wall`: time passes by itself, as in the simulator; for looking at the page. `turned`: it passes only when `turn` is
 * called, however long that takes on the wall; for tests. Pictures of what stands still are sent all the same.
 */
export type MockClock = 'wall' | 'turned';

export class MockServer {
  readonly received: ViewerMessage[] = [];
  private world: MockWorld;
  private scene = 1;
  private paused = false;
  private speed = 1;
  private law = 'exact';
  private recording = false;
  missed = 0; // contacts, as a test wants it
  private at: number | null = null;
  private history: MockState[] = [];
  private viewers = new Set<Viewer>();
  private viewerCount = 0;
  private watchCount = 0;
  private owed = 0; // steps that the clock is ahead of the world
  private tick = 0;
  private dragsShown = 0;
  private firsts = '';
  private timer: NodeJS.Timeout | null = null;
  private readonly http = createServer((q, a) => void this.serve(q, a));
  private readonly sockets = new WebSocketServer({ server: this.http, path: '/ws', handleProtocols: () => kSubprotocol });

  constructor(
    file = kScenes[0]!.file,
    private readonly clock: MockClock = 'wall',
  ) {
    this.world = new MockWorld(kScenes.find((s) => s.file === file)!, kUrdf);
    this.sockets.on('connection', (socket) => this.welcome(socket));
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((done) => this.http.listen(port, '127.0.0.1', done));
    let last = performance.now();
    this.timer = setInterval(() => {
      const now = performance.now();
      this.run(this.clock === 'wall' ? Math.min(0.1, (now - last) / 1000) : 0);
      last = now;
    }, kFrame * 1000);
    return (this.http.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    for (const v of this.viewers) v.socket.terminate();
    this.sockets.close();
    this.http.closeAllConnections();
    await new Promise<void>((done) => this.http.close(() => done()));
  }

  get simulatedTime(): number {
    return this.world.state.time;
  }

  /** Turns the clock on by so many seconds, sending what the simulator would send meanwhile. */
  turn(seconds: number): void {
    for (let left = seconds; left > 1e-9; left -= kFrame) this.run(Math.min(left, kFrame));
  }

  /** Says something to all viewers, as the simulator would. */
  say(message: ServerMessage): void {
    for (const v of this.viewers) v.socket.send(encodeText(message));
  }

  sayBytes(bytes: Uint8Array): void {
    for (const v of this.viewers) v.socket.send(bytes);
  }

  /** A frame from the past that overtakes the status that says so. */
  showPast(time: number): void {
    const now = this.world.state;
    this.world.state = this.find(time) ?? now;
    this.sayBytes(new Uint8Array(encodeFrame(this.world.makeFrame(this.scene, kFlag.past, 0, false))));
    this.world.state = now;
  }

  private async serve(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    if (path === '/recording.h5') {
      answer.writeHead(200, { 'content-type': 'application/x-hdf5' }).end('\x89HDF\r\n\x1a\n');
      return;
    }
    if (path.startsWith('/mesh/')) {
      const mesh = makeMesh(Number(path.slice(6)));
      if (mesh) answer.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.from(mesh));
      else answer.writeHead(404).end();
      return;
    }
    try {
      const name = normalize(path === '/' ? '/index.html' : path);
      const file = await readFile(join(kWeb, 'dist', name));
      answer.writeHead(200, { 'content-type': kMime[extname(name)] ?? 'application/octet-stream' }).end(file);
    } catch {
      answer.writeHead(404).end('not here');
    }
  }

  private welcome(socket: WebSocket): void {
    const viewer: Viewer = { socket, number: ++this.viewerCount, channels: [], joints: false, watch: 0, selected: null };
    this.viewers.add(viewer);
    socket.on('close', () => {
      this.viewers.delete(viewer);
      this.world.drags.delete(viewer.number);
    });
    socket.on('message', (data, binary) => {
      if (!binary) this.take(viewer, String(data));
    });
    const scenes = kScenes.map(({ file, about }) => ({ file, about }));
    this.tell(viewer, { type: 'hello', protocol: kProtocol, version: '0.1.0-mock', viewer: viewer.number, scenes, laws: kLaws });
    this.tell(viewer, this.world.makeScene(this.scene, this.law));
    this.tell(viewer, this.status());
  }

  private tell(viewer: Viewer, message: ServerMessage): void {
    viewer.socket.send(encodeText(message));
  }

  private status(): ServerMessage & { type: 'status' } {
    return {
      type: 'status',
      paused: this.paused,
      speed: this.speed,
      law: this.law,
      gravity: this.world.gravity,
      recording: this.recording,
      from: this.history[0]?.time ?? 0,
      to: this.world.state.time,
      at: this.at,
      viewers: this.viewers.size,
      trust: {
        steps: this.world.state.step,
        not_converged: this.world.unconverged,
        refused: 0,
        contacts_dropped: 0,
        contacts_missed: this.missed,
        residual: 1e-10,
        distance: this.law === 'exact' ? 1e-10 : 0.2,
        gap_velocity: 2e-11,
        impulse_error: 3e-12,
        energy_error: 4e-8,
      },
    };
  }

  private take(viewer: Viewer, raw: string): void {
    const decoded = decodeViewerText(raw);
    if (!decoded.ok) {
      this.tell(viewer, { type: 'error', text: decoded.why });
      return;
    }
    const m = decoded.value;
    this.received.push(m);
    const why = this.obey(viewer, m);
    if (why) this.tell(viewer, { type: 'error', re: m.id, ...why });
    this.say(this.status());
  }

  /** What is done for each kind of message. */
  private readonly orders: Orders = {
    pause: () => void (this.paused = true),
    play: () => {
      this.paused = false;
      this.at = null;
    },
    reset: () => this.load(this.world.spec.file),
    step: (m) => {
      this.paused = true;
      this.at = null;
      this.advance(m.count ?? 1);
    },
    speed: (m) => void (this.speed = m.factor),
    load: (m) => {
      const spec = kScenes.find((s) => s.file === m.file);
      if (!spec) return { text: `no scene ${m.file}` };
      if (spec.error) return spec.error;
      this.load(m.file);
      return null;
    },
    set: (m) => {
      if (m.name === 'crouch' && m.value > 1.5) return { text: 'the knees do not bend that far' };
      this.load(this.world.spec.file);
      if (m.name === 'friction') this.world.friction = m.value;
      this.say(this.world.makeScene(this.scene, this.law));
      return null;
    },
    law: (m) => void (this.law = m.law),
    gravity: (m) => void (this.world.gravity = m.value as Vec3),
    drag: (m, viewer) => {
      const w = this.world;
      if (!w.worldPoint(m.body, m.point as Vec3)) return { text: `no body ${m.body} that moves` };
      w.drags.set(viewer.number, { body: m.body, point: m.point as Vec3, target: m.target as Vec3, newtons: w.drags.get(viewer.number)?.newtons ?? 0 });
      return null;
    },
    push: (m) => {
      const w = this.world;
      w.pushes = w.pushes.filter((p) => p.until > w.state.time);
      w.pushes.push({ body: m.body, force: m.force as Vec3, until: w.state.time + m.seconds });
    },
    release: (_m, viewer) => void this.world.drags.delete(viewer.number),
    select: (m, viewer) => void (viewer.selected = m.body),
    add: (m, viewer) => {
      const body = this.world.add(m.shape, m.mass, m.position as Vec3, m.velocity as Vec3);
      this.agree(viewer, m, { body });
      this.changed();
      this.say({ type: 'event', time: this.world.state.time, kind: 'appears', text: `${body} appears` });
      return 'answered';
    },
    remove: (m) => {
      if (!this.world.remove(m.body)) return { text: `${m.body} is not an object that can be removed` };
      this.changed();
      this.say({ type: 'event', time: this.world.state.time, kind: 'disappears', text: `${m.body} disappears` });
      return null;
    },
    target: (m) => {
      const name = m.joint.replace('humanoid/', '');
      if (m.value === null) this.world.targets.delete(name);
      else this.world.targets.set(name, m.value);
    },
    watch: (m, viewer) => {
      viewer.channels = m.channels;
      viewer.joints = m.joints;
      viewer.watch = ++this.watchCount;
      const channels = this.world.makeScene(this.scene, this.law).channels;
      const columns = m.channels.flatMap((n) => channels.find((c) => c.name === n)?.columns.map((c) => (c ? `${n}:${c}` : n)) ?? []);
      this.agree(viewer, m, { watch: viewer.watch, columns });
      return 'answered';
    },
    seek: (m) => void (this.at = m.time),
    continue: (m) => {
      const kept = this.find(m.time);
      if (!kept) return { text: 'the timeline does not reach there' };
      this.world.state = structuredClone(kept);
      this.history = this.history.filter((s) => s.time <= kept.time);
      this.at = null;
      this.paused = false;
      return null;
    },
    record: (m) => void (this.recording = m.on),
  };

  /** Does what is asked; returns what the error says, if it cannot be done. */
  private obey(viewer: Viewer, m: ViewerMessage): Refusal | null {
    const answer = (this.orders[m.type] as Order<ViewerMessage>)(m, viewer);
    if (answer === 'answered') return null;
    if (answer) return answer;
    this.agree(viewer, m);
    return null;
  }

  private agree(viewer: Viewer, m: ViewerMessage, extra: { body?: string; watch?: number; columns?: string[] } = {}): void {
    this.tell(viewer, { type: 'ok', re: m.id, ...extra });
  }

  private changed(): void {
    ++this.scene;
    this.say(this.world.makeScene(this.scene, this.law));
  }

  private load(file: string): void {
    this.world = new MockWorld(kScenes.find((s) => s.file === file)!, kUrdf);
    this.history = [];
    this.at = null;
    this.owed = 0;
    this.changed();
  }

  private find(time: number): MockState | undefined {
    let best: MockState | undefined;
    for (const s of this.history) if (s.time <= time + 1e-9) best = s;
    return best ?? this.history[0];
  }

  private advance(steps: number): void {
    this.world.advance(steps);
    const s = this.world.state;
    if (s.time - (this.history.at(-1)?.time ?? -1) >= kFrame * 0.9) this.history.push(structuredClone(s));
    while (this.history.length > kHistory / kFrame) this.history.shift();
    // Something happens now and then.
    if (Math.floor(s.time / 4) > Math.floor((s.time - steps * 0.001) / 4))
      this.say({ type: 'event', time: s.time, kind: 'slip', text: 'humanoid/left_foot slips by 0.4 mm' });
  }

  private run(seconds: number): void {
    let steps = 0;
    if (!this.paused && this.at === null) {
      this.owed += seconds * (this.speed || 4) * 1000;
      steps = Math.floor(this.owed + 1e-6);
      this.owed -= steps;
      // in pieces: a busy machine must not leave holes in the past
      const piece = Math.ceil(kFrame * 1000);
      for (let left = steps; left > 0; left -= piece) this.advance(Math.min(left, piece));
    }
    ++this.tick;
    // at once where the first of a kind goes wrong, or the first step was taken
    const { steps: taken, not_converged: bad, contacts_missed: missed } = this.status().trust;
    const firsts = `${taken > 0} ${bad > 0} ${missed > 0}`;
    if (this.tick % 60 === 0 || firsts !== this.firsts) this.say(this.status());
    this.firsts = firsts;
    const now = this.world.state;
    if (this.at !== null) this.world.state = this.find(this.at) ?? now;
    const flags =
      (this.paused ? kFlag.paused : 0) | (this.at !== null ? kFlag.past : 0) | (this.recording ? kFlag.recording : 0);
    const frames = [false, true].map((joints) =>
      this.world.makeFrame(this.scene, flags, this.paused ? 0 : (this.speed || 4) * 0.998, joints),
    ) as [StateFrame, StateFrame];
    for (const v of this.viewers) this.show(v, frames[v.joints ? 1 : 0], steps > 0);
    this.dragsShown = this.world.drags.size;
    this.world.state = now;
  }

  private show(viewer: Viewer, frame: StateFrame, isNew: boolean): void {
    viewer.socket.send(encodeFrame(frame));
    const { scene, flags } = frame;
    const bodies = this.world.makeBodies();
    if (this.world.drags.size || this.dragsShown) {
      const drags = [...this.world.drags].map(([number, d]) => ({
        body: bodies.findIndex((b) => b.name === d.body),
        viewer: number,
        point: this.world.worldPoint(d.body, d.point) ?? ([0, 0, 0] as Vec3),
        target: d.target,
        newtons: d.newtons,
      }));
      viewer.socket.send(encodeFrame({ kind: 'drags', scene, flags, drags }));
    }
    if (viewer.channels.length && isNew) {
      const row = viewer.channels.flatMap((c) => this.world.sample(c, frame));
      viewer.socket.send(
        encodeFrame({ kind: 'samples', scene, flags, watch: viewer.watch, columns: row.length, times: Float64Array.of(frame.time), values: Float32Array.from(row) }),
      );
    }
    if (viewer.selected && this.tick % 6 === 0) this.tellSelected(viewer, frame, bodies.findIndex((b) => b.name === viewer.selected));
  }

  private tellSelected(viewer: Viewer, frame: StateFrame, index: number): void {
    const body = this.world.makeBodies()[index];
    if (!body) return;
    const own = frame.contacts.filter((c) => c.body === index);
    const loose = this.world.state.loose.find((b) => b.name === body.name);
    this.tell(viewer, {
      type: 'selected',
      body: body.name,
      mass: body.mass,
      velocity: loose?.v ?? [0.02 * Math.cos(frame.time), 0, 0.05 * Math.sin(frame.time)],
      spin: loose?.spin ?? [0, 0.1 * Math.cos(1.6 * frame.time), 0],
      force: [0, 1, 2].map((k) => own.reduce((f, c) => f + c.force[k]!, 0)),
      torque: [0, own.length * 0.4, 0],
      contacts: own.map((c) => ({ with: 'world', force: c.force, normal: c.normal, slip: c.state === 2 ? 0.08 : 0 })),
    });
  }
}
