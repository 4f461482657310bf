// The question before a call: one key answers it. Pure. Leaves the keys to talk.ts.
import type { Reply, UserQuestion } from "../../../../src/chapo/engine/calls/pending.js";

/** How the question is answered: by a key, or with a text that is being typed. */
export type QuestionMode = "keys" | "remark" | "edit";

/** A question that waits for the person. */
export interface TalkQuestion {
  question: UserQuestion;
  mode: QuestionMode;
  answer(reply: Reply): void;
}

/** The answers that are possible beside yes and no. */
type Offer = Pick<UserQuestion, "mayRemember" | "edits">;

/** The keys for the answers that allow more than this call. */
export const MORE_KEYS = { always: "a", edits: "f" };

/** The meaning of a key; `undefined`: it is none of the keys that answer. */
export function answerOfKey(
  key: string,
  { mayRemember, edits }: Offer,
): Reply | "remark" | "edit" | undefined {
  switch (key.toLowerCase()) {
    case "y":
      return { verdict: "approve" };
    case "n":
      return { verdict: "reject" };
    case "a":
      return mayRemember ? { verdict: "approve", always: true } : undefined;
    case "f":
      return edits === undefined ? undefined : { verdict: "approve", edits: true };
    case "e":
      return "edit";
    case "r":
      return "remark";
    default:
      return undefined;
  }
}

/** The line that names the keys, in as many words as fit. */
export function keysLine({ mayRemember, edits }: Offer, columns: number): string {
  const keys = [
    ["y", "yes", "yes"],
    ["n", "no", "no"],
    ...(mayRemember ? [["a", "always", "always"]] : []),
    ...(edits === undefined ? [] : [["f", "file", "every edit of the file"]]),
    ["e", "edit", "edit the call"],
    ["r", "remark", "no, with a remark"],
  ] as const;
  const long = `Allow this? ${keys.map(([key, , words]) => `${key} ${words}`).join(" · ")}`;
  const short = `Allow? ${keys.map(([key, word]) => `${key} ${word}`).join(" · ")}`;
  const least = `Allow? (${keys.map(([key]) => key).join("/")})`;
  return [long, short].find((line) => line.length < columns) ?? least;
}

/** The text to edit: the command itself, or the arguments as JSON. */
export function editableText({ args }: UserQuestion): string {
  const command = commandOf(args);
  return command ?? JSON.stringify(args, undefined, 2);
}

/** The call with the edited text, or why the text cannot be used. */
export function readEdited(text: string, { args }: UserQuestion): { reply: Reply } | { problem: string } {
  if (commandOf(args) !== undefined && typeof args === "object")
    return { reply: { verdict: "approve", args: { ...args, command: text } } };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { reply: { verdict: "approve", args: value } };
    return { problem: "the arguments must be a JSON object" };
  } catch (error) {
    return { problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function commandOf(args: unknown): string | undefined {
  if (typeof args !== "object" || args === null || !("command" in args)) return undefined;
  return typeof args.command === "string" ? args.command : undefined;
}
