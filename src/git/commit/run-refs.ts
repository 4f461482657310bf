// Lists the runs that refs name, for the removal of logs, and deletes the records of a run's attempts. The loop
// decides what follows from a name; a person drops rescues (rescues.ts).
import { z } from "zod";
import { readMessage } from "../base/facts.js";
import { ATTEMPTS, CHECKPOINTS, decodeId, RESCUES, startRef } from "../base/names.js";
import { deleteRefs, listRefs } from "../base/list-refs.js";
import { listPendingRuns } from "./pending.js";
import type { Repository } from "../base/repository/repository.js";

/** The runs that refs name, of every working tree and every project of the repository. */
export interface RunRefs {
  /** Runs with a rescue. */
  rescues: ReadonlySet<string>;
  /** Runs with a checkpoint: their task is in hand since then. Run → task. */
  inHand: ReadonlyMap<string, string>;
  /** Runs with a pending commit. */
  pending: ReadonlySet<string>;
  /**
   * Runs with a recorded start. Run → the absolute folder of its log, or `undefined` if the start does not contain
   * it.
   */
  starts: ReadonlyMap<string, string | undefined>;
}

const StartFacts = z.object({ log: z.string() });
const CheckpointFacts = z.object({ run: z.string(), task: z.string() });

/** Reads the refs of the repository. Starts at most three processes. */
export async function readRunRefs(repo: Repository): Promise<RunRefs> {
  const rescues = new Set<string>();
  const inHand = new Map<string, string>();
  const starts = new Map<string, string | undefined>();
  const folders = [RESCUES, CHECKPOINTS, ATTEMPTS].map((folder) => `${folder}/`);
  for (const [ref = "", contents = ""] of await listRefs(repo, ["refname", "contents"], folders)) {
    if (ref.startsWith(`${CHECKPOINTS}/`)) {
      const known = readMessage(CheckpointFacts, contents);
      if (known !== undefined) inHand.set(known.run, known.task);
      continue;
    }
    const run = runOf(ref);
    if (ref.startsWith(`${RESCUES}/`)) rescues.add(run);
    else if (ref === startRef(run)) starts.set(run, readMessage(StartFacts, contents)?.log);
  }
  return { rescues, inHand, pending: new Set(await listPendingRuns(repo)), starts };
}

/**
 * Deletes the records of these runs; returns the number of deleted refs. Starts two processes, or none without a
 * run.
 */
export async function forgetAttempts(repo: Repository, runs: ReadonlySet<string>): Promise<number> {
  if (runs.size === 0) return 0;
  const names = (await listRefs(repo, ["refname"], [`${ATTEMPTS}/`])).flat();
  const gone = names.filter((name) => runs.has(runOf(name)));
  await deleteRefs(repo, gone);
  return gone.length;
}

/** Parses `refs/looper/KIND/RUN/…`; an id too long for one folder is split over several. */
function runOf(ref: string): string {
  return decodeId(
    ref
      .split("/")
      .slice(3)
      .join("/")
      .split(/(?<!\+)\//)[0] ?? "",
  );
}
