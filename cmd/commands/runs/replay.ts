import { replayAnswer, replayAtAnswer } from "../../../src/ui/answers/runs/replay.js";
import path from "node:path";
import { readLines } from "../../../src/logging/read.js";
import { replayAt, replayRun } from "../../../src/loop/replay/replay.js";
import { UserError } from "../../../src/system/errors.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import { jsonText } from "../../../src/ui/json-text.js";
import { clean, cleanLines } from "../../../src/ui/text.js";
import { folderOfRun } from "../../lookup/find-run.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import { replayWithTree } from "./replay-with-tree.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** `looper replay [run]`: repeats and compares every decision; `--at` explains one; `--tree` repeats the effects too. */
export async function replay(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const at = toSeq(textFlag(typed, "--at"));
  const tree = hasFlag(typed, "--tree");
  if (hasFlag(typed, "--gate") && !tree)
    throw new UserError("usage", "--gate needs a tree to run in", "looper replay --tree --gate");
  if (tree && at !== undefined)
    throw new UserError("usage", "--at and --tree do not go together", "leave one of them out");
  const json = hasFlag(typed, "--json");
  const project = await projectOf(context);
  const folder = await folderOfRun(context, project, typed.operands[0]);
  if (tree) return replayWithTree(context, typed, { project, folder });
  const log = { folder, run: path.basename(folder) };
  return at === undefined ? replayWhole(context, log, json) : explain(context, log, { at, json });
}

/** The log of a run. */
interface Log {
  folder: string;
  run: string;
}

async function replayWhole(
  context: CommandContext,
  { folder, run }: Log,
  json: boolean,
): Promise<CommandOutcome> {
  await mustHoldLines(context, folder);
  const replayed = await replayRun(context.ports, folder);
  const answer = replayAnswer(run, replayed);
  if (json) await printJson(context, answer);
  else if (answer.same)
    await printLines(context.out, [`${run}: the same, ${plural(answer.decisions, "decision")}`]);
  else {
    const lines = [`${run}: line ${answer.seq} differs`, ...cleanLines(answer.difference)];
    await printLines(context.out, [...lines, ...(await otherVersion(context, folder))]);
  }
  return answer.same ? "ok" : "no";
}

/** A hint on a difference: another version made the run. */
async function otherVersion({ ports, version }: CommandContext, folder: string): Promise<string[]> {
  const first = await readLines(ports, folder).next();
  const then = first.done === true ? undefined : first.value.value["version"];
  if (typeof then !== "string" || then === version) return [];
  return [`looper ${clean(then)} made the run, this is ${version}: what changed in between may be wanted`];
}

async function mustHoldLines({ ports }: CommandContext, folder: string): Promise<void> {
  const log = path.join(folder, "events.jsonl");
  const there = (await ports.files.stat(log)) !== undefined;
  if (there && (await readLines(ports, folder).next()).done !== true) return;
  throw new UserError("no", `nothing to replay: ${log} has no lines`, "looper replay RUN takes another run");
}

async function explain(
  context: CommandContext,
  { folder, run }: Log,
  { at, json }: { at: number; json: boolean },
): Promise<CommandOutcome> {
  await mustHoldLines(context, folder);
  const found = await replayAt(context.ports, folder, at);
  if (found !== undefined && "last" in found)
    throw new UserError(
      "usage",
      `run ${run} has no line ${at}: its last is ${found.last}`,
      `looper replay --at ${found.last} shows that one`,
    );
  if (found === undefined)
    throw new UserError("usage", `nothing was decided in run ${run} up to line ${at}`, "lines count from 1");
  const answer = replayAtAnswer(run, found);
  const { seq, event } = answer;
  if (json) await printJson(context, answer);
  else
    await printLines(context.out, [
      `${run}, line ${seq}: ${event}`,
      `because: ${jsonText(answer.because)}`,
      `decided: ${answer.effects.length === 0 ? "nothing" : ""}`.trimEnd(),
      ...answer.effects.map((effect) => `  ${jsonText(effect)}`),
      "state:",
      jsonText(answer.state, 2),
    ]);
  return "ok";
}

function toSeq(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  throw new UserError(
    "usage",
    `--at is ${given}; allowed: the number of a line, from 1`,
    "looper tail --raw shows them",
  );
}
