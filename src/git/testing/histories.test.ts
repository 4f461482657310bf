// No work is ever lost: random histories of a person and of agents, with failures, abandoned and undone tasks, kills and
// restored rescues, in real repositories. LOOPER_HISTORIES sets their number (make test: 8).
//
// A version of a file (its bytes) must never be lost if git does not ignore it and looper could see it. Looper sees
//   - the files, and what is staged, when a task is claimed: the work of a person or of earlier tasks;
//   - the files, and the commits of every branch, when an attempt ends;
//   - staged content as well, when a task is abandoned.
// Looper does not see versions that an agent overwrites, or stages and unstages, within one attempt.
// A version that a person overwrites, removes or unstages between two attempts need not be kept any more.
//
// A version is kept when it is in a file of the working tree or in the person's index ("the tree"), in a commit of a branch,
// in a recorded attempt (commits too), or in a rescue. Checkpoints do not count: they go with their task.
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { never } from "../../system/never.js";
import { recordAttempt } from "../commit/run-refs.js";
import { restoreRescue, listRescues } from "../bring-back/bring-back.js";
import { checkpoint, dropCheckpoint, type Checkpoint } from "../checkpoint/checkpoint.js";
import { prepareCommit, publish, readPending } from "../commit/commit.js";
import { removeStaleLocks } from "../base/locks.js";
import { formatMessage } from "../commit/message.js";
import { publishWithTree } from "../undo/revert-tree.js";
import type { Repository } from "../base/repository/repository.js";
import { restoreTo } from "../restore/restore.js";
import { runAs, test, type Scratch } from "./scratch.js";
import { DONE } from "./scratch-task.js";
import { prepareSomeUndo, REOPENED } from "./scratch-undo.js";
import { histories, PATHS, type Deed, type HistoryStep } from "./scratch-steps.js";
import { snapshot, type Snapshot } from "../attempt/snapshot.js";

const HISTORIES = Number(process.env["LOOPER_HISTORIES"] ?? "8");

/** One history: a repository, and what must not be lost in it by now. */
class History {
  readonly required = new Map<string, string>();
  /** How many versions had to be kept at one time or another. */
  seen = 0;
  undone = 0;
  #written = 0;
  #tasks = 0;

  constructor(
    readonly scratch: Scratch,
    readonly repo: Repository,
  ) {}

  async play(step: HistoryStep): Promise<void> {
    switch (step.kind) {
      case "person":
        await this.person(step.deeds);
        return;
      case "task":
        await this.task(step);
        return;
      case "rescue":
        await this.bringBack(step.which);
        return;
      case "undo":
        await this.undo(step);
        return;
      default:
        never(step);
    }
  }

  /** Whatever is missing once a person is done was the person's to remove. */
  async person(deeds: readonly Deed[]): Promise<void> {
    if (deeds.length === 0) return;
    for (const deed of deeds) await this.act(deed);
    const kept = await this.kept();
    for (const oid of [...this.required.keys()]) if (!kept.has(oid)) this.required.delete(oid);
  }

  async task({ attempts: tries, end, kill: killEnd }: Extract<HistoryStep, { kind: "task" }>): Promise<void> {
    const id = `T${String(++this.#tasks)}`;
    const run = "run";
    this.see("claimed", await this.files(), await this.staged());
    let taken: Checkpoint | undefined;
    let seen: Snapshot | undefined;
    for (const [at, attempt] of tries.entries()) {
      const label = `${id}-${String(at + 1)}`;
      const found = await checkpoint(this.repo, { id, run, reuse: at > 0 });
      taken = found;
      for (const deed of attempt.deeds) await this.act(deed);
      this.see(`after attempt ${label}`, await this.files(), await this.committed());
      const look = (repo: Repository, before: Checkpoint) =>
        snapshot(repo, { checkpoint: before, run, label, policy: "runner" });
      seen = await this.survive(attempt.kill, { id, run, taken: found }, look);
      if (at < tries.length - 1 || end === "given-up") {
        const { changes } = seen;
        await recordAttempt(this.repo, { run, task: id, attempt: at + 1, base: found.base, changes });
      }
      await this.check(`after the snapshot of ${label}`);
      if (at < tries.length - 1) await this.person(attempt.between);
    }
    if (taken === undefined || seen === undefined) return;
    if (end === "done") await this.finish(id, seen);
    else {
      this.see("given up", await this.files(), await this.staged());
      const label = `${id}-${String(tries.length)}`;
      await this.survive(killEnd, { id, run, taken }, (repo, before) =>
        restoreTo(repo, { checkpoint: before, run, label }),
      );
      await dropCheckpoint(this.repo, id);
    }
    await this.check(`after ${id} was ${end}`);
  }

  async finish(taskId: string, seen: Snapshot): Promise<void> {
    const message = formatMessage({ title: "Do it", summary: "", task: taskId, run: "run", agent: "a" });
    const order = { taskId, run: "run", snapshot: seen, backlog: Buffer.from(DONE), message };
    const built = await prepareCommit(this.repo, { ...order, facts: {} });
    if (built === "nothing") await dropCheckpoint(this.repo, taskId);
    else {
      writeFileSync(join(this.scratch.top, "to-do.json"), DONE);
      // The next start would continue with the pending commit in the same way.
      await publish(this.repo, (await readPending(this.repo)) ?? built);
    }
  }

  async bringBack(which: number): Promise<void> {
    const rescues = await listRescues(this.repo);
    const rescue = rescues[which % Math.max(1, rescues.length)];
    if (rescue === undefined) return;
    this.see("before a rescue came back", await this.files(), await this.staged());
    await restoreRescue(rescue);
    await this.check(`after ${rescue.id} came back`);
  }

  async undo({ which, kill }: Extract<HistoryStep, { kind: "undo" }>): Promise<void> {
    this.see("before an undo", await this.files(), await this.staged(), await this.committed());
    const prepared = await prepareSomeUndo(this.repo, which);
    if (prepared === undefined) return;
    this.undone += 1;
    writeFileSync(join(this.scratch.top, "to-do.json"), REOPENED);
    const done = await this.untilKilled(kill, (repo) => publishWithTree(repo, prepared));
    if (done === undefined) {
      await removeStaleLocks(this.repo, { since: Infinity });
      await publishWithTree(this.repo, (await readPending(this.repo)) ?? prepared);
    }
    await this.check("after an undo");
  }

  /** Does it; when it is to be killed, does it until then and once more, as the next start would. */
  async survive<T>(
    at: number,
    task: { id: string; run: string; taken: Checkpoint },
    act: (repo: Repository, before: Checkpoint) => Promise<T>,
  ): Promise<T> {
    const done = await this.untilKilled(at, (repo) => act(repo, task.taken));
    if (done !== undefined) return done.value;
    await removeStaleLocks(this.repo, { since: Infinity });
    const again = await checkpoint(this.repo, { id: task.id, run: task.run, reuse: true });
    return act(this.repo, again);
  }

  /** `undefined` when it is killed before the nth git process, from 1 on; 0 = it is not. */
  async untilKilled<T>(at: number, act: (repo: Repository) => Promise<T>): Promise<{ value: T } | undefined> {
    let calls = 0;
    const { processes } = this.repo.ports;
    const run: typeof processes.run = (...args) => {
      calls += 1;
      return calls === at ? Promise.reject(new Error("killed")) : processes.run(...args);
    };
    const doomed = { ...this.repo, ports: { ...this.repo.ports, processes: { ...processes, run } } };
    try {
      return { value: await act(doomed) };
    } catch (error) {
      if (error instanceof Error && error.message === "killed") return undefined;
      throw error;
    }
  }

  see(when: string, ...versions: readonly Iterable<string>[]): void {
    for (const oids of versions) {
      for (const oid of oids) {
        if (this.required.has(oid)) continue;
        this.required.set(oid, when);
        this.seen += 1;
      }
    }
  }

  async check(when: string): Promise<void> {
    const kept = await this.kept();
    const lost = [...this.required].filter(([oid]) => !kept.has(oid));
    if (lost.length === 0) return;
    const contents = lost.map(([oid, seen]) => `${TOLD.get(oid) ?? oid}, seen ${seen}`);
    throw new Error(`lost ${when}: ${contents.join("; ")}`);
  }

  async kept(): Promise<Set<string>> {
    return new Set([...(await this.files()), ...(await this.staged()), ...(await this.committed("kept"))]);
  }

  /** The versions in the working tree that git does not ignore. The backlog is the runner's. */
  files(): Promise<string[]> {
    const found: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.name === ".git" || entry.name === "to-do.json" || entry.name.endsWith(".ign")) continue;
        if (entry.isDirectory()) walk(path);
        else found.push(blobOf(entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path)));
      }
    };
    walk(this.scratch.top);
    return Promise.resolve(found);
  }

  async staged(): Promise<string[]> {
    const out = await this.scratch.git("ls-files", "-s", "-z");
    return out
      .split("\0")
      .filter((line) => line !== "" && !line.endsWith("\tto-do.json"))
      .map((line) => line.split(" ")[1] ?? "");
  }

  async committed(which: "branches" | "kept" = "branches"): Promise<string[]> {
    const globs = which === "branches" ? [] : ["--glob=refs/looper/rescue", "--glob=refs/looper/attempts"];
    const out = await this.scratch.git("rev-list", "--objects", "--branches", "HEAD", ...globs);
    return out
      .split("\n")
      .filter((line) => !line.endsWith(" to-do.json"))
      .map((line) => line.split(" ")[0] ?? "")
      .filter((oid) => which === "kept" || TOLD.has(oid));
  }

  async act(deed: Deed): Promise<void> {
    const { git, top } = this.scratch;
    const path = "at" in deed ? (PATHS[deed.at] ?? "b") : "";
    const full = join(top, path);
    // A refused command (nothing staged, a path in the way) has no effect, as for a person.
    const attempt = (...args: string[]): Promise<unknown> => git(...args).catch(() => undefined);
    switch (deed.do) {
      case "write":
        makeRoom(top, path);
        writeFileSync(full, this.fresh());
        return;
      case "stage-part":
        makeRoom(top, path);
        writeFileSync(full, this.fresh());
        await attempt("add", "--", path);
        writeFileSync(full, this.fresh());
        return;
      case "link":
        makeRoom(top, path);
        symlinkSync(this.fresh().trimEnd(), full);
        return;
      case "remove":
        if (lookAt(full) !== undefined) rmSync(full, { recursive: true });
        return;
      case "mode":
        if (lookAt(full)?.isFile() === true) chmodSync(full, 0o755);
        return;
      case "add":
        await attempt("add", "-A", "--", path);
        return;
      case "unstage":
        await attempt("reset", "-q", "--", path);
        return;
      case "add-all":
        await attempt("add", "-A");
        return;
      case "commit":
        await attempt("add", "-A");
        await attempt("commit", "-qm", "by hand");
        return;
      case "commit-staged":
        await attempt("commit", "-qm", "by hand");
        return;
      case "reset-hard":
        await attempt("reset", "-q", "--hard", "HEAD~1");
        return;
      case "branch":
        await attempt("switch", "-qc", `branch-${String(++this.#written)}`);
        return;
      case "stash":
        await attempt("stash", "-q", "-u");
        return;
      default:
        never(deed);
    }
  }

  fresh(): string {
    const text = `version ${String(++this.#written)}\n`;
    for (const bytes of [text, text.trimEnd()]) TOLD.set(blobOf(bytes), text.trimEnd());
    return text;
  }
}

/** The written versions by blob id; each text is written only once in all histories. */
const TOLD = new Map<string, string>();

function blobOf(content: string | Uint8Array): string {
  const bytes = Buffer.from(content);
  return createHash("sha1")
    .update(`blob ${String(bytes.length)}\0`)
    .update(bytes)
    .digest("hex");
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Takes a folder, or a file where a folder is to be, out of a path's way. */
function makeRoom(top: string, path: string): void {
  const folders = dirname(path) === "." ? [] : dirname(path).split("/");
  folders.forEach((_, at) => {
    const folder = join(top, ...folders.slice(0, at + 1));
    if (lookAt(folder)?.isDirectory() === false) rmSync(folder);
  });
  mkdirSync(join(top, ...folders), { recursive: true });
  rmSync(join(top, path), { recursive: true, force: true });
}

test(
  `nothing a person or an agent wrote is lost in ${String(HISTORIES)} histories`,
  async ({ scratch }) => {
    writeFileSync(join(scratch.top, ".gitignore"), "*.ign\n");
    await scratch.commitAll("rules");
    const identity = await (await scratch.open()).identity();
    let played = 0;
    let versions = 0;
    let undone = 0;
    const property = fc.asyncProperty(histories, async (history) => {
      played += 1;
      const top = join(scratch.top, "..", `history-${String(played)}`);
      cpSync(scratch.top, top, { recursive: true });
      const git = (...args: string[]) => runAs(scratch.ports, { cwd: top, env: scratch.env }, args);
      const repo = await scratch.open({ projectDir: top, todoFile: join(top, "to-do.json"), exclude: [] });
      const asked = {
        ...repo,
        identity: () => Promise.resolve(identity),
      };
      const one = new History({ ...scratch, top, git }, asked);
      for (const step of history) await one.play(step);
      versions += one.seen;
      undone += one.undone;
      rmSync(top, { recursive: true });
    });
    await fc.assert(property, { numRuns: HISTORIES });
    expect(played).toBeGreaterThanOrEqual(HISTORIES);
    expect(undone).toBeGreaterThan(0);
    if (process.env["LOOPER_HISTORIES"] !== undefined) {
      process.stdout.write(
        `histories: ${String(played)} of ${String(HISTORIES)}, ${String(undone)} tasks undone, none of ${String(versions)} versions lost\n`,
      );
    }
  },
  60_000 + HISTORIES * 20_000,
);
