// Lists the runs that refs name, for the removal of logs, and deletes the records of a run's attempts. The loop
// decides what follows from a name; a person drops rescues (rescues.ts).
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { ATTEMPTS, CHECKPOINTS, decodeId, RESCUES, startRef } from "../base/names.js";
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
  for (const { ref, contents } of await listRefs(repo, [RESCUES, CHECKPOINTS, ATTEMPTS])) {
    const facts = contents.slice(contents.indexOf("{", contents.indexOf("\n\n")));
    if (ref.startsWith(`${CHECKPOINTS}/`)) {
      const known = readFacts(CheckpointFacts, facts);
      if (known !== undefined) inHand.set(known.run, known.task);
      continue;
    }
    const run = runOf(ref);
    if (ref.startsWith(`${RESCUES}/`)) rescues.add(run);
    else if (ref === startRef(run)) starts.set(run, readFacts(StartFacts, facts)?.log);
  }
  return { rescues, inHand, pending: new Set(await listPendingRuns(repo)), starts };
}

/**
 * Deletes the records of these runs; returns the number of deleted refs. Starts two processes, or none without a
 * run.
 */
export async function forgetAttempts(repo: Repository, runs: ReadonlySet<string>): Promise<number> {
  if (runs.size === 0) return 0;
  const { out } = await runGit(repo, [
    "for-each-ref",
    "--format=delete %(refname) %(objectname)",
    `${ATTEMPTS}/`,
  ]);
  const orders = out.split("\n").filter((line) => line !== "" && runs.has(runOf(line.split(" ")[1] ?? "")));
  if (orders.length === 0) return 0;
  await runGit(repo, ["update-ref", "--stdin"], { input: `${orders.join("\n")}\n` });
  return orders.length;
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

async function listRefs(
  repo: Repository,
  folders: readonly string[],
): Promise<{ ref: string; contents: string }[]> {
  const format = "--format=%(refname)%00%(contents)%00";
  const { out } = await runGit(repo, ["for-each-ref", format, ...folders.map((folder) => `${folder}/`)]);
  const values = out.split("\0");
  const refs: { ref: string; contents: string }[] = [];
  for (let at = 0; at + 2 < values.length; at += 2)
    refs.push({ ref: (values[at] ?? "").trimStart(), contents: toText(values[at + 1] ?? "") });
  return refs;
}
