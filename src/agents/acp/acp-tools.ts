// Tool calls of the Agent Client Protocol: told in pieces, in any order, of which each may hold anything or nothing. Pure.
import { given } from "../../system/given.js";
import type { AgentEvent } from "../agent.js";
import { asText, field, listField, numberField, textField } from "../fields.js";

/** The facts known about a call so far. */
export interface AcpTool {
  /** read, edit, delete, move, search, execute, think, fetch, switch_mode or other, by the agent's word. */
  kind?: string;
  name?: string;
  title?: string;
  input?: object;
  /** Files it names. */
  paths: readonly string[];
}

/** Adds the facts of one more message about a call. */
export function mergeTool(known: AcpTool | undefined, call: unknown): AcpTool {
  const kind = textField(call, "kind") ?? known?.kind;
  const name =
    textField(call, "name") ??
    textField(field(field(call, "_meta"), "claudeCode"), "toolName") ??
    known?.name;
  const title = textField(call, "title") ?? known?.title;
  const raw = field(call, "rawInput");
  const input = typeof raw === "object" && raw !== null && Object.keys(raw).length > 0 ? raw : known?.input;
  return {
    ...given({ kind, name, title, input }),
    paths: [...new Set([...(known?.paths ?? []), ...pathsOf(call, raw)])],
  };
}

const PATH_KEYS = ["path", "file_path", "filePath", "abs_path", "notebook_path", "destination"];

function pathsOf(call: unknown, input: unknown): string[] {
  const places = [...listField(call, "locations"), ...listField(call, "content")];
  return [
    ...places.map((place) => textField(place, "path")),
    ...PATH_KEYS.map((key) => textField(input, key)),
  ].filter((path) => path !== undefined);
}

/** The command line of a call that executes one, once it is told. */
export function commandOf({ kind, input }: AcpTool): string | undefined {
  if (kind !== "execute") return undefined;
  const command = field(input, "command");
  if (typeof command === "string") return command;
  return Array.isArray(command) && command.every((word) => typeof word === "string")
    ? command.join(" ")
    : undefined;
}

/** Whether enough is known to say what is done. `begun`: it is past being prepared. */
export function isTold(tool: AcpTool, begun: boolean): boolean {
  if (tool.kind === "execute") return commandOf(tool) !== undefined || begun;
  return tool.input !== undefined || begun;
}

/** That a call begins. */
export function toToolUse(id: string, tool: AcpTool): AgentEvent {
  if (tool.kind === "execute") return { type: "command", command: commandOf(tool) ?? tool.title ?? "" };
  const name = tool.name ?? tool.kind ?? tool.title ?? "tool";
  const input = tool.input ?? {
    ...given({ title: tool.title }),
    paths: tool.paths,
  };
  return { type: "tool_use", name, input, id };
}

/** That a call has ended. */
export function endOf(id: string, tool: AcpTool, end: { call: unknown; ms: number }): AgentEvent {
  if (tool.kind !== "execute") {
    const failed = textField(end.call, "status") === "failed";
    return { type: "tool_result", id, output: outputOf(end.call), is_error: failed };
  }
  const code = exitCodeOf(end.call);
  return {
    type: "command",
    command: commandOf(tool) ?? tool.title ?? "",
    ...given({ exit_code: code }),
    duration_ms: Math.max(0, Math.round(end.ms)),
  };
}

const DENIED = /denied by policy|a rule which prevents you from using this/;

/** The one-line reason when the agent's own rules refused a call; gemini and opencode report it only this way. */
export function readDenial(call: unknown): string | undefined {
  if (textField(call, "status") !== "failed") return undefined;
  const said = outputOf(call).replaceAll(/\s+/g, " ").trim();
  return DENIED.test(said) ? said : undefined;
}

/** Where codex, opencode and claude put it. */
function exitCodeOf(call: unknown): number | undefined {
  const raw = field(call, "rawOutput");
  const told = /^Exit code (\d+)/.exec(typeof raw === "string" ? raw : "")?.[1];
  const code =
    numberField(field(field(call, "_meta"), "terminal_exit"), "exit_code") ??
    numberField(field(raw, "metadata"), "exit") ??
    numberField(raw, "exit_code") ??
    (told === undefined ? undefined : Number(told));
  return code === undefined ? undefined : Math.trunc(code);
}

function outputOf(call: unknown): string {
  const raw = field(call, "rawOutput");
  const told = typeof raw === "string" ? raw : (textField(raw, "output") ?? textField(raw, "error"));
  if (told !== undefined) return told;
  const pieces = listField(call, "content").map(
    (piece) => textField(field(piece, "content"), "text") ?? textField(piece, "path") ?? "",
  );
  return pieces.length > 0 ? pieces.filter((piece) => piece !== "").join("\n") : asText(raw);
}
