// Keys, and the card that lists them.

import { h } from './dom';

export interface Shortcut {
  /** As KeyboardEvent.key, lower case; 'shift+r' with Shift. */
  keys: string[];
  /** As shown. */
  show: string;
  text: string;
  group: string;
  run: () => void;
  /** Runs again and again while the key is held. */
  repeats?: boolean;
}

/** Done with the pointer: listed, not bound. */
const kPointer = [
  ['Left drag', 'turn'],
  ['Right drag', 'move'],
  ['Wheel', 'zoom'],
  ['Ctrl + left drag', 'pull a body'],
  ['Double click', 'select a body'],
] as const;

function isTyping(target: EventTarget | null): boolean {
  const e = target as HTMLElement | null;
  if (!e?.tagName) return false;
  return e.tagName === 'TEXTAREA' || e.tagName === 'SELECT' || (e.tagName === 'INPUT' && (e as HTMLInputElement).type !== 'range');
}

/** Those who go through the page by keyboard press buttons and move sliders as everywhere. */
function belongsToFocus(e: KeyboardEvent): boolean {
  const target = e.target as HTMLElement | null;
  if (e.key === ' ' || e.key === 'Enter') return target?.matches?.('button:focus-visible, summary:focus-visible') ?? false;
  return e.key.startsWith('Arrow') && (target?.matches?.('input:focus-visible') ?? false);
}

export function bindShortcuts(shortcuts: Shortcut[]): void {
  const byKey = new Map(shortcuts.flatMap((s) => s.keys.map((k) => [k, s] as const)));
  // A button that was clicked would take the next Space as another click.
  window.addEventListener('click', (e) => {
    if (e.detail > 0) (e.target as HTMLElement).closest?.('button')?.blur();
  });
  window.addEventListener('keydown', (e) => {
    // An open card has its own keys (Escape).
    if (e.ctrlKey || e.metaKey || e.altKey || isTyping(e.target) || belongsToFocus(e) || document.querySelector('dialog[open]')) return;
    const key = e.key.toLowerCase();
    const shortcut = byKey.get(e.shiftKey && e.key.length > 1 ? `shift+${key}` : e.shiftKey && /[a-z]/.test(key) ? `shift+${key}` : key);
    if (!shortcut) return;
    e.preventDefault();
    if (!e.repeat || shortcut.repeats) shortcut.run();
  });
}

export function makeHelp(shortcuts: Shortcut[]): HTMLDialogElement {
  const groups = [...new Set(shortcuts.map((s) => s.group))];
  const row = (keys: string, text: string) => h('div', {}, h('kbd', {}, keys), h('span', {}, text));
  const dialog = h(
    'dialog',
    { className: 'help', id: 'help-card' },
    h('h2', {}, 'Keys and pointer'),
    h(
      'div',
      { className: 'help-grid' },
      h('section', {}, h('h3', {}, 'Pointer'), ...kPointer.map(([k, t]) => row(k, t))),
      ...groups.map((g) => h('section', {}, h('h3', {}, g), ...shortcuts.filter((s) => s.group === g && s.show).map((s) => row(s.show, s.text)))),
    ),
  );
  dialog.onclick = () => dialog.close();
  return dialog;
}
