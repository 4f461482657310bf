import path from "node:path";
import { readLines } from "../../src/logging/read.js";
import { replayWithTree } from "../replay-with-tree.js";
import { replayAt, replayRun } from "../../src/loop/replay.js";
import { UserError } from "../../src/system/errors.js";
import { plural } from "../../src/ui/amounts.js";
import type { ReplayAnswer, ReplayAtAnswer } from "../../src/ui/shapes.js";
import { folderOfRun } from "../find-run.js";
import { printJson, printLines, projectOf } from "../project.js";
import { hasFlag, textFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

/** `looper replay [run]`: every decision taken again and compared; with `--at`, one of them explained; with `--tree`, all done again. */
export async function replay(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const at = toSeq(textFlag(typed, "--at"));
  const tree = hasFlag(typed, "--tree");
  if (hasFlag(typed, "--gate") && !tree)
    throw new UserError("usage", "--gate needs a tree to run in", "looper replay --tree --gate");
  if (tree && at !== undefined)
    throw new UserError("usage", "--at and --tree do not go together", "leave one of them out");
  const project = await projectOf(shell);
  const folder = await folderOfRun(shell, project.logDir, typed.operands[0]);
  const json = hasFlag(typed, "--json");
  if (tree) return replayWithTree(shell, typed, { project, folder });
  return at === undefined ? replayWhole(shell, folder, json) : explain(shell, folder, { at, json });
}

async function replayWhole(shell: Shell, folder: string, json: boolean): Promise<CommandEnd> {
  const run = path.basename(folder);
  await mustHoldLines(shell, folder);
  const replayed = await replayRun(shell.ports, folder);
  const same = "decisions" in replayed;
  const answer: ReplayAnswer = same ? { same, run, ...replayed } : { same, run, ...replayed };
  if (json) await printJson(shell, answer);
  else if (same) await printLines(shell.out, [`${run}: the same, ${plural(replayed.decisions, "decision")}`]);
  else await printLines(shell.out, [`${run}: line ${replayed.seq} differs`, replayed.difference]);
  return same ? "ok" : "no";
}

async function mustHoldLines({ ports }: Shell, folder: string): Promise<void> {
  const log = path.join(folder, "events.jsonl");
  const there = (await ports.files.stat(log)) !== undefined;
  if (there && (await readLines(ports, folder).next()).done !== true) return;
  throw new UserError("no", `nothing to replay: ${log} has no lines`, "looper replay RUN takes another run");
}

async function explain(
  shell: Shell,
  folder: string,
  { at, json }: { at: number; json: boolean },
): Promise<CommandEnd> {
  const run = path.basename(folder);
  await mustHoldLines(shell, folder);
  const found = await replayAt(shell.ports, folder, at);
  if (found !== undefined && "last" in found)
    throw new UserError(
      "usage",
      `run ${run} has no line ${at}: its last is ${found.last}`,
      `looper replay --at ${found.last} shows that one`,
    );
  if (found === undefined)
    throw new UserError("usage", `nothing was decided in run ${run} up to line ${at}`, "lines count from 1");
  const { seq, event, next } = found;
  const answer: ReplayAtAnswer = {
    run,
    seq,
    event,
    because: { ...next.because },
    effects: next.effects.map((effect) => ({ ...effect })),
    state: { ...next.state },
  };
  if (json) await printJson(shell, toPlain(answer));
  else
    await printLines(shell.out, [
      `${run}, line ${seq}: ${event}`,
      `because: ${JSON.stringify(answer.because)}`,
      `decided: ${answer.effects.length === 0 ? "nothing" : ""}`.trimEnd(),
      ...answer.effects.map((effect) => `  ${JSON.stringify(toPlain(effect))}`),
      "state:",
      JSON.stringify(toPlain(answer.state), undefined, 2),
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

/** Maps as objects and sets as lists, which JSON can say. */
function toPlain(value: unknown): unknown {
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, inner]) => [String(key), toPlain(inner)]));
  if (value instanceof Set || Array.isArray(value)) return [...value].map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPlain(inner)]));
}
