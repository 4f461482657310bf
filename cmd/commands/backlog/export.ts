import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { never } from "../../../src/system/never.js";
import { showBlock } from "../../../src/ui/text.js";
import { checkBacklog } from "../../../src/todo/check/check.js";
import { exportCsv } from "../../../src/todo/exchange/export/csv.js";
import { exportMarkdown } from "../../../src/todo/exchange/export/markdown.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import type { Backlog } from "../../../src/todo/model/task.js";
import { printJson, projectOf, readNamedFile, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { EXPORT_FORMATS } from "../../context/words.js";

type Format = (typeof EXPORT_FORMATS)[number];

/** `looper export [file]`: prints the backlog in another format. */
export async function exportBacklog(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const format = formatOf(typed);
  const project = await projectOf(context, { file: typed.operands[0] });
  const bytes = await readNamedFile(context, project.todoFile, "task file");
  const checked = checkBacklog(bytes);
  const backlog = checked.kind === "invalid" ? undefined : checked.backlog;
  if (backlog === undefined)
    throw new UserError(
      "usage",
      `${shownPath(context, project.todoFile)} is not a valid backlog`,
      "list the problems with `looper validate`",
    );
  await print(context, backlog, format);
  return "ok";
}

function formatOf(typed: Typed): Format {
  const spelled = textFlag(typed, "--format");
  if (spelled === undefined) return hasFlag(typed, "--json") ? "json" : "markdown";
  const format = EXPORT_FORMATS.find((one) => one === spelled);
  if (format === undefined)
    throw new UserError(
      "usage",
      `unknown format ${spelled}`,
      didYouMean(nearest(spelled, EXPORT_FORMATS), `use ${EXPORT_FORMATS.join(", ")}`),
    );
  if (format !== "json" && hasFlag(typed, "--json"))
    throw new UserError("usage", `--json is --format json, not ${format}`, "give one of them");
  return format;
}

async function print(context: CommandContext, backlog: Backlog, format: Format): Promise<void> {
  switch (format) {
    case "markdown":
      return context.out.write(forOutput(context, exportMarkdown(backlog)));
    case "csv":
      return context.out.write(forOutput(context, exportCsv(backlog)));
    case "json":
      return printJson(context, backlog);
    default:
      return never(format);
  }
}

/** Escapes control characters on a terminal; a pipe or a file gets the text unchanged. */
function forOutput({ out }: CommandContext, text: string): string {
  return out.isTerminal ? showBlock(text).join("\n") : text;
}
