import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listRuns } from "../../src/logging/read.js";
import { UserError } from "../../src/system/errors.js";
import type { Files } from "../../src/system/ports.js";
import { CleanAnswer } from "../../src/ui/shapes/runs.js";
import type { CommandOutcome, CommandContext } from "../context/command-context.js";
import { contextIn, typeLine } from "../testing/testing.js";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "looper-clean-")));
  mkdirSync(project());
  mkdirSync(join(folder, "home"));
  writeFileSync(
    project("to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks: [task("T1")] }),
  );
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const project = (...names: string[]): string => join(folder, "project", ...names);
const runsFolder = (): string => project("looper-logs/runs");
const task = (id: string) => ({ id, title: "a", priority: 3, status: "todo" });
const DAY = 86_400_000;
const NOW = Date.now();

/** An id of so many days ago. */
const idOf = (days: number): string =>
  new Date(NOW - days * DAY).toISOString().slice(0, 19).replace("T", "_").replaceAll(":", "-");

const START = { type: "run_started", seq: 1, timestamp: "2026-01-02T03:04:05.000Z" };
const END = { type: "run_ended", seq: 9, timestamp: "2026-01-02T03:04:09.000Z", ending: "complete" };

/** Bytes of all that a run left, however long the path of the temp folder is. */
const SIZE = 1280;

/** The log of a run that is over; its id. */
function makeRun(days: number, lines: readonly Record<string, unknown>[] = [START, END]): string {
  const run = idOf(days);
  mkdirSync(join(runsFolder(), run, "001-T1"), { recursive: true });
  const text = lines
    .map((line) => `${JSON.stringify({ todo_file: project("to-do.json"), ...line })}\n`)
    .join("");
  writeFileSync(join(runsFolder(), run, "events.jsonl"), text);
  writeFileSync(join(runsFolder(), run, "001-T1/prompt.md"), "x".repeat(Math.max(0, SIZE - text.length)));
  return run;
}

interface Called {
  end: CommandOutcome;
  out: string;
  err: string;
}

/** The words of these flags. */
const wordsOf = (flags: Record<string, string | boolean>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => (typeof value === "string" ? [name, value] : [name]));

async function call(
  flags: Record<string, string | boolean>,
  change: Partial<CommandContext> = {},
): Promise<Called> {
  const started = contextIn(folder, { PATH: process.env["PATH"] ?? "" });
  const end = await typeLine({ ...started.context, ...change }, "clean", ...wordsOf(flags));
  return { end, out: started.out(), err: started.err() };
}

async function answer(
  flags: Record<string, string | boolean>,
  change: Partial<CommandContext> = {},
): Promise<CleanAnswer> {
  return CleanAnswer.parse(JSON.parse((await call({ ...flags, "--json": true }, change)).out));
}

test("--keep: the newest stay; --age: what is older goes; with both a run goes only if both let it", async () => {
  const [oldest, old, young, newest] = [30, 20, 3, 1].map((days) => makeRun(days));
  const names = async (flags: Record<string, string>) =>
    (await answer({ ...flags, "--dry-run": true })).removed.map(({ run }) => run);
  expect(await names({ "--keep": "1" })).toEqual([oldest, old, young]);
  expect(await names({ "--age": "7d" })).toEqual([oldest, old]);
  expect(await names({ "--keep": "3", "--age": "7d" })).toEqual([oldest]);
  expect(await names({ "--keep": "1", "--age": "7d" })).toEqual([oldest, old]);
  expect(await names({ "--keep": "9" })).toEqual([]);
  expect(readdirSync(runsFolder())).toHaveLength(4);
  const { end, out } = await call({ "--keep": "2" });
  expect([end, out.split("\n").slice(-2)[0]]).toEqual(["ok", "removed 2 runs, 2.5 KB; 2 runs left"]);
  expect(readdirSync(runsFolder())).toEqual([young, newest]);
  expect((await call({ "--keep": "0" })).out).toContain("removed 2 runs");
  expect((await call({ "--keep": "0" })).out).toBe("removed no run; 0 runs left\n");
});

test("`last` names the newest run there is, or nothing; one that names something else is left alone", async () => {
  const last = project("looper-logs/last");
  const [first, second] = [idOf(2), makeRun(1)];
  symlinkSync(join("runs", second), last);
  await call({ "--keep": "1" });
  expect(readlinkSync(last)).toBe(join("runs", second));
  makeRun(3);
  rmSync(last);
  symlinkSync(join("runs", first), last);
  await call({ "--keep": "1" });
  expect(readlinkSync(last)).toBe(join("runs", second));
  await call({ "--keep": "0" });
  expect(lstatSync(last, { throwIfNoEntry: false })).toBeUndefined();
  writeFileSync(last, "mine");
  makeRun(5);
  await call({ "--keep": "0" });
  expect(lstatSync(last).isFile()).toBe(true);
});

test("clean never touches other files, folders, symlinks, and folders without a log", async () => {
  const outside = join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "events.jsonl"), `${JSON.stringify(START)}\n`);
  makeRun(9);
  const link = idOf(8);
  symlinkSync(outside, join(runsFolder(), link));
  symlinkSync(outside, join(runsFolder(), `.gone-${idOf(7)}`));
  const empty = idOf(6);
  mkdirSync(join(runsFolder(), empty));
  const photos = idOf(5);
  mkdirSync(join(runsFolder(), photos));
  writeFileSync(join(runsFolder(), photos, "cat.jpg"), "meow");
  mkdirSync(join(runsFolder(), "keep-this"));
  writeFileSync(join(runsFolder(), "notes.txt"), "mine");
  // A run that holds a link: the link goes, what it leads to does not.
  symlinkSync(outside, join(runsFolder(), makeRun(4), "001-T1/out"));
  const { removed, others } = await answer({ "--keep": "0" });
  expect(removed).toHaveLength(3);
  expect(new Set(others)).toEqual(new Set([link, `.gone-${idOf(7)}`, photos, "keep-this", "notes.txt"]));
  expect(readdirSync(outside)).toEqual(["events.jsonl"]);
  expect(readdirSync(join(runsFolder(), photos))).toEqual(["cat.jpg"]);
  expect((await call({ "--keep": "0" })).out).toMatch(/^not a run, not touched: .*keep-this/m);
});

test("a folder of runs that is a symlink is not followed; in a log folder elsewhere only runs of this project go", async () => {
  const elsewhere = join(folder, "elsewhere");
  const [mine, theirs] = [makeRun(2, [{ ...START, project: project() }, END]), makeRun(1)];
  execFileSync("mv", [runsFolder(), elsewhere]);
  symlinkSync(elsewhere, runsFolder());
  await expect(call({ "--keep": "0" })).rejects.toThrow(/symlink, not a folder/);
  expect(readdirSync(elsewhere)).toEqual([mine, theirs]);
  rmSync(runsFolder());
  mkdirSync(join(folder, "logs"));
  execFileSync("mv", [elsewhere, join(folder, "logs/runs")]);
  mkdirSync(project(".looper"));
  writeFileSync(project(".looper/config.json"), JSON.stringify({ log_dir: "../logs" }));
  expect(await answer({ "--keep": "0" })).toMatchObject({ removed: [{ run: mine }], foreign: 1 });
  expect(readdirSync(join(folder, "logs/runs"))).toEqual([theirs]);
});

test("copies of the task file are named, and stay", async () => {
  const copy = "to-do.json.edited-2026-01-02_03-04-05";
  writeFileSync(project(copy), "{}");
  makeRun(3);
  expect((await answer({ "--keep": "0" })).copies).toEqual([project(copy)]);
  expect((await call({ "--keep": "0" })).out).toContain(copy);
  expect(existsSync(project(copy))).toBe(true);
});

test("without --keep and --age a person is asked and may decline; without a terminal that is a usage error", async () => {
  for (let days = 1; days <= 12; days++) makeRun(days);
  await expect(call({})).rejects.toMatchObject({ kind: "usage" });
  expect(readdirSync(runsFolder())).toHaveLength(12);
  const asked: string[] = [];
  const person = (yes: boolean): Partial<CommandContext> => ({
    stdin: { ...contextIn(folder).context.stdin, isTerminal: true },
    confirm: (question, lines) => {
      asked.push(...lines, question);
      return Promise.resolve(yes);
    },
  });
  expect(await call({}, person(false))).toMatchObject({ end: "no", out: "", err: "nothing was removed\n" });
  expect(asked.join("\n")).toMatch(/^Remove 2 runs, .* keep the newest 10\?$/);
  expect(readdirSync(runsFolder())).toHaveLength(12);
  expect((await call({}, person(true))).end).toBe("ok");
  expect(readdirSync(runsFolder())).toHaveLength(10);
  asked.length = 0;
  expect((await call({}, person(true))).out).toBe("removed no run; 10 runs left\n");
  mkdirSync(project(".looper"));
  writeFileSync(project(".looper/config.json"), JSON.stringify({ log: { keep: 4 } }));
  await call({ "-y": true }, person(false));
  expect(readdirSync(runsFolder())).toHaveLength(4);
  expect(asked).toEqual([]);
});

test("-y without a terminal does what would be proposed, and prints it; --dry-run shows it", async () => {
  for (let days = 1; days <= 12; days++) makeRun(days);
  const shown = await call({ "--dry-run": true });
  expect(shown).toMatchObject({ end: "ok", out: expect.stringContaining("would remove 2 runs") as string });
  expect((await call({ "-y": true, "--dry-run": true })).out).toBe(shown.out);
  expect(readdirSync(runsFolder())).toHaveLength(12);
  const done = await call({ "-y": true });
  expect(done.err).toMatch(/^Remove 2 runs, 2\.\d KB, and keep the newest 10\n$/);
  expect(done.out).toContain("removed 2 runs, 2.5 KB; 10 runs left\n");
  expect(readdirSync(runsFolder())).toHaveLength(10);
  expect(await call({ "-y": true })).toMatchObject({
    end: "ok",
    out: "removed no run; 10 runs left\n",
    err: "",
  });
});

test.each([
  [{ "--keep": "-1" }, "--keep is -1"],
  [{ "--keep": "2.5" }, "--keep is 2.5"],
  [{ "--age": "7 days" }, "--age is 7 days"],
  [{ "--age": "" }, "--age is "],
])("%j is refused, with an example", async (flags, message) => {
  makeRun(3);
  await expect(call(flags)).rejects.toThrow(message);
  await expect(call(flags)).rejects.toMatchObject({
    kind: "usage",
    hint: expect.stringContaining("e.g.") as unknown,
  });
});

test("an agent of a run removes none", async () => {
  makeRun(3);
  const { context } = contextIn(folder, { LOOPER_RUN_ID: "r" });
  await expect(typeLine(context, "clean", "--keep", "0")).rejects.toMatchObject({
    kind: "no",
  });
});

/** A repository around the project; answers with a git, and with what makes a commit of this message. */
function gitHere(): { git: (...args: string[]) => string; commit: (message: string) => string } {
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: project(),
      env: { ...process.env, HOME: folder },
      encoding: "utf8",
    }).trim();
  git("init", "-q");
  const tree = git("hash-object", "-t", "tree", "-w", "/dev/null");
  const commit = (message: string): string =>
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "-m", message, tree);
  return { git, commit };
}

test("clean keeps runs that refs need: rescues, a task in progress and later runs, a killed run that was not resumed", async () => {
  const { git, commit } = gitHere();
  const ref = (name: string, message: string) => git("update-ref", `refs/looper/${name}`, commit(message));
  const [old, aside, ended, killed] = [makeRun(9), makeRun(8, [START]), makeRun(7), makeRun(2, [START])];
  const lost = idOf(20);
  for (const run of [aside, killed]) ref(`attempts/${run}/start`, "looper: start");
  ref(`attempts/${lost}/start`, `looper: start\n\n${JSON.stringify({ log: join(runsFolder(), lost) })}`);
  ref(`attempts/${lost}/T1-1`, "looper: attempt");
  ref(`attempts/${idOf(21)}/start`, `looper: start\n\n${JSON.stringify({ log: "/elsewhere" })}`);
  ref(`rescue/${aside}/T1-2`, "an agent's");
  const { removed, stay, refs } = await answer({ "--keep": "0" });
  expect([removed.map(({ run }) => run), refs]).toEqual([[old], 2]);
  expect(stay).toEqual([
    { run: aside, why: "rescue" },
    // Without it the next start would resume the run before, which was killed as well.
    { run: ended, why: "unfinished" },
    { run: killed, why: "unfinished" },
  ]);
  git("update-ref", "-d", `refs/looper/rescue/${aside}/T1-2`);
  ref("checkpoint/main/T1", `looper: checkpoint\n\n${JSON.stringify({ run: ended, task: "T1" })}`);
  expect(await answer({ "--keep": "0" })).toMatchObject({
    removed: [{ run: aside }],
    stay: [
      { run: ended, why: "in-hand" },
      { run: killed, why: "in-hand" },
    ],
  });
  expect(git("for-each-ref", "--format=%(refname)", "refs/looper/attempts").split("\n")).toEqual([
    `refs/looper/attempts/${idOf(21)}/start`,
    `refs/looper/attempts/${killed}/start`,
  ]);
});

test("where git cannot be asked what is needed, nothing goes", async () => {
  makeRun(3);
  gitHere();
  const { context } = contextIn(folder, { PATH: "/nowhere" });
  await expect(typeLine(context, "clean", "--keep", "0")).rejects.toMatchObject({
    kind: "environment",
  });
  expect(readdirSync(runsFolder())).toHaveLength(1);
});

test("killed at any call, it leaves whole runs or none, and the next clean finishes", async () => {
  const { context } = contextIn(folder, { PATH: process.env["PATH"] ?? "" });
  const { git, commit } = gitHere();
  const kept = commit("x");
  let survived = 0;
  for (let at = 0; survived === 0; at++) {
    rmSync(project("looper-logs"), { recursive: true, force: true });
    const runs = [makeRun(3), makeRun(2), makeRun(1)];
    symlinkSync(join("runs", runs[1] ?? ""), project("looper-logs/last"));
    for (const run of runs) git("update-ref", `refs/looper/attempts/${run}/T1-1`, kept);
    const files = dyingAt(context.ports.files, at);
    const died = await call({ "--keep": "1" }, { ports: { ...context.ports, files } }).catch(
      (error: unknown) => error,
    );
    if (died instanceof UserError) {
      for (const run of await listRuns(context.ports, project("looper-logs")))
        expect(readdirSync(join(runsFolder(), run))).toEqual(["001-T1", "events.jsonl"]);
      const there = readdirSync(runsFolder()).filter((name) => name.startsWith(".gone-")).length;
      expect((await answer({ "--keep": "1" })).finished).toHaveLength(there);
    } else survived = at;
    expect(readdirSync(runsFolder())).toEqual(runs.slice(2));
    expect(readlinkSync(project("looper-logs/last"))).toBe(join("runs", runs[2] ?? ""));
    expect(git("for-each-ref", "--format=%(refname)")).toBe(`refs/looper/attempts/${runs[2] ?? ""}/T1-1`);
  }
  expect(survived).toBeGreaterThan(4);
});

/** The files, of which the n-th change of the log folder and all that come after it fail. */
function dyingAt(files: Files, n: number): Files {
  let calls = 0;
  const fails = (): boolean => calls++ >= n;
  const error = Object.assign(new Error("EROFS: killed here"), { code: "EROFS" });
  return {
    ...files,
    rename: (from, to) => (fails() ? Promise.reject(error) : files.rename(from, to)),
    symlink: (target, path) => (fails() ? Promise.reject(error) : files.symlink(target, path)),
    // Git's private copy of the index is not a change of the logs.
    remove: (path) => (path.includes("looper-logs") && fails() ? Promise.reject(error) : files.remove(path)),
    removeTree: async (path) => {
      // Half of it is gone by then.
      if (fails()) {
        rmSync(join(path, "events.jsonl"));
        throw error;
      }
      await files.removeTree(path);
    },
  };
}
