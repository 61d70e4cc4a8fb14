// What the user chose to see, kept in the browser.

import { Signal } from './signal';

export interface Settings {
  theme: 'auto' | 'light' | 'dark';
  contacts: boolean;
  normals: boolean;
  forces: boolean;
  cones: boolean;
  com: boolean;
  zmp: boolean;
  cop: boolean;
  support: boolean;
  collision: boolean;
  seeThrough: boolean;
  grid: boolean;
  names: boolean;
  shadows: 'auto' | 'off';
  /** Multiplies the length of force arrows. */
  forceScale: number;
  panel: boolean;
  plots: boolean;
  /** Names of the channels in the plots; null: never chosen. */
  channels: string[] | null;
  /** How much time plots show, s. */
  window: number;
  pushForce: number | null;
  pushSeconds: number;
  /** Knows what hands can do. */
  hinted: boolean;
}

const kDefaults: Settings = {
  theme: 'auto',
  contacts: true,
  normals: false,
  forces: true,
  cones: false,
  com: true,
  zmp: false,
  cop: true,
  support: true,
  collision: false,
  seeThrough: false,
  grid: true,
  names: true,
  shadows: 'auto',
  forceScale: 1,
  panel: true,
  plots: false,
  channels: null,
  window: 10,
  pushForce: null,
  pushSeconds: 0.1,
  hinted: false,
};
const kKey = 'stance.settings.2';

function load(): Settings {
  const settings: Settings = { ...kDefaults };
  try {
    const kept = JSON.parse(localStorage.getItem(kKey) ?? '{}') as Partial<Settings>;
    for (const key of Object.keys(kDefaults) as (keyof Settings)[])
      if (kept[key] !== undefined) Object.assign(settings, { [key]: kept[key] });
  } catch {
    // Nothing kept, or storage is forbidden: the defaults will do.
  }
  return settings;
}

export const settings = new Signal<Settings>(load());

export function change(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
  try {
    localStorage.setItem(kKey, JSON.stringify(settings.value));
  } catch {
    // Then they last as long as the page.
  }
}

type Toggle = { [K in keyof Settings]: Settings[K] extends boolean ? K : never }[keyof Settings];
export const toggle = (name: Toggle): void => change({ [name]: !settings.value[name] });
