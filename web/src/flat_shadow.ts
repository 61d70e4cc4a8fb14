// Shadows on the ground for machines that draw with the processor: every body once more, flattened along the light.
// No map of depths has to be drawn and looked up at every pixel; where they overlap, the stencil keeps them from darkening twice.

import * as THREE from 'three';

export class FlatShadows {
  private readonly plane = { value: new THREE.Vector4(0, 0, 1, 0) }; // normal and distance from the origin
  private readonly light = { value: new THREE.Vector3(0, 0, -1) };
  private readonly meshes: THREE.Mesh[] = [];
  private readonly material = new THREE.ShaderMaterial({
    uniforms: { plane: this.plane, light: this.light },
    vertexShader: `
      uniform vec4 plane; uniform vec3 light;
      void main() {
        vec4 w = modelMatrix * vec4(position, 1.0);
        // A body below the plane has no shadow on it.
        w.xyz -= light * (max(dot(plane.xyz, w.xyz) - plane.w, 0.0) / dot(plane.xyz, light));
        gl_Position = projectionMatrix * viewMatrix * w;
        gl_Position.z -= 2e-4 * gl_Position.w;
      }`,
    fragmentShader: 'void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, 0.24); }',
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    stencilWrite: true,
    stencilFunc: THREE.EqualStencilFunc,
    stencilRef: 0,
    stencilZPass: THREE.IncrementStencilOp,
  });

  /** Where shadows fall, and from where the light comes. */
  place(normal: THREE.Vector3, point: THREE.Vector3, towardsLight: THREE.Vector3): void {
    this.plane.value.set(normal.x, normal.y, normal.z, normal.dot(point));
    this.light.value.copy(towardsLight).normalize().negate();
  }

  add(group: THREE.Group, geometry: THREE.BufferGeometry, visible: boolean): void {
    const mesh = new THREE.Mesh(geometry, this.material);
    mesh.frustumCulled = false; // it is not where the body is
    mesh.renderOrder = 2;
    mesh.raycast = () => undefined;
    mesh.visible = visible;
    this.meshes.push(mesh);
    group.add(mesh);
  }

  show(on: boolean): void {
    for (const mesh of this.meshes) mesh.visible = on;
  }

  clear(): void {
    this.meshes.length = 0;
  }
}
