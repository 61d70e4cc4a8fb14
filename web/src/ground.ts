// Planes: a wide patch that takes shadows, with grid lines (1 m, and 0.1 m near by) drawn in its shader
// and fading into the sky, so that it looks endless.

import * as THREE from 'three';
import type { Palette } from './theme';

const kReach = 60; // m

export class Ground {
  readonly mesh: THREE.Mesh;
  private readonly material: THREE.MeshLambertMaterial | THREE.MeshBasicMaterial;
  private readonly uniforms = {
    lineColor: { value: new THREE.Color() },
    skyColor: { value: new THREE.Color() },
    middle: { value: new THREE.Vector3() },
    reach: { value: 12 },
    lines: { value: 1 },
  };

  /** `plain`: its light is worked out once instead of at every pixel; takes no shadows. */
  constructor(private readonly plain: boolean) {
    this.material = plain ? new THREE.MeshBasicMaterial() : new THREE.MeshLambertMaterial();
    this.material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec2 vSpot;\nvarying vec3 vPlace;')
        .replace(
          '#include <begin_vertex>',
          '#include <begin_vertex>\nvSpot = position.xy;\nvPlace = (modelMatrix * vec4(position, 1.0)).xyz;',
        );
      shader.fragmentShader = shader.fragmentShader
        .replace(
          '#include <common>',
          `#include <common>
          varying vec2 vSpot; varying vec3 vPlace;
          uniform vec3 lineColor, skyColor, middle; uniform float reach, lines;
          float grid(float cell, vec2 spread) {
            vec2 c = vSpot / cell, w = spread / cell;
            vec2 d = abs(fract(c - 0.5) - 0.5) / max(w, vec2(1e-6));
            // Cells smaller than some pixels would shimmer.
            return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.12, 0.4, max(w.x, w.y)));
          }`,
        )
        .replace(
          '#include <opaque_fragment>',
          `vec2 spread = fwidth(vSpot);
          float fine = grid(0.1, spread) * 0.28, coarse = grid(1.0, spread) * 0.8;
          outgoingLight = mix(outgoingLight, lineColor, lines * max(fine, coarse));
          float away = smoothstep(0.25, 1.0, distance(vPlace, middle) / reach);
          outgoingLight = mix(outgoingLight, skyColor, away);
          #include <opaque_fragment>`,
        );
    };
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * kReach, 2 * kReach), this.material);
    this.mesh.receiveShadow = true;
  }

  paint(p: Palette): void {
    this.material.color.set(p.ground);
    // As the lights of scene_view.ts would shine on it from above.
    if (this.plain) this.material.color.multiply(new THREE.Color(p.ambientSky).multiplyScalar(p.ambient).addScalar(0.83 * p.sun)).multiplyScalar(1 / Math.PI);
    this.uniforms.lineColor.value.set(p.line);
    this.uniforms.skyColor.value.set(p.sky);
  }

  /** Fades around where the camera looks; the farther it is, the farther one sees. */
  place(middle: THREE.Vector3, distance: number): void {
    this.uniforms.middle.value.copy(middle);
    this.uniforms.reach.value = Math.min(kReach, 6 + 3 * distance);
  }

  showLines(on: boolean): void {
    this.uniforms.lines.value = on ? 1 : 0;
  }
}
