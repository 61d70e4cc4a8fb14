// Many copies of one small thing in one draw call; as many as are put, anew for every picture. What is hidden
// behind bodies shines through faintly.

import * as THREE from 'three';

const kZ = new THREE.Vector3(0, 0, 1);

export class Pool {
  private mesh: THREE.InstancedMesh;
  private ghost: THREE.InstancedMesh | null = null;
  private used = 0;
  private readonly matrix = new THREE.Matrix4();
  private readonly turn = new THREE.Quaternion();

  constructor(
    private readonly parent: THREE.Object3D,
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    private readonly order: number,
    private readonly ghostMaterial: THREE.Material | null = null,
  ) {
    this.mesh = this.make(64);
  }

  private make(capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.renderOrder = this.order;
    mesh.count = 0;
    // Made now, so that the shader knows that there are colours.
    mesh.setColorAt(0, new THREE.Color());
    this.parent.add(mesh);
    if (this.ghostMaterial) {
      if (this.ghost) this.parent.remove(this.ghost);
      const ghost = new THREE.InstancedMesh(this.geometry, this.ghostMaterial, 0);
      ghost.instanceMatrix = mesh.instanceMatrix;
      ghost.instanceColor = mesh.instanceColor;
      ghost.frustumCulled = false;
      ghost.renderOrder = this.order;
      this.parent.add((this.ghost = ghost));
    }
    return mesh;
  }

  begin(): void {
    this.used = 0;
  }

  /** One copy at `at`, its z axis turned to `axis` (unit), scaled. */
  put(at: THREE.Vector3, axis: THREE.Vector3, scale: THREE.Vector3, color: THREE.Color): void {
    if (this.used === this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * this.used);
      (this.mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array);
      (this.mesh.instanceColor!.array as Float32Array).set(old.instanceColor!.array);
      this.parent.remove(old);
      old.dispose();
    }
    this.turn.setFromUnitVectors(kZ, axis);
    this.mesh.setMatrixAt(this.used, this.matrix.compose(at, this.turn, scale));
    this.mesh.setColorAt(this.used++, color);
  }

  end(): void {
    this.mesh.count = this.used;
    this.mesh.visible = this.used > 0; // not even its shader is changed to
    if (this.ghost) {
      this.ghost.count = this.used;
      this.ghost.visible = this.used > 0;
    }
    if (!this.used) return;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}
