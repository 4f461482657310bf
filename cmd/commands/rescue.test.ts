import { asResult } from "../../src/git/base/git.js";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkpoint } from "../../src/git/checkpoint/checkpoint.js";
import { openRepository, type Repository } from "../../src/git/base/repository/repository.js";
import { saveWork } from "../../src/git/saved-work/work-ref.js";
import { restoreTo } from "../../src/git/restore/restore.js";
import { takeRunLocks } from "../../src/loop/runs/locks.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import {
  RescueDropAnswer,
  RescueListAnswer,
  RescueRestoreAnswer,
  RescueShowAnswer,
} from "../../src/ui/shapes/work.js";
import { callIn, contextIn } from "../testing/testing.js";

let root = "";
const RUN = "2026-01-02_03-04-05";

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "rescue-")));
  for (const name of ["project", "home"]) mkdirSync(path.join(root, name));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function env(): Record<string, string> {
  const home = path.join(root, "home");
  return { PATH: process.env["PATH"] ?? "", HOME: home, GIT_CONFIG_GLOBAL: path.join(home, "none") };
}

function git(...args: string[]): string {
  const who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
  return execFileSync("git", [...who, ...args], { cwd: path.join(root, "project"), env: env() }).toString();
}

function write(name: string, content: string): void {
  writeFileSync(path.join(root, "project", name), content);
}

const read = (name: string): string => readFileSync(path.join(root, "project", name), "utf8");

const call = (...words: string[]) => callIn(contextIn(root, env()), "rescue", ...words);

async function openRepo(): Promise<Repository> {
  const projectDir = path.join(root, "project");
  const opened = await openRepository(nodePorts(), {
    projectDir,
    todoFile: path.join(projectDir, "to-do.json"),
    exclude: [path.join(projectDir, "looper-logs")],
    env: env(),
  });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** A task that changed `a.txt` is given up. */
async function giveUp(task: string, attempt: number): Promise<void> {
  const repo = await openRepo();
  const taken = await asResult(() => checkpoint(repo, { id: task, run: RUN, reuse: false }));
  if (!taken.ok) throw new Error(taken.error.message);
  write("a.txt", `one\n${task} \u001b[31mred\n`);
  const label = `${task}-${attempt}`;
  await asResult(() => restoreTo(repo, { checkpoint: taken.value, run: RUN, label }));
}

function begin(): void {
  git("init", "-q");
  write("to-do.json", JSON.stringify({ schema_version: 1, source_files: [], tasks: [] }));
  write("a.txt", "one\n");
  git("add", "-A");
  git("commit", "-qm", "begin");
}

test("the list names each with its task, when, how many files and why; none is said too, without git as well", async () => {
  expect(await call()).toMatchObject({ end: "ok", out: "no abandoned work\n" });
  expect((await call("--json")).out).toBe('{\n  "rescues": []\n}\n');
  begin();
  expect(await call("list")).toEqual({ end: "ok", out: "no abandoned work\n", err: "" });
  await giveUp("T1", 2);
  const { out } = await call();
  expect(out).toMatch(
    /^id +when +task +files +what\n2026-01-02_03-04-05\/T1-2 +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +T1 +1 +work of a task that was given up\n$/,
  );
  const { rescues } = RescueListAnswer.parse(JSON.parse((await call("--json")).out));
  expect(rescues).toMatchObject([{ id: `${RUN}/T1-2`, task: "T1", why: "given-up", files: 1 }]);
});

test("one is shown as a diff, what could steer the terminal spelled out", async () => {
  begin();
  await giveUp("T1", 1);
  const { out } = await call("show", "T1-1");
  expect(out).toContain(" a.txt | 1 +\n");
  expect(out).toContain(" one\n+T1 \\u001b[31mred\n");
  const shown = RescueShowAnswer.parse(JSON.parse((await call("show", "T1", "--json")).out));
  expect(shown).toMatchObject({ paths: ["a.txt"], staged: [] });
  expect(shown.diff).toContain("\n+T1 \u001b[31mred\n");
});

test("an id may be shortened as long as one is meant; a miss says what is near", async () => {
  begin();
  await giveUp("T1", 1);
  await giveUp("T12", 1);
  for (const id of [`${RUN}/T1-1`, "T1-1", "T1-", `refs/looper/rescue/${RUN}/T1-1`])
    expect((await call("show", id)).out).toContain(`${RUN}/T1-1 `);
  await expect(call("show", "T1")).rejects.toMatchObject({
    kind: "usage",
    message: expect.stringMatching(/^T1 may be \S+\/T12?-1, \S+\/T12?-1$/) as string,
  });
  await expect(call("show", "T3-1")).rejects.toMatchObject({
    kind: "usage",
    message: "unknown rescue T3-1",
    hint: "did you mean T1-1?",
  });
  await expect(call("shwo", "T1-1")).rejects.toMatchObject({ kind: "usage", hint: "did you mean show?" });
  for (const words of [["show"], ["restore", "T1-1", "T12-1"], ["drop"], ["list", "T1-1"], ["drop", ""]])
    await expect(call(...words)).rejects.toMatchObject({ kind: "usage" });
});

test("one comes back uncommitted and stays put aside; in the way of something it does nothing and says so", async () => {
  begin();
  await giveUp("T1", 1);
  const back = await call("restore", "T1-1");
  expect(back).toMatchObject({ end: "ok", err: "" });
  expect(back.out).toContain("brought back 1 path, uncommitted:\n  a.txt\n");
  expect(read("a.txt")).toBe("one\nT1 \u001b[31mred\n");
  expect((await call("restore", "T1-1")).out).toContain("all of its files are in the tree already");
  write("a.txt", "two\n");
  const refused = await call("restore", "T1-1");
  expect(refused).toMatchObject({ end: "no" });
  expect(refused.out).toContain(
    "nothing was changed, 1 path would be overwritten:\n  a.txt (changed since, in the same place)\n",
  );
  const json = await call("restore", "T1-1", "--json");
  expect(RescueRestoreAnswer.parse(JSON.parse(json.out))).toMatchObject({ ok: false });
  expect(read("a.txt")).toBe("two\n");
});

test("a rescue is not restored during a run, and the error names the run", async () => {
  begin();
  await giveUp("T1", 1);
  const repo = await openRepo();
  const projectDir = path.join(root, "project");
  const lockDir = path.join(projectDir, ".looper");
  const ports = nodePorts();
  const locks = await takeRunLocks(
    ports,
    { realTodoFile: path.join(projectDir, "to-do.json"), lockDir },
    repo,
  );
  await locks.describe({ run: "the-run", folder: root });
  await expect(call("restore", "T1-1")).rejects.toMatchObject({
    kind: "environment",
    message: expect.stringContaining("(run the-run)") as string,
  });
  await locks.release();
  expect(await call("restore", "T1-1")).toMatchObject({ end: "ok" });
});

test("dropping says the commit; one that is not known drops none", async () => {
  begin();
  await giveUp("T1", 1);
  await giveUp("T2", 1);
  const [, first] = RescueListAnswer.parse(JSON.parse((await call("--json")).out)).rescues;
  await expect(call("drop", "T1-1", "T3-1")).rejects.toMatchObject({ kind: "usage" });
  expect(git("for-each-ref", "refs/looper/rescue").split("\n")).toHaveLength(3);
  const json = await call("drop", "T1-1", `${RUN}/T1-1`, "--json");
  expect(RescueDropAnswer.parse(JSON.parse(json.out)).dropped).toHaveLength(1);
  expect((await call("drop", "T2")).out).toMatch(/^dropped \S+\/T2-1; .*git branch rescued [0-9a-f]{40} /);
  expect(git("for-each-ref", "refs/looper/rescue")).toBe("");
  expect(first).toBeDefined();
  expect(git("cat-file", "-t", first?.commit ?? "")).toBe("commit\n");
});

test("the list names the saved work of tasks, with its stage and how to see it", async () => {
  git("init", "-q");
  const repo = await openRepo();
  write("a.txt", "one\n");
  const made = await checkpoint(repo, { id: "T1", run: RUN, reuse: false });
  const order = { task: "T1", run: RUN, stage: "implement", visit: 3, checkpoint: made, changes: [] };
  const { tip } = await saveWork(repo, order);
  const listed = await call();
  expect(listed.out).toMatch(/T1 {2}implement, visit 3 {2}.* {2}git show refs\/looper\/work\/T1/u);
  const { saved } = RescueListAnswer.parse(JSON.parse((await call("--json")).out));
  expect(saved).toMatchObject([{ task: "T1", stage: "implement", visit: 3, commit: tip }]);
});

test("a rescue that was dropped does not drop another whose label begins like its own", async () => {
  begin();
  for (const attempt of [1, 10]) await giveUp("T1", attempt);
  expect(await call("drop", "T1-1")).toMatchObject({ end: "ok" });
  await expect(call("drop", "T1-1")).rejects.toThrow("unknown rescue T1-1");
  expect((await call("show", "T1")).out).toContain("T1-10");
});
