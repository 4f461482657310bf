// Asks another command inside this process, so that a tool gives the same answer as the command.
import type { CommandAnswer } from "../../context/command.js";
import type { CommandContext } from "../../context/command-context.js";

/** The JSON that a command answers; its notes are in `warnings`. Throws the command's `UserError`. */
export async function askCommand(
  context: CommandContext,
  ask: (inner: CommandContext) => Promise<CommandAnswer>,
): Promise<Record<string, unknown>> {
  const notes: string[] = [];
  const note = (lines: readonly string[]): Promise<void> => {
    notes.push(...lines);
    return Promise.resolve();
  };
  const quiet = {
    ...{ isTerminal: false, colour: false, columns: () => 80, rows: () => 24 },
    write: (text: string) => note([text]),
  };
  const inner = {
    ...context,
    out: quiet,
    err: quiet,
    report: ({ lines }: { lines: readonly string[] }) => note(lines),
  };
  const { json, problem } = await ask(inner);
  if (problem !== undefined) notes.push(problem);
  const warnings = notes.map((one) => one.replace(/^looper: /u, "").trim()).filter((one) => one !== "");
  const answer = json as Record<string, unknown>;
  return warnings.length === 0 ? answer : { ...answer, warnings };
}
