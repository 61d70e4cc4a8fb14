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
  ground: 0xccd3db,
  line: 0xaab4c0,
  ambientSky: 0xffffff,
  ambientGround: 0xb9bec6,
  ambient: 1.9,
  sun: 2.4,
};
const kDark: Palette = {
  dark: true,
  sky: 0x181c22,
  ground: 0x2b313a,
  line: 0x3d4651,
  ambientSky: 0xc9d6e6,
  ambientGround: 0x4a515c,
  ambient: 1.5,
  sun: 2.2,
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
