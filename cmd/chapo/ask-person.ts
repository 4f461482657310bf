// Asks a person whether a call may run, with all that it would do in front of them. Leaves what a diff looks like to
// ui/terminal/diff-lines.ts.
import type { Question, Reply } from "../../src/chapo/session-request.js";
import { coloursFor } from "../../src/ui/terminal/colours.js";
import { clean } from "../../src/ui/terminal/text.js";
import type { Shell } from "../shell.js";

const ANSWERS: ReadonlyMap<string, Reply> = new Map([
  ["y", "yes"],
  ["yes", "yes"],
  ["a", "always"],
  ["always", "always"],
  ["n", "no"],
  ["no", "no"],
  ["", "no"],
]);
const ALLOWED = "y, n or always";

/** Anything but a clear yes is a no. */
export async function askPerson(shell: Shell, { tool, preview }: Question): Promise<Reply> {
  const { err } = shell;
  const colours = coloursFor(err.colour);
  const paint = (line: string): string => {
    if (/^\+(?!\+\+)/.test(line)) return colours.green(line);
    return /^-(?!--)/.test(line) ? colours.red(line) : line;
  };
  const lines = preview.split("\n").map((line) => `  ${paint(indented(line))}`);
  await shell.say({ level: "warn", lines: ["", `${clean(tool)} wants to:`, ...lines] });
  for (;;) {
    const answer = await shell.ask(`Let it? (${ALLOWED})`, ALLOWED);
    const reply = answer === undefined ? "no" : ANSWERS.get(answer.toLowerCase());
    if (reply !== undefined) return reply;
    await shell.say({ level: "warn", lines: [`${clean(answer ?? "")} is no answer: ${ALLOWED}`] });
  }
}

/** A line of others, its indentation kept. */
function indented(line: string): string {
  const [head = ""] = /^[+ -]?[ \t]*/.exec(line) ?? [];
  return head.replaceAll("\t", "    ") + clean(line.slice(head.length));
}
