// `looper fmt [file]`: the task file in canonical form. Leaves what that is to canonical.ts, and writing it to the store.
import { createTwoFilesPatch } from "diff";
import { findLiveRun } from "../../src/loop/live-run.js";
import { UserError } from "../../src/system/errors.js";
import { formatBacklog } from "../../src/todo/canonical.js";
import { openStore } from "../../src/todo/store.js";
import type { Project } from "../../src/config/open-project.js";
import type { FmtAnswer } from "../../src/ui/shapes/backlog.js";
import { plural } from "../../src/ui/amounts.js";
import { spellOut } from "../../src/ui/json-text.js";
import { coloursFor } from "../../src/ui/terminal/colours.js";
import { clean } from "../../src/ui/terminal/text.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../project.js";
import { hasFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

async function sayNotFormatted(shell: Shell, shown: string, named: boolean): Promise<void> {
  const remedy = `looper fmt -w${named ? ` ${shown}` : ""}`;
  await shell.say({ level: "error", lines: [`looper: ${shown} is not formatted: ${remedy}`] });
}

/** Prints the canonical form, what differs from it, or writes it. */
export async function fmt(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const [check, write] = [hasFlag(typed, "--check"), hasFlag(typed, "--write")];
  if (check && write) throw new UserError("usage", "--check writes nothing", "give --check or --write");
  const project = await projectOf(shell, { file: typed.operands[0] });
  const shown = shownPath(shell, project.todoFile);
  const bytes = await readNamedFile(shell, project.todoFile, "task file");
  const text = formatted(bytes, shown);
  const canonical = Buffer.compare(Buffer.from(text), bytes) === 0;
  if (write && !canonical) await writeInto(shell, project, shown);
  const answer: FmtAnswer = { file: project.todoFile, canonical, written: write && !canonical, text };
  if (hasFlag(typed, "--json")) await printJson(shell, answer);
  else if (hasFlag(typed, "--diff"))
    await printDiff(shell, shown, [new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), text]);
  else if (check && !canonical) await sayNotFormatted(shell, clean(shown), typed.operands.length > 0);
  else if (!check && !write) await shell.out.write(shell.out.isTerminal ? spellOut(text) : text);
  return check && !canonical ? "no" : "ok";
}

/** The canonical form; what it could not keep is a `usage` error. */
function formatted(bytes: Uint8Array, shown: string): string {
  const result = formatBacklog(bytes);
  if (result.ok) return result.value;
  const [first, ...more] = result.error;
  const where = first === undefined ? shown : `${shown}:${first.line}:${first.column}`;
  const rest = more.length === 0 ? "" : ` (and ${plural(more.length, "more problem")})`;
  const hint = "nothing was changed; looper validate shows every problem";
  throw new UserError("usage", `${where}: ${first?.message ?? "it cannot be formatted"}${rest}`, hint);
}

/** The newest file: who saved meanwhile loses nothing. */
async function writeInto({ ports }: Shell, project: Project, shown: string): Promise<void> {
  const live = await findLiveRun(ports, project);
  if (live !== undefined)
    throw new UserError("environment", `run ${live.run} works on ${shown}`, "format it when the run is over");
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir });
  await store.rewrite((newest) => Buffer.from(formatted(newest, shown)));
}

async function printDiff(
  { out }: Shell,
  shown: string,
  [before, after]: readonly [string, string],
): Promise<void> {
  if (before === after) return;
  const colours = coloursFor(out.colour);
  const patch = createTwoFilesPatch(shown, shown, before, after, "", "", { context: 3 });
  // Above its header stands what no unified diff has.
  const lines = patch
    .slice(patch.indexOf("--- "))
    .split("\n")
    .slice(0, -1)
    .map((line) => line.replace(/\t$/, ""));
  const painted = (line: string): string => {
    if (line.startsWith("@@")) return colours.dim(clean(line));
    if (line.startsWith("+")) return colours.green(clean(line));
    return line.startsWith("-") ? colours.red(clean(line)) : clean(line);
  };
  await printLines(out, out.isTerminal ? lines.map(painted) : lines);
}
