// The lines of a session with the built-in engine: one for each call and result, the list of todos, the whole answer,
// and the question before a call. Pure. Leaves printing and reading input to the caller.
import { field, textField } from "../../../agents/fields.js";
import type { ChapoEvent } from "../../../chapo/engine/events.js";
import type { UserQuestion } from "../../../chapo/engine/calls/pending.js";
import { never } from "../../../system/never.js";
import { plural, showDuration, showMoment } from "../../view/words/amounts.js";
import type { Colours } from "../../colours.js";
import { diffColour } from "../talk/diff-lines.js";
import { markdownLines } from "../talk/markdown.js";
import { clean, cut, hang, showExactly } from "../../text.js";

export interface ChapoScreen {
  colours: Colours;
  /** The terminal's width; absent: nothing is truncated. */
  columns?: number;
}

/** Turns events into lines without newlines. */
export function openChapoLines(): (event: ChapoEvent, screen: ChapoScreen) => string[] {
  // The model's text in a turn, held back until the next event shows that it is not the answer, which is printed separately.
  let said = "";
  const calls = new Map<string, unknown>();
  return (event, screen) => {
    if (event.type === "message") {
      said = event.data.text;
      return [];
    }
    const isEnd = event.type === "answer" || event.type === "error" || event.type === "clarify";
    const shows = event.type === "tool_call" || event.type === "clarify";
    // A question at the end of the turns contains the text of its own message.
    const isRepeated = event.type === "clarify" && event.data.question.trim() === said.trim();
    const before = shows && said !== "" && !isRepeated ? ["", ...blockLines(said, screen)] : [];
    if (event.type === "tool_call" || isEnd) said = "";
    if (event.type === "tool_call") {
      calls.set(event.data.callId, event.data.args);
    }
    const args = event.type === "tool_result" ? calls.get(event.data.callId) : undefined;
    if (event.type === "tool_result") calls.delete(event.data.callId);
    const indent = event.child === undefined ? "" : "    ";
    return [...before, ...linesOf(event, args, narrowed(screen, indent)).map((line) => indent + line)];
  };
}

function narrowed(screen: ChapoScreen, indent: string): ChapoScreen {
  return screen.columns === undefined
    ? screen
    : { ...screen, columns: Math.max(20, screen.columns - indent.length) };
}

/** `args`: the arguments of the result's call. */
function linesOf(
  event: Exclude<ChapoEvent, { type: "message" }>,
  args: unknown,
  screen: ChapoScreen,
): string[] {
  const { colours } = screen;
  switch (event.type) {
    case "tool_call":
      return [fit(`• ${event.data.tool}${describeCall(event.data.args)}`, screen)];
    case "tool_result":
      return resultLines(event.data, args, screen);
    case "validation":
      return [validationLine(event.data, screen)];
    case "compaction": {
      const { how, messages, before, after } = event.data;
      const what = how === "clipped" ? "message" : "older message";
      const text = `${plural(messages, what)} ${HOW[how]}: ${before} → ${after} tokens`;
      return [colours.dim(fit(`  ${text}`, screen))];
    }
    case "attached":
      return [colours.dim(fit(`  sent with it: ${event.data.images.join(", ")}`, screen))];
    case "waiting":
      return [colours.yellow(fit(`  waits ${showDuration(event.data.ms)}: ${event.data.why}`, screen))];
    case "answer":
      return blockLines(event.data.answer, screen);
    case "clarify":
      return blockLines(event.data.question, screen);
    case "error":
      return errorLines(`error: ${clean(event.data.error)}${showRetry(event)}`, screen);
    case "status":
    case "thinking":
    case "delta":
    case "thought":
    case "retry":
    case "delivered":
    case "step":
    case "action_pending":
    case "usage":
      return [];
    default:
      return never(event);
  }
}

/** When the provider can be asked again, in local time. */
function showRetry({ data, timestamp }: Extract<ChapoEvent, { type: "error" }>): string {
  if (data.retry_at === undefined) return "";
  return `; try again after ${showMoment(Date.parse(data.retry_at), Date.parse(timestamp))}`;
}

const HOW = { summary: "summed up", dropped: "dropped", cleared: "cleared", clipped: "cut" } as const;

function fit(text: string, { columns }: ChapoScreen): string {
  // The beginning of a line is never truncated.
  const head = /^ */.exec(text)?.[0] ?? "";
  const line = head + clean(text);
  return cut(line, columns);
}

/** A whole text of the model. */
export function blockLines(text: string, { colours, columns }: ChapoScreen): string[] {
  return markdownLines(text.replace(/^\s*\n/, "").trimEnd(), colours, columns);
}

function errorLines(text: string, { colours, columns }: ChapoScreen): string[] {
  return hang(text, columns).map(colours.red);
}

/** Arguments that describe a call best, the best first. */
const TELLING = [
  "command path source destination pattern query url host script id agent_type prompt message content question",
].flatMap((line) => line.split(" "));

/** A call in a few words: its telling arguments, each after a space. */
export function describeCall(args: unknown): string {
  const told = TELLING.flatMap((name) => textField(args, name) ?? []).slice(0, 2);
  const files = field(args, "edits") ?? field(args, "files");
  if (told.length === 0 && Array.isArray(files)) return ` ${plural(files.length, "place")}`;
  return told.map((text) => ` ${text.slice(0, 500)}`).join("");
}

function resultLines(
  { tool, success, output }: Extract<ChapoEvent, { type: "tool_result" }>["data"],
  args: unknown,
  screen: ChapoScreen,
): string[] {
  const { colours } = screen;
  if (tool === "todo_write" && success) return todoLines(args, screen);
  const ran = success ? readExit(output) : undefined;
  if (ran !== undefined) return commandLines(ran, screen);
  const lines = output.trim().split("\n");
  const first = (lines[0] ?? "").slice(0, 1_000);
  const more = lines.length > 1 ? ` (${plural(lines.length, "line")})` : "";
  if (!success) return [colours.red(fit(`  ✗ ${first}${more}`, screen))];
  return [colours.dim(fit(`  ✓ ${lines.length > 1 ? plural(lines.length, "line") : first}`, screen))];
}

/** The exit code and the output of a command, as the tools that run one write them; `undefined`: another result. */
function readExit(output: string): { code: number; lines: readonly string[] } | undefined {
  const [head = "", code = ""] = /^exit_code: (-?\d+)(?:\n|$)/.exec(output) ?? [];
  if (head === "") return undefined;
  const lines = output.slice(head.length).trimEnd().split("\n");
  return {
    code: Number(code),
    lines: lines.filter((line) => !/^(?:stdout:|stderr:|\(no output\)|)$/.test(line)),
  };
}

/** The most lines of a command's output that are shown: its last ones, where a failure is explained. */
const MOST_OUTPUT = 5;

function commandLines(
  { code, lines }: { code: number; lines: readonly string[] },
  screen: ChapoScreen,
): string[] {
  const { colours } = screen;
  const more = lines.length - MOST_OUTPUT;
  const count = more > 0 ? `, ${plural(lines.length, "line")}` : "";
  const end = code === 0 ? colours.dim(`  ✓ done${count}`) : colours.red(`  ✗ exit code ${code}${count}`);
  const shown = lines.slice(-MOST_OUTPUT).map((line) => showExactly(line.slice(0, 1_000)).join(""));
  return [
    end,
    ...(more > 0 ? [colours.dim("    …")] : []),
    ...shown.map((line) => colours.dim(fit(`    ${line.replaceAll("\t", "    ")}`, screen))),
  ];
}

const MOST_TODOS = 100;
const BOXES: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[>]", pending: "[ ]" };

function todoLines(args: unknown, screen: ChapoScreen): string[] {
  const todos = field(args, "todos");
  if (!Array.isArray(todos)) return [];
  const { colours } = screen;
  return todos.slice(0, MOST_TODOS).map((todo: unknown) => {
    const status = textField(todo, "status") ?? "";
    const box = Object.hasOwn(BOXES, status) ? (BOXES[status] ?? "") : "[ ]";
    const line = fit(`  ${box} ${(textField(todo, "content") ?? "").slice(0, 1_000)}`, screen);
    return status === "completed" ? colours.dim(line) : status === "in_progress" ? colours.bold(line) : line;
  });
}

function validationLine(
  { confidence, issues, checked }: Extract<ChapoEvent, { type: "validation" }>["data"],
  screen: ChapoScreen,
): string {
  const { colours } = screen;
  if (checked === false) return colours.dim("  not checked");
  const text = `  validation: confidence ${confidence.toFixed(2)}${issues.length === 0 ? "" : `, ${issues.join("; ")}`}`;
  return issues.length === 0 ? colours.dim(fit(text, screen)) : colours.yellow(fit(text, screen));
}

/** The question before a call: agent, tool, and the whole diff or command. `names`: the answers that allow more than this call. */
export function questionLines(
  question: UserQuestion,
  screen: ChapoScreen,
  names = { always: "always", edits: "edits" },
): string[] {
  const { colours, columns } = screen;
  const { tool, agent, because, preview, edits, host } = question;
  const shown = showExactly(preview.trimEnd()).map((line) => line.replaceAll("\t", "    "));
  const isDiff = shown.some((line) => line.startsWith("@@ "));
  return [
    "",
    colours.bold(fit(`${agent} wants to use ${tool} (${because}):`, screen)),
    ...shown.flatMap((line) => {
      const lines = hang(line, columns && Math.max(10, columns - 2));
      return lines.map((one) => `  ${isDiff ? diffColour(line, colours)(one) : one}`);
    }),
    ...(host === undefined
      ? []
      : [colours.dim(fit(`  ${names.always}: every page of ${host} in this session`, screen))]),
    ...(edits === undefined
      ? []
      : [colours.dim(fit(`  ${names.edits}: every edit of ${edits} in this session`, screen))]),
  ];
}
