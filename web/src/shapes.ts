// Shapes of the protocol to three.js geometry.

import * as THREE from 'three';
import { mergeGeometries, toCreasedNormals } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { decodeMesh } from './frames';
import type { MeshData } from './frames';
import type { Shape } from './protocol';

const kCrease = (35 / 180) * Math.PI;

/** Where meshes come from; answers are kept until the next scene. */
export class MeshStore {
  private readonly meshes = new Map<number, Promise<MeshData>>();

  constructor(private readonly address: (mesh: number) => string) {}

  get(mesh: number): Promise<MeshData> {
    let data = this.meshes.get(mesh);
    if (!data) this.meshes.set(mesh, (data = this.fetch(mesh)));
    return data;
  }

  clear(): void {
    this.meshes.clear();
  }

  private async fetch(mesh: number): Promise<MeshData> {
    const answer = await fetch(this.address(mesh));
    if (!answer.ok) throw new Error(`mesh ${mesh}: ${answer.status}`);
    const decoded = decodeMesh(await answer.arrayBuffer());
    if (!decoded.ok) throw new Error(`mesh ${mesh}: ${decoded.why}`);
    return decoded.value;
  }
}

/** Round things get as many sides as their size deserves. */
const sides = (radius: number) => 2 * Math.round(Math.min(16, 7 + 60 * radius));

function makePrimitive(shape: Shape): THREE.BufferGeometry | null {
  const [a = 0, b = 0, c = 0] = shape.size;
  switch (shape.kind) {
    case 'sphere':
      return new THREE.SphereGeometry(a, sides(a), sides(a) / 2).rotateX(Math.PI / 2);
    case 'capsule':
      return new THREE.CapsuleGeometry(a, b, 6, sides(a)).rotateX(Math.PI / 2);
    case 'cylinder':
      return new THREE.CylinderGeometry(a, a, b, sides(a)).rotateX(Math.PI / 2);
    case 'box':
      return new THREE.BoxGeometry(a, b, c);
    default:
      return null;
  }
}

function makeMeshGeometry(data: MeshData): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(data.positions.slice(), 3));
  geometry.setIndex(new THREE.BufferAttribute(data.indices.slice(), 1));
  return geometry;
}

async function makeGeometry(shape: Shape, meshes: MeshStore): Promise<THREE.BufferGeometry | null> {
  let geometry = makePrimitive(shape);
  if (!geometry && shape.mesh !== undefined) {
    const mesh = makeMeshGeometry(await meshes.get(shape.mesh));
    const [x, y, z] = shape.scale ?? [1, 1, 1];
    mesh.scale(x!, y!, z!);
    geometry = toCreasedNormals(mesh, kCrease);
  }
  if (!geometry) return null;
  geometry.deleteAttribute('uv');
  // Shared corners are worked out once; parts with and without an index could not be merged.
  if (!geometry.index) geometry.setIndex(Array.from({ length: geometry.getAttribute('position').count }, (_, i) => i));

  const [w, x, y, z] = shape.quaternion;
  geometry.applyQuaternion(new THREE.Quaternion(x, y, z, w).normalize());
  geometry.translate(shape.position[0]!, shape.position[1]!, shape.position[2]!);

  const color = new THREE.Color().setRGB(shape.color[0]!, shape.color[1]!, shape.color[2]!, THREE.SRGBColorSpace);
  const colors = new Float32Array(geometry.getAttribute('position').count * 3);
  for (let i = 0; i < colors.length; i += 3) color.toArray(colors, i);
  geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
  return geometry;
}

/** All shapes of a body in one geometry with colours at the vertices: one draw call for each body. */
export async function mergeShapes(shapes: Shape[], meshes: MeshStore): Promise<THREE.BufferGeometry | null> {
  const made = await Promise.all(
    shapes.map((s) =>
      makeGeometry(s, meshes).catch((why: unknown) => {
        console.warn(String(why)); // the rest of the body is still worth seeing
        return null;
      }),
    ),
  );
  const parts = made.filter((g) => g !== null);
  if (!parts.length) return null;
  const merged = mergeGeometries(parts);
  parts.forEach((g) => g.dispose());
  return merged;
}

/** What of a body is looked at: its looks, or what collides where it has none. */
export function visibleShapes(shapes: Shape[]): Shape[] {
  const looks = shapes.filter((s) => s.looks);
  return looks.length ? looks : shapes;
}
