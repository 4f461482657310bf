// Adds the result of a run to the summary of a GitHub job. Failing to do so is a warning only, because the run is over.
import { errorCode, errorMessage } from "../../src/system/errors.js";
import { jobSummary, MOST_BYTES, type SummaryLook } from "../../src/ui/github-actions/summary.js";
import { clean } from "../../src/ui/text.js";
import type { Ended, View } from "../../src/ui/view/view.js";
import type { CommandContext } from "../context/command-context.js";

/** Nothing happens outside a workflow. */
export async function addStepSummary(
  context: CommandContext,
  view: View,
  ended: Ended,
  look: Omit<SummaryLook, "room">,
): Promise<void> {
  const { env } = context;
  const file = env["GITHUB_STEP_SUMMARY"] ?? "";
  if (env["GITHUB_ACTIONS"] !== "true" || file === "") return;
  try {
    await append(context, file, (room) => jobSummary(view, ended, { ...look, room }));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    await warn(context, errorMessage(error));
  }
}

async function append(
  context: CommandContext,
  file: string,
  summary: (room: number) => string,
): Promise<void> {
  const { files } = context.ports;
  const stat = await files.stat(file);
  if (stat !== undefined && stat.kind !== "file") return warn(context, `${file} is not a file`);
  const text = summary(MOST_BYTES - (stat?.size ?? 0));
  if (text === "") return warn(context, `${file} is full`);
  const open = await files.openAppend(file);
  try {
    await open.append(text);
  } finally {
    await open.close();
  }
}

function warn(context: CommandContext, why: string): Promise<void> {
  return context.report({
    level: "warn",
    lines: [`looper: the job summary could not be written: ${clean(why)}`],
  });
}
