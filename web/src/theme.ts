// Light and dark: the page's colours live in style.css, those of the 3D view here.

import { settings } from './settings';
import { Signal } from './signal';

export interface Palette {
  dark: boolean;
  sky: number;
  ground: number;
  line: number;
  ambientSky: number;
  ambientGround: number;
  ambient: number;
  sun: number;
}

const kLight: Palette = {
  dark: false,
  sky: 0xe9edf2,
  ground: 0xdfe4ea,
  line: 0xb3bcc7,
  ambientSky: 0xffffff,
  ambientGround: 0xb9bec6,
  ambient: 1.55,
  sun: 2.1,
};
const kDark: Palette = {
  dark: true,
  sky: 0x14181e,
  ground: 0x1d222a,
  line: 0x3a434f,
  ambientSky: 0xc9d6e6,
  ambientGround: 0x2a2f38,
  ambient: 1.15,
  sun: 1.9,
};

const system = window.matchMedia('(prefers-color-scheme: dark)');
const isDark = () => (settings.value.theme === 'auto' ? system.matches : settings.value.theme === 'dark');

export const palette = new Signal<Palette>(isDark() ? kDark : kLight);

function apply(): void {
  const dark = isDark();
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  if (palette.value.dark !== dark) palette.value = dark ? kDark : kLight;
}
system.addEventListener('change', apply);
settings.watch(apply);
