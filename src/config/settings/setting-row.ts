// Defines a row of the settings table, and turns the flat table of key paths into a nested type.
// Leaves the rows to settings.ts, and the sources of values to resolve.ts.
import type { z } from "zod";

/** Agents that can be named without any settings: each is a kind of its own. */
export const BUILT_IN_AGENTS = ["codex", "claude", "gemini", "opencode", "chapo"] as const;
/** As `auto` looks for them; the last needs a key, and no program. */
export const AUTO_ORDER = ["claude", ...BUILT_IN_AGENTS.filter((name) => name !== "claude")] as const;

/** How the name of an agent is read where it is typed: capitals and spaces around it have no meaning. */
export function agentNameIn(text: string): string {
  return text.trim().toLowerCase();
}

/** The ways an agent can be called. */
export const KINDS = [...BUILT_IN_AGENTS, "acp", "command", "scripted", "module"] as const;
export type AgentKind = (typeof KINDS)[number];

/** The columns of a row beside its type and its default. All that Looper knows of a setting is in them. */
export interface RowFacts {
  /** One sentence. */
  doc: string;
  /** Upstream's short names: environment variable → the key it sets (docs/SETTINGS.md). */
  env?: Readonly<Record<string, string>>;
  /** A short name spells the only item of a list, commas and all. */
  isOne?: boolean;
  flag?: SettingFlag;
  /** The kinds of agents that heed it; without them all do. */
  kinds?: readonly AgentKind[];
  /** The kinds of agents that cannot do without it. */
  neededBy?: readonly AgentKind[];
  /** A path that is written to: by the runner itself, or by an agent. */
  written?: "runner" | "agent";
  /**
   * It runs something, or changes what runs, so a project's own is asked about: each item of it, the whole of it, only where
   * it is `full`, or only where it is a path.
   */
  asks?: "each" | "whole" | "full" | "path";
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

/** One setting: what it takes, what it is without being set (as a file would spell it), how else it is named. */
export interface Row<T extends z.ZodType = z.ZodType> extends RowFacts {
  type: T;
  default?: unknown;
}

type Said = string | RowFacts;

/** Makes rows of a type, the default where there is one, and the sentence, or the facts with the sentence among them. */
interface MakeRow {
  <T extends z.ZodType>(type: T, said: Said): Row<T>;
  <T extends z.ZodType>(type: T, standard: z.input<T>, said: Said): Row<T> & { default: unknown };
}

/** The maker of rows that have these columns too. */
export function rowWith(more: Omit<RowFacts, "doc">): MakeRow {
  const make = (type: z.ZodType, ...columns: [Said] | [standard: unknown, said: Said]): Row => {
    const [standard, said] = columns.length === 2 ? columns : [undefined, columns[0]];
    const facts = typeof said === "string" ? { doc: said } : said;
    return { type, default: standard, ...more, ...facts };
  };
  return make as MakeRow;
}

export const row = rowWith({});

type Rows = Readonly<Record<string, { type: z.ZodType }>>;
type Head<K extends string> = K extends `${infer H}.${string}` ? H : K;

/** The first segments of the keys below a prefix. */
type Children<R extends Rows, P extends string> = keyof R extends infer K
  ? K extends `${P}${infer Rest}`
    ? Head<Rest>
    : never
  : never;

type Value<R extends Rows, P extends string> = P extends keyof R
  ? z.output<R[P]["type"]>
  : NestedTree<R, `${P}.`>;

/** A row without a default may be absent; branches and rows with one never are. */
type OptionalChildren<R extends Rows, P extends string, C = Children<R, P>> = C extends string
  ? `${P}${C}` extends keyof R
    ? R[`${P}${C}`] extends { default: unknown }
      ? never
      : C
    : never
  : never;

/** The nested shape of a flat table of rows; a `*` segment is a record. */
export type NestedTree<R extends Rows, P extends string = ""> =
  Children<R, P> extends "*"
    ? Readonly<Record<string, Value<R, `${P}*`>>>
    : {
        readonly [C in Exclude<Children<R, P>, OptionalChildren<R, P>>]: Value<R, `${P}${C}`>;
      } & {
        readonly [C in OptionalChildren<R, P>]?: Value<R, `${P}${C}`>;
      };

/** `idle_timeout` → `idleTimeout`. */
type Camel<K extends string> = K extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : K;

/** A branch of the settings, its keys in TypeScript's way. */
export type Renamed<T> = T extends readonly (infer E)[]
  ? readonly E[]
  : T extends string | number | boolean | undefined
    ? T
    : { -readonly [K in keyof T as K extends string ? Camel<K> : K]: Renamed<T[K]> };

/** A key path cut into its segments. Only the last segment below a record of variables may hold a dot. */
export type KeyPath = readonly string[];

/** A setting's address in messages: `agents.codex.env.TOKEN`. */
export function keyOf(path: KeyPath): string {
  return path.join(".");
}
