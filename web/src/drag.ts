// Hands on bodies: pull (Ctrl + left drag, or the tool), push, place, select by double click.

import * as THREE from 'three';
import type { App } from './app';
import { throttle } from './dom';
import { newtons } from './format';
import type { Drag, Vec3 } from './frames';
import type { Labels } from './labels';
import type { NextObject } from './panels/object_panel';
import { halfHeight } from './panels/object_panel';
import type { Scene } from './protocol';
import type { Picked, SceneView } from './scene_view';
import { settings } from './settings';
import type { Signal } from './signal';

const kOrange = 0xf07a13;
const kSendEvery = 8; // ms between the places of a hand
const kPushEvery = 50; // ms, while the button is held
const kThrow = 6; // m/s
const kTap = 300; // ms
const kDropHeight = 0.6; // m above what was clicked

interface Grip {
  pointer: number;
  file: string; // of the scene
  body: number;
  name: string;
  local: THREE.Vector3;
  plane: THREE.Plane;
  target: THREE.Vector3;
}

/** A thin bar between two points. */
class Bar {
  readonly root = new THREE.Group();
  private readonly rod: THREE.Mesh;
  private readonly ends: [THREE.Mesh, THREE.Mesh];

  constructor(opacity: number) {
    const material = new THREE.MeshBasicMaterial({ color: kOrange, depthTest: false, transparent: true, opacity, toneMapped: false });
    this.rod = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), material);
    const ball = new THREE.SphereGeometry(1, 16, 12);
    this.ends = [new THREE.Mesh(ball, material), new THREE.Mesh(ball, material)];
    this.root.add(this.rod, ...this.ends);
    this.root.traverse((o) => (o.renderOrder = 10));
  }

  set(from: THREE.Vector3, to: THREE.Vector3, unit: number): void {
    const along = to.clone().sub(from);
    const length = Math.max(along.length(), 1e-6);
    this.rod.position.copy(from);
    this.rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.divideScalar(length));
    this.rod.scale.set(unit, unit, length);
    this.ends[0].position.copy(from);
    this.ends[1].position.copy(to);
    this.ends[0].scale.setScalar(2 * unit);
    this.ends[1].scale.setScalar(3 * unit);
  }
}

export class Hands {
  readonly root = new THREE.Group();
  private grip: Grip | null = null;
  private pushing: { pointer: number; timer: number } | null = null;
  private lastPush: { from: THREE.Vector3; to: THREE.Vector3; newtons: number; until: number } | null = null;
  private tap: { pointer: number; x: number; y: number; time: number } | null = null;
  private readonly bars = new Map<string, Bar>();
  private readonly send = throttle(kSendEvery, () => this.sendDrag());
  private readonly raw = (e: Event) => this.move(e as PointerEvent);
  private drawn: Drag[] = []; // hands of others in the picture that is shown

  constructor(
    private readonly app: App,
    private readonly view: SceneView,
    private readonly labels: Labels,
    private readonly nextObject: Signal<NextObject>,
    private readonly host: HTMLElement,
  ) {
    // Before the camera's own controls, which listen on the canvas.
    host.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    host.addEventListener('pointermove', (e) => this.move(e), { capture: true });
    for (const end of ['pointerup', 'pointercancel'] as const) host.addEventListener(end, (e) => this.up(e), { capture: true });
    view.canvas.addEventListener('dblclick', (e) => this.select(e));
    view.canvas.addEventListener('contextmenu', (e) => e.preventDefault());
    // Whatever hides the end of a hold from the page ends it: the button may come up unseen.
    view.canvas.addEventListener('lostpointercapture', (e) => {
      if (this.holds(e.pointerId)) this.letGo();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.letGo();
    });
    for (const away of ['blur', 'pagehide']) window.addEventListener(away, () => this.letGo());
    app.link.listen((l) => {
      if (l.state !== 'open') this.letGo();
    });
    app.scene.listen((scene) => this.takeScene(scene));
    app.tool.watch((tool) => {
      this.letGo();
      view.canvas.dataset.tool = tool;
    });
  }

  private down(e: PointerEvent): void {
    if (e.target !== this.view.canvas || e.button !== 0 || this.holding) return;
    const tool = e.ctrlKey || e.metaKey ? 'pull' : this.app.tool.value;
    if (tool === 'orbit') {
      // Fingers do not double click.
      if (e.pointerType === 'touch') this.tap = { pointer: e.pointerId, x: e.clientX, y: e.clientY, time: e.timeStamp };
      return;
    }
    const hit = this.view.pick(e.clientX, e.clientY, tool !== 'add');
    if (tool === 'add') {
      this.place(e, hit);
    } else {
      if (!hit) return; // beside the bodies every tool turns the view
      if (tool === 'pull') this.take(e, hit);
      else this.startPush(e, hit);
    }
    e.stopPropagation();
    e.preventDefault();
    (document.activeElement as HTMLElement | null)?.blur();
  }

  private take(e: PointerEvent, hit: Picked): void {
    const facing = this.view.camera.getWorldDirection(new THREE.Vector3());
    this.grip = {
      pointer: e.pointerId,
      file: this.app.scene.value!.file,
      body: hit.body,
      name: this.app.scene.value!.bodies[hit.body]!.name,
      local: hit.local,
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      target: hit.point.clone(),
    };
    this.view.canvas.setPointerCapture(e.pointerId);
    this.view.canvas.classList.add('holding');
    // As the hand moves, not when the next picture is begun: where pictures are slow that is much later.
    this.host.addEventListener('pointerrawupdate', this.raw, { capture: true });
    this.sendDrag();
    this.view.invalidate();
  }

  private move(e: PointerEvent): void {
    if (this.grip?.pointer !== e.pointerId) return;
    e.stopPropagation();
    const hit = this.view.ray(e.clientX, e.clientY).intersectPlane(this.grip.plane, new THREE.Vector3());
    if (!hit || hit.distanceTo(this.grip.target) < 1e-9) return; // told already
    this.grip.target.copy(hit);
    this.send();
    this.view.invalidate();
  }

  private up(e: PointerEvent): void {
    const tap = this.tap;
    this.tap = null;
    if (tap?.pointer === e.pointerId && e.type === 'pointerup' && e.timeStamp - tap.time < kTap && Math.hypot(e.clientX - tap.x, e.clientY - tap.y) < 8)
      this.select(e);
    if (this.holds(e.pointerId)) {
      e.stopPropagation();
      this.letGo();
    }
  }

  /** The number of the body may have changed, and after a reset the server has forgotten the hand. */
  private takeScene(scene: Scene | null): void {
    const g = this.grip;
    const body = g && scene?.file === g.file ? scene.bodies.findIndex((b) => b.name === g.name) : -1;
    if (!g || body < 0) {
      this.letGo();
      return;
    }
    g.body = body;
    this.sendDrag();
  }

  private sendDrag(): void {
    const g = this.grip;
    if (!g) return;
    void this.app.drag(g.name, g.local.toArray(), g.target.toArray()).then((taken) => {
      if (!taken && this.grip === g) this.letGo();
    });
  }

  /** Whether bars of others are elsewhere than they are drawn; the own one follows the own hand. */
  haveMoved(drags: Drag[]): boolean {
    const others = this.ofOthers(drags);
    const differs = (a: Vec3, b: Vec3) => a.some((x, k) => Math.abs(x - b[k]!) > 1e-3);
    return others.length !== this.drawn.length || others.some((d, i) => differs(d.point, this.drawn[i]!.point) || differs(d.target, this.drawn[i]!.target));
  }
  private ofOthers(drags: Drag[]): Drag[] {
    return drags.filter((d) => d.viewer !== this.app.hello.value?.viewer);
  }

  /** Pulls or pushes. */
  get holding(): boolean {
    return this.grip !== null || this.pushing !== null;
  }
  private holds(pointer: number): boolean {
    return (this.grip ?? this.pushing)?.pointer === pointer;
  }

  letGo(): void {
    const { grip, pushing } = this;
    const { canvas } = this.view;
    const held = grip ?? pushing;
    if (!held) return;
    this.grip = null;
    this.pushing = null;
    if (canvas.hasPointerCapture(held.pointer)) canvas.releasePointerCapture(held.pointer);
    if (pushing) window.clearInterval(pushing.timer);
    if (grip) {
      this.host.removeEventListener('pointerrawupdate', this.raw, { capture: true });
      canvas.classList.remove('holding');
      this.app.release();
    }
    this.view.invalidate();
  }

  /** Pushes against the surface that was touched, again and again while the button is down. */
  private startPush(e: PointerEvent, hit: Picked): void {
    const name = this.app.scene.value!.bodies[hit.body]!.name;
    const size = settings.value.pushForce ?? this.app.scene.value!.interaction.push;
    const { pushSeconds } = settings.value;
    const direction = e.shiftKey ? this.view.ray(e.clientX, e.clientY).direction.clone() : hit.normal.clone().negate();
    const push = () => {
      this.app.push(name, hit.local.toArray(), direction.clone().multiplyScalar(size).toArray(), pushSeconds);
      const pose = this.view.poseOf(hit.body);
      const to = pose ? hit.local.clone().applyMatrix4(pose) : hit.point;
      const length = 0.12 * this.view.camera.position.distanceTo(this.view.controls.target);
      const lasts = Math.max(250, pushSeconds * 1000);
      this.lastPush = { from: to.clone().addScaledVector(direction, -length), to, newtons: size, until: performance.now() + lasts };
      this.view.invalidate();
      window.setTimeout(() => this.view.invalidate(), lasts + 1); // and it is gone
    };
    push();
    this.view.canvas.setPointerCapture(e.pointerId);
    this.pushing = { pointer: e.pointerId, timer: window.setInterval(push, Math.max(kPushEvery, pushSeconds * 1000)) };
  }

  private place(e: PointerEvent, hit: Picked | null): void {
    const { shape, mass } = this.nextObject.value;
    const ray = this.view.ray(e.clientX, e.clientY);
    if (e.shiftKey) {
      const from = ray.at(0.5, new THREE.Vector3());
      void this.app.add(shape, mass, from.toArray(), ray.direction.clone().multiplyScalar(kThrow).toArray());
      return;
    }
    const at = hit?.point ?? ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), new THREE.Vector3());
    if (!at) return;
    void this.app.add(shape, mass, [at.x, at.y, at.z + kDropHeight + halfHeight(shape)], [0, 0, 0]);
  }

  /** Drops the next object where the camera looks. */
  drop(): void {
    const { shape, mass } = this.nextObject.value;
    const t = this.view.controls.target;
    void this.app.add(shape, mass, [t.x, t.y, t.z + 1 + halfHeight(shape)], [0, 0, 0]);
  }

  private select(e: MouseEvent): void {
    const hit = this.view.pick(e.clientX, e.clientY, true);
    this.app.select(hit ? this.app.scene.value!.bodies[hit.body]!.name : null);
  }

  /** Bars and newtons; called before each picture (or only for the newtons), between labels.begin and labels.end. */
  draw(draws: boolean): void {
    const unit = this.view.camera.position.distanceTo(this.view.controls.target) * 0.0021;
    const used = new Set<string>();
    const put = (key: string, from: THREE.Vector3, to: THREE.Vector3, text: string, mine: boolean) => {
      let bar = this.bars.get(key);
      if (!bar) {
        this.bars.set(key, (bar = new Bar(mine ? 1 : 0.5)));
        this.root.add(bar.root);
      }
      bar.set(from, to, unit);
      used.add(key);
      this.labels.put(`force-${key}`, text, to, mine ? 'force mine' : 'force');
    };
    const me = this.app.hello.value?.viewer;
    const others = this.ofOthers(this.app.drags.value);
    if (draws) this.drawn = others;
    for (const d of others)
      put(`viewer${d.viewer}`, new THREE.Vector3(...d.point), new THREE.Vector3(...d.target), newtons(d.newtons), false);
    // The own bar follows the pointer at once, without waiting for the server.
    const pose = this.grip && this.view.poseOf(this.grip.body);
    if (this.grip && pose) {
      const own = this.app.drags.value.find((d) => d.viewer === me);
      put('mine', this.grip.local.clone().applyMatrix4(pose), this.grip.target, own ? newtons(own.newtons) : '…', true);
    }
    if (this.lastPush && performance.now() < this.lastPush.until)
      put('push', this.lastPush.to, this.lastPush.from, newtons(this.lastPush.newtons), true);
    for (const [key, bar] of this.bars)
      if (!used.has(key)) {
        this.root.remove(bar.root);
        this.bars.delete(key);
      }
  }
}
