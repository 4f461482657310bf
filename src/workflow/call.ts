// A call of a tool that a person must allow: its digest, whether the approved plan names it, and what an answer says of it. Pure.
import { listOf, textOf } from "../system/text/json.js";
import { sha256Hex } from "../system/text/sha256.js";
import type { Answer, PendingCall, Progress } from "./progress.js";

/** The outcomes of a question about a call. */
export const CALL_OUTCOMES = ["approve", "edit", "reject"] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/** The text that the question about a call shows. */
export const CALL = "call";

/** The digest of a call: of its tool and its arguments, whatever the order of their keys. */
export function digestOfCall({
  tool,
  arguments: given = {},
}: Pick<PendingCall, "tool" | "arguments">): string {
  return sha256Hex(JSON.stringify([tool, inOrder(given)]));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, inOrder(one)]));
}

/** The part of a plan that calls are compared with. */
interface Planned {
  commands: readonly string[];
  paths: readonly string[];
}

/** The commands and files that a plan names; any output will do. */
export function readPlanned(output: unknown): Planned {
  const textsOf = (list: string, key: string): string[] =>
    listOf(output, list).map((one) => (typeof one === "string" ? one : textOf(one, key)));
  const paths = [...textsOf("files_to_create", "path"), ...textsOf("files_to_modify", "path")];
  return { commands: textsOf("commands", "command").map(oneLine), paths: paths.map(plain) };
}

/** Whether a plan names the call: its command, or all the paths that it would write. */
export function isPlanned(
  { command, paths = [] }: { command: string; paths?: readonly string[] | undefined },
  planned: Planned,
): boolean {
  if (paths.length > 0) return paths.every((path) => planned.paths.includes(plain(path)));
  return planned.commands.includes(oneLine(command));
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/gu, " ");
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+/u, "");
}

/** The decision on a call that the visit of a stage begins with, if the answer before it was one. */
export function findDecidedCall(
  progress: Pick<Progress, "answers" | "visit" | "first"> | undefined,
  isOfVisit: (answer: Answer) => boolean,
): { call: PendingCall; answer: Answer; outcome: CallOutcome } | undefined {
  const answer = progress?.answers?.at(-1);
  const outcome = CALL_OUTCOMES.find((one) => one === answer?.outcome);
  if (answer?.call === undefined || outcome === undefined || !isOfVisit(answer)) return undefined;
  return { call: answer.call, answer, outcome };
}
