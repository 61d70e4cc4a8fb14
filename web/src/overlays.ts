// What is drawn over the bodies: contacts with their forces and cones, centre of mass, ZMP, CoP, support.

import * as THREE from 'three';
import { kContactState } from './frames';
import type { StateFrame, Vec3 } from './frames';
import { Pool } from './pool';
import type { Body, Scene } from './protocol';
import type { Settings } from './settings';

const kSticks = new THREE.Color(0x12a67c);
const kSlides = new THREE.Color(0xe5484d);
const kOpen = new THREE.Color(0x98a2b3);
const kNormal = new THREE.Color(0x3b82c4);
const kCom = new THREE.Color(0xf2b01e);
const kZmp = new THREE.Color(0xb45bd6);
const kCop = new THREE.Color(0x12a67c);
const kLongest = 1.6; // m, of an arrow: an impact must not fill the view

export interface Mark {
  key: string;
  text: string;
  at: THREE.Vector3;
}

function stateColor(state: number): THREE.Color {
  return state === kContactState.sticks ? kSticks : state === kContactState.slides ? kSlides : kOpen;
}

const solid = () => new THREE.MeshBasicMaterial({ transparent: true, toneMapped: false });
const onTop = (opacity: number) =>
  new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity, toneMapped: false });

export class Overlays {
  readonly root = new THREE.Group();
  /** Names beside the markers, for the labels. */
  marks: Mark[] = [];
  /** m of arrow for each N. */
  metresPerNewton = 1e-3;

  private readonly points: Pool;
  private readonly shafts: Pool;
  private readonly heads: Pool;
  private readonly cones: Pool;
  private readonly balls: Pool;
  private readonly rings: Pool;
  private readonly supportFill = new THREE.Mesh(
    new THREE.BufferGeometry(),
    // Through the feet, which cover most of it.
    new THREE.MeshBasicMaterial({ color: kCop, transparent: true, opacity: 0.2, depthTest: false, depthWrite: false, side: THREE.DoubleSide, toneMapped: false }),
  );

  constructor() {
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 6, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    // Apex at the origin, opening along z.
    const cone = new THREE.ConeGeometry(1, 1, 28, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5);
    this.cones = new Pool(
      this.root,
      cone,
      new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.2, side: THREE.DoubleSide, depthWrite: false, toneMapped: false }),
      4,
    );
    this.points = new Pool(this.root, new THREE.SphereGeometry(1, 8, 6), solid(), 6, onTop(0.3));
    this.shafts = new Pool(this.root, shaft, solid(), 7, onTop(0.35));
    this.heads = new Pool(this.root, head, solid(), 7, onTop(0.35));
    this.balls = new Pool(this.root, new THREE.SphereGeometry(1, 20, 14), onTop(0.95), 8);
    this.rings = new Pool(this.root, new THREE.TorusGeometry(1, 0.16, 8, 36), onTop(0.95), 8);
    this.supportFill.renderOrder = 3;
    this.supportFill.frustumCulled = false;
    this.root.add(this.supportFill);
  }

  /** The weight of the robot is an arrow of 1.2 m; that of the heaviest loose body, one of twice its size. */
  setScene(scene: Scene): void {
    const moving = scene.bodies.filter((b) => b.moves);
    const robot = moving.find((b) => b.robot !== null)?.robot;
    const heaviest = moving.reduce<Body | null>((most, b) => (most && most.mass >= b.mass ? most : b), null);
    const mass = robot ? moving.filter((b) => b.robot === robot).reduce((m, b) => m + b.mass, 0) : (heaviest?.mass ?? 1);
    const size = Math.max(...(heaviest?.shapes.map((s) => (s.size.length ? Math.max(...s.size) : 0.3)) ?? []), 0.02);
    const length = robot ? 1.2 : Math.min(1.2, 2 * size);
    this.metresPerNewton = length / (mass * (Math.hypot(...scene.gravity) || 9.81));
  }

  update(frame: StateFrame, s: Settings, camera: THREE.Camera, target: THREE.Vector3): void {
    // Sizes follow the distance, so that marks stay readable from near and far.
    const unit = camera.position.distanceTo(target) * 0.0021;
    const pools = [this.points, this.shafts, this.heads, this.cones, this.balls, this.rings];
    pools.forEach((p) => p.begin());
    this.marks = [];
    this.drawContacts(frame, s, unit);
    this.drawBalance(frame, s, unit);
    pools.forEach((p) => p.end());
  }

  private drawContacts(frame: StateFrame, s: Settings, unit: number): void {
    const scale = this.metresPerNewton * s.forceScale;
    for (const c of frame.contacts) {
      const at = new THREE.Vector3(...c.position);
      const normal = new THREE.Vector3(...c.normal);
      const color = stateColor(c.state);
      if (s.contacts) this.points.put(at, normal, new THREE.Vector3().setScalar(1.7 * unit), color);
      if (s.normals) this.arrow(at, normal, 36 * unit, 0.7 * unit, kNormal);
      const force = new THREE.Vector3(...c.force);
      const length = Math.min(force.length() * scale, kLongest);
      // The cone is as high as the normal force is long: the arrow's tip lies inside its mouth.
      if (s.cones && c.friction > 0) {
        const height = Math.max(Math.min(Math.abs(force.dot(normal)) * scale, kLongest), 14 * unit);
        const radius = height * c.friction;
        this.cones.put(at, normal, new THREE.Vector3(radius, radius, height), color);
      }
      if (s.forces && length > unit) this.arrow(at, force.normalize(), length, 1.15 * unit, color);
    }
  }

  private drawBalance(frame: StateFrame, s: Settings, unit: number): void {
    const up = new THREE.Vector3(0, 0, 1);
    const known = (v: Vec3) => v.every(Number.isFinite);
    const floor = known(frame.cop) ? frame.cop[2] : known(frame.zmp) ? frame.zmp[2] : 0;
    if (s.com && known(frame.com)) {
      const com = new THREE.Vector3(...frame.com);
      this.balls.put(com, up, new THREE.Vector3().setScalar(4.4 * unit), kCom);
      const foot = com.clone().setZ(floor);
      const height = com.z - floor;
      if (height > 0) this.shafts.put(foot, up, new THREE.Vector3(0.45 * unit, 0.45 * unit, height), kCom);
      this.rings.put(foot, up, new THREE.Vector3().setScalar(5 * unit), kCom);
      this.marks.push({ key: 'com', text: 'CoM', at: com });
    }
    let hidesCop = false;
    if (s.zmp && known(frame.zmp)) {
      const zmp = new THREE.Vector3(...frame.zmp);
      this.rings.put(zmp, up, new THREE.Vector3().setScalar(7 * unit), kZmp);
      this.balls.put(zmp, up, new THREE.Vector3().setScalar(1.8 * unit), kZmp);
      // Where both are one point, one text names both.
      const both = s.cop && known(frame.cop) && zmp.distanceTo(new THREE.Vector3(...frame.cop)) < 9 * unit;
      this.marks.push({ key: 'zmp', text: both ? 'CoP · ZMP' : 'ZMP', at: zmp });
      if (both) hidesCop = true;
    }
    if (s.cop && known(frame.cop)) {
      const cop = new THREE.Vector3(...frame.cop);
      this.balls.put(cop, up, new THREE.Vector3(5 * unit, 5 * unit, 0.8 * unit), kCop);
      if (!hidesCop) this.marks.push({ key: 'cop', text: 'CoP', at: cop });
    }
    this.drawSupport(s.support ? frame.support : new Float32Array(), floor, unit);
  }

  private drawSupport(corners: Float32Array, floor: number, unit: number): void {
    const n = corners.length / 2;
    this.supportFill.visible = n > 2;
    if (n < 3) return;
    const points = Array.from({ length: n }, (_, i) => new THREE.Vector3(corners[2 * i], corners[2 * i + 1], floor + 0.002));
    points.forEach((p, i) => {
      const along = points[(i + 1) % n]!.clone().sub(p);
      const length = along.length();
      if (length > 0) this.shafts.put(p, along.divideScalar(length), new THREE.Vector3(0.6 * unit, 0.6 * unit, length), kCop);
    });
    // Convex, so a fan from the first corner covers it.
    const geometry = this.supportFill.geometry;
    let at = geometry.getAttribute('position') as THREE.BufferAttribute | undefined;
    if (!at || at.count < 3 * (n - 2)) {
      geometry.dispose();
      geometry.setAttribute('position', (at = new THREE.BufferAttribute(new Float32Array(9 * Math.max(30, 2 * n)), 3)));
    }
    let k = 0;
    for (let i = 1; i + 1 < n; ++i) for (const p of [points[0]!, points[i]!, points[i + 1]!]) at.setXYZ(k++, p.x, p.y, p.z);
    at.needsUpdate = true;
    geometry.setDrawRange(0, k);
  }

  private arrow(at: THREE.Vector3, axis: THREE.Vector3, length: number, radius: number, color: THREE.Color): void {
    const head = Math.min(6.5 * radius, 0.5 * length);
    this.shafts.put(at, axis, new THREE.Vector3(radius, radius, length - head), color);
    const tip = at.clone().addScaledVector(axis, length - head);
    this.heads.put(tip, axis, new THREE.Vector3(2.7 * radius, 2.7 * radius, head), color);
  }
}
