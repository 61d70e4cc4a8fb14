// A part of the side panel that folds.

import { h } from '../dom';

export function makeSection(id: string, title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
  return h(
    'details',
    { className: 'section', id, open },
    h('summary', {}, title),
    h('div', { className: 'body' }, ...children),
  );
}
