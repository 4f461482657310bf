// For tests of the commit protocol: one task from its claim to its commit, as in the loop. scratch.ts makes the
// repository, and the tests change files.
import { join } from "node:path";
import { checkpoint } from "../checkpoint/checkpoint.js";
import { prepareCommit, type Prepared, publish } from "../commit/commit.js";
import { formatMessage } from "../commit/message.js";
import type { Repository } from "../base/repository/repository.js";
import { type Scratch } from "./scratch.js";
import { snapshot, type Snapshot } from "../attempt/snapshot.js";

/** The backlog with the task done. */
export const DONE = '{"tasks":[{"id":"T1","status":"done"}]}\n';
export const MESSAGE = formatMessage({
  title: "Do T1",
  summary: "Did it.",
  task: "T1",
  run: "run-1",
  agent: "codex",
});
export const FACTS = { changes: [{ op: "finish", id: "T1" }] };

/** Claim and attempt; then builds the commit, or finds nothing to commit. */
export async function tryAttempt(repo: Repository, work: () => unknown): Promise<Prepared | "nothing"> {
  const seen = await runAttempt(repo, work);
  const backlog = Buffer.from(DONE);
  const order = { taskId: "T1", run: "run-1", snapshot: seen, backlog, message: MESSAGE, facts: FACTS };
  return await prepareCommit(repo, order);
}

/** Claim and attempt with changes; then builds the commit. */
export async function attempt(repo: Repository, work: () => unknown): Promise<Prepared> {
  const prepared = await tryAttempt(repo, work);
  if (prepared === "nothing") throw new Error("nothing to commit");
  return prepared;
}

/** Claim and attempt. */
export async function runAttempt(repo: Repository, work: () => unknown): Promise<Snapshot> {
  const taken = await checkpoint(repo, { id: "T1", run: "run-1", reuse: true });
  await work();
  return await snapshot(repo, { checkpoint: taken, run: "run-1", label: "T1-1", policy: "runner" });
}

/** The rest of the protocol; returns the commit, and throws on a warning. */
export async function finish(scratch: Scratch, repo: Repository, prepared: Prepared): Promise<string> {
  await scratch.ports.files.writeAtomic(join(scratch.top, "to-do.json"), DONE);
  const { commit, warnings } = await publish(repo, prepared);
  if (warnings.length > 0) throw new Error(warnings.join("\n"));
  return commit;
}

/** The changes of a commit: "A path", "M path", "D path". */
export async function changesOf(scratch: Scratch, commit: string): Promise<string[]> {
  const out = await scratch.git("show", "-z", "--format=", "--name-status", "--no-renames", commit);
  const fields = out.split("\0");
  return fields.flatMap((status, at) =>
    at % 2 === 0 && status !== "" ? [`${status} ${fields[at + 1] ?? ""}`] : [],
  );
}
