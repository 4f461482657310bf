import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { resolveSettings } from "../read/resolve.js";
import { readJsonSettings } from "../read/settings-text.js";
import { isTrusted, rememberTrust } from "./trust-store.js";
import { projectWith } from "../testing/testing.js";
import { Workflow } from "../../workflow/workflow.js";
import { createFingerprint, listTrusted, readTrust, type TrustLine } from "./trust.js";

const files = nodeFiles();
let top = "";
beforeEach(() => {
  top = realpathSync(mkdtempSync(path.join(tmpdir(), "trust-")));
  mkdirSync(path.join(top, "p"));
});
afterEach(() => {
  rmSync(top, { recursive: true });
});

/** The lines that a project's own file adds to the question; the project is `<top>/p`, and the home folder `<top>/h`. */
function lines(project: unknown, env: Record<string, string> = {}, user: unknown = {}): Promise<TrustLine[]> {
  const resolved = resolveSettings({
    user: readJsonSettings("u.json", JSON.stringify(user)),
    project: readJsonSettings("p.json", JSON.stringify(project, null, 1)),
    env,
    flags: { "--hook": ["echo from a flag"] },
  });
  const home = path.join(top, "h");
  const place = { project: path.join(top, "p"), home, env };
  return readTrust({ files, project: projectWith(resolved, place), home, env }, []);
}

test("everything a project names that runs, or is written outside of it, is listed, with where it stands", async () => {
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
  const found = (await lines(project)).map(({ what, value }) => `${what} ${value}`);
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
  expect((await lines(project)).find(({ what }) => what === "env_file")?.where).toMatch(/^p\.json:\d+$/);
});

test("what does not run, and what the user said, needs no trust", async () => {
  const harmless = {
    todo_file: "t.json",
    log_dir: "logs/of/runs",
    loop: { max_iterations: 3 },
    agents: {
      codex: { model: "m", timeout: "1h", permissions: "read-only", work_dir: "sub", last_message: "out/x" },
    },
  };
  expect(await lines(harmless)).toEqual([]);
  const user = { hooks: { on_blocked: ["x"] }, agents: { codex: { binary: "y" } } };
  expect(await lines({}, { CLAUDE_BIN: "z" }, user)).toEqual([]);
});

test("the commands of tasks are the project's too", () => {
  const resolved = resolveSettings({ env: {}, flags: {} });
  const tasks = [{ id: "T1", verify: ["npm test"] }, { id: "T2" }];
  const leads = { project: "/p", paths: new Map() };
  expect(listTrusted(resolved, { file: "to-do.json", tasks }, leads)).toEqual([
    { what: "verify of T1", where: "to-do.json", value: "npm test" },
  ]);
});

test("a project's workflow is listed by its content, without its words for people", () => {
  const resolved = resolveSettings({ env: {}, flags: {} });
  const leads = { project: "/p", paths: new Map() };
  const list = (about: string, gate: string) => {
    const stage = { kind: "work", about, prompt: "implement", gate: [gate], next: { done: "finish" } };
    const workflow = Workflow.parse({ workflow: 1, name: "own", about, start: "do", stages: { do: stage } });
    return listTrusted(
      resolved,
      { file: "t", tasks: [], workflows: [{ shown: "own.json", workflow }] },
      leads,
    );
  };
  expect(list("x", "make").map(({ what, where }) => [what, where])).toEqual([
    ["workflow own", "own.json"],
    ["workflow own, stage do", "own.json"],
  ]);
  const prints = (about: string, command: string) => list(about, command).map(createFingerprint);
  expect(prints("x", "make")).toEqual(prints("y", "make"));
  expect(prints("x", "make")).not.toEqual(prints("x", "make evil"));
});

test.each([
  ["$OUT/logs", "out/logs"],
  ["${OUT}/logs", "out/logs"],
  ["$HERE/../out", "out"],
  ["~/logs", undefined],
  ["link/logs", "out/logs"],
  ["nowhere", "missing/later"],
])("log_dir %s leads out of the project, and is listed with the place it leads to", async (log_dir, real) => {
  mkdirSync(path.join(top, "out"));
  symlinkSync("../out", path.join(top, "p/link"));
  symlinkSync("../missing/later", path.join(top, "p/nowhere"));
  const env = { OUT: path.join(top, "out"), HERE: path.join(top, "p") };
  const value = real === undefined ? log_dir : `${log_dir} → ${path.join(top, real)}`;
  expect(await lines({ log_dir }, env)).toEqual([{ what: "log_dir", where: "p.json:2", value }]);
  expect(await lines({}, env, { log_dir })).toEqual(
    log_dir === "link/logs" || log_dir === "nowhere" ? [{ what: "log_dir", where: "u.json:1", value }] : [],
  );
});

test("a file that a run reads is listed where a symlink takes it out of the project, whichever setting names it", async () => {
  writeFileSync(path.join(top, "secret"), "key");
  symlinkSync(path.join(top, "secret"), path.join(top, "p/linked"));
  mkdirSync(path.join(top, "p/sub"));
  symlinkSync("sub", path.join(top, "p/near"));
  const prompts = { bootstrap: "linked", iteration: "linked", repair: "../secret", review: "near/r.md" };
  const found = await lines({
    prompts,
    schema_file: "linked",
    prices_file: "linked",
    env_file: "linked",
    agents: { m: { kind: "module", module: "linked" }, scr: { kind: "scripted", script: "near/s.json" } },
  });
  const out = `linked → ${path.join(top, "secret")}`;
  expect(found.map(({ what, value }) => `${what} ${value}`).sort()).toEqual([
    `agents.m.module ${out}`,
    "agents.scr.script near/s.json",
    `env_file ${out}`,
    `prices_file ${out}`,
    `prompts.bootstrap ${out}`,
    `prompts.iteration ${out}`,
    "prompts.repair ../secret",
    `schema_file ${out}`,
  ]);
});

test("a task file or a log folder that is a symlink out of the project is listed, also where no setting names it", async () => {
  symlinkSync("../tasks.json", path.join(top, "p/to-do.json"));
  symlinkSync("../logs", path.join(top, "p/looper-logs"));
  expect(await lines({})).toEqual([
    { what: "todo_file", where: "a symlink in the project", value: `to-do.json → ${top}/tasks.json` },
    { what: "log_dir", where: "a symlink in the project", value: `looper-logs → ${top}/logs` },
  ]);
  expect(await lines({}, {}, { todo_file: path.join(top, "tasks.json"), log_dir: "logs" })).toEqual([]);
});

test("a symlink that leads into .git is refused, and one that leads to itself does no harm", async () => {
  mkdirSync(path.join(top, "p/.git/hooks"), { recursive: true });
  symlinkSync(".git/hooks", path.join(top, "p/logs"));
  symlinkSync("loop", path.join(top, "p/loop"));
  await expect(lines({ log_dir: "logs/x" })).rejects.toThrow(
    'p.json:2: cannot use "logs/x" as log_dir: it is inside .git',
  );
  expect(await lines({ log_dir: "loop" })).toEqual([]);
});

test("a fingerprint follows what is said, not where", () => {
  const a = { what: "env_file", where: "p.json:1", value: "a" };
  expect(createFingerprint(a)).toBe(createFingerprint({ ...a, where: "p.json:9" }));
  expect(createFingerprint(a)).not.toBe(createFingerprint({ ...a, value: "b" }));
  expect(createFingerprint({ ...a, what: "x", value: "y" })).not.toBe(
    createFingerprint({ ...a, what: "y", value: "x" }),
  );
});

const question = (value: string, project = "/p") => ({
  project,
  lines: [{ what: "verify.commands", where: "p.json:1", value }],
});
const stateIn = (folder: string) => path.join(folder, "state", "looper");

test("a yes is kept for this project and this content, readable by the user alone", async () => {
  const state = stateIn(top);
  const one = question("f1");
  expect(await isTrusted(files, state, one)).toBe(false);
  await rememberTrust(files, state, one);
  await rememberTrust(files, state, question("f2", "/q"));
  expect(await isTrusted(files, state, one)).toBe(true);
  expect(await isTrusted(files, state, question("f2"))).toBe(false);
  expect(await isTrusted(files, state, question("f1", "/q"))).toBe(false);
  await rememberTrust(files, state, question("f3"));
  expect(await isTrusted(files, state, one)).toBe(true);
  expect(statSync(path.join(state, "trust.json")).mode & 0o777).toBe(0o600);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});

test("each approved line counts, alone and with other approved lines; one that was not approved is asked about", async () => {
  const state = stateIn(top);
  const both = { project: "/p", lines: [...question("f1").lines, ...question("f2").lines] };
  await rememberTrust(files, state, both);
  expect(await isTrusted(files, state, question("f2"))).toBe(true);
  const three = { project: "/p", lines: [...both.lines, ...question("f3").lines] };
  expect(await isTrusted(files, state, three)).toBe(false);
  await rememberTrust(files, state, question("f3"));
  expect(await isTrusted(files, state, three)).toBe(true);
  const many = {
    project: "/p",
    lines: Array.from({ length: 3000 }, (_, n) => question(String(n)).lines).flat(),
  };
  await rememberTrust(files, state, many);
  expect(await isTrusted(files, state, many)).toBe(true);
});

test("a file that cannot be understood trusts nothing, and is mended by the next yes", async () => {
  const state = stateIn(top);
  const one = question("f1");
  await rememberTrust(files, state, one);
  const file = path.join(state, "trust.json");
  for (const broken of ["{", "[]", '{"/p": "f1"}', ""]) {
    writeFileSync(file, broken);
    expect(await isTrusted(files, state, one)).toBe(false);
  }
  await rememberTrust(files, state, one);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ "/p": one.lines.map(createFingerprint) });
});

test("a yes that cannot be kept, as in a home that is read-only, is refused with the flag that needs no keeping", async () => {
  writeFileSync(path.join(top, "home"), "");
  const refused = rememberTrust(files, path.join(top, "home", "looper"), question("f1"));
  await expect(refused).rejects.toMatchObject({
    message: expect.stringContaining("the approval cannot be kept: ") as string,
    hint: expect.stringContaining("looper run --trust") as string,
  });
});
