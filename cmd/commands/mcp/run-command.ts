// Runs another command with --json inside this process and returns what it would print, so that a tool gives the same answer
// as the command.
import { UserError } from "../../../src/system/errors.js";
import type { Flags } from "../../../src/config/read/resolve.js";
import type { Output } from "../../../src/ui/output.js";
import type { Command, CommandContext } from "../../context/command-context.js";

/** A command line: operands, and flags beside --json. */
export interface CommandToRun {
  operands?: readonly string[];
  flags?: Flags;
}

/** The command's JSON answer; its notes on stderr are in `warnings`. Throws the command's `UserError`. */
export async function runCommand(
  context: CommandContext,
  command: Command,
  { operands = [], flags = {} }: CommandToRun,
): Promise<Record<string, unknown>> {
  const printed: string[] = [];
  const notes: string[] = [];
  await command(capture(context, printed, notes), { operands, flags: { ...flags, "--json": true } });
  const text = printed.join("");
  const warnings = notes.map((note) => note.replace(/^looper: /u, "").trim()).filter((note) => note !== "");
  if (text === "") throw new UserError("no", warnings.join("\n") || "no answer");
  const answer = JSON.parse(text) as Record<string, unknown>;
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

function capture(context: CommandContext, printed: string[], notes: string[]): CommandContext {
  const into = (list: string[]): Output => ({
    isTerminal: false,
    colour: false,
    columns: () => 80,
    rows: () => 24,
    write: (text) => {
      list.push(text);
      return Promise.resolve();
    },
  });
  return {
    ...context,
    out: into(printed),
    err: into(notes),
    report: ({ lines }) => {
      notes.push(...lines);
      return Promise.resolve();
    },
  };
}
