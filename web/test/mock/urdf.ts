// Just enough of URDF for our own models: primitive shapes, materials, a tree of joints, and its kinematics.

import { readFileSync } from 'node:fs';
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { Shape } from '../../src/protocol';

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
}

function parseXml(source: string): Element {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open = [root];
  for (const [, close, name, attributes, empty] of source
    .replace(/<!--[\s\S]*?-->|<\?.*?\?>/g, '')
    .matchAll(/<(\/?)([\w-]+)([^>]*?)(\/?)>/g)) {
    if (close) {
      open.pop();
      continue;
    }
    const element: Element = { name: name!, attributes: {}, children: [] };
    for (const [, key, value] of attributes!.matchAll(/([\w:-]+)\s*=\s*"([^"]*)"/g)) element.attributes[key!] = value!;
    open.at(-1)!.children.push(element);
    if (!empty) open.push(element);
  }
  return root.children[0]!;
}

const child = (e: Element, name: string) => e.children.find((c) => c.name === name);
const numbers = (s: string | undefined, fallback: number[]) => (s ? s.trim().split(/\s+/).map(Number) : fallback);

/** URDF's roll, pitch and yaw are turns about the fixed axes x, y, z in that order. */
function poseOf(e: Element): { p: Vector3; q: Quaternion } {
  const origin = child(e, 'origin')?.attributes ?? {};
  const [roll, pitch, yaw] = numbers(origin.rpy, [0, 0, 0]) as [number, number, number];
  const turn = (axis: Vector3, angle: number) => new Quaternion().setFromAxisAngle(axis, angle);
  const q = turn(new Vector3(0, 0, 1), yaw)
    .multiply(turn(new Vector3(0, 1, 0), pitch))
    .multiply(turn(new Vector3(1, 0, 0), roll));
  return { p: new Vector3(...numbers(origin.xyz, [0, 0, 0])), q };
}

export interface MockLink {
  name: string;
  mass: number;
  com: Vector3;
  shapes: Shape[];
}
export interface MockJoint {
  name: string;
  parent: number;
  child: number;
  moves: boolean;
  origin: Matrix4;
  axis: Vector3;
  lower: number;
  upper: number;
}
export interface MockRobot {
  links: MockLink[];
  joints: MockJoint[];
}

function shapeOf(e: Element, colors: Map<string, number[]>, looks: boolean): Shape {
  const geometry = child(e, 'geometry')!.children[0]!;
  const a = geometry.attributes;
  const { p, q } = poseOf(e);
  const size =
    geometry.name === 'box'
      ? numbers(a.size, [])
      : geometry.name === 'sphere'
        ? [Number(a.radius)]
        : [Number(a.radius), Number(a.length)];
  return {
    kind: geometry.name as 'box' | 'sphere' | 'cylinder',
    size,
    position: p.toArray(),
    quaternion: [q.w, q.x, q.y, q.z],
    color: colors.get(child(e, 'material')?.attributes.name ?? '') ?? [0.7, 0.7, 0.7, 1],
    looks,
    touches: !looks,
  };
}

export function loadUrdf(path: string): MockRobot {
  const robot = parseXml(readFileSync(path, 'utf8'));
  const colors = new Map<string, number[]>();
  for (const m of robot.children.filter((c) => c.name === 'material'))
    colors.set(m.attributes.name!, numbers(child(m, 'color')?.attributes.rgba, [0.7, 0.7, 0.7, 1]));

  const links = robot.children
    .filter((c) => c.name === 'link')
    .map((l): MockLink => {
      const inertial = child(l, 'inertial');
      return {
        name: l.attributes.name!,
        mass: inertial ? Number(child(inertial, 'mass')!.attributes.value) : 0,
        com: inertial ? poseOf(inertial).p : new Vector3(),
        shapes: l.children
          .filter((c) => c.name === 'visual' || c.name === 'collision')
          .map((c) => shapeOf(c, colors, c.name === 'visual')),
      };
    });
  const index = new Map(links.map((l, i) => [l.name, i]));
  const joints = robot.children
    .filter((c) => c.name === 'joint')
    .map((j): MockJoint => {
      const { p, q } = poseOf(j);
      const limit = child(j, 'limit')?.attributes ?? {};
      return {
        name: j.attributes.name!,
        parent: index.get(child(j, 'parent')!.attributes.link!)!,
        child: index.get(child(j, 'child')!.attributes.link!)!,
        moves: j.attributes.type !== 'fixed',
        origin: new Matrix4().compose(p, q, new Vector3(1, 1, 1)),
        axis: new Vector3(...numbers(child(j, 'axis')?.attributes.xyz, [1, 0, 0])),
        lower: Number(limit.lower ?? -Math.PI),
        upper: Number(limit.upper ?? Math.PI),
      };
    });
  return { links, joints };
}

/** Poses of all links; `angles` by joint name, missing ones are 0. Parents come before children in the file. */
export function calcPoses(robot: MockRobot, angles: Map<string, number>, base: Matrix4): Matrix4[] {
  const poses = robot.links.map(() => base.clone());
  for (const joint of robot.joints) {
    const turn = new Matrix4().makeRotationAxis(joint.axis, joint.moves ? (angles.get(joint.name) ?? 0) : 0);
    poses[joint.child] = poses[joint.parent]!.clone().multiply(joint.origin).multiply(turn);
  }
  return poses;
}
