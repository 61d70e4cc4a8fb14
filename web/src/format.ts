// Numbers for people.

const kMinus = '\u2212';
const kThin = '\u202f';
const sign = (s: string) => s.replace('-', kMinus);

/** With so many digits in all that matter: 0.0123, 1.23, 123, 1.2e-9. */
export function compact(x: number, digits = 3): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size < 1e-3 || size >= 1e6) return sign(x.toExponential(1).replace('e+', 'e'));
  return sign(x.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size)))));
}

/** What rounds to nothing has no sign. */
export function fixed(x: number, digits: number): string {
  if (!Number.isFinite(x)) return '–';
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : sign(text);
}

/** A tolerance: 1e−8. */
export const power = (x: number): string => sign(x.toExponential().replace('e+', 'e'));

const kPrefixes: [number, string][] = [
  [1, ''],
  [1e-3, 'm'],
  [1e-6, 'µ'],
  [1e-9, 'n'],
];

/** A length in the prefix that suits it; what rounds to less than 0.1 nm is nothing. */
export function length(metres: number): string {
  if (!Number.isFinite(metres)) return '–';
  if (Math.abs(metres) < 1e-10) return `0${kThin}m`;
  const [unit, prefix] = kPrefixes.find(([u]) => Math.abs(metres) >= u) ?? kPrefixes[3]!;
  return `${compact(metres / unit)}${kThin}${prefix}m`;
}

export const newtons = (x: number): string => `${x < 10 ? fixed(x, 1) : x < 1000 ? fixed(x, 0) : compact(x / 1000)}${kThin}${x < 1000 ? 'N' : 'kN'}`;
export const seconds = (t: number): string => `${fixed(t, 3)}${kThin}s`;
export const micros = (t: number): string => (t < 1000 ? `${fixed(t, 0)}${kThin}µs` : `${fixed(t / 1000, 1)}${kThin}ms`);
export const times = (x: number): string => `${fixed(x, 2)}${kThin}×`;

/** A joint's value: degrees and millimetres read better than radians and metres. */
export function jointValue(x: number, unit: string): string {
  if (!Number.isFinite(x)) return '–';
  return unit === 'rad' ? `${fixed((x * 180) / Math.PI, 1)}°` : unit === 'm' ? `${fixed(x * 1000, 1)}${kThin}mm` : compact(x);
}

export const vector = (v: readonly number[], digits = 2): string => v.map((x) => fixed(x, digits)).join('  ');
