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
import type { Output } from "../../src/ui/output.js";
import type { FmtAnswer } from "../../src/ui/shapes/backlog.js";
import type { StderrNote } from "../../src/ui/terminal/diagnostics.js";
import { diffLines } from "../../src/ui/terminal/rescues.js";
import { clean } from "../../src/ui/text.js";
import { FILE, JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { checkOptionsOf, problemsText, readRoot } from "../lookup/read-tasks.js";
import { projectOf, readNamedFile, shownPath } from "../lookup/project.js";

interface Request {
  file?: string;
  write?: true;
  fix?: true;
  keepOrder?: true;
  check?: true;
  diff?: true;
}

/** The file before and after, and what was done to it. */
interface Formatted {
  json: FmtAnswer;
  shown: string;
  before: Uint8Array;
  text: string;
  corrections: readonly Correction[];
  canonical: boolean;
}

export const command: AnsweringCommand<Request> = {
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
  answer: async (context, request) => {
    const { file, write = false, fix = false, keepOrder = false, check, diff } = request;
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
    const formed = { json, shown, before, text, corrections, canonical };
    const said = { json, ...say(context, formed, request) };
    if (check === true && !canonical) return { ...said, end: "no" };
    if (!fix) return said;
    // The problems that it could not correct.
    const checked = checkBacklog(Buffer.from(text), await checkOptionsOf(context, project));
    const left = checked.kind === "ok" ? [] : checked.problems;
    return { ...said, problem: problemsText(context, project, left, file) };
  },
};

function say(
  { out }: CommandContext,
  formed: Formatted,
  request: Request,
): Pick<CommandAnswer, "lines" | "note"> {
  const { shown, text, canonical } = formed;
  if (request.diff === true) return { lines: diffOf(out, formed) };
  if (request.check === true)
    return { lines: [], ...(canonical ? {} : { note: notFormatted(formed, request) }) };
  if (request.fix === true) return { lines: [clean(fixedText(formed))] };
  if (request.write === true) return { lines: [] };
  const lines = [(out.isTerminal ? spellOut(text) : text).replace(/\n$/, "")];
  if (canonical) return { lines };
  // For users of the Go program, whose `fmt` without flags was a check.
  const hint = `looper: ${clean(shown)} is not in canonical form; to exit 1 then, run looper fmt --check`;
  return { lines, note: { level: "warn", lines: [hint] } };
}

function notFormatted({ shown, corrections }: Formatted, { fix, keepOrder, file }: Request): StderrNote {
  const words = [fix === true ? "--fix" : "-w", ...(keepOrder === true ? ["--keep-order"] : [])];
  const remedy = ["looper fmt", ...words, ...(file === undefined ? [] : [clean(shown)])].join(" ");
  const needs = corrections.length === 0 ? "" : ` (${clean(describeCorrections(corrections))})`;
  return { level: "error", lines: [`looper: ${clean(shown)} is not formatted${needs}: ${remedy}`] };
}

function fixedText({ json: { written, copy }, shown, corrections }: Formatted): string {
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

function diffOf(out: Output, { shown, before: bytes, text: after }: Formatted): string[] {
  const before = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (before === after) return [];
  const patch = createTwoFilesPatch(shown, shown, before, after, "", "", { context: 3 });
  // The library prints lines above the header that a unified diff does not have.
  const diff = patch.slice(patch.indexOf("--- ")).replace(/^((?:---|\+\+\+) .*)\t$/gm, "$1");
  return out.isTerminal ? diffLines(diff, coloursFor(out.colour)) : [diff.replace(/\n$/, "")];
}
