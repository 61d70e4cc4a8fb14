// What must be seen: errors of a scene with file and line, a lost connection, short messages.

import type { App } from '../app';
import { h, setText } from '../dom';
import { makeHint } from './hint';
import { iconButton } from './toolbar';

const kToast = 5000; // ms

function makeErrorCard(app: App): HTMLElement {
  const place = h('code', { id: 'error-place' });
  const text = h('p', { id: 'error-text' });
  const close = iconButton('close', 'Dismiss (Esc)', () => (app.error.value = null));
  const again = h('button', { type: 'button', className: 'button', onclick: () => void app.load(app.error.value!.file!) }, 'Load it again');
  const advice = h('span', { className: 'muted' });
  const card = h(
    'div',
    { className: 'card error', id: 'error', hidden: true, role: 'alert' },
    h('div', { className: 'card-head' }, h('b', {}, 'This scene has an error'), h('span', { className: 'spacer' }), close),
    place,
    text,
    h('div', { className: 'card-foot' }, again, advice),
  );
  app.error.watch((e) => {
    card.hidden = e === null;
    if (!e) return;
    place.textContent = [e.file, e.line, e.column].filter((x) => x !== undefined).join(':');
    text.textContent = e.text;
    advice.textContent = app.scene.value ? 'What was running goes on.' : 'Mend it and load it again, or choose another scene above.';
    again.hidden = !app.hello.value?.scenes.some((s) => s.file === e.file);
  });
  return card;
}

function makeLostBanner(app: App): HTMLElement {
  const text = h('span', {});
  const now = h('button', { type: 'button', className: 'button', onclick: () => app.retry() }, 'Try now');
  const banner = h('div', { className: 'banner lost', id: 'lost', hidden: true, role: 'status' }, h('i', { className: 'spinner' }), text, now);
  const show = () => {
    const link = app.link.value;
    // While it tries again after a loss the banner stays.
    banner.hidden = link.state === 'open' || (link.state === 'connecting' && app.hello.value === null);
    if (link.state === 'lost')
      setText(text, `Connection lost. Trying again in ${Math.max(0, Math.ceil((link.retryAt - Date.now()) / 1000))} s`);
    else if (link.state === 'connecting') setText(text, 'Connection lost. Trying…');
    document.documentElement.dataset.link = link.state;
  };
  app.link.watch(show);
  setInterval(show, 500);
  return banner;
}

function makePastBanner(app: App): HTMLElement {
  const banner = h('div', { className: 'banner past', id: 'past', hidden: true }, 'Showing the past');
  app.status.watch((s) => (banner.hidden = s === null || s.at === null));
  return banner;
}

function makeToast(app: App): HTMLElement {
  const toast = h('div', { className: 'toast', id: 'toast', hidden: true, role: 'status' });
  let timer = 0;
  app.toast.watch((t) => {
    toast.hidden = t === null;
    if (!t) return;
    toast.textContent = t.text;
    toast.dataset.kind = t.kind;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => (app.toast.value = null), kToast);
  });
  return toast;
}

/** Nothing to see yet: say what is waited for. */
function makeWaiting(app: App): HTMLElement {
  const waiting = h('div', { className: 'waiting', id: 'waiting' }, h('i', { className: 'spinner' }), h('span', {}, 'Waiting for the simulator'));
  app.scene.watch((s) => (waiting.hidden = s !== null));
  app.error.listen((e) => (waiting.hidden = e !== null || app.scene.value !== null));
  return waiting;
}

export function makeNotices(app: App): HTMLElement[] {
  return [
    h('div', { className: 'banners' }, makeLostBanner(app), makePastBanner(app), makeHint(app)),
    makeErrorCard(app),
    makeWaiting(app),
    makeToast(app),
  ];
}
