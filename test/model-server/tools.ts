// Which of the offered tools does a step, and with what input. Pure. The names are those of the clients we know.
import { never } from "../../src/system/never.js";
import type { Move, Offered } from "./dialect.js";
import type { Fault, Step } from "./scenario.js";

/** A step that is an answer. */
export type Deed = Exclude<Step, { do: "fail" }>;

type Input = Readonly<Record<string, unknown>> | string;
type Way<S> = (step: S) => Input;

const purpose = { description: "A step of the test" };

const SHELLS: Readonly<Record<string, Way<string>>> = {
  Bash: (command) => ({ command, ...purpose }),
  bash: (command) => ({ command, ...purpose }),
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
  run_shell_command: (command) => ({ command, ...purpose }),
  exec: (cmd) => `text(await tools.exec_command(${JSON.stringify({ cmd })}));`,
};

type Writing = Extract<Step, { do: "write" }>;

const WRITERS: Readonly<Record<string, Way<Writing>>> = {
  Write: ({ path, content }) => ({ file_path: path, content }),
  write_file: ({ path, content }) => ({ file_path: path, content }),
  write: ({ path, content }) => ({ filePath: path, content }),
  apply_patch: (step) => patchOf(step),
  exec: (step) => `text(await tools.apply_patch(${JSON.stringify(patchOf(step))}));`,
};

const READERS: Readonly<Record<string, Way<string>>> = {
  Read: (path) => ({ file_path: path }),
  read_file: (path) => ({ file_path: path }),
  read: (path) => ({ filePath: path }),
};

/** Throws where no offered tool can do the step: then the scenario is not for this client. */
export function moveFor(step: Deed, offered: readonly Offered[]): Move {
  switch (step.do) {
    case "say":
      return { say: step.text };
    case "shell":
      return call(SHELLS, step.command, offered) ?? missing(step, offered);
    case "write":
      return (
        call(WRITERS, step, offered) ??
        call(SHELLS, `printf %s ${quoted(step.content)} > ${quoted(step.path)}`, offered) ??
        missing(step, offered)
      );
    case "read":
      return (
        call(READERS, step.path, offered) ??
        call(SHELLS, `cat ${quoted(step.path)}`, offered) ??
        missing(step, offered)
      );
    case "mcp":
      return callServer(step, offered) ?? missing(step, offered);
    case "structured":
      return handOver(step.value, offered);
    default:
      return never(step);
  }
}

/** The content that a failing answer was about to send. */
export function textOf(fault: Fault): string {
  return fault.fault === "mid-stream" && fault.text !== undefined
    ? fault.text
    : "First I look at what there is in the project.";
}

function call<S>(
  ways: Readonly<Record<string, Way<S>>>,
  step: S,
  offered: readonly Offered[],
): Move | undefined {
  for (const tool of offered) {
    const way = Object.hasOwn(ways, tool.name) ? ways[tool.name] : undefined;
    const input = way?.(step);
    // A name may be in use for something else: only text goes into a tool that takes text.
    if (input === undefined || (typeof input === "string") !== (tool.takes === "text")) continue;
    return { call: tool, input };
  }
  return undefined;
}

/** Codex runs code that calls the tool; of the others each tool has a name of its own. */
function callServer(
  { tool, input }: Extract<Step, { do: "mcp" }>,
  offered: readonly Offered[],
): Move | undefined {
  const named = offered.find(
    ({ name, group = "" }) => /(?:^|_)looper_+(.+)$/u.exec(`${group}__${name}`)?.[1] === tool,
  );
  if (named !== undefined) return { call: named, input };
  const exec = offered.find(({ name, takes }) => name === "exec" && takes === "text");
  const code = `text(await tools.mcp__looper__${tool}(${JSON.stringify(input)}));`;
  return exec === undefined ? undefined : { call: exec, input: code };
}

function handOver(value: unknown, offered: readonly Offered[]): Move {
  const tool = offered.find(({ name }) => name === "StructuredOutput" || name === "report_summary");
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  return tool !== undefined && isRecord
    ? { call: tool, input: { ...value } }
    : { say: JSON.stringify(value) };
}

function patchOf({ path, content }: Writing): string {
  const lines = content.replace(/\n$/, "").split("\n");
  return [
    "*** Begin Patch",
    `*** Add File: ${path}`,
    ...lines.map((line) => `+${line}`),
    "*** End Patch",
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function missing(step: Deed, offered: readonly Offered[]): never {
  throw new Error(`no tool for "${step.do}" among: ${offered.map(({ name }) => name).join(", ")}`);
}
