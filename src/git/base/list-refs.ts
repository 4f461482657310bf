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

/** Parses the JSON that ends the message (bytes) of a commit of this program; `undefined` if it does not match the schema. */
export function readMessage<T>(schema: z.ZodType<T>, message: string): T | undefined {
  return readFacts(schema, toText(message.slice(message.indexOf("{", message.indexOf("\n\n")))));
}

/** Parses JSON that this program wrote; `undefined` if it does not match the schema. */
export function readFacts<T>(schema: z.ZodType<T>, text: string): T | undefined {
  const read = schema.safeParse(parseJson(text));
  return read.success ? read.data : undefined;
}
