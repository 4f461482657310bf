// The options of a call as the request of a command. Pure. Errors name the option instead of the flag.
import { Option } from "commander";
import { z } from "zod";
import type { ChapoLine } from "../cmd/commands/chapo/site.js";
import type { RunLine } from "../cmd/commands/run.js";
import { UserError } from "../src/system/errors.js";
import { given } from "../src/system/given.js";
import { nearest } from "../src/system/text/nearest.js";
import { didYouMean } from "../src/todo/model/problem.js";

/** The request of the commands behind the library. */
type Asked = RunLine & ChapoLine & { skills?: readonly string[] };

/** Kinds of options; a message ends the sentence `the option … is not`. */
export const text = z.string("a string").min(1, "a string");
export const number = z.number("a number").transform(String);
export const texts = z.array(z.string("a list of strings"), "a list of strings");
export const fn = z.custom((value) => typeof value === "function", "a function");
const object = z.custom((value) => typeof value === "object" && value !== null, "an object");

export const COMMON = {
  folder: text,
  trust: z.boolean("true or false"),
  env: object,
  onWarning: fn,
  onEvent: fn,
  signal: object,
};

/** Flags that have another name as an option. */
const NAMES: Readonly<Record<string, string>> = { "--skill": "skills", "--session": "resume" };

/** The options as a request; a `usage` error for an unknown option, or for one of another type. */
export function readOptions(options: object, shape: z.ZodRawShape, words: readonly string[] = []): Asked {
  const known = Object.keys(shape);
  const strange = Object.keys(options).find((name) => !known.includes(name));
  if (strange !== undefined) {
    const hint = `the options are ${known.join(", ")}`;
    throw new UserError("usage", `unknown option ${strange}`, didYouMean(nearest(strange, known), hint));
  }
  const read = z.object(shape).partial().safeParse(options);
  if (read.success) return { ...given(read.data), words };
  const [issue] = read.error.issues;
  throw new UserError("usage", `the option ${String(issue?.path[0])} is not ${issue?.message}`, "correct it");
}

/** Does the work; an error about a flag names the option. */
export async function namingOptions<T>(known: object, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const named = (said: string): string =>
      said.replaceAll(/--[a-z]+(?:-[a-z]+)*/g, (flag) => optionOf(flag, known));
    const [message, hint] = [named(error.message), named(error.hint ?? "")];
    if (message === error.message && hint === (error.hint ?? "")) throw error;
    throw new UserError(error.kind, message, error.hint === undefined ? undefined : hint, { cause: error });
  }
}

function optionOf(flag: string, known: object): string {
  const name = NAMES[flag] ?? new Option(flag).attributeName();
  return Object.hasOwn(known, name) ? name : flag;
}
