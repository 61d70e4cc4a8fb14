// Small line icons, drawn on a grid of 16.

const kPaths = {
  play: '<path d="M5 3.2v9.6l7.6-4.8z" fill="currentColor" stroke-linejoin="round"/>',
  pause: '<path d="M5.4 3.5v9M10.6 3.5v9" stroke-width="2.4"/>',
  step: '<path d="M3.5 3.6v8.8l6.2-4.4z" fill="currentColor" stroke-linejoin="round"/><path d="M12.4 3.6v8.8" stroke-width="2"/>',
  reset: '<path d="M3.2 8a4.8 4.8 0 1 0 1.5-3.5"/><path d="M5.2 1.8 4.5 4.7l3 .5" stroke-linejoin="round"/>',
  record: '<circle cx="8" cy="8" r="4.2" fill="currentColor" stroke="none"/>',
  camera: '<path d="M2 5.2h2.6l1.1-1.7h4.6l1.1 1.7H14v7.3H2z" stroke-linejoin="round"/><circle cx="8" cy="8.7" r="2.3"/>',
  theme: '<circle cx="8" cy="8" r="5.2"/><path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" fill="currentColor"/>',
  panel: '<rect x="2" y="3" width="12" height="10" rx="1.5"/><path d="M10 3v10"/>',
  chart: '<path d="M2.5 2.5v11h11"/><path d="m4.8 10 2.6-3.6 2.3 2L13 4.2" stroke-linejoin="round"/>',
  orbit: '<path d="m4 2.6 8.2 5-3.7.9 2 3.9-1.7.9-2-3.9L4.3 12z" stroke-linejoin="round"/>',
  pull: '<circle cx="4.2" cy="11.8" r="2"/><path d="M5.7 10.3 12.5 3.5M8.6 3.3h4.1v4.1"/>',
  push: '<path d="M2 8h7.2M6.5 5 9.5 8l-3 3"/><path d="M12.6 3v10" stroke-width="2.2"/>',
  add: '<path d="M8 2.2 13.2 5v6L8 13.8 2.8 11V5z" stroke-linejoin="round"/><path d="M8 5.8v4.4M5.8 8h4.4"/>',
  home: '<path d="m2.5 7.8 5.5-5 5.5 5M4.2 6.6v6.6h7.6V6.6" stroke-linejoin="round"/>',
  follow: '<circle cx="8" cy="8" r="4.6"/><path d="M8 1.4v3M8 11.6v3M1.4 8h3M11.6 8h3"/>',
  trash: '<path d="M3 4.5h10M6.2 4.3V2.8h3.6v1.5M4.3 4.5l.6 8.7h6.2l.6-8.7" stroke-linejoin="round"/>',
  close: '<path d="m4 4 8 8M12 4l-8 8"/>',
  down: '<path d="m4 6.2 4 4 4-4"/>',
};
export type IconName = keyof typeof kPaths;

export function icon(name: IconName): SVGSVGElement {
  const template = document.createElement('template');
  template.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" aria-hidden="true">${kPaths[name]}</svg>`;
  return template.content.firstElementChild as SVGSVGElement;
}
