// The checks of doctor on agents and on other reasons why a run would not start. Clients are scripts.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DoctorAnswer } from "../../src/ui/shapes/project.js";
import type { Ran } from "../../src/gate/verdict.js";
import type { Trial } from "../../src/loop/explain/project-room.js";
import { judgeTrial } from "./doctor.js";
import { contextIn, typeLine } from "../testing/testing.js";

let root = "";

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "doctor-"));
  for (const name of ["project/.looper", "home", "bin", "tmp"])
    mkdirSync(path.join(root, name), { recursive: true });
  const task = { id: "T1", title: "do it", priority: 1, status: "todo" };
  write("project/to-do.json", JSON.stringify({ schema_version: 1, source_files: [], tasks: [task] }));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, content: string): string {
  const file = path.join(root, name);
  writeFileSync(file, content);
  return file;
}

function client(name: string, answers: Readonly<Record<string, string>>): string {
  const cases = Object.entries(answers).map(([asked, answer]) => `"${asked}") ${answer};;`);
  const file = write(
    name,
    `#!/bin/sh\necho "$*" >> ${root}/asked\ncase "$*" in\n${cases.join("\n")}\nesac\n`,
  );
  chmodSync(file, 0o755);
  return file;
}

function settings(value: unknown): void {
  write("project/.looper/config.json", JSON.stringify(value));
}

async function diagnose(...words: string[]) {
  const started = contextIn(root, { PATH: `${root}/bin:/usr/bin:/bin`, TMPDIR: `${root}/tmp` });
  const end = await typeLine(started.context, "doctor", "--json", ...words);
  const { checks } = DoctorAnswer.parse(JSON.parse(started.out()));
  return { end, all: checks, of: (wanted: string) => checks.find(({ name }) => name === wanted) };
}

const CODEX = { "--version": "echo codex-cli 0.169.0", "login status": "echo Not logged in >&2; exit 1" };
const CLAUDE = { "--version": "echo '2.1.0 (Claude Code)'", "auth status": `echo '{"loggedIn": true}'` };

test("a repository that git refuses keeps a run from starting", async () => {
  client("bin/claude", CLAUDE);
  settings({ schedule: { agent: "claude" } });
  execFileSync("git", ["init", "-q", "--bare", path.join(root, "project/.git")]);
  const { end, of } = await diagnose();
  expect(of("repository")).toMatchObject({ status: "error" });
  expect(end).not.toBe("ok");
});

test("doctor reports an agent's version and its sign-in", async () => {
  client("bin/codex", CODEX);
  client("bin/claude", CLAUDE);
  settings({ schedule: { strategy: "odd-even" } });
  const { end, of } = await diagnose();
  expect(end).toBe("ok");
  expect(of("agent claude")).toMatchObject({
    status: "ok",
    message: expect.stringMatching(/bin\/claude 2\.1\.0 signed in/) as string,
  });
  expect(of("agent codex")).toMatchObject({
    status: "warning",
    message: expect.stringMatching(/bin\/codex 0\.169\.0.*: not signed in$/) as string,
    remedy: expect.stringContaining("codex login") as string,
  });
});

test("the sign-in of a silent client is unknown; a program that the project names is not started", async () => {
  const mute = client("bin/codex", { "--version": "kill $$", "login status": "kill $$" });
  settings({ schedule: { agent: "codex" } });
  expect((await diagnose()).of("agent codex")).toMatchObject({ status: "ok", message: mute });
  rmSync(path.join(root, "asked"));
  client("project/mine", CODEX);
  settings({ schedule: { agent: "codex" }, agents: { codex: { binary: "./mine" } } });
  const { of } = await diagnose();
  expect(of("agent codex")).toMatchObject({
    status: "ok",
    message: expect.stringMatching(/project\/mine \(the project names it and is not approved yet/) as string,
  });
  expect(existsSync(path.join(root, "asked"))).toBe(false);
  expect((await diagnose("--trust")).of("agent codex")?.message).toContain("0.169.0: not signed in");
});

/** Commits the project with a check that needs `made`. */
function commitChecks(verify: Record<string, unknown>): void {
  client("bin/codex", CODEX);
  settings({ schedule: { agent: "codex" }, verify });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      cwd: path.join(root, "project"),
      stdio: "pipe",
    });
  write("project/.gitignore", "made\n");
  write("project/made", "by hand\n");
  write("project/package-lock.json", "{}\n");
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "start"],
  ])
    git(...args);
}

test("doctor tries approved checks in a cold room, and leaves nothing of it", async () => {
  const commands = ["cat made"];
  commitChecks({ commands });
  const before = filesIn(root);
  expect((await diagnose()).of("checks")).toMatchObject({
    status: "warning",
    message: expect.stringContaining("not tried") as string,
    remedy: expect.stringContaining("--trust") as string,
  });
  const lacking = await diagnose("--trust");
  expect(lacking.end).toBe("ok");
  expect(lacking.of("checks")).toMatchObject({
    status: "warning",
    message: expect.stringMatching(/do not run in a cold room.*"cat made".*No such file/) as string,
    remedy: 'looper config set verify.setup "npm ci"',
  });
  settings({ schedule: { agent: "codex" }, verify: { commands, setup: ["touch made; sleep 300 &"] } });
  const { of } = await diagnose("--trust");
  expect(of("checks")).toEqual({ name: "checks", status: "ok", message: "1 check passes in a cold room" });
  settings({ schedule: { agent: "codex" }, verify: { commands } });
  expect(filesIn(root)).toEqual(before);
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name !== "asked")
    .sort();
}

const RULES = { setup: [], strict: false, cold: "auto" } as const;
const RED: Ran = {
  ...{ command: "npm test", own: false, duration_ms: 1, tail: "1 is not 2\n" },
  end: { how: "exited", code: 1 },
};
const done = (...commands: Ran[]): Trial => ({
  tried: { how: "done", value: { commands } },
  setup: undefined,
});

test("only a check that keeps a run from starting is an error of doctor", () => {
  const cannotRun = { ...RED, tail: "sh: 1: jest: not found\n" };
  const unprepared: Trial = { tried: { how: "unprepared", ran: RED }, setup: "npm ci" };
  expect(judgeTrial(done(RED), RULES)).toMatchObject({
    status: "warning",
    message: 'run in a cold room, and fail before any work: "npm test" (exit code 1): 1 is not 2',
  });
  expect(judgeTrial(done(cannotRun), RULES).status).toBe("warning");
  expect(judgeTrial(done(cannotRun), { ...RULES, strict: true }).status).toBe("error");
  expect(judgeTrial(unprepared, { ...RULES, setup: ["npm i"] })).toMatchObject({
    status: "warning",
    remedy: "correct verify.setup, or the check",
  });
  expect(judgeTrial(unprepared, { ...RULES, cold: true }).status).toBe("error");
  expect(judgeTrial({ tried: { how: "interrupted" }, setup: undefined }, RULES).message).toContain(
    "3 minutes",
  );
});

test("doctor reports the error a run would fail with, in the same words", async () => {
  client("bin/codex", CODEX);
  settings({ schedule: { agent: "codex" }, loop: { max_cost_usd: 2 } });
  const { end, of } = await diagnose();
  expect(end).toBe("no");
  expect(of("start")).toMatchObject({
    status: "error",
    message: expect.stringContaining("codex does not report its cost") as string,
    remedy: expect.stringContaining("loop.unknown_cost") as string,
  });
  settings({ schedule: { agent: "codex" }, loop: { max_cost_usd: 2, unknown_cost: "allow" } });
  expect((await diagnose()).end).toBe("ok");
  settings({ schedule: { agent: "codex" }, prices_file: "no.json" });
  expect((await diagnose()).of("start")?.message).toContain("no.json");
  write("project/named.json", "{");
  settings({ schedule: { agent: "codex" }, schema_file: "named.json" });
  expect((await diagnose()).of("start")?.message).toContain("named.json");
  settings({ schedule: { agent: "codex" }, env_file: "gone.env" });
  expect((await diagnose()).of("start")?.message).toContain("gone.env");
  settings({ schedule: { agent: "codex" }, prompts: { iteration: "gone.md" } });
  expect((await diagnose()).of("start")?.message).toContain("gone.md");
  settings({ schedule: { agent: "codex" }, agents: { codex: { work_dir: "nope" } } });
  expect((await diagnose()).of("agent codex")).toMatchObject({
    status: "error",
    remedy: "correct agents.codex.work_dir",
  });
});

const KEY = `sk-ant-${"a1b2".repeat(8)}`;

test("doctor warns about keys in tracked or readable files without printing them", async () => {
  settings({ env_file: "agents.env", agents: { claude: { env: { MY_TOKEN: "not-a-known-shape" } } } });
  const file = write("project/agents.env", "ANTHROPIC_API_KEY=plain-words-as-a-key\n");
  chmodSync(file, 0o600);
  execFileSync("git", ["init", "-q"], { cwd: path.join(root, "project") });
  execFileSync("git", ["add", ".looper/config.json"], { cwd: path.join(root, "project") });
  const { all, end } = await diagnose();
  const keys = all.filter(({ name }) => name === "keys");
  expect(end).toBe("no");
  expect(keys.map(({ status, message }) => `${status} ${message}`)).toEqual([
    "error .looper/config.json holds a key, and git tracks it",
    "ok agents.env holds a key; only you can read it",
  ]);
  chmodSync(file, 0o644);
  write("project/to-do.json", JSON.stringify({ schema_version: 1, source_files: [KEY], tasks: [] }));
  const again = (await diagnose()).all.filter(({ name }) => name === "keys");
  expect(again.map(({ status, remedy }) => [status, remedy])).toEqual([
    ["error", expect.stringContaining("have it changed")],
    ["warning", "chmod 600 to-do.json"],
    ["warning", "chmod 600 agents.env"],
  ]);
  expect(JSON.stringify([keys, again])).not.toMatch(/sk-ant|plain-words|not-a-known/);
});

test("without a key anywhere there is one line that says so", async () => {
  expect((await diagnose()).of("keys")).toMatchObject({ status: "ok" });
});
