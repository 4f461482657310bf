// The types of setting values: each reads a value, describes what is allowed, and writes itself as JSON Schema. They do not use
// zod: almost every command reads settings first, and zod alone takes longer to load than a listing.
// Leaves the types of single settings to value-types.ts and the table.
import { given } from "../../system/given.js";

/** A fault in a value: its place, and what is allowed there. */
export interface Fault {
  path: readonly (string | number)[];
  allowed: string;
  /** It has the right type, and is out of bounds: of several types a value may have, this is the one that was meant. */
  near: boolean;
}

export type ReadValue<T> = { ok: true; value: T } | { ok: false; faults: readonly [Fault, ...Fault[]] };

/** How a variable or a flag spells it, where only texts can be given. */
export type WrittenAs = "text" | "number" | "truth" | "list" | "other";

/** The type of a setting: `In` as it is spelled in a file, `Out` as it is used. */
export interface ValueType<Out = unknown, In = unknown> {
  read: (raw: unknown) => ReadValue<Out>;
  /** As JSON Schema, of what is spelled. */
  schema: Readonly<Record<string, unknown>>;
  spelling: WrittenAs;
  /** The words, where only some will do. */
  choices?: readonly string[];
  /** Never there: for the compiler alone. */
  spelled?: In;
}

/** The values that a type produces. */
export type Out<T> = T extends ValueType<infer O> ? O : never;
/** How a file spells it. */
export type In<T> = T extends ValueType<unknown, infer I> ? I : never;

function fault(allowed: string, near = false): ReadValue<never> {
  return { ok: false, faults: [{ path: [], allowed, near }] };
}

/** A text; `rule` says what is allowed. */
export function textType(
  rule: string,
  { pattern, filled = false, more = () => undefined }: TextRules = {},
): ValueType<string, string> {
  return {
    read: (raw) => {
      if (typeof raw !== "string") return fault(rule);
      if ((filled && raw === "") || pattern?.test(raw) === false) return fault(rule, true);
      const wrong = more(raw);
      return wrong === undefined ? { ok: true, value: raw } : fault(wrong, true);
    },
    schema: {
      type: "string",
      ...(filled ? { minLength: 1 } : {}),
      ...(pattern === undefined ? {} : { pattern: pattern.source }),
    },
    spelling: "text",
  };
}

interface TextRules {
  pattern?: RegExp;
  /** It is not empty. */
  filled?: boolean;
  /** Finds faults that a pattern cannot express. */
  more?: (text: string) => string | undefined;
}

/** A number within bounds; both count as within, but for `above`. */
export function numberType(
  rule: string,
  { min = -Infinity, max = Infinity, above = -Infinity, whole = false }: NumberRules,
): ValueType<number, number> {
  const most = whole ? Math.min(max, Number.MAX_SAFE_INTEGER) : max;
  return {
    read: (raw) => {
      if (typeof raw !== "number" || !Number.isFinite(raw) || (whole && !Number.isInteger(raw)))
        return fault(rule);
      return raw < min || raw > most || raw <= above ? fault(rule, true) : { ok: true, value: raw };
    },
    schema: {
      type: whole ? "integer" : "number",
      ...(above === -Infinity ? {} : { exclusiveMinimum: above }),
      ...(min === -Infinity ? {} : { minimum: min }),
      ...(most === Infinity ? {} : { maximum: most }),
    },
    spelling: "number",
  };
}

interface NumberRules {
  min?: number;
  max?: number;
  above?: number;
  whole?: boolean;
}

/** True or false. */
export function truthType(rule: string): ValueType<boolean, boolean> {
  return {
    read: (raw) => (typeof raw === "boolean" ? { ok: true, value: raw } : fault(rule)),
    schema: { type: "boolean" },
    spelling: "truth",
  };
}

/** One of some words. */
export function wordType<const T extends string>(words: readonly T[], rule: string): ValueType<T, T> {
  return {
    read: (raw) => {
      const word = words.find((one) => one === raw);
      return word === undefined ? fault(rule) : { ok: true, value: word };
    },
    schema: { type: "string", enum: [...words] },
    spelling: "other",
    choices: words,
  };
}

/** A list; `least`: so many items must be there. */
export function listType<O, I>(
  item: ValueType<O, I>,
  rule: string,
  { least = 0, otherwise = rule }: { least?: number; otherwise?: string } = {},
): ValueType<O[], I[]> {
  return {
    read: (raw) => {
      if (!Array.isArray(raw)) return fault(rule);
      const read = raw.map((one: unknown, at) => within(item.read(one), at));
      const all = gathered(read);
      if (!all.ok || all.value.length >= least) return all;
      return fault(otherwise, true);
    },
    schema: { ...(least === 0 ? {} : { minItems: least }), type: "array", items: item.schema },
    spelling: "list",
  };
}

/** An object with these keys and no others. */
export function objectType<R extends Fields, O extends Fields>(
  rule: string,
  required: R,
  optional: O,
): ValueType<Members<R, O>> {
  const fields = new Map(Object.entries({ ...required, ...optional }));
  return {
    read: (raw) => {
      if (!isObject(raw)) return fault(rule);
      const given = new Map<string, unknown>(Object.entries(raw));
      const members = [...fields].flatMap(([key, type]) => {
        if (!given.has(key)) return Object.hasOwn(required, key) ? [within(fault(rule), key)] : [];
        const read = within(type.read(given.get(key)), key);
        return [read.ok ? { ok: true as const, value: [key, read.value] as const } : read];
      });
      const unknown = [...given.keys()].some((key) => !fields.has(key));
      const all = gathered(unknown ? [...members, fault(rule)] : members);
      // Each member was read as its field says, which the compiler cannot follow.
      return all.ok ? { ok: true, value: Object.fromEntries(all.value) as Members<R, O> } : all;
    },
    schema: {
      type: "object",
      properties: Object.fromEntries([...fields].map(([key, { schema }]) => [key, schema])),
      ...(Object.keys(required).length === 0 ? {} : { required: Object.keys(required) }),
      additionalProperties: false,
    },
    spelling: "other",
  };
}

type Fields = Readonly<Record<string, ValueType>>;
type Members<R extends Fields, O extends Fields> = { [K in keyof R]: Out<R[K]> } & {
  [K in keyof O]?: Out<O[K]>;
};

/** Texts by names of the user's. */
export function textsByName(rule: string): ValueType<Record<string, string>, Record<string, string>> {
  return {
    read: (raw) => {
      if (!isObject(raw)) return fault(rule);
      const members: [string, unknown][] = Object.entries(raw).filter(([key]) => key !== "__proto__");
      const texts = members.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []));
      return texts.length < members.length
        ? fault(rule)
        : { ok: true, value: Object.fromEntries(texts) as Record<string, string> };
    },
    schema: {
      type: "object",
      propertyNames: { type: "string" },
      additionalProperties: { type: "string" },
    },
    spelling: "other",
  };
}

/** The first type that takes it; where one nearly does, its fault is told. */
export function eitherType<O1, I1, O2, I2>(
  rule: string,
  first: ValueType<O1, I1>,
  second: ValueType<O2, I2>,
  spelling: WrittenAs = "other",
): ValueType<O1 | O2, I1 | I2> {
  return {
    read: (raw) => {
      const one = first.read(raw);
      if (one.ok) return one;
      const other = second.read(raw);
      if (other.ok) return other;
      const [nearest, ...more] = [one, other].filter(({ faults }) => faults.every(({ near }) => near));
      return nearest !== undefined && more.length === 0 ? nearest : fault(rule);
    },
    schema: { anyOf: [first.schema, second.schema] },
    spelling,
  };
}

/** Converts a value; `undefined`: it cannot be converted, and `rule` says what is allowed. */
export function convertWith<O, M, I>(
  type: ValueType<O, I>,
  make: (value: O) => M | undefined,
  rule: string,
): ValueType<M, I> {
  return {
    ...without(type),
    read: (raw) => {
      const read = type.read(raw);
      if (!read.ok) {
        const [first, ...rest] = read.faults;
        return { ok: false, faults: [far(first), ...rest.map(far)] };
      }
      const made = make(read.value);
      return made === undefined ? fault(rule) : { ok: true, value: made };
    },
    spelling: "other",
  };
}

function without({ schema, choices }: ValueType): Pick<ValueType, "schema" | "choices"> {
  return { schema, ...given({ choices }) };
}

function far(one: Fault): Fault {
  return { ...one, near: false };
}

function within<T>(read: ReadValue<T>, key: string | number): ReadValue<T> {
  if (read.ok) return read;
  const [first, ...rest] = read.faults;
  const deeper = (one: Fault): Fault => ({ ...one, path: [key, ...one.path] });
  return { ok: false, faults: [deeper(first), ...rest.map(deeper)] };
}

function gathered<T>(all: readonly ReadValue<T>[]): ReadValue<T[]> {
  const [first, ...rest] = all.flatMap((read) => (read.ok ? [] : read.faults));
  if (first !== undefined) return { ok: false, faults: [first, ...rest] };
  return { ok: true, value: all.flatMap((read) => (read.ok ? [read.value] : [])) };
}

function isObject(raw: unknown): raw is object {
  return typeof raw === "object" && raw !== null && !Array.isArray(raw);
}
