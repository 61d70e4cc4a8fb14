// Whether the eye could tell two states apart. A robot that stands trembles by nanometres, sixty times a second:
// no reason to draw it again.

import type { StateFrame, Vec3 } from './frames';

const kPixels = 0.25; // a move by less is not seen
const kReach = 0.5; // m that a body turns about, at most; most are smaller

/** Metres a pixel shows, and metres of arrow for each newton (0: no arrows are drawn). */
export interface Scale {
  metresPerPixel: number;
  metresPerNewton: number;
}

export function looksDifferent(a: StateFrame, b: StateFrame, scale: Scale): boolean {
  if (a.scene !== b.scene || a.poses.length !== b.poses.length || a.contacts.length !== b.contacts.length) return true;
  const far = kPixels * scale.metresPerPixel;
  return havePosesMoved(a.poses, b.poses, far) || haveContactsChanged(a, b, far, scale.metresPerNewton) || hasBalanceMoved(a, b, far);
}

function havePosesMoved(a: Float64Array, b: Float64Array, far: number): boolean {
  for (let i = 0; i < a.length; i += 7) {
    for (let k = i; k < i + 3; ++k) if (Math.abs(a[k]! - b[k]!) > far) return true;
    // A quaternion and its negative are one rotation; small angles are twice the difference of the parts.
    const same = a[i + 3]! * b[i + 3]! + a[i + 4]! * b[i + 4]! + a[i + 5]! * b[i + 5]! + a[i + 6]! * b[i + 6]! < 0 ? -1 : 1;
    for (let k = i + 3; k < i + 7; ++k) if (2 * kReach * Math.abs(a[k]! - same * b[k]!) > far) return true;
  }
  return false;
}

function haveContactsChanged(a: StateFrame, b: StateFrame, far: number, metresPerNewton: number): boolean {
  return a.contacts.some((c, i) => {
    const d = b.contacts[i]!;
    return c.state !== d.state || isFar(c.position, d.position, far) || isFar(c.force, d.force, far / metresPerNewton);
  });
}

function hasBalanceMoved(a: StateFrame, b: StateFrame, far: number): boolean {
  if (isFar(a.com, b.com, far) || isFar(a.zmp, b.zmp, far) || isFar(a.cop, b.cop, far)) return true;
  return a.support.length !== b.support.length || a.support.some((x, i) => Math.abs(x - b.support[i]!) > far);
}

/** NaN: there is none; one that comes or goes is seen. */
function isFar(a: Vec3, b: Vec3, far: number): boolean {
  return a.some((x, k) => (Number.isNaN(x) ? !Number.isNaN(b[k]!) : !(Math.abs(x - b[k]!) <= far)));
}
