// The 3D view: bodies of the scene, ground, light, camera. Knows nothing of the connection.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import type { StateFrame } from './frames';
import { Ground } from './ground';
import { FlatShadows } from './flat_shadow';
import { Painter } from './painter';
import type { Shadows } from './painter';
import type { Scene } from './protocol';
import type { Settings } from './settings';
import { MeshStore, mergeShapes, visibleShapes } from './shapes';
import { looksDifferent } from './stillness';
import type { Palette } from './theme';

export interface Picked {
  body: number;
  point: THREE.Vector3;
  normal: THREE.Vector3;
  /** The point in the body's frame. */
  local: THREE.Vector3;
}

const kSun = new THREE.Vector3(0.3, -0.62, 1.05); // towards the light
const kHomeDirection = new THREE.Vector3(1, -0.85, 0.42).normalize();

export class SceneView {
  readonly world = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(36, 1, 0.02, 200);
  readonly controls: OrbitControls;
  readonly painter: Painter;
  readonly canvas: HTMLCanvasElement;
  /** Called before each picture, and when only texts change; for what is drawn on top. */
  onRender: ((draws: boolean) => void) | null = null;
  /** m of force arrow for each N: how far a change of force is seen. */
  metresPerNewton = 0;

  private readonly sun = new THREE.DirectionalLight(0xffffff, 2);
  private readonly fill = new THREE.HemisphereLight();
  private readonly material: THREE.MeshLambertMaterial | THREE.MeshStandardMaterial;
  private readonly chosenMaterial: THREE.MeshLambertMaterial | THREE.MeshStandardMaterial;
  private readonly collisionMaterial = new THREE.MeshBasicMaterial({ color: 0x1fa3a3, wireframe: true, transparent: true, opacity: 0.35 });
  private readonly flat = new FlatShadows();
  private hasFlat = false;
  private readonly bodies: THREE.Group[] = [];
  private readonly grounds: Ground[] = [];
  private moving: number[] = [];
  private robots: number[] = []; // those of moving that belong to robots
  private readonly meshes: MeshStore;
  private generation = 0;
  private file: string | null = null;
  private framePending = false;
  private shapesMade = false; // all of this scene, meshes that were fetched included
  private chosen: number | null = null;
  private followed: number | 'com' | null = null;
  private followedName = '';
  private names: string[] = [];
  private readonly followPoint = new THREE.Vector3();
  private settings: Settings | null = null;
  private palette: Palette | null = null;
  private frame: StateFrame | null = null;
  private shown: StateFrame | null = null; // the state in the picture that is shown
  private readonly raycaster = new THREE.Raycaster();

  constructor(
    host: HTMLElement,
    meshAddress: (mesh: number) => string,
  ) {
    this.meshes = new MeshStore(meshAddress);
    this.painter = new Painter(host, this);
    this.canvas = this.painter.canvas;
    this.material = this.painter.software
      ? new THREE.MeshLambertMaterial({ vertexColors: true })
      : new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.62, metalness: 0.04 });
    this.chosenMaterial = this.material.clone();

    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(kHomeDirection).multiplyScalar(4).add(new THREE.Vector3(0, 0, 0.7));
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.set(0, 0, 0.7);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.18;
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 0.08;
    this.controls.maxDistance = 80;
    this.controls.maxPolarAngle = Math.PI * 0.96;
    this.controls.addEventListener('change', () => this.invalidate());
    // Whoever moved the camera keeps what they look at.
    this.controls.addEventListener('start', () => (this.framePending = false));

    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.012;
    this.world.add(this.sun, this.sun.target, this.fill);
    this.chosenMaterial.emissive.set(0x1d6fd1);
    this.chosenMaterial.emissiveIntensity = 0.45;

    this.painter.start();
  }

  /** Something looks different. */
  invalidate(): void {
    this.painter.invalidate();
  }
  get software(): boolean {
    return this.painter.software;
  }

  setScene(scene: Scene): void {
    const generation = ++this.generation;
    this.painter.settle();
    this.frame = null;
    this.shown = null;
    this.meshes.clear();
    for (const group of this.bodies) {
      group.traverse((o) => {
        if (o instanceof THREE.Mesh) (o.geometry as THREE.BufferGeometry).dispose();
      });
      this.world.remove(group);
    }
    this.grounds.forEach((g) => g.dispose());
    this.flat.clear();
    this.bodies.length = 0;
    this.grounds.length = 0;
    this.moving = [];
    this.robots = [];
    const made: Promise<void>[] = [];
    scene.bodies.forEach((body, index) => {
      const group = new THREE.Group();
      group.userData.body = index;
      this.bodies.push(group);
      if (body.moves) {
        this.moving.push(index);
        if (body.robot !== null) this.robots.push(index);
        group.visible = false; // until its first pose is known
      }
      this.world.add(group);
      for (const shape of body.shapes.filter((s) => s.kind === 'plane')) {
        const ground = new Ground(this.software && !this.sun.castShadow);
        if (this.palette) ground.paint(this.palette);
        const [w, x, y, z] = shape.quaternion;
        ground.mesh.quaternion.set(x!, y!, z!, w!);
        ground.mesh.position.set(shape.position[0]!, shape.position[1]!, shape.position[2]!);
        // Flat shadows fall on the first plane.
        if (!this.grounds.length) this.flat.place(new THREE.Vector3(0, 0, 1).applyQuaternion(ground.mesh.quaternion), ground.mesh.position, kSun);
        this.grounds.push(ground);
        group.add(ground.mesh);
      }
      made.push(this.addShapes(group, index, scene, generation));
    });
    this.shapesMade = false;
    void Promise.allSettled(made).then(() => {
      if (generation !== this.generation) return;
      this.shapesMade = true;
      this.frameOnce();
    });
    if (this.settings) this.applySettings(this.settings);
    this.choose(null);
    if (scene.file !== this.file) {
      this.file = scene.file;
      this.followed = null;
      this.framePending = true;
    } else if (typeof this.followed === 'number') {
      // Bodies came or went: the same one may have another number.
      const body = scene.bodies.findIndex((b) => b.name === this.followedName);
      this.followed = body < 0 ? null : body;
    }
    this.names = scene.bodies.map((b) => b.name);
    this.invalidate();
  }

  private async addShapes(group: THREE.Group, index: number, scene: Scene, generation: number): Promise<void> {
    const shapes = scene.bodies[index]!.shapes;
    const add = (geometry: THREE.BufferGeometry | null, collision: boolean) => {
      if (!geometry || generation !== this.generation) return;
      const mesh = new THREE.Mesh(geometry, collision ? this.collisionMaterial : this.material);
      mesh.userData = { body: index, collision };
      mesh.castShadow = mesh.receiveShadow = !collision;
      if (collision) mesh.visible = this.settings?.collision ?? false;
      group.add(mesh);
      if (!collision && this.software && this.grounds.length && scene.bodies[index]!.moves) this.flat.add(group, geometry, this.hasFlat);
      if (index === this.chosen) this.choose(index);
      this.invalidate();
    };
    add(await mergeShapes(visibleShapes(shapes), this.meshes), false);
    add(await mergeShapes(shapes.filter((s) => s.touches), this.meshes), true);
  }

  setFrame(frame: StateFrame): void {
    this.frame = frame;
    this.moving.forEach((body, i) => {
      const group = this.bodies[body]!;
      const p = frame.poses.subarray(7 * i, 7 * i + 7);
      if (p.length < 7) return;
      group.position.set(p[0]!, p[1]!, p[2]!);
      group.quaternion.set(p[4]!, p[5]!, p[6]!, p[3]!);
      group.visible = true;
      group.updateMatrixWorld();
    });
    this.frameOnce();
    this.follow();
    if (!this.shown || looksDifferent(frame, this.shown, this.scale())) this.invalidate();
    else this.painter.invalidateTexts();
  }

  /** A new scene is looked at as a whole once it is known how large it is and where. */
  private frameOnce(): void {
    if (this.framePending && this.shapesMade && this.frame) this.home();
  }

  private scale(): { metresPerPixel: number; metresPerNewton: number } {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const height = 2 * distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    return { metresPerPixel: height / Math.max(this.painter.height, 1), metresPerNewton: this.metresPerNewton };
  }

  poseOf(body: number): THREE.Matrix4 | null {
    return this.bodies[body]?.matrixWorld ?? null;
  }

  /** The body under a point of the page, and where. */
  pick(clientX: number, clientY: number, moversOnly: boolean): Picked | null {
    this.raycaster.setFromCamera(this.toClip(clientX, clientY), this.camera);
    const candidates = this.bodies.filter((g) => !moversOnly || this.moving.includes(g.userData.body as number));
    for (const hit of this.raycaster.intersectObjects(candidates, true)) {
      if ((hit.object.userData as { collision?: boolean }).collision || !hit.face) continue;
      let node: THREE.Object3D | null = hit.object;
      while (node && node.userData.body === undefined) node = node.parent;
      if (!node?.visible) continue;
      const normal = hit.face.normal.clone().transformDirection(hit.object.matrixWorld);
      const body = node.userData.body as number;
      return { body, point: hit.point, normal, local: this.bodies[body]!.worldToLocal(hit.point.clone()) };
    }
    return null;
  }

  ray(clientX: number, clientY: number): THREE.Ray {
    this.raycaster.setFromCamera(this.toClip(clientX, clientY), this.camera);
    return this.raycaster.ray;
  }

  private toClip(clientX: number, clientY: number): THREE.Vector2 {
    const box = this.canvas.getBoundingClientRect();
    return new THREE.Vector2(((clientX - box.left) / box.width) * 2 - 1, 1 - ((clientY - box.top) / box.height) * 2);
  }

  /** Where a point of the world is on the canvas (CSS pixels), or null when it is behind the camera. */
  project(p: THREE.Vector3): { x: number; y: number } | null {
    const v = p.clone().project(this.camera);
    if (v.z > 1) return null;
    return { x: ((v.x + 1) / 2) * this.painter.width, y: ((1 - v.y) / 2) * this.painter.height };
  }

  choose(body: number | null): void {
    this.chosen = body;
    this.bodies.forEach((group, index) => {
      for (const o of group.children)
        if (o instanceof THREE.Mesh && (o.userData as { collision?: boolean }).collision === false)
          o.material = index === body ? this.chosenMaterial : this.material;
    });
    this.invalidate();
  }

  setFollow(what: number | 'com' | null): void {
    this.followed = what;
    if (typeof what === 'number') this.followedName = this.names[what] ?? '';
    const p = this.followTarget();
    if (p) this.followPoint.copy(p);
  }
  get following(): boolean {
    return this.followed !== null;
  }

  private followTarget(): THREE.Vector3 | null {
    if (this.followed === 'com') {
      const com = this.frame?.com;
      return com && Number.isFinite(com[0]) ? new THREE.Vector3(...com) : null;
    }
    return this.followed === null ? null : (this.bodies[this.followed]?.position ?? null);
  }

  private follow(): void {
    const p = this.followTarget();
    if (!p) return;
    const moved = p.clone().sub(this.followPoint);
    this.followPoint.copy(p);
    this.camera.position.add(moved);
    this.controls.target.add(moved);
  }

  /** Looks at everything that moves (or at one body) from the usual side, or from `direction`. */
  home(direction = kHomeDirection, body: number | null = null): void {
    this.framePending = false;
    const box = new THREE.Box3();
    // A robot is what one came to see; without one, everything that moves.
    const main = this.robots.length ? this.robots : this.moving;
    for (const index of body === null ? main : [body]) box.expandByObject(this.bodies[index]!);
    if (box.isEmpty()) box.set(new THREE.Vector3(-0.8, -0.8, 0), new THREE.Vector3(0.8, 0.8, 1.2));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    // A pile that spreads far, or one bolt: neither from too far nor from too near.
    const radius = Math.min(Math.max(sphere.radius, 0.12), 4);
    const fit = radius / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2) * Math.min(1, this.camera.aspect));
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(direction, fit * 1.06);
    this.controls.update();
    this.invalidate();
  }

  applySettings(s: Settings): void {
    this.settings = s;
    this.grounds.forEach((g) => g.showLines(s.grid));
    for (const m of [this.material, this.chosenMaterial]) {
      m.transparent = s.seeThrough;
      m.opacity = s.seeThrough ? 0.32 : 1;
      m.depthWrite = !s.seeThrough;
      m.needsUpdate = true;
    }
    for (const group of this.bodies)
      for (const o of group.children)
        if ((o.userData as { collision?: boolean }).collision) o.visible = s.collision;
    this.painter.quality.allowShadows(s.shadows === 'auto');
    this.invalidate();
  }

  applyPalette(p: Palette): void {
    this.palette = p;
    this.world.background = new THREE.Color(p.sky);
    this.fill.color.set(p.ambientSky);
    this.fill.groundColor.set(p.ambientGround);
    this.fill.intensity = p.ambient;
    this.sun.intensity = p.sun;
    this.grounds.forEach((g) => g.paint(p));
    this.invalidate();
  }

  castShadows(how: Shadows): void {
    this.sun.castShadow = how === 'soft';
    this.grounds.forEach((g) => g.setPlain(this.software && how !== 'soft'));
    this.hasFlat = how === 'flat';
    this.flat.show(this.hasFlat);
  }

  tick(): void {
    this.controls.update();
  }

  prepare(draws: boolean): void {
    // The light's shadow covers what one looks at.
    const distance = this.camera.position.distanceTo(this.controls.target);
    const reach = THREE.MathUtils.clamp(distance * 0.75, 0.8, 8);
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).add(kSun.clone().multiplyScalar(12));
    const c = this.sun.shadow.camera;
    if (c.right !== reach) {
      Object.assign(c, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.5, far: 30 });
      c.updateProjectionMatrix();
    }
    this.camera.near = THREE.MathUtils.clamp(distance * 0.02, 0.005, 0.2);
    this.camera.updateProjectionMatrix();
    this.grounds.forEach((g) => g.place(this.controls.target, distance, this.painter.ratio));
    if (draws) this.shown = this.frame;
    this.onRender?.(draws);
  }
}
