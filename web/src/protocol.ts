// The messages of docs/protocol.md, typed: JSON in both directions. The binary frames are in frames.ts.

import { flag, list, literal, num, object, oneOf, optional, orNull, text } from './schema';
import type { Infer, ObjectSchema } from './schema';

export const kProtocol = 1;
export const kSubprotocol = 'stance.v1';

const vec3 = list(num, 3);
const vec4 = list(num, 4);

export const kShapeKinds = ['sphere', 'capsule', 'cylinder', 'box', 'plane', 'mesh', 'hull', 'height_field'] as const;

const shape = object({
  kind: oneOf(...kShapeKinds),
  size: list(num),
  position: vec3,
  quaternion: vec4,
  color: vec4,
  looks: flag,
  touches: flag,
  mesh: optional(num),
  scale: optional(vec3),
});
const body = object({ name: text, robot: orNull(text), mass: num, moves: flag, loose: flag, shapes: list(shape) });
const variable = object({ name: text, value: num, start: num, about: text });
const joint = object({ name: text, unit: text, lower: orNull(num), upper: orNull(num), held: flag });
const channel = object({ name: text, unit: text, columns: list(text) });

/** Everything a server says in text, by `type`. */
export const kServerMessages = {
  hello: object({
    type: literal('hello'),
    protocol: num,
    version: text,
    viewer: num,
    scenes: list(object({ file: text, about: text })),
    laws: list(text),
  }),
  scene: object({
    type: literal('scene'),
    scene: num,
    file: text,
    about: text,
    step: num,
    gravity: vec3,
    law: text,
    tolerance: num,
    variables: list(variable),
    bodies: list(body),
    joints: list(joint),
    channels: list(channel),
    interaction: object({ stiffness: num, push: num }),
  }),
  status: object({
    type: literal('status'),
    paused: flag,
    speed: num,
    law: text,
    gravity: vec3,
    recording: flag,
    from: num,
    to: num,
    at: orNull(num),
    viewers: num,
    trust: object({
      steps: num,
      not_converged: num,
      refused: num,
      contacts_dropped: num,
      contacts_missed: num,
      residual: num,
      distance: num,
      gap_velocity: num,
      impulse_error: num,
      energy_error: num,
    }),
  }),
  event: object({ type: literal('event'), time: num, kind: text, text }),
  ok: object({
    type: literal('ok'),
    re: num,
    body: optional(text),
    watch: optional(num),
    columns: optional(list(text)),
  }),
  error: object({
    type: literal('error'),
    re: optional(num),
    text,
    file: optional(text),
    line: optional(num),
    column: optional(num),
  }),
  selected: object({
    type: literal('selected'),
    re: optional(num),
    body: text,
    mass: num,
    velocity: vec3,
    spin: vec3,
    force: vec3,
    torque: vec3,
    contacts: list(object({ with: text, force: vec3, normal: vec3, slip: num })),
  }),
};

const id = num;

/** Everything a viewer says, by `type`. */
export const kViewerMessages = {
  pause: object({ type: literal('pause'), id }),
  play: object({ type: literal('play'), id }),
  reset: object({ type: literal('reset'), id }),
  step: object({ type: literal('step'), id, count: optional(num) }),
  speed: object({ type: literal('speed'), id, factor: num }),
  load: object({ type: literal('load'), id, file: text }),
  set: object({ type: literal('set'), id, name: text, value: num }),
  law: object({ type: literal('law'), id, law: text }),
  gravity: object({ type: literal('gravity'), id, value: vec3 }),
  drag: object({ type: literal('drag'), id, body: text, point: vec3, target: vec3 }),
  push: object({ type: literal('push'), id, body: text, point: vec3, force: vec3, seconds: num }),
  release: object({ type: literal('release'), id }),
  select: object({ type: literal('select'), id, body: orNull(text) }),
  add: object({
    type: literal('add'),
    id,
    shape: object({ kind: oneOf('sphere', 'capsule', 'cylinder', 'box'), size: list(num) }),
    mass: num,
    position: vec3,
    velocity: vec3,
  }),
  remove: object({ type: literal('remove'), id, body: text }),
  target: object({ type: literal('target'), id, joint: text, value: orNull(num) }),
  watch: object({ type: literal('watch'), id, channels: list(text), joints: flag }),
  seek: object({ type: literal('seek'), id, time: orNull(num) }),
  continue: object({ type: literal('continue'), id, time: num }),
  record: object({ type: literal('record'), id, on: flag }),
};

type AnyOf<M> = { [K in keyof M]: M[K] extends ObjectSchema<infer T> ? T : never }[keyof M];
export type ServerMessage = AnyOf<typeof kServerMessages>;
export type ViewerMessage = AnyOf<typeof kViewerMessages>;
/** A request before the connection has numbered it. */
export type Request = ViewerMessage extends infer M ? (M extends unknown ? Omit<M, 'id'> : never) : never;

export type Hello = Infer<typeof kServerMessages.hello>;
export type Scene = Infer<typeof kServerMessages.scene>;
export type Status = Infer<typeof kServerMessages.status>;
export type SimEvent = Infer<typeof kServerMessages.event>;
export type Ok = Infer<typeof kServerMessages.ok>;
export type SimError = Infer<typeof kServerMessages.error>;
export type Selected = Infer<typeof kServerMessages.selected>;
export type Shape = Infer<typeof shape>;
export type Body = Infer<typeof body>;
export type Joint = Infer<typeof joint>;
export type Channel = Infer<typeof channel>;
export type Variable = Infer<typeof variable>;
export type LooseShape = Infer<typeof kViewerMessages.add>['shape'];

export type Decoded<T> = { ok: true; value: T } | { ok: false; why: string };
export const wrong = (why: string): { ok: false; why: string } => ({ ok: false, why });

function decode<T>(raw: string, messages: Record<string, ObjectSchema<unknown>>): Decoded<T> {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return wrong('not JSON');
  }
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== 'string' || !Object.hasOwn(messages, type)) return wrong(`unknown type ${String(type)}`);
  const why = messages[type]!.check(value, '');
  return why ? wrong(`${type}: ${why}`) : { ok: true, value: value as T };
}

/** What the server said, or why it cannot be taken; never throws. */
export const decodeServerText = (raw: string): Decoded<ServerMessage> => decode(raw, kServerMessages);
/** For the mock server and the tests: the other direction. */
export const decodeViewerText = (raw: string): Decoded<ViewerMessage> => decode(raw, kViewerMessages);
export const encodeText = (message: ServerMessage | ViewerMessage): string => JSON.stringify(message);
