// Lists refs with their fields, and deletes them. names.ts has the names of this program's own.
import { runGit, type GitPlace } from "./git.js";
import type { z } from "zod";
import { parseJson } from "../../system/text/json.js";
import { toText } from "./bytes.js";

/** These fields (as `git for-each-ref` names them) of every ref of these names or folders, in bytes. Starts one process. */
export async function listRefs(
  place: GitPlace,
  fields: readonly string[],
  patterns: readonly string[],
  ...flags: readonly string[]
): Promise<string[][]> {
  const format = fields.map((field) => `%(${field})%00`).join("");
  const { out } = await runGit(place, ["for-each-ref", ...flags, `--format=${format}`, ...patterns]);
  const values = out.split("\0");
  const refs: string[][] = [];
  for (let at = 0; at + fields.length < values.length; at += fields.length) {
    const [first = "", ...rest] = values.slice(at, at + fields.length);
    // A line break ends the ref before.
    refs.push([first.replace(/^\n/, ""), ...rest]);
  }
  return refs;
}

/** Deletes all of these refs that exist, in one step. Starts one process, or none without a name. */
export async function deleteRefs(place: GitPlace, names: readonly string[]): Promise<void> {
  const input = names.map((name) => `delete ${name}\n`).join("");
  if (names.length > 0) await runGit(place, ["update-ref", "--stdin"], { input });
}

/** Refs (or objects of any kind) by their full names. */
export type Refs = ReadonlyMap<string, string>;

/** The names that differ, in their order, with what they were and are. Pure. */
export function listChanged(
  before: Refs,
  now: Refs,
): { name: string; was: string | undefined; is: string | undefined }[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  return names
    .map((name) => ({ name, was: before.get(name), is: now.get(name) }))
    .filter(({ was, is }) => was !== is);
}

/** Puts refs back as they were. Those that were made go first: one may be in the place of the folder of a removed one. */
export async function putRefsBack(place: GitPlace, changed: ReturnType<typeof listChanged>): Promise<void> {
  const gone = changed.flatMap(({ name, was, is = "" }) =>
    was === undefined ? [`delete ${name} ${is}\n`] : [],
  );
  const put = changed.flatMap(({ name, was, is }) => {
    if (was === undefined) return [];
    return [is === undefined ? `create ${name} ${was}\n` : `update ${name} ${was} ${is}\n`];
  });
  for (const lines of [gone, put])
    if (lines.length > 0)
      await runGit(place, ["update-ref", "--no-deref", "--stdin"], { input: lines.join("") });
}

/** Parses the JSON that ends the message (bytes) of a commit of this program; `undefined` if it does not match the schema. */
export function readMessage<T>(schema: z.ZodType<T>, message: string): T | undefined {
  return readFacts(schema, toText(message.slice(message.indexOf("{", message.indexOf("\n\n")))));
}

/** Parses JSON that this program wrote; `undefined` if it does not match the schema. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}
