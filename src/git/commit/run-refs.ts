// Which runs the refs of this program name, for whoever removes their logs; and forgetting what is kept of a run's attempts.
// Leaves what follows from a name to the loop, and dropping a rescue to a person (rescues.ts).
import { z } from "zod";
import { toText } from "../base/bytes.js";
import { readFacts } from "../base/facts.js";
import { runGit } from "../base/git.js";
import { readPersonIndex } from "../index/index-person.js";
import { modulePaths, openModules } from "../checkpoint/modules.js";
import { ATTEMPTS, CHECKPOINTS, decodeId, RESCUES, startRef } from "../base/names.js";
import { pendingRuns } from "./pending.js";
import type { Repository } from "../base/repository.js";

/** The runs that refs name; of every working tree and every project of the repository. */
export interface RunRefs {
  /** Something was put aside in it, in a submodule too. */
  rescues: ReadonlySet<string>;
  /** A checkpoint of it is there: a task is in hand since then. By the run, the task. */
  inHand: ReadonlyMap<string, string>;
  /** A commit of it is built and not finished. */
  pending: ReadonlySet<string>;
  /** Its start is kept. By the run, the folder of its log, absolute; undefined where the start does not say. */
  starts: ReadonlyMap<string, string | undefined>;
}

const StartFacts = z.object({ log: z.string() });
const CheckpointFacts = z.object({ run: z.string(), task: z.string() });

/** Asks the repository and its submodules. Three processes, one or two more for each submodule that is checked out. */
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
  const { entries } = await readPersonIndex(repo);
  for (const { repo: module } of await openModules(repo, modulePaths(entries)))
    for (const { ref } of await listRefs(module, [RESCUES])) rescues.add(runOf(ref));
  return { rescues, inHand, pending: new Set(await pendingRuns(repo)), starts };
}

/** Forgets what is kept of the attempts of these runs; answers how many refs went. Two processes, none without a run. */
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

/** `refs/looper/KIND/RUN/…`; an id that is too long for one folder is spread over several. */
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
