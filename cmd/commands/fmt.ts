// `looper fmt [file]`: the task file in canonical form. Leaves the form to canonical.ts.
import path from "node:path";
import { Option } from "commander";
import { createTwoFilesPatch } from "diff";
import type { Project } from "../../src/config/project/open-project.js";
import { findLiveRun } from "../../src/loop/runs/live-run.js";
import { environmentError, usageError } from "../../src/system/errors.js";
import { checkBacklog } from "../../src/todo/check/check.js";
import { openStore } from "../../src/todo/store/store.js";
import { describeCorrections, type Correction } from "../../src/todo/understand/understand.js";
import { fmtAnswer, formatFile, type FormatOptions } from "../../src/ui/answers/backlog/fmt.js";
import { coloursFor } from "../../src/ui/colours.js";
import { spellOut } from "../../src/ui/json-text.js";
import type { FmtAnswer } from "../../src/ui/shapes/backlog.js";
import { diffLines } from "../../src/ui/terminal/rescues.js";
import { clean } from "../../src/ui/text.js";
import { FILE, JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { checkOptionsOf } from "../lookup/check-options.js";
import { printLines, projectOf, readNamedFile, shownPath, warn } from "../lookup/project.js";
import { problemsText, readRoot } from "../lookup/read-tasks.js";

interface Request {
  file?: string;
  write?: true;
  fix?: true;
  keepOrder?: true;
  check?: true;
  diff?: true;
}

interface Answer extends CommandAnswer {
  json: FmtAnswer;
  shown: string;
  before: Uint8Array;
  text: string;
  corrections: readonly Correction[];
  canonical: boolean;
}

export const command: AnsweringCommand<Request, Answer> = {
  arguments: [FILE],
  options: [
    new Option("-w, --write", "write the result to the file"),
    new Option("--fix", "correct obvious mistakes, write the file, keep a copy"),
    new Option("--keep-order", "keep the order of the tasks"),
    new Option("--check", "exit with 1 when the file is not formatted"),
    new Option("-d, --diff", "print what would change"),
    JSON_OPTION,
  ],
  examples: [
    ["looper fmt -w", "format the project's task file"],
    ["looper fmt --fix", "correct another tool's keys, comments and commas"],
    ["looper fmt --check --keep-order", "fail in CI when it is not formatted"],
  ],
  answer: async (context, { file, write = false, fix = false, keepOrder = false, check, diff }) => {
    if (check === true && write) throw usageError("--check writes nothing", "give --check or --write");
    const project = await projectOf(context, { file });
    const shown = shownPath(context, project.todoFile);
    const before = await readNamedFile(context, project.todoFile, "task file");
    const { root = "", wrong } = await readRoot(context, project, before);
    const form = { fix, keepOrder, withoutRoot: wrong !== undefined && path.isAbsolute(root) };
    const formatted = formatFile(before, shown, form);
    const { text, corrections } = formatted;
    const canonical = Buffer.compare(Buffer.from(text), before) === 0;
    const written = !canonical && (write || (fix && check !== true && diff !== true));
    const copy = written ? await writeInto(context, project, { ...form, shown }) : undefined;
    const json = fmtAnswer(project.todoFile, formatted, { canonical, written, copy });
    const answer = { json, shown, before, text, corrections, canonical };
    if (check === true && !canonical) return { ...answer, end: "no" };
    if (!fix) return answer;
    // The problems that it could not correct.
    const checked = checkBacklog(Buffer.from(text), await checkOptionsOf(context, project));
    const left = checked.kind === "ok" ? [] : checked.problems;
    return { ...answer, problem: problemsText(context, project, left, file) };
  },
  print: async (context, answer, request) => {
    const { out } = context;
    const { shown, text, canonical } = answer;
    if (request.diff === true) return printDiff(context, answer);
    if (request.check === true) return canonical ? undefined : sayNotFormatted(context, answer, request);
    if (request.fix === true) return printLines(out, [clean(fixedText(answer))]);
    if (request.write === true) return;
    await out.write(out.isTerminal ? spellOut(text) : text);
    if (canonical) return;
    // For users of the Go program, whose `fmt` without flags was a check.
    await warn(context, `${shown} is not in canonical form; to exit 1 then, run looper fmt --check`);
  },
};

async function sayNotFormatted(
  context: CommandContext,
  { shown, corrections }: Answer,
  { fix, keepOrder, file }: Request,
): Promise<void> {
  const words = [fix === true ? "--fix" : "-w", ...(keepOrder === true ? ["--keep-order"] : [])];
  const remedy = ["looper fmt", ...words, ...(file === undefined ? [] : [clean(shown)])].join(" ");
  const needs = corrections.length === 0 ? "" : ` (${clean(describeCorrections(corrections))})`;
  await context.report({
    level: "error",
    lines: [`looper: ${clean(shown)} is not formatted${needs}: ${remedy}`],
  });
}

function fixedText({ json: { written, copy }, shown, corrections }: Answer): string {
  if (!written) return `${shown} needs no correction`;
  if (corrections.length === 0) return `formatted ${shown}`;
  const kept = copy === null ? "" : `; the file as it was is ${copy}`;
  return `corrected ${shown}: ${describeCorrections(corrections)}${kept}`;
}

/** Formats the newest version of the file, so that no save is lost. Returns the path of its copy. */
async function writeInto(
  { ports }: CommandContext,
  project: Project,
  { shown, ...form }: FormatOptions & { shown: string },
): Promise<string | undefined> {
  const live = await findLiveRun(ports, project);
  if (live !== undefined)
    throw environmentError(`run ${live.run} works on ${shown}`, "format it when the run is over");
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir });
  let isCorrected = false;
  const written = await store.rewrite(
    (newest) => {
      const { text, corrections } = formatFile(newest, shown, form);
      isCorrected = corrections.length > 0;
      return Buffer.from(text);
    },
    () => (isCorrected ? "broken" : undefined),
  );
  return written?.copy;
}

async function printDiff({ out }: CommandContext, { shown, before: bytes, text: after }: Answer) {
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (before === after) return;
  const patch = createTwoFilesPatch(shown, shown, before, after, "", "", { context: 3 });
  // The library prints lines above the header that a unified diff does not have.
  const diff = patch.slice(patch.indexOf("--- ")).replace(/^((?:---|\+\+\+) .*)\t$/gm, "$1");
  await printLines(out, out.isTerminal ? diffLines(diff, coloursFor(out.colour)) : [diff.replace(/\n$/, "")]);
}
