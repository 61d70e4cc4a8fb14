// Elements in one line.

type Child = Node | string | null | undefined;
type Props<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], 'style' | 'dataset' | 'children'>
> & { style?: string; data?: Record<string, string>; aria?: Record<string, string> };

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const { style, data, aria, ...rest } = props;
  const element = Object.assign(document.createElement(tag), rest);
  if (style) element.style.cssText = style;
  for (const [k, v] of Object.entries(data ?? {})) element.dataset[k] = v;
  for (const [k, v] of Object.entries(aria ?? {})) element.setAttribute(`aria-${k}`, v);
  element.append(...children.filter((c) => c !== null && c !== undefined));
  return element;
}

/** Writes a text only when it differs: most numbers stay for many frames. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** At most one call in `ms`, the last one never lost. */
export function throttle<A extends unknown[]>(ms: number, f: (...args: A) => void): (...args: A) => void {
  let last = -Infinity;
  let timer = 0;
  return (...args) => {
    window.clearTimeout(timer);
    const wait = last + ms - performance.now();
    const run = () => {
      last = performance.now();
      f(...args);
    };
    if (wait <= 0) run();
    else timer = window.setTimeout(run, wait);
  };
}

export function download(blobOrUrl: Blob | string, name: string): void {
  const url = typeof blobOrUrl === 'string' ? blobOrUrl : URL.createObjectURL(blobOrUrl);
  h('a', { href: url, download: name }).click();
  if (typeof blobOrUrl !== 'string') setTimeout(() => URL.revokeObjectURL(url), 10000);
}
