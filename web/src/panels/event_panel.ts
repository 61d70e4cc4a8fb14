// What happened, newest first; a click shows that moment.

import type { App } from '../app';
import { h } from '../dom';
import { fixed } from '../format';
import { makeSection } from './section';

const kShown = 60;

export function makeEventPanel(app: App): HTMLElement {
  const list = h('ul', { className: 'events', id: 'events' });
  const section = makeSection('event-panel', 'Events', false, list);
  app.events.watch((events) => {
    section.querySelector('summary')!.dataset.count = events.length ? String(events.length) : '';
    if (!events.length) {
      list.replaceChildren(h('li', { className: 'muted' }, 'Nothing yet'));
      return;
    }
    list.replaceChildren(
      ...events
        .slice(-kShown)
        .reverse()
        .map((e) =>
          h(
            'li',
            { data: { kind: e.kind }, title: 'Show this moment', onclick: () => void app.seek(e.time) },
            h('time', {}, fixed(e.time, 2)),
            h('i'),
            h('span', {}, e.text),
          ),
        ),
    );
  });
  return section;
}
