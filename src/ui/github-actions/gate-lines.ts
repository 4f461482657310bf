// The findings of the gate, as lines for the log of a GitHub workflow. Pure.
import { stripVTControlCharacters } from "node:util";
import type { RunEvent } from "../../logging/events/events.js";
import { showDuration } from "../view/words/amounts.js";
import { clean } from "../text.js";

type GateFinished = Extract<RunEvent, { type: "gate_finished" }>;

/** How many of the last lines of a command's output are shown. */
const MOST_LINES = 30;

/** A line for each command, followed by the end of its output when it failed the task. */
export function gateLines({ commands, tampered }: GateFinished): string[] {
  return [
    ...commands.flatMap(commandLines),
    ...tampered.map(({ path, name, what, detail }) => {
      const where = [path, name].filter((part) => part !== undefined).join(" ");
      return `  gate ✗ tampering, ${what}: ${clean(where)}: ${clean(detail)}`;
    }),
  ];
}

function commandLines(one: GateFinished["commands"][number]): string[] {
  const bad = one.verdict === "regressed" || one.verdict === "new";
  const how = one.end === "exited" ? `exit ${one.exit_code ?? "?"}` : one.end;
  const facts = [one.verdict, how, showDuration(one.duration_ms)].join(", ");
  return [`  gate ${bad ? "✗" : "✓"} ${clean(one.command)} (${facts})`, ...(bad ? tailOf(one.tail) : [])];
}

function tailOf(tail: string): string[] {
  const lines = stripVTControlCharacters(tail)
    .trimEnd()
    .split(/\r\n|[\r\n]/);
  return lines.slice(-MOST_LINES).map((line) => {
    const indent = /^[ \t]*/.exec(line)?.[0].replaceAll("\t", "  ") ?? "";
    return `  | ${indent}${clean(line)}`.trimEnd();
  });
}
