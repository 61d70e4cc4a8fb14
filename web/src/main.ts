// Puts the page together.

import * as THREE from 'three';
import { App } from './app';
import { withToken } from './connection';
import { download, h } from './dom';
import { Hands } from './drag';
import { Labels } from './labels';
import { Overlays } from './overlays';
import { makeEventPanel } from './panels/event_panel';
import { makeJointPanel } from './panels/joint_panel';
import { makeNotices } from './panels/notices';
import { makeObjectPanel } from './panels/object_panel';
import { makeScenePanel } from './panels/scene_panel';
import { makeSelectionPanel } from './panels/selection_panel';
import { makeShowPanel } from './panels/show_panel';
import { kSpeeds, makeToolbar, nextTheme } from './panels/toolbar';
import { makeTools } from './panels/tools';
import { makeTrust } from './panels/trust';
import { makePlots } from './plots';
import { SceneView } from './scene_view';
import { change, settings, toggle } from './settings';
import { bindShortcuts, makeHelp } from './shortcuts';
import type { Shortcut } from './shortcuts';
import { palette } from './theme';
import { makeTimeline } from './timeline';
import './style.css'; // after those of the libraries

// On a narrow screen the panel covers the view: closed until asked for.
if (window.innerWidth < 900) change({ panel: false });

const app = new App();
const viewport = h('main', { className: 'viewport', id: 'viewport' });
const view = new SceneView(viewport, (mesh) => withToken(`/mesh/${mesh}`));
const overlays = new Overlays();
const labels = new Labels(viewport, view);

const bodyIndex = (name: string | null) => (name === null ? -1 : (app.scene.value?.bodies.findIndex((b) => b.name === name) ?? -1));

function follow(): void {
  const body = bodyIndex(app.selection.value);
  view.setFollow(view.following ? null : body >= 0 ? body : 'com');
}
async function screenshot(): Promise<void> {
  const scene = app.scene.value?.file.replace(/^.*\//, '').replace(/\.\w+$/, '') ?? 'stance';
  download(await view.painter.screenshot(), `${scene}_${(app.frame.value?.time ?? 0).toFixed(3)}s.png`);
}
function changeSpeed(by: number): void {
  const now = kSpeeds.indexOf(app.status.value?.speed ?? 1);
  app.setSpeed(kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, (now < 0 ? 3 : now) + by))]!);
}
function lookFrom(x: number, y: number, z: number): void {
  view.home(new THREE.Vector3(x, y, z).normalize());
}

/** How far a change of force is seen. */
function showScale(): void {
  const { forces, cones, forceScale } = settings.value;
  view.metresPerNewton = forces || cones ? overlays.metresPerNewton * forceScale : 0;
}

const timeline = makeTimeline(app);
const objects = makeObjectPanel(app, () => hands.drop());
const hands = new Hands(app, view, labels, objects.next, viewport);
view.world.add(overlays.root, hands.root);
view.onRender = (draws) => {
  const frame = app.frame.value;
  labels.begin();
  if (frame) overlays.update(frame, settings.value, view.camera, view.controls.target);
  if (settings.value.names) for (const m of overlays.marks) labels.put(m.key, m.text, m.at, 'mark');
  hands.draw(draws);
  labels.end();
};

const shortcuts: Shortcut[] = [
  { keys: [' '], show: 'Space', text: 'pause, play', group: 'Run', run: () => app.togglePause() },
  { keys: ['.'], show: '.', text: 'one step', group: 'Run', run: () => app.step(), repeats: true },
  { keys: ['shift+r'], show: 'Shift R', text: 'record, stop', group: 'Run', run: () => void app.record(!app.status.value?.recording) },
  { keys: ['r'], show: 'R', text: 'reset', group: 'Run', run: () => app.reset() },
  { keys: ['['], show: '[', text: 'slower', group: 'Run', run: () => changeSpeed(-1) },
  { keys: [']'], show: ']', text: 'faster', group: 'Run', run: () => changeSpeed(1) },
  { keys: ['arrowleft'], show: '←  →', text: 'back, forth by 20 ms', group: 'Time', run: () => timeline.nudge(-0.02), repeats: true },
  { keys: ['arrowright'], show: '', text: '', group: 'Time', run: () => timeline.nudge(0.02), repeats: true },
  { keys: ['shift+arrowleft'], show: 'Shift ←  →', text: 'by 1 s', group: 'Time', run: () => timeline.nudge(-1), repeats: true },
  { keys: ['shift+arrowright'], show: '', text: '', group: 'Time', run: () => timeline.nudge(1), repeats: true },
  { keys: ['enter'], show: 'Enter', text: 'continue from here', group: 'Time', run: () => {
    const at = app.status.value?.at;
    if (at != null) void app.continueFrom(at);
  } },
  { keys: ['l'], show: 'L', text: 'back to live', group: 'Time', run: () => void app.seek(null) },
  { keys: ['1'], show: '1 – 4', text: 'look, pull, push, add', group: 'Tools', run: () => (app.tool.value = 'orbit') },
  { keys: ['2'], show: '', text: '', group: 'Tools', run: () => (app.tool.value = 'pull') },
  { keys: ['3'], show: '', text: '', group: 'Tools', run: () => (app.tool.value = 'push') },
  { keys: ['4'], show: '', text: '', group: 'Tools', run: () => (app.tool.value = 'add') },
  { keys: ['delete', 'backspace'], show: 'Del', text: 'delete the selected object', group: 'Tools', run: () => {
    if (app.selection.value !== null) void app.remove(app.selection.value);
  } },
  { keys: ['escape'], show: 'Esc', text: 'let go, deselect', group: 'Tools', run: () => {
    if (hands.holding) hands.letGo();
    else if (app.error.value) app.error.value = null;
    else if (app.tool.value !== 'orbit') app.tool.value = 'orbit';
    else app.select(null);
  } },
  { keys: ['h'], show: 'H', text: 'see everything', group: 'View', run: () => view.home() },
  { keys: ['f'], show: 'F', text: 'follow', group: 'View', run: follow },
  { keys: ['7'], show: '7  8  9', text: 'from front, side, above', group: 'View', run: () => lookFrom(1, 0, 0.05) },
  { keys: ['8'], show: '', text: '', group: 'View', run: () => lookFrom(0, -1, 0.05) },
  { keys: ['9'], show: '', text: '', group: 'View', run: () => lookFrom(-0.001, 0, 1) },
  { keys: ['c'], show: 'C', text: 'contact points', group: 'Show', run: () => toggle('contacts') },
  { keys: ['v'], show: 'V', text: 'forces', group: 'Show', run: () => toggle('forces') },
  { keys: ['n'], show: 'N', text: 'normals', group: 'Show', run: () => toggle('normals') },
  { keys: ['k'], show: 'K', text: 'friction cones', group: 'Show', run: () => toggle('cones') },
  { keys: ['m'], show: 'M', text: 'centre of mass', group: 'Show', run: () => toggle('com') },
  { keys: ['b'], show: 'B', text: 'support polygon', group: 'Show', run: () => toggle('support') },
  { keys: ['z'], show: 'Z', text: 'ZMP', group: 'Show', run: () => toggle('zmp') },
  { keys: ['g'], show: 'G', text: 'collision shapes', group: 'Show', run: () => toggle('collision') },
  { keys: ['x'], show: 'X', text: 'see through', group: 'Show', run: () => toggle('seeThrough') },
  { keys: ['p'], show: 'P', text: 'plots', group: 'Page', run: () => toggle('plots') },
  { keys: ['i'], show: 'I', text: 'side panel', group: 'Page', run: () => toggle('panel') },
  { keys: ['s'], show: 'S', text: 'screenshot', group: 'Page', run: () => void screenshot() },
  { keys: ['t'], show: 'T', text: 'light, dark', group: 'Page', run: nextTheme },
  { keys: ['?'], show: '?', text: 'this card', group: 'Page', run: () => help.showModal() },
];
const help = makeHelp(shortcuts);
bindShortcuts(shortcuts);

viewport.append(
  makeTools(app, objects.next, { home: () => view.home(), follow, following: () => view.following }),
  ...makeNotices(app),
);
const side = h(
  'aside',
  { className: 'side', id: 'side' },
  makeSelectionPanel(app, { follow }),
  makeScenePanel(app),
  makeShowPanel(overlays, view.painter, (update) => app.scene.listen((s) => {
    if (s) overlays.setScene(s);
    showScale();
    update();
  })),
  makeJointPanel(app),
  objects.section,
  makeEventPanel(app),
);
document.getElementById('app')!.append(
  makeToolbar(app, { screenshot: () => void screenshot(), help: () => help.showModal() }),
  makeTrust(app),
  h('div', { className: 'middle' }, h('div', { className: 'stage' }, viewport, makePlots(app, view.software), timeline.element), side),
  help,
);

app.scene.listen((scene) => {
  if (!scene) return;
  view.setScene(scene);
});
app.frame.listen((frame) => {
  if (frame) view.setFrame(frame);
});
app.drags.listen((drags) => {
  if (hands.haveMoved(drags)) view.invalidate();
  else view.painter.invalidateTexts();
});
app.selection.listen((name) => {
  const body = bodyIndex(name);
  view.choose(body >= 0 ? body : null);
});
settings.watch((s) => {
  side.hidden = !s.panel;
  view.applySettings(s);
  showScale();
});
palette.watch((p) => view.applyPalette(p));
app.start();

// For the tests in a browser: the newest picture's figures, and where things are.
declare global {
  interface Window {
    stance: { app: App; view: SceneView };
  }
}
window.stance = { app, view };
