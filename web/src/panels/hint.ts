// What the hands can do, for those who are here for the first time; gone once they did it.

import type { App } from '../app';
import { h } from '../dom';
import { change, settings } from '../settings';
import { iconButton } from './toolbar';

export function makeHint(app: App): HTMLElement {
  const key = (name: string, text: string) => h('span', {}, h('kbd', {}, name), ` ${text}`);
  const close = iconButton('close', 'Do not show this again', () => change({ hinted: true }));
  const hint = h(
    'div',
    { className: 'first-hint', id: 'hint' },
    h('span', { className: 'with-mouse' }, key('Ctrl + drag', 'pulls a body'), key('Double click', 'selects it'), key('?', 'all keys')),
    h('span', { className: 'with-fingers' }, h('b', {}, 'Pull'), ' at a body with the tool beside the view, tap one to select it'),
    close,
  );
  // Whoever pulled at something knows how.
  app.drags.listen((drags) => {
    if (!settings.value.hinted && drags.some((d) => d.viewer === app.hello.value?.viewer)) change({ hinted: true });
  });
  // Whoever took a tool has found another way, and who looks at curves or the past needs the room.
  const show = () => {
    const isBusy = app.tool.value !== 'orbit' || settings.value.plots || app.status.value?.at != null;
    hint.hidden = settings.value.hinted || app.scene.value === null || isBusy;
  };
  settings.watch(show);
  app.status.listen(show);
  app.tool.listen(show);
  app.scene.listen(show);
  return hint;
}
