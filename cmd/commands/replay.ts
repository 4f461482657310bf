// `looper replay [run]`: repeats and compares every decision; `--at` explains one.
import path from "node:path";
import { Option } from "commander";
import { readLines, type RawLine } from "../../src/logging/read.js";
import { replayAt, replayRun } from "../../src/loop/replay/replay.js";
import { usageError, UserError } from "../../src/system/errors.js";
import { replayAnswer, replayAtAnswer } from "../../src/ui/answers/runs/runs.js";
import { jsonText } from "../../src/ui/json-text.js";
import { clean, cleanLines } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, RUN, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { folderOfRun } from "../lookup/find-run.js";
import { projectOf } from "../lookup/project.js";

interface Request {
  run?: string;
  at?: string;
}

export const command: AnsweringCommand<Request> = {
  arguments: [RUN],
  options: [new Option("--at <seq>", "show state, decision and reason at this line"), JSON_OPTION],
  examples: [
    ["looper replay", "repeat every decision of the newest run and compare"],
    ["looper replay --at 20", "explain the decision at line 20 of the log"],
  ],
  answer: async (context, request) => {
    const at = toSeq(request.at);
    const project = await projectOf(context);
    const folder = await folderOfRun(context, project, request.run);
    const log = path.join(folder, "events.jsonl");
    const isThere = (await context.ports.files.stat(log)) !== undefined;
    const first = isThere ? await readLines(context.ports, folder).next() : { done: true as const };
    if (first.done === true)
      throw new UserError(
        "no",
        `nothing to replay: ${log} has no lines`,
        "looper replay RUN takes another run",
      );
    requireDecisions(context, first.value);
    return at === undefined ? replayWhole(context, folder) : explain(context, folder, at);
  },
};

async function replayWhole(context: CommandContext, folder: string): Promise<CommandAnswer> {
  const run = path.basename(folder);
  const json = replayAnswer(run, await replayRun(context.ports, folder));
  if (json.same) return { json, lines: [`${run}: the same, ${plural(json.decisions, "decision")}`] };
  return { json, end: "no", lines: [`${run}: line ${json.seq} differs`, ...cleanLines(json.difference)] };
}

/** Refuses a log whose decisions cannot come out the same: of another version, or of a release. */
function requireDecisions({ version }: CommandContext, first: RawLine): void {
  const { run, version: then, rules } = first.value;
  const name = typeof run === "string" ? `run ${clean(run)}` : "the run";
  if (typeof rules === "object" && rules !== null && "release" in rules)
    throw usageError(`${name} is a release, which makes no decisions to repeat`, "looper tail shows it");
  if (typeof then === "string" && then !== version)
    throw usageError(
      `looper ${clean(then)} made ${name}, and this is ${version}: decisions may differ`,
      "tail, show and status read it; replay it with that version",
    );
}

async function explain({ ports }: CommandContext, folder: string, at: number): Promise<CommandAnswer> {
  const run = path.basename(folder);
  const found = await replayAt(ports, folder, at);
  if (found !== undefined && "last" in found)
    throw usageError(
      `run ${run} has no line ${at}: its last is ${found.last}`,
      `looper replay --at ${found.last} shows that one`,
    );
  if (found === undefined)
    throw usageError(`nothing was decided in run ${run} up to line ${at}`, "lines count from 1");
  const json = replayAtAnswer(run, found);
  const lines = [
    `${run}, line ${json.seq}: ${json.event}`,
    `because: ${jsonText(json.because)}`,
    `decided: ${json.effects.length === 0 ? "nothing" : ""}`.trimEnd(),
    ...json.effects.map((effect) => `  ${jsonText(effect)}`),
    "state:",
    jsonText(json.state, 2),
  ];
  return { json, lines };
}

function toSeq(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d{0,14}$/.test(given)) return Number(given);
  const allowed = `--at is ${given}; allowed: the number of a line, from 1`;
  throw usageError(allowed, "looper tail --raw shows them");
}
