// A world that looks alive and is no physics: the humanoid bends its knees and waves, boxes fall and
// bounce as points. Its state is small and plain, so that the timeline can keep copies.

import { Matrix4, Quaternion, Vector3 } from 'three';
import { kContactState } from '../../src/frames';
import type { ContactPoint, StateFrame, Vec3 } from '../../src/frames';
import type { Body, LooseShape, Scene, Shape } from '../../src/protocol';
import { calcPoses, loadUrdf } from './urdf';
import type { MockRobot } from './urdf';

interface Loose {
  name: string;
  shape: LooseShape;
  color: number[];
  mass: number;
  half: number; // height of the middle when it lies
  p: Vec3;
  v: Vec3;
  q: [number, number, number, number];
  spin: Vec3;
}

/** All that moves; copied for the timeline. */
export interface MockState {
  time: number;
  step: number;
  sway: Vec3;
  swaySpeed: Vec3;
  loose: Loose[];
}

export interface SceneSpec {
  file: string;
  about: string;
  robot: boolean;
  boxes: number;
  meshes?: boolean;
  carved?: boolean; // what moves looks like a mesh that is larger than what collides
  hard?: boolean; // has steps that do not converge
  error?: { text: string; file: string; line: number; column: number };
}

export const kScenes: SceneSpec[] = [
  { file: 'scenes/humanoid_stand.yaml', about: 'The humanoid stands with bent knees', robot: true, boxes: 6 },
  { file: 'scenes/pile.yaml', about: 'The humanoid beside a hundred boxes', robot: true, boxes: 100 },
  { file: 'scenes/meshes.yaml', about: 'A mesh, a hull and a height field', robot: false, boxes: 3, meshes: true },
  { file: 'scenes/carved.yaml', about: 'Boxes that look like knots', robot: false, boxes: 3, carved: true },
  { file: 'scenes/hard.yaml', about: 'Steps that do not converge', robot: true, boxes: 2, hard: true },
  { file: 'scenes/empty.yaml', about: 'A floor, nothing else', robot: false, boxes: 0 },
  {
    file: 'scenes/broken.yaml',
    about: 'Has a mistake',
    robot: false,
    boxes: 0,
    error: {
      text: "unknown key 'frcition' in materials.default; did you mean 'friction'?",
      file: 'scenes/broken.yaml',
      line: 12,
      column: 14,
    },
  },
];

const kPalette = [
  [0.86, 0.47, 0.22, 1],
  [0.24, 0.5, 0.73, 1],
  [0.93, 0.76, 0.31, 1],
  [0.38, 0.62, 0.5, 1],
  [0.62, 0.42, 0.56, 1],
];
const kGravity = 9.81;
const deg = Math.PI / 180;

function makeRandom(seed: number): () => number {
  let s = seed;
  return () => (s = (s * 1664525 + 1013904223) % 4294967296) / 4294967296;
}

const box = (size: number[], position: Vec3, color: number[], extra: Partial<Shape> = {}): Shape => ({
  kind: 'box',
  size,
  position,
  quaternion: [1, 0, 0, 0],
  color,
  looks: true,
  touches: true,
  ...extra,
});

export class MockWorld {
  readonly robot: MockRobot | null;
  readonly targets = new Map<string, number>();
  state: MockState;
  drags = new Map<number, { body: string; point: Vec3; target: Vec3; newtons: number }>();
  pushes: { body: string; force: Vec3; until: number }[] = [];
  gravity: Vec3 = [0, 0, -kGravity];
  friction = 0.8;
  private added = 0;

  constructor(
    readonly spec: SceneSpec,
    urdf: string,
  ) {
    this.robot = spec.robot ? loadUrdf(urdf) : null;
    const random = makeRandom(7);
    const loose: Loose[] = [];
    for (let i = 0; i < spec.boxes; ++i) {
      const size = [0, 0, 0].map(() => Math.round((0.09 + 0.14 * random()) * 100) / 100);
      const angle = i * 2.4;
      const radius = spec.boxes > 20 ? 0.9 + 0.13 * Math.sqrt(i) * 1.6 : 0.75 + 0.12 * i;
      loose.push(
        this.makeLoose(`box${i}`, { kind: 'box', size }, 400 * size[0]! * size[1]! * size[2]!, kPalette[i % 5]!, [
          radius * Math.cos(angle),
          radius * Math.sin(angle),
          0.5 + 1.2 * random() + 0.04 * i,
        ]),
      );
    }
    this.state = { time: 0, step: 0, sway: [0, 0, 0], swaySpeed: [0, 0, 0], loose };
  }

  private makeLoose(name: string, shape: LooseShape, mass: number, color: number[], p: Vec3): Loose {
    const half = shape.kind === 'box' ? shape.size[2]! / 2 : shape.kind === 'sphere' ? shape.size[0]! : shape.size[0]! + shape.size[1]! / 2;
    return { name, shape, color, mass, half, p, v: [0, 0, 0], q: [1, 0, 0, 0], spin: [0, 0, 2] };
  }

  add(shape: LooseShape, mass: number, position: Vec3, velocity: Vec3): string {
    const body = this.makeLoose(`object${this.added++}`, shape, mass, kPalette[this.added % 5]!, position);
    body.v = [...velocity];
    this.state.loose.push(body);
    return body.name;
  }

  remove(name: string): boolean {
    const before = this.state.loose.length;
    this.state.loose = this.state.loose.filter((b) => b.name !== name);
    return this.state.loose.length < before;
  }

  /** The bodies in the order of `scene`. */
  makeBodies(): Body[] {
    const world: Body = { name: 'world', robot: null, mass: 0, moves: false, loose: false, shapes: [] };
    world.shapes.push({ ...box([], [0, 0, 0], [0.8, 0.8, 0.8, 1]), kind: 'plane' });
    if (this.spec.meshes) {
      world.shapes.push({ ...box([], [1.2, 0.9, 0.25], [0.24, 0.5, 0.73, 1]), kind: 'mesh', mesh: 0, scale: [1, 1, 1] });
      world.shapes.push({ ...box([], [-0.9, 0.9, 0.02], [0.86, 0.47, 0.22, 1]), kind: 'hull', mesh: 1, scale: [2, 2, 2] });
      world.shapes.push({ ...box([], [0, -1.6, 0.02], [0.55, 0.6, 0.5, 1]), kind: 'height_field', mesh: 2 });
    } else if (this.robot) {
      world.shapes.push(box([0.9, 0.5, 0.72], [0.1, 1.15, 0.36], [0.74, 0.66, 0.55, 1]));
    }
    const links = (this.robot?.links ?? []).map(
      (l): Body => ({ name: `humanoid/${l.name}`, robot: 'humanoid', mass: l.mass, moves: true, loose: false, shapes: l.shapes }),
    );
    const loose = this.state.loose.map(
      (b): Body => ({
        name: b.name,
        robot: null,
        mass: b.mass,
        moves: true,
        loose: true,
        shapes: this.spec.carved
          ? [
              { ...box([], [0, 0, 0], b.color, { touches: false }), kind: 'mesh', mesh: 0, scale: [3, 3, 3] },
              box(b.shape.size, [0, 0, 0], b.color, { looks: false }),
            ]
          : [{ ...box(b.shape.size, [0, 0, 0], b.color), kind: b.shape.kind }],
      }),
    );
    return [world, ...links, ...loose];
  }

  makeScene(scene: number, law: string): Scene {
    const moving = this.robot?.joints.filter((j) => j.moves) ?? [];
    const robotChannels = this.robot
      ? [
          { name: 'humanoid/com', unit: 'm', columns: ['x', 'y', 'z'] },
          { name: 'humanoid/joint_position', unit: 'rad', columns: moving.map((j) => j.name) },
          { name: 'humanoid/contact_force', unit: 'N', columns: ['left_foot.z', 'right_foot.z'] },
        ]
      : [];
    return {
      type: 'scene',
      scene,
      file: this.spec.file,
      about: this.spec.about,
      step: 0.001,
      gravity: this.gravity,
      law,
      tolerance: 1e-8,
      variables: [
        { name: 'friction', value: this.friction, start: 0.8, about: 'of all surfaces' },
        { name: 'crouch', value: 0.873, start: 0.873, about: 'angle of the knees, rad' },
      ],
      bodies: this.makeBodies(),
      joints: moving.map((j) => ({ name: `humanoid/${j.name}`, unit: 'rad', lower: j.lower, upper: j.upper, held: true })),
      channels: [
        ...robotChannels,
        { name: 'energy/kinetic', unit: 'J', columns: [''] },
        ...this.state.loose.slice(0, 5).map((b) => ({ name: `${b.name}/position`, unit: 'm', columns: ['x', 'y', 'z'] })),
      ],
      interaction: { stiffness: 500, push: 50 },
    };
  }

  private calcAngles(): Map<string, number> {
    const t = this.state.time;
    const crouch = (50 + 9 * Math.sin(1.6 * t)) * deg;
    const angles = new Map<string, number>();
    for (const side of ['right', 'left']) {
      const sign = side === 'left' ? 1 : -1;
      angles.set(`${side}_hip_pitch`, -0.52 * crouch);
      angles.set(`${side}_knee`, crouch);
      angles.set(`${side}_ankle_pitch`, -0.48 * crouch);
      angles.set(`${side}_shoulder_pitch`, (15 + 8 * Math.sin(1.6 * t + sign)) * deg);
      angles.set(`${side}_shoulder_roll`, sign * 10 * deg);
      angles.set(`${side}_elbow`, (-32 - 14 * Math.sin(1.6 * t)) * deg);
      angles.set(`${side}_gripper`, 10 * deg);
    }
    // One arm greets.
    angles.set('right_shoulder_pitch', -20 * deg);
    angles.set('right_shoulder_roll', -78 * deg);
    angles.set('right_shoulder_yaw', -80 * deg);
    angles.set('right_elbow', (-70 + 14 * Math.sin(4 * t)) * deg);
    angles.set('waist_yaw', (4 * Math.sin(0.7 * t) + 40 * this.state.sway[1]) * deg);
    angles.set('waist_pitch', (5 + 60 * this.state.sway[0]) * deg);
    angles.set('neck_yaw', 18 * Math.sin(0.5 * t) * deg);
    for (const [name, value] of this.targets) angles.set(name, value);
    return angles;
  }

  /** Poses of the links with the left sole kept in place on the floor. */
  private calcLinkPoses(angles: Map<string, number>): Matrix4[] {
    const robot = this.robot!;
    const at = robot.links.findIndex((l) => l.name === 'left_sole');
    const sole = new Vector3().setFromMatrixPosition(calcPoses(robot, angles, new Matrix4())[at]!);
    return calcPoses(robot, angles, new Matrix4().makeTranslation(-sole.x, 0.06 - sole.y + 0.02, -sole.z));
  }

  unconverged = 0; // steps

  /** Advances by whole steps of 1 ms. */
  advance(steps: number): void {
    const h = 0.001;
    for (let n = 0; n < steps; ++n) {
      const s = this.state;
      s.time = ++s.step * h;
      if (this.isHard()) ++this.unconverged;
      const force: Vec3 = [0, 0, 0];
      for (const drag of this.drags.values()) this.pull(drag, h, force);
      for (const push of this.pushes) if (push.until > s.time) this.shove(push.body, push.force, h, force);
      for (let k = 0; k < 3; ++k) {
        s.swaySpeed[k] = (s.swaySpeed[k]! + (h * (force[k]! - 900 * s.sway[k]!)) / 40) * (1 - 4 * h);
        s.sway[k] = s.sway[k]! + h * s.swaySpeed[k]!;
      }
      for (const b of s.loose) this.fall(b, h);
    }
  }

  private pull(drag: { body: string; point: Vec3; target: Vec3; newtons: number }, h: number, robotForce: Vec3): void {
    const at = this.worldPoint(drag.body, drag.point);
    if (!at) return;
    const f = drag.target.map((x, k) => 500 * (x - at[k]!)) as Vec3;
    const size = Math.hypot(...f);
    drag.newtons = size;
    this.shove(drag.body, f, h, robotForce);
    const b = this.state.loose.find((l) => l.name === drag.body);
    if (b) b.v = b.v.map((v) => v * (1 - 20 * h)) as Vec3;
  }

  private shove(body: string, f: Vec3, h: number, robotForce: Vec3): void {
    const b = this.state.loose.find((l) => l.name === body);
    for (let k = 0; k < 3; ++k)
      if (b) b.v[k] = b.v[k]! + (h * f[k]!) / b.mass;
      else robotForce[k] = robotForce[k]! + f[k]!;
  }

  private fall(b: Loose, h: number): void {
    for (let k = 0; k < 3; ++k) b.v[k] = b.v[k]! + h * this.gravity[k]!;
    for (let k = 0; k < 3; ++k) b.p[k] = b.p[k]! + h * b.v[k]!;
    if (b.p[2] < b.half) {
      b.p[2] = b.half;
      b.v[2] = b.v[2] < -0.3 ? -0.55 * b.v[2] : 0;
      b.v[0] *= 0.7;
      b.v[1] *= 0.7;
      b.spin = b.spin.map((w) => 0.6 * w) as Vec3;
    }
    const angle = Math.hypot(...b.spin) * h;
    if (angle < 1e-9) return;
    const turn = new Quaternion().setFromAxisAngle(new Vector3(...b.spin).normalize(), angle);
    const q = turn.multiply(new Quaternion(b.q[1], b.q[2], b.q[3], b.q[0])).normalize();
    b.q = [q.w, q.x, q.y, q.z];
  }

  private poseOfBody(name: string): Matrix4 | null {
    const b = this.state.loose.find((l) => l.name === name);
    if (b) return new Matrix4().compose(new Vector3(...b.p), new Quaternion(b.q[1], b.q[2], b.q[3], b.q[0]), new Vector3(1, 1, 1));
    const link = this.robot?.links.findIndex((l) => `humanoid/${l.name}` === name) ?? -1;
    return link < 0 ? null : (this.linkPosesNow()[link] ?? null);
  }

  worldPoint(body: string, point: Vec3): Vec3 | null {
    const pose = this.poseOfBody(body);
    return pose ? new Vector3(...point).applyMatrix4(pose).toArray() : null;
  }

  private linkCache: { step: number; poses: Matrix4[] } = { step: -1, poses: [] };
  private linkPosesNow(): Matrix4[] {
    // Twenty times in a simulated second is near enough for pulling at it.
    const slot = Math.floor(this.state.step / 16);
    if (this.linkCache.step !== slot) this.linkCache = { step: slot, poses: this.calcLinkPoses(this.calcAngles()) };
    return this.linkCache.poses;
  }

  calcContacts(poses: Matrix4[]): ContactPoint[] {
    const contacts: ContactPoint[] = [];
    const robot = this.robot;
    if (robot) {
      const weight = robot.links.reduce((m, l) => m + l.mass, 0) * -this.gravity[2];
      const lean = Math.max(-0.4, Math.min(0.4, this.state.sway[1] * 2 + 0.12 * Math.sin(1.1 * this.state.time)));
      for (const [side, share] of [['left', 0.5 + lean], ['right', 0.5 - lean]] as const) {
        const at = robot.links.findIndex((l) => l.name === `${side}_sole`);
        const foot = robot.links.findIndex((l) => l.name.startsWith(`${side}_foot`));
        for (const [x, y] of [[0.12, 0.07], [0.12, -0.07], [-0.12, -0.07], [-0.12, 0.07]] as const) {
          const p = new Vector3(x, y, 0).applyMatrix4(poses[at]!);
          const f = (weight * share) / 4 * (1 + 2.4 * x);
          contacts.push({
            position: [p.x, p.y, p.z],
            force: [0.16 * f * Math.sin(1.6 * this.state.time), 0.1 * f, f],
            normal: [0, 0, 1],
            state: kContactState.sticks,
            friction: this.friction,
            body: 1 + Math.max(foot, 0),
          });
        }
      }
    }
    const first = 1 + (robot?.links.length ?? 0);
    this.state.loose.forEach((b, i) => {
      if (b.p[2] > b.half + 1e-6) return;
      const slides = Math.hypot(b.v[0], b.v[1]) > 0.02;
      const [x, y] = b.shape.kind === 'box' ? [b.shape.size[0]! / 2, b.shape.size[1]! / 2] : [0, 0];
      const pose = this.poseOfBody(b.name)!;
      const corners = x > 0 ? [[x, y], [x, -y], [-x, -y], [-x, y]] : [[0, 0]];
      for (const [cx, cy] of corners) {
        const p = new Vector3(cx, cy, -b.half).applyMatrix4(pose);
        const f = (b.mass * kGravity) / corners.length;
        contacts.push({
          position: [p.x, p.y, 0],
          force: [slides ? -this.friction * f : 0, 0, f],
          normal: [0, 0, 1],
          state: slides ? kContactState.slides : kContactState.sticks,
          friction: this.friction,
          body: first + i,
        });
      }
    });
    return contacts;
  }

  /** Whether the last step did not converge. */
  private isHard(): boolean {
    return !!this.spec.hard && Math.floor(this.state.time * 2) % 2 === 0;
  }

  makeFrame(scene: number, flags: number, speed: number, withJoints: boolean): StateFrame {
    const angles = this.calcAngles();
    const poses = this.robot ? this.calcLinkPoses(angles) : [];
    const out = new Float64Array(7 * (poses.length + this.state.loose.length));
    const [p, q, s] = [new Vector3(), new Quaternion(), new Vector3()];
    poses.forEach((pose, i) => {
      pose.decompose(p, q, s);
      out.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z], 7 * i);
    });
    this.state.loose.forEach((b, i) => out.set([...b.p, ...b.q], 7 * (poses.length + i)));

    const contacts = this.calcContacts(poses);
    const none: Vec3 = [NaN, NaN, NaN];
    let [com, zmp, cop]: Vec3[] = [none, none, none] as [Vec3, Vec3, Vec3];
    let support: number[] = [];
    if (this.robot) {
      const sum = new Vector3();
      let mass = 0;
      this.robot.links.forEach((l, i) => {
        sum.addScaledVector(l.com.clone().applyMatrix4(poses[i]!), l.mass);
        mass += l.mass;
      });
      com = sum.divideScalar(mass).toArray();
      const feet = contacts.slice(0, 8);
      const total = feet.reduce((f, c) => f + c.force[2], 0) || 1;
      cop = [0, 1].map((k) => feet.reduce((m, c) => m + c.position[k]! * c.force[2], 0) / total).concat(0) as Vec3;
      zmp = [cop[0]! + 0.012 * Math.sin(1.6 * this.state.time), cop[1]!, 0];
      const xs = feet.map((c) => c.position[0]);
      const ys = feet.map((c) => c.position[1]);
      const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      support = [x0, y0, x1, y0, x1, y1, x0, y1];
    }
    const moving = this.robot?.joints.filter((j) => j.moves) ?? [];
    const hard = this.isHard();
    return {
      kind: 'state',
      scene,
      flags: flags | (hard ? 2 : 0),
      time: this.state.time,
      step: this.state.step,
      speed,
      stepMicroseconds: 38 + 4 * Math.sin(this.state.time * 7) + contacts.length * 0.6,
      residual: hard ? 3e-4 : 10 ** (-10 + 0.8 * Math.sin(this.state.time * 3)),
      penetration: hard ? 2e-4 : 4e-12,
      sweeps: hard ? 1000 : 9 + Math.round(3 * Math.sin(this.state.time * 3)),
      groups: (this.robot ? 1 : 0) + this.state.loose.filter((b) => b.p[2] <= b.half + 1e-6).length,
      com: com!,
      zmp: zmp!,
      cop: cop!,
      poses: out,
      contacts,
      joints: withJoints
        ? Float32Array.from(moving.flatMap((j) => [angles.get(j.name) ?? 0, (angles.get(j.name) ?? 0) + 0.01]))
        : new Float32Array(),
      support: Float32Array.from(support),
    };
  }

  /** One value for each column of a channel, now. */
  sample(channel: string, frame: StateFrame): number[] {
    if (channel === 'humanoid/com') return frame.com;
    if (channel === 'humanoid/joint_position') {
      const angles = this.calcAngles();
      return this.robot!.joints.filter((j) => j.moves).map((j) => angles.get(j.name) ?? 0);
    }
    if (channel === 'humanoid/contact_force')
      return [0, 4].map((at) => frame.contacts.slice(at, at + 4).reduce((f, c) => f + c.force[2], 0));
    if (channel === 'energy/kinetic')
      return [this.state.loose.reduce((e, b) => e + 0.5 * b.mass * (b.v[0] ** 2 + b.v[1] ** 2 + b.v[2] ** 2), 0)];
    const b = this.state.loose.find((l) => `${l.name}/position` === channel);
    return b ? b.p : [];
  }
}
