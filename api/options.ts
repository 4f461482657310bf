// The options of a call as the flags of a command, which check them. Pure. Errors name the option instead of the flag.
import type { Typed } from "../cmd/context/command-context.js";
import { UserError } from "../src/system/errors.js";
import { nearest } from "../src/system/text/nearest.js";
import { didYouMean } from "../src/todo/model/problem.js";

type Kind = "text" | "number" | "yes" | "list" | "function" | "object";

/** An option: its kind, and the flag that it is; without a flag the caller reads it. */
export type Options = Readonly<Record<string, readonly [Kind, string?]>>;

export const COMMON: Options = {
  folder: ["text"],
  trust: ["yes", "--trust"],
  env: ["object"],
  onWarning: ["function"],
  onEvent: ["function"],
  signal: ["object"],
};

const IS: Readonly<Record<Kind, { of: string; test: (value: unknown) => boolean }>> = {
  text: { of: "a string", test: (value) => typeof value === "string" && value !== "" },
  number: { of: "a number", test: (value) => typeof value === "number" },
  yes: { of: "true or false", test: (value) => typeof value === "boolean" },
  list: {
    of: "a list of strings",
    test: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  },
  function: { of: "a function", test: (value) => typeof value === "function" },
  object: { of: "an object", test: (value) => typeof value === "object" && value !== null },
};

/** Returns the options as flags; a `usage` error for an unknown option, or for one of another type. */
export function toTyped(given: object, known: Options, operands: readonly string[] = []): Typed {
  const flags = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) throw unknownOption(name, Object.keys(known));
    const [kind, flag] = option;
    if (value === undefined) return [];
    if (!IS[kind].test(value))
      throw new UserError("usage", `the option ${name} is not ${IS[kind].of}`, "correct it");
    if (flag === undefined || value === false) return [];
    return [[flag, typeof value === "number" ? String(value) : value] as const];
  });
  return { operands, flags: Object.fromEntries(flags) as Typed["flags"] };
}

function unknownOption(name: string, known: readonly string[]): UserError {
  const hint = `the options are ${known.join(", ")}`;
  return new UserError("usage", `unknown option ${name}`, didYouMean(nearest(name, known), hint));
}

/** Does the work; an error about a flag names the option. */
export async function namingOptions<T>(known: Options, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const named = (text: string): string =>
      text.replaceAll(/--[a-z]+(?:-[a-z]+)*/g, (flag) => optionOf(flag, known));
    const [message, hint] = [named(error.message), named(error.hint ?? "")];
    if (message === error.message && hint === (error.hint ?? "")) throw error;
    throw new UserError(error.kind, message, error.hint === undefined ? undefined : hint, { cause: error });
  }
}

function optionOf(flag: string, known: Options): string {
  return Object.entries(known).find(([, [, own]]) => own === flag)?.[0] ?? flag;
}
