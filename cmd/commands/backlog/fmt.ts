// `looper fmt [file]`: the task file in canonical form. Leaves the form to canonical.ts, and writing to the store.
import { describeCorrections, type Correction } from "../../../src/todo/understand/understand.js";
import { UserError } from "../../../src/system/errors.js";
import { fmtAnswer, formatFile } from "../../../src/ui/answers/backlog/fmt.js";
import { createTwoFilesPatch } from "diff";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { checkBacklog } from "../../../src/todo/check/check.js";
import { openStore } from "../../../src/todo/store/store.js";
import type { Project } from "../../../src/config/project/open-project.js";
import type { FmtAnswer } from "../../../src/ui/shapes/backlog.js";
import { spellOut } from "../../../src/ui/json-text.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { clean } from "../../../src/ui/text.js";
import { checkOptionsOf } from "../../lookup/check-options.js";
import { printJson, printLines, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import { endAfter } from "../../lookup/read-tasks.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

interface Asked {
  check: boolean;
  /** Whether the file is written. */
  write: boolean;
  fix: boolean;
  keepOrder: boolean;
  diff: boolean;
  json: boolean;
}

function askedOf(typed: Typed): Asked {
  const flag = (name: string): boolean => hasFlag(typed, name);
  const [check, fix, diff] = [flag("--check"), flag("--fix"), flag("--diff")];
  if (check && flag("--write"))
    throw new UserError("usage", "--check writes nothing", "give --check or --write");
  const write = flag("--write") || (fix && !check && !diff);
  return { check, write, fix, diff, keepOrder: flag("--keep-order"), json: flag("--json") };
}

/** Prints the canonical form or its difference, or writes it. */
export async function fmt(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const asked = askedOf(typed);
  const project = await projectOf(context, { file: typed.operands[0] });
  const file: FileToFormat = {
    shown: shownPath(context, project.todoFile),
    named: typed.operands.length > 0,
  };
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const formatted = formatFile(bytes, file.shown, asked);
  const { text, corrections } = formatted;
  const canonical = Buffer.compare(Buffer.from(text), bytes) === 0;
  const copy =
    asked.write && !canonical ? await writeInto(context, project, { asked, shown: file.shown }) : undefined;
  const written = asked.write && !canonical;
  const answer = fmtAnswer(project.todoFile, formatted, { canonical, written, copy });
  if (asked.json) await printJson(context, answer);
  else if (asked.diff)
    await printDiff(context, file.shown, [new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes), text]);
  else if (asked.check) {
    if (!canonical) await sayNotFormatted(context, { ...file, asked, corrections });
  } else if (asked.fix) await printLines(context.out, [clean(fixedText(answer, file.shown, corrections))]);
  else if (!asked.write) {
    await context.out.write(context.out.isTerminal ? spellOut(text) : text);
    if (!canonical) await sayPrinted(context, file);
  }
  if (asked.check && !canonical) return "no";
  return asked.fix ? endAfterFix(context, project, { text, file: typed.operands[0] }) : "ok";
}

interface FileToFormat {
  shown: string;
  /** It was named on the command line. */
  named: boolean;
}

type NotFormatted = FileToFormat & { asked: Asked; corrections: readonly Correction[] };

async function sayNotFormatted(
  context: CommandContext,
  { shown, named, asked, corrections }: NotFormatted,
): Promise<void> {
  const words = [asked.fix ? "--fix" : "-w", ...(asked.keepOrder ? ["--keep-order"] : [])];
  const remedy = ["looper fmt", ...words, ...(named ? [clean(shown)] : [])].join(" ");
  const needs = corrections.length === 0 ? "" : ` (${clean(describeCorrections(corrections))})`;
  await context.report({
    level: "error",
    lines: [`looper: ${clean(shown)} is not formatted${needs}: ${remedy}`],
  });
}

/** A note for users of the Go program, whose `fmt` without flags was a check. */
async function sayPrinted(context: CommandContext, { shown }: FileToFormat): Promise<void> {
  const text = `${clean(shown)} is not in canonical form; to exit 1 then, run looper fmt --check`;
  await context.report({ level: "warn", lines: [`looper: ${text}`] });
}

/** The result of `--fix`. */
function fixedText({ written, copy }: FmtAnswer, shown: string, corrections: readonly Correction[]): string {
  if (!written) return `${shown} needs no correction`;
  if (corrections.length === 0) return `formatted ${shown}`;
  const kept = copy === null ? "" : `; the file as it was is ${copy}`;
  return `corrected ${shown}: ${describeCorrections(corrections)}${kept}`;
}

/** The problems that `--fix` could not correct. */
async function endAfterFix(
  context: CommandContext,
  project: Project,
  { text, file }: { text: string; file: string | undefined },
): Promise<CommandOutcome> {
  const checked = checkBacklog(Buffer.from(text), await checkOptionsOf(context, project));
  return endAfter(context, project, checked.kind === "ok" ? [] : checked.problems, file);
}

/** Formats the newest version of the file, so that no save is lost. Returns the path of the copy, if there is one. */
async function writeInto(
  { ports }: CommandContext,
  project: Project,
  { asked, shown }: { asked: Asked; shown: string },
): Promise<string | undefined> {
  const live = await findLiveRun(ports, project);
  if (live !== undefined)
    throw new UserError("environment", `run ${live.run} works on ${shown}`, "format it when the run is over");
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir });
  let isCorrected = false;
  const written = await store.rewrite(
    (newest) => {
      const { text, corrections } = formatFile(newest, shown, asked);
      isCorrected = corrections.length > 0;
      return Buffer.from(text);
    },
    () => (isCorrected ? "broken" : undefined),
  );
  return written?.copy;
}

async function printDiff(
  { out }: CommandContext,
  shown: string,
  [before, after]: readonly [string, string],
): Promise<void> {
  if (before === after) return;
  const colours = coloursFor(out.colour);
  const patch = createTwoFilesPatch(shown, shown, before, after, "", "", { context: 3 });
  // The library prints lines above the header that a unified diff does not have.
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
