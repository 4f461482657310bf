// Asks the run in progress to end and waits for its answer. cmd/commands/stop.ts refuses agents and prints the result.
import { join } from "node:path";
import type { Project } from "../../config/project/open-project.js";
import { tellRun } from "../../logging/control.js";
import { readLines } from "../../logging/read.js";
import { UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import { findLiveRun, type LiveRun } from "./live-run.js";

/** A run that was asked to end. */
export interface StoppedRun {
  live: LiveRun;
  /** It has ended; otherwise it ends once its agent has finished. */
  ended: boolean;
}

const LOOK_EVERY_MS = 100;
const ANSWERED_WITHIN_MS = 10_000;
/** Time for an agent (5 s), its leftover processes (10 s) and a git command (60 s). */
const ENDED_WITHIN_MS = 90_000;

/** Stops the run of this backlog. `now`: stops its agent too and waits for the end. Without a run: a `no` error. */
export async function stopRun(
  ports: Ports,
  project: Pick<Project, "realTodoFile" | "lockDir">,
  { now }: { now: boolean },
): Promise<StoppedRun> {
  const live = await findLiveRun(ports, project);
  if (live === undefined) throw new UserError("no", "no run in progress", "see `looper runs` for past runs");
  const from = (await ports.files.stat(join(live.folder, "events.jsonl")))?.size ?? 0;
  await tellRun(ports, live.folder, { type: "stop", at: new Date(ports.clock.now()).toISOString(), now });
  const isOver = async (): Promise<boolean> => (await findLiveRun(ports, project))?.run !== live.run;
  const hasAnswered = async (): Promise<boolean> =>
    (await hasLoggedStop(ports, live, from)) || (await isOver());
  if (!(await waitUntil(ports, ANSWERED_WITHIN_MS, hasAnswered))) throw makeNoAnswerError(live);
  const ended = now ? await waitUntil(ports, ENDED_WITHIN_MS, isOver) : await isOver();
  if (now && !ended) throw makeNoAnswerError(live);
  return { live, ended };
}

async function hasLoggedStop(ports: Ports, { folder }: LiveRun, from: number): Promise<boolean> {
  for await (const { type, value } of readLines(ports, folder, from))
    if (type === "run_interrupted" && value["by"] === "stop") return true;
  return false;
}

/** Waits until the condition is true; returns false after the timeout. */
async function waitUntil({ clock }: Ports, ms: number, isTrue: () => Promise<boolean>): Promise<boolean> {
  const until = clock.monotonic() + ms;
  for (;;) {
    if (await isTrue()) return true;
    if (clock.monotonic() > until) return false;
    await clock.sleep(LOOK_EVERY_MS);
  }
}

function makeNoAnswerError({ run, pid }: LiveRun): UserError {
  return new UserError(
    "environment",
    `run ${run} (pid ${String(pid)}) does not answer`,
    `wait for it, or end it with \`kill ${String(pid)}\`; nothing is lost`,
  );
}
