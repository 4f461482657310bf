// `looper replay [run]`: repeats and compares every decision; `--at` explains one; `--tree` repeats the effects too, in a clone.
import path from "node:path";
import { Option } from "commander";
import { findRealTodoFile, lockFolder, type Project } from "../../src/config/project/open-project.js";
import { GitError } from "../../src/git/base/git.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { readLines } from "../../src/logging/read.js";
import { askTrust } from "../../src/loop/perform/ask-trust.js";
import { replayAt, replayRun } from "../../src/loop/replay/replay.js";
import { replayTree } from "../../src/loop/replay/replay-tree.js";
import type { AskTrust } from "../../src/loop/replay/replay-world.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/repository-places.js";
import { environmentError, usageError, UserError } from "../../src/system/errors.js";
import { replayAnswer, replayAtAnswer, replayTreeAnswer } from "../../src/ui/answers/runs/replay.js";
import { jsonText } from "../../src/ui/json-text.js";
import type { ReplayTreeAnswer } from "../../src/ui/shapes/runs.js";
import { clean, cleanLines } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, RUN, type AnsweringCommand, type SaidAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { folderOfRun } from "../lookup/find-run.js";
import { printSaid, projectOf } from "../lookup/project.js";

interface Request {
  run?: string;
  at?: string;
  tree?: true;
  gate?: true;
  trust?: true;
}

export const command: AnsweringCommand<Request, SaidAnswer> = {
  arguments: [RUN],
  options: [
    new Option("--at <seq>", "show state, decision and reason at this line"),
    new Option("--tree", "repeat the commits in a temporary clone as well"),
    new Option("--gate", "with --tree: also run the verify commands"),
    new Option("--trust", "with --gate: approve the commands of the project"),
    JSON_OPTION,
  ],
  examples: [
    ["looper replay --tree", "repeat the newest run without an agent; compare its commits"],
    ["looper replay --at 20", "explain the decision at line 20 of the log"],
  ],
  answer: async (context, request) => {
    const at = toSeq(request.at);
    if (request.gate === true && request.tree !== true)
      throw usageError("--gate needs a tree to run in", "looper replay --tree --gate");
    if (request.tree === true && at !== undefined)
      throw usageError("--at and --tree do not go together", "leave one of them out");
    const project = await projectOf(context);
    const folder = await folderOfRun(context, project, request.run);
    if (request.tree === true) return replayWithTree(context, request, { project, folder });
    const log = path.join(folder, "events.jsonl");
    const isThere = (await context.ports.files.stat(log)) !== undefined;
    if (!isThere || (await readLines(context.ports, folder).next()).done === true)
      throw new UserError(
        "no",
        `nothing to replay: ${log} has no lines`,
        "looper replay RUN takes another run",
      );
    return at === undefined ? replayWhole(context, folder) : explain(context, folder, at);
  },
  print: printSaid,
};

async function replayWhole(context: CommandContext, folder: string): Promise<SaidAnswer> {
  const run = path.basename(folder);
  const json = replayAnswer(run, await replayRun(context.ports, folder));
  if (json.same) return { json, lines: [`${run}: the same, ${plural(json.decisions, "decision")}`] };
  const lines = [`${run}: line ${json.seq} differs`, ...cleanLines(json.difference)];
  return { json, end: "no", lines: [...lines, ...(await otherVersion(context, folder))] };
}

/** A hint on a difference: another version made the run. */
async function otherVersion({ ports, version }: CommandContext, folder: string): Promise<string[]> {
  const first = await readLines(ports, folder).next();
  const then = first.done === true ? undefined : first.value.value["version"];
  if (typeof then !== "string" || then === version) return [];
  return [`looper ${clean(then)} made the run, this is ${version}: what changed in between may be wanted`];
}

async function explain({ ports }: CommandContext, folder: string, at: number): Promise<SaidAnswer> {
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

async function replayWithTree(
  context: CommandContext,
  { gate, trust }: Request,
  { project: today, folder }: { project: Project; folder: string },
): Promise<SaidAnswer> {
  const { ports, env, promptsFolder } = context;
  const project = await ofRun(context, today, folder);
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok)
    throw new UserError(
      "no",
      `${opened.error.message}: no tree to replay`,
      "looper replay compares the decisions alone",
    );
  const source = { ports, project, repo: opened.value, env, promptsFolder };
  const ask = gate === true ? asker(context, project, trust === true) : undefined;
  const replayed = await replayTree(source, folder, ask).catch((error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    throw environmentError(
      `git could not make the clone to replay in: ${error.message}`,
      "looper replay without --tree needs none",
    );
  });
  const json = replayTreeAnswer(path.basename(folder), replayed, gate === true);
  return { json, lines: treeLines(json), end: json.same ? "ok" : "no" };
}

/** The project with the task file of the run, which its command line may have named. */
async function ofRun({ ports }: CommandContext, project: Project, folder: string): Promise<Project> {
  for await (const { value } of readLines(ports, folder)) {
    const { project: then, todo_file: file } = value;
    if (typeof then !== "string" || typeof file !== "string") return project;
    // The project may have moved since the run.
    const todoFile = path.resolve(project.folder, path.relative(then, file));
    const realTodoFile = await findRealTodoFile(ports.files, todoFile);
    return { ...project, todoFile, realTodoFile, lockDir: lockFolder(realTodoFile) };
  }
  return project;
}

/** The commands come from the project's files, so they need the same approval as a run. */
function asker(context: CommandContext, project: Project, trusted: boolean): AskTrust {
  const { ports, env, home, stdin } = context;
  const trust = trusted || env["CI"] === "true";
  const confirm = (question: string, lines: readonly string[]) => context.confirm(question, lines);
  const request = { ports, project, env, home, trust, terminal: stdin.isTerminal, confirm };
  return (tasks) => askTrust(request, tasks);
}

function treeLines(answer: ReplayTreeAnswer): string[] {
  const { run, decisions, commits, backlogs, gates, notes, stopped, seq, difference } = answer;
  const done = [
    plural(commits, "commit"),
    `${plural(backlogs, "state")} of the task file, byte for byte`,
    ...(gates === undefined ? [] : [`${plural(gates, "verdict")} of the gate`]),
  ].join(", ");
  const first =
    decisions === undefined
      ? [`${run}: line ${seq ?? 0} differs`, ...cleanLines(difference ?? "")]
      : [`${run}: the same, ${plural(decisions, "decision")}, ${done}`];
  const rest = stopped === undefined ? [] : [`from line ${stopped.seq} on only decisions: ${stopped.why}`];
  return [...first, ...rest, ...notes];
}
