// The demo's script for the built-in engine: the same edits, tests and reports as calls of its tools. Pure.
import type { Action } from "../../../../src/agents/hosted/script.js";
import { FILES } from "./project.js";
import { SCRIPT } from "./script.js";

/** One turn of the model: a text and a tool call. */
interface Turn {
  say?: string;
  delay_ms?: number;
  call: { name: string; args: Readonly<Record<string, unknown>> };
}

/** The replies by task; the n-th attempt as `D3#n` where it differs; `turns` are the review's. */
export function chapoScript(): { tasks: Record<string, Turn[]>; turns: Turn[] } {
  const { tasks = {}, review = [] } = "steps" in SCRIPT ? {} : SCRIPT;
  const entries = Object.entries(tasks).flatMap(([id, attempts]) =>
    attempts.map((actions, at) => [at === 0 ? id : `${id}#${at + 1}`, turnsOf(actions)] as const),
  );
  return { tasks: Object.fromEntries(entries), turns: turnsOf(review[0] ?? []) };
}

/** Text and pause are attached to the next call. */
function turnsOf(actions: readonly Action[]): Turn[] {
  const turns: Turn[] = [];
  let next: Omit<Turn, "call"> = {};
  for (const action of actions) {
    if ("say" in action) next = { ...next, say: action.say };
    else if ("delay" in action) next = { ...next, delay_ms: parseInt(action.delay, 10) };
    else {
      turns.push({ ...next, call: callOf(action) });
      next = {};
    }
  }
  return turns;
}

function callOf(action: Action): Turn["call"] {
  if ("write" in action)
    return { name: "fs_writeFile", args: { path: action.write, content: action.content } };
  if ("append" in action) return edit(action.append, FILES[action.append] ?? "", action.content);
  if ("replace" in action)
    return {
      name: "fs_edit",
      args: { path: action.replace, old_string: action.find, new_string: action.with },
    };
  if ("run" in action)
    return { name: "bash_execute", args: { command: [action.run, ...(action.args ?? [])].join(" ") } };
  if ("summary" in action) return { name: "report_summary", args: action.summary };
  throw new Error(`the demo has no call for ${JSON.stringify(action)}`);
}

/** Appends to an unchanged file. */
function edit(path: string, before: string, more: string): Turn["call"] {
  return { name: "fs_edit", args: { path, old_string: before, new_string: before + more } };
}
