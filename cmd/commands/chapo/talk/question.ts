// The question before a call: one key answers it. Pure. Leaves the keys to talk.ts.
import type { Reply, UserQuestion } from "../../../../src/chapo/engine/calls/pending.js";

/** How the question is answered: by a key, or with a text that is being typed. */
export type QuestionMode = "keys" | "remark" | "edit";

/** A question that waits for the person. */
export interface OpenQuestion {
  question: UserQuestion;
  mode: QuestionMode;
  answer(reply: Reply): void;
}

/** The meaning of a key; `undefined`: it is none of the keys that answer. */
export function answerOfKey(
  key: string,
  { mayRemember }: Pick<UserQuestion, "mayRemember">,
): Reply | "remark" | "edit" | undefined {
  switch (key.toLowerCase()) {
    case "y":
      return { verdict: "approve" };
    case "n":
      return { verdict: "reject" };
    case "a":
      return mayRemember ? { verdict: "approve", always: true } : undefined;
    case "e":
      return "edit";
    case "r":
      return "remark";
    default:
      return undefined;
  }
}

/** The line that names the keys. */
export function keysLine({ mayRemember }: Pick<UserQuestion, "mayRemember">, columns: number): string {
  const long = `Allow this? y yes · n no · ${mayRemember ? "a always · " : ""}e edit · r no, with a remark`;
  return long.length < columns ? long : `Allow? (${mayRemember ? "y/n/a/e/r" : "y/n/e/r"})`;
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
