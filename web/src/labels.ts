// Small texts beside points of the world, as HTML so that they are sharp and can be read by tests.

import type * as THREE from 'three';
import { h, setText } from './dom';
import type { SceneView } from './scene_view';

export class Labels {
  private readonly root = h('div', { className: 'labels' });
  private readonly shown = new Map<string, { element: HTMLElement; place: string }>();
  private readonly seen = new Set<string>();

  constructor(
    host: HTMLElement,
    private readonly view: SceneView,
  ) {
    host.append(this.root);
  }

  begin(): void {
    this.seen.clear();
  }

  put(key: string, text: string, at: THREE.Vector3, className: string): void {
    const spot = this.view.project(at);
    if (!spot) return;
    let label = this.shown.get(key);
    if (!label) {
      label = { element: h('span', { className: `label ${className}`, data: { key } }), place: '' };
      this.shown.set(key, label);
      this.root.append(label.element);
    }
    this.seen.add(key);
    setText(label.element, text);
    const place = `translate(${Math.round(spot.x)}px, ${Math.round(spot.y)}px)`;
    if (label.place !== place) label.element.style.transform = label.place = place;
  }

  end(): void {
    for (const [key, { element }] of this.shown)
      if (!this.seen.has(key)) {
        element.remove();
        this.shown.delete(key);
      }
  }
}
