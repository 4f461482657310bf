// `looper replay --tree`: finds the repository, replays the run in a clone, and prints the result.
import { replayTreeAnswer } from "../../../src/ui/answers/runs/replay.js";
import path from "node:path";
import { findRealTodoFile, lockFolder, type Project } from "../../../src/config/project/open-project.js";
import { GitError } from "../../../src/git/base/git.js";
import { openRepository } from "../../../src/git/base/repository/repository.js";
import { readLines } from "../../../src/logging/read.js";
import { askTrust } from "../../../src/loop/perform/ask-trust.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/repository-places.js";
import { replayTree, type TreeReplayed } from "../../../src/loop/replay/replay-tree.js";
import type { AskTrust } from "../../../src/loop/replay/replay-world.js";
import { UserError } from "../../../src/system/errors.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { ReplayTreeAnswer } from "../../../src/ui/shapes/runs.js";
import { cleanLines } from "../../../src/ui/text.js";
import { printJson, printLines } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";

/** Replays a run with its tree; ends with no unless everything is the same. */
export async function replayWithTree(
  context: CommandContext,
  typed: Typed,
  { project: today, folder }: { project: Project; folder: string },
): Promise<CommandOutcome> {
  const { ports, env, promptsFolder } = context;
  const project = await ofRun(context, today, folder);
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok)
    throw new UserError(
      "no",
      `${opened.error.message}: no tree to replay`,
      "looper replay compares the decisions alone",
    );
  const gate = hasFlag(typed, "--gate") ? asker(context, typed, project) : undefined;
  const source = { ports, project, repo: opened.value, env, promptsFolder };
  const replayed = await replayOrExplain(() => replayTree(source, folder, gate));
  const answer = replayTreeAnswer(path.basename(folder), replayed, gate !== undefined);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else await printLines(context.out, linesOf(answer));
  return answer.same ? "ok" : "no";
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

async function replayOrExplain(replay: () => Promise<TreeReplayed>): Promise<TreeReplayed> {
  try {
    return await replay();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new UserError(
      "environment",
      `git could not make the clone to replay in: ${error.message}`,
      "looper replay without --tree needs none",
    );
  }
}

/** The commands come from the project's files, so they need the same approval as a run. */
function asker(context: CommandContext, typed: Typed, project: Project): AskTrust {
  const { ports, env, home, stdin } = context;
  const trust = hasFlag(typed, "--trust") || env["CI"] === "true";
  const terminal = stdin.isTerminal;
  const request = {
    ports,
    project,
    env,
    home,
    trust,
    terminal,
    confirm: (question: string, lines: readonly string[]) => context.confirm(question, lines),
  };
  return (tasks) => askTrust(request, tasks);
}

function linesOf(answer: ReplayTreeAnswer): string[] {
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
