// Types that also check: a schema is written once, TypeScript infers the static type and
// `check` tells at run time what is wrong with a value that came over the wire.

export interface Schema<T> {
  /** Null when `value` is a T, otherwise what is wrong and where. */
  check(value: unknown, path: string): string | null;
  /** Only for inference, never set. */
  readonly type?: T;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

const make = <T>(check: Schema<T>['check']): Schema<T> => ({ check });

export const num = make<number>((v, p) =>
  typeof v === 'number' && Number.isFinite(v) ? null : `${p} is not a number`,
);
export const text = make<string>((v, p) => (typeof v === 'string' ? null : `${p} is not a text`));
export const flag = make<boolean>((v, p) => (typeof v === 'boolean' ? null : `${p} is not true or false`));

export const literal = <const L extends string | number>(value: L): Schema<L> =>
  make<L>((v, p) => (v === value ? null : `${p} is not ${JSON.stringify(value)}`));

export const oneOf = <const L extends readonly string[]>(...values: L): Schema<L[number]> =>
  make<L[number]>((v, p) =>
    typeof v === 'string' && values.includes(v) ? null : `${p} is none of ${values.join(', ')}`,
  );

export const orNull = <T>(inner: Schema<T>): Schema<T | null> =>
  make<T | null>((v, p) => (v === null ? null : inner.check(v, p)));

export const list = <T>(inner: Schema<T>, length?: number): Schema<T[]> =>
  make<T[]>((v, p) => {
    if (!Array.isArray(v)) return `${p} is not a list`;
    if (length !== undefined && v.length !== length) return `${p} has ${v.length} entries, not ${length}`;
    for (let i = 0; i < v.length; ++i) {
      const wrong = inner.check(v[i], `${p}[${i}]`);
      if (wrong) return wrong;
    }
    return null;
  });

/** A member that may be missing. */
export interface Optional<T> extends Schema<T | undefined> {
  readonly optional: true;
}
export const optional = <T>(inner: Schema<T>): Optional<T> => ({
  optional: true,
  check: (v, p) => (v === undefined ? null : inner.check(v, p)),
});

type Members = Record<string, Schema<unknown>>;
type OptionalKeys<M extends Members> = { [K in keyof M]: M[K] extends Optional<unknown> ? K : never }[keyof M];
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<M extends Members> = Flat<
  { [K in Exclude<keyof M, OptionalKeys<M>>]: Infer<M[K]> } & { [K in OptionalKeys<M>]?: Infer<M[K]> }
>;

export interface ObjectSchema<T> extends Schema<T> {
  readonly members: Members;
}

/** Members that are not named are let through, so that a newer server can say more. */
export const object = <M extends Members>(members: M): ObjectSchema<ObjectOf<M>> => ({
  members,
  check: (v, p) => {
    if (typeof v !== 'object' || v === null || Array.isArray(v)) return `${p} is not an object`;
    for (const [key, schema] of Object.entries(members)) {
      const wrong = schema.check((v as Record<string, unknown>)[key], p ? `${p}.${key}` : key);
      if (wrong) return wrong;
    }
    return null;
  },
});
