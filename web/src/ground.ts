// Planes: a wide patch that takes shadows, with grid lines (1 m, and 0.1 m near by) drawn in its shader
// and fading into the sky, so that it looks endless.

import * as THREE from 'three';
import type { Palette } from './theme';

const kReach = 60; // m

const kVaryings = 'varying vec2 vSpot;\nvarying vec3 vAway;\nuniform vec3 middle; uniform float reach;';
const kPlace = 'vSpot = position.xy;\nvAway = ((modelMatrix * vec4(position, 1.0)).xyz - middle) / reach;';
const kGrid = `
  varying vec2 vSpot; varying vec3 vAway;
  uniform vec3 lineColor, skyColor; uniform float lines, thick;
  float grid(float cell, vec2 spread) {
    vec2 c = vSpot / cell, w = spread / cell;
    vec2 d = abs(fract(c - 0.5) - 0.5) / max(w, vec2(1e-6));
    // Cells smaller than some pixels would shimmer.
    return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.12, 0.4, max(w.x, w.y)));
  }
  vec3 drawn(vec3 ground) {
    vec2 spread = thick * fwidth(vSpot);
    float fine = grid(0.1, spread) * 0.28, coarse = grid(1.0, spread) * 0.8;
    return mix(mix(ground, lineColor, lines * max(fine, coarse)), skyColor, smoothstep(0.25, 1.0, length(vAway)));
  }`;

export class Ground {
  readonly mesh: THREE.Mesh;
  private readonly lit = new THREE.MeshLambertMaterial();
  /** For slow machines: its light is worked out once, colours are those of the screen; takes no shadows. */
  private readonly plain: THREE.ShaderMaterial;
  private readonly spot = { middle: { value: new THREE.Vector3() }, reach: { value: 12 }, lines: { value: 1 }, thick: { value: 1 } };
  private readonly litColors = { lineColor: { value: new THREE.Color() }, skyColor: { value: new THREE.Color() } };
  private readonly plainColors = {
    groundColor: { value: new THREE.Color() },
    lineColor: { value: new THREE.Color() },
    skyColor: { value: new THREE.Color() },
  };

  constructor(plain: boolean) {
    this.lit.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.spot, this.litColors);
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', `#include <common>\n${kVaryings}`)
        .replace('#include <begin_vertex>', `#include <begin_vertex>\n${kPlace}`);
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', `#include <common>\n${kGrid}`)
        .replace('#include <opaque_fragment>', 'outgoingLight = drawn(outgoingLight);\n#include <opaque_fragment>');
    };
    this.plain = new THREE.ShaderMaterial({
      uniforms: { ...this.spot, ...this.plainColors },
      vertexShader: `${kVaryings}\nvoid main() {\n${kPlace}\ngl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);\n}`,
      fragmentShader: `${kGrid}\nuniform vec3 groundColor;\nvoid main() {\ngl_FragColor = vec4(drawn(groundColor), 1.0);\n}`,
    });
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(2 * kReach, 2 * kReach), plain ? this.plain : this.lit);
    this.mesh.receiveShadow = true;
    this.mesh.renderOrder = 1; // after the bodies, whose pixels need not be drawn twice
  }

  setPlain(plain: boolean): void {
    this.mesh.material = plain ? this.plain : this.lit;
  }

  paint(p: Palette): void {
    this.lit.color.set(p.ground);
    this.litColors.lineColor.value.set(p.line);
    this.litColors.skyColor.value.set(p.sky);
    // As the lights of scene_view.ts shine on what lies flat: half of the sky's, half of the ground's, the sun's at its slant.
    const fill = new THREE.Color(p.ambientSky).lerp(new THREE.Color(p.ambientGround), 0.5).multiplyScalar(p.ambient);
    const light = fill.addScalar(0.836 * p.sun).multiplyScalar(1 / Math.PI);
    this.plainColors.groundColor.value.set(p.ground).multiply(light).convertLinearToSRGB();
    this.plainColors.lineColor.value.set(p.line).convertLinearToSRGB();
    this.plainColors.skyColor.value.set(p.sky).convertLinearToSRGB();
  }

  /** Fades around where the camera looks; the farther it is, the farther one sees. */
  place(middle: THREE.Vector3, distance: number, pixelRatio: number): void {
    this.spot.middle.value.copy(middle);
    this.spot.thick.value = Math.max(1, 0.75 * pixelRatio);
    this.spot.reach.value = Math.min(kReach, 6 + 3 * distance);
  }

  showLines(on: boolean): void {
    this.spot.lines.value = on ? 1 : 0;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.lit.dispose();
    this.plain.dispose();
  }
}
