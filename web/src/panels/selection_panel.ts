// The selected body: wrench, velocity, contacts; follow it, delete it.

import type { App } from '../app';
import { h } from '../dom';
import { compact, newtons, vector } from '../format';
import { iconButton } from './toolbar';
import { makeSection } from './section';

const kSlips = 1e-6; // m/s: less is rounding

export function makeSelectionPanel(app: App, actions: { follow: () => void }): HTMLElement {
  const title = h('b', { id: 'selected-name' });
  const follow = iconButton('follow', 'Follow (F)', actions.follow);
  const remove = iconButton('trash', 'Delete (Del)', () => {
    if (app.selection.value !== null) void app.remove(app.selection.value);
  }, 'delete');
  const close = iconButton('close', 'Deselect (Esc)', () => app.select(null));
  const facts = h('table', { className: 'facts-table' });
  const contacts = h('table', { className: 'contacts-table' });
  const section = makeSection(
    'selection-panel',
    'Selected',
    true,
    h('div', { className: 'selected-head' }, title, h('span', { className: 'spacer' }), follow, remove, close),
    facts,
    contacts,
  );
  section.hidden = true;

  const row = (name: string, value: string, unit: string) =>
    h('tr', {}, h('th', {}, name), h('td', {}, value), h('td', { className: 'unit' }, unit));
  app.selection.watch((name) => {
    section.hidden = name === null;
    title.textContent = name ?? '';
    const body = app.scene.value?.bodies.find((b) => b.name === name);
    remove.hidden = !body?.loose;
    facts.replaceChildren();
    contacts.replaceChildren();
  });
  app.selected.watch((s) => {
    if (!s) return;
    facts.replaceChildren(
      row('Mass', compact(s.mass), 'kg'),
      row('Velocity', vector(s.velocity), 'm/s'),
      row('Spin', vector(s.spin), 'rad/s'),
      row('Force', vector(s.force, 1), 'N'),
      row('Torque', vector(s.torque, 1), 'N m'),
    );
    const head = h('tr', {}, ...['Touches', 'Force', 'Slip'].map((t) => h('th', {}, t)));
    const rows = s.contacts.map((c) =>
      h(
        'tr',
        {},
        h('td', {}, c.with),
        h('td', {}, newtons(Math.hypot(...c.force))),
        h('td', { className: c.slip > kSlips ? 'warn' : '' }, `${c.slip > kSlips ? compact(c.slip * 1000) : 0} mm/s`),
      ),
    );
    contacts.replaceChildren(...(rows.length ? [head, ...rows] : [h('tr', {}, h('td', { className: 'muted' }, 'Touches nothing'))]));
  });
  return section;
}
