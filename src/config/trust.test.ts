import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../system/files.js";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";
import { isTrusted, rememberTrust } from "./trust-store.js";
import { fingerprint, listTrusted, type TrustLine } from "./trust.js";

const place = { project: "/p", home: "/h" };
const noTasks = { file: "to-do.json", tasks: [] };

function lines(project: unknown, env: Record<string, string> = {}, user: unknown = {}): TrustLine[] {
  const resolved = resolveSettings({
    user: readJsonSettings("u.json", JSON.stringify(user)),
    project: readJsonSettings("p.json", JSON.stringify(project, null, 1)),
    env,
    flags: { "--hook": ["echo from a flag"] },
  });
  return listTrusted(resolved, noTasks, place);
}

test("everything a project names that runs, or is written outside of it, is listed, with where it stands", () => {
  const project = {
    agents: {
      bot: {
        kind: "command",
        binary: "./bot",
        args: ["-x"],
        env: { NODE_OPTIONS: "-r ./x" },
        permissions: "full",
        work_dir: "../other",
        last_message: "/etc/x",
      },
      mod: { kind: "module", module: "./m.mjs" },
      scr: { kind: "scripted", script: "s.json" },
    },
    hooks: { on_run_end: ["one", "two"], post_iteration: ["overridden by the flag"] },
    env_file: ".env",
    log_dir: "~/logs",
    todo_file: "../to-do.json",
    verify: { commands: ["npm test", "make lint"], setup: ["npm ci"], strict: true },
  };
  const found = lines(project).map(({ what, value }) => `${what} ${value}`);
  expect(found.sort()).toEqual([
    'agents.bot.args ["-x"]',
    "agents.bot.binary ./bot",
    "agents.bot.env.NODE_OPTIONS -r ./x",
    "agents.bot.last_message /etc/x",
    "agents.bot.permissions full",
    "agents.bot.work_dir ../other",
    "agents.mod.module ./m.mjs",
    "agents.scr.script s.json",
    "env_file .env",
    "hooks.on_run_end one",
    "hooks.on_run_end two",
    "log_dir ~/logs",
    "todo_file ../to-do.json",
    "verify.commands make lint",
    "verify.commands npm test",
    "verify.setup npm ci",
  ]);
  expect(lines(project).find(({ what }) => what === "env_file")?.where).toMatch(/^p\.json:\d+$/);
});

test("what does not run, and what the user said, needs no trust", () => {
  const harmless = {
    todo_file: "t.json",
    log_dir: "logs/of/runs",
    loop: { max_iterations: 3 },
    agents: {
      codex: { model: "m", timeout: "1h", permissions: "read-only", work_dir: "sub", last_message: "out/x" },
    },
  };
  expect(lines(harmless)).toEqual([]);
  const user = { hooks: { on_blocked: ["x"] }, agents: { codex: { binary: "y" } } };
  expect(lines({}, { CLAUDE_BIN: "z" }, user)).toEqual([]);
});

test("the commands of tasks are the project's too", () => {
  const resolved = resolveSettings({ env: {}, flags: {} });
  const tasks = [{ id: "T1", verify: ["npm test"] }, { id: "T2" }];
  expect(listTrusted(resolved, { file: "to-do.json", tasks }, place)).toEqual([
    { what: "verify of T1", where: "to-do.json", value: "npm test" },
  ]);
});

test("a fingerprint follows what is said, not where or in which order", () => {
  const a = { what: "env_file", where: "p.json:1", value: "a" };
  const b = { what: "hooks.on_blocked", where: "p.json:2", value: "b" };
  expect(fingerprint([a, b])).toBe(fingerprint([{ ...b, where: "p.json:9" }, a]));
  expect(fingerprint([a, b])).not.toBe(fingerprint([a]));
  expect(fingerprint([a])).not.toBe(fingerprint([{ ...a, value: "b" }]));
  expect(fingerprint([{ ...a, what: "x", value: "y" }])).not.toBe(
    fingerprint([{ ...a, what: "y", value: "x" }]),
  );
});

const files = nodeFiles();
let state = "";
beforeEach(() => {
  state = path.join(mkdtempSync(path.join(tmpdir(), "trust-")), "state", "looper");
});
afterEach(() => {
  rmSync(path.dirname(path.dirname(state)), { recursive: true });
});

test("a yes is kept for this project and this content, readable by the user alone", async () => {
  const question = { project: "/p", fingerprint: "f1" };
  expect(await isTrusted(files, state, question)).toBe(false);
  await rememberTrust(files, state, question);
  await rememberTrust(files, state, { project: "/q", fingerprint: "f2" });
  expect(await isTrusted(files, state, question)).toBe(true);
  expect(await isTrusted(files, state, { ...question, fingerprint: "f2" })).toBe(false);
  expect(await isTrusted(files, state, { ...question, project: "/q" })).toBe(false);
  await rememberTrust(files, state, { ...question, fingerprint: "f3" });
  expect(await isTrusted(files, state, question)).toBe(true);
  expect(statSync(path.join(state, "trust.json")).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("a file that cannot be understood trusts nothing, and is mended by the next yes", async () => {
  const question = { project: "/p", fingerprint: "f1" };
  await rememberTrust(files, state, question);
  const file = path.join(state, "trust.json");
  for (const broken of ["{", "[]", '{"/p": "f1"}', ""]) {
    writeFileSync(file, broken);
    expect(await isTrusted(files, state, question)).toBe(false);
  }
  await rememberTrust(files, state, question);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ "/p": ["f1"] });
});
