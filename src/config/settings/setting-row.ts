// Defines a row of the settings table, and turns the flat table of key paths into a nested type and a nested object.
// Leaves the rows to settings.ts, and the sources of values to resolve.ts.
import type { In, Out, ValueType } from "./value-type.js";

interface RowFacts<Input> {
  /** As it would be spelled in a file. */
  default?: Input extends readonly (infer E)[] ? readonly E[] : Input;
  /** Upstream's short names: environment variable → the key it sets (contract §2). */
  env?: Readonly<Record<string, string>>;
  flag?: SettingFlag;
}

/** The flag of `run` that sets a setting. */
export interface SettingFlag {
  /** `--no-…` sets false. */
  name: string;
  /** The word the help shows for the value; a switch has none. */
  value?: string;
  /** The help's text, where the setting's sentence does not describe the flag. */
  help?: string;
}

/** One setting: what it takes, what it is without being set, how else it is named. */
export type Row<T extends ValueType = ValueType, F extends RowFacts<In<T>> = RowFacts<In<T>>> = {
  type: T;
  doc: string;
} & F;

export function row<T extends ValueType, const F extends RowFacts<In<T>>>(
  type: T,
  doc: string,
  facts: F,
): Row<T, F> {
  return { type, doc, ...facts };
}

type Rows = Readonly<Record<string, { type: ValueType }>>;
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K;

/** The first segments of the keys below a prefix. */
type Children<R extends Rows, P extends string> = keyof R extends infer K
  ? K extends `${P}${infer Rest}`
    ? Head<Rest>
    : never
  : never;

type Value<R extends Rows, P extends string> = P extends keyof R ? Out<R[P]["type"]> : NestedTree<R, `${P}.`>;

/** A row without a default may be absent; branches and rows with one never are. */
type Optional<R extends Rows, P extends string, C extends string> = `${P}${C}` extends infer K
  ? K extends keyof R
    ? R[K] extends { default: unknown }
      ? never
      : C
    : never
  : never;
type OptionalChildren<R extends Rows, P extends string> =
  Children<R, P> extends infer C ? (C extends string ? Optional<R, P, C> : never) : never;

/** The nested shape of a flat table of rows; a `*` segment is a record. */
export type NestedTree<R extends Rows, P extends string = ""> =
  Children<R, P> extends "*"
    ? Readonly<Record<string, Value<R, `${P}*`>>>
    : {
        readonly [C in Exclude<Children<R, P>, OptionalChildren<R, P>>]: Value<R, `${P}${C}`>;
      } & {
        readonly [C in OptionalChildren<R, P>]?: Value<R, `${P}${C}`>;
      };

/** A key path cut into its segments. Only the last segment below a record of variables may hold a dot. */
export type KeyPath = readonly string[];

/** A setting's address in messages: `agents.codex.env.TOKEN`. */
export function keyOf(path: KeyPath): string {
  return path.join(".");
}
