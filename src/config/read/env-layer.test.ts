import { expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { resolveSettings } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";
import { ROWS, takesList } from "../settings/settings.js";

function resolve(env: Record<string, string>, project?: unknown) {
  const file = project === undefined ? undefined : readJsonSettings("p.json", JSON.stringify(project));
  return resolveSettings({ project: file, env, flags: {} });
}

function problem(env: Record<string, string>): string {
  try {
    resolve(env);
    return "";
  } catch (error) {
    if (error instanceof UserError && error.kind === "usage") return error.message;
    throw error;
  }
}

test("each key outside agents has its long name", () => {
  for (const [key, row] of ROWS) {
    if (key.includes("*")) continue;
    const name = `LOOPER_${key.toUpperCase().replaceAll(".", "_")}`;
    const words = ["5", "true", "codex", "odd-even", "none", "keep", "wait", "verified", "allow", "room"];
    const texts = takesList(row) ? ["codex,claude", '[{"command":"notify"}]'] : words;
    const accepted = texts.map((text) => tryResolve({ [name]: text })).find((found) => found !== undefined);
    expect([key, accepted?.values.get(key)?.source, accepted?.warnings]).toEqual([
      key,
      { layer: "env", where: name },
      [],
    ]);
  }
});

test("a variable spells yes and no in the words of shells, whatever their capitals", () => {
  const said = (text: string): unknown => resolve({ LOOPER_LOOP_REVIEW: text }).settings.loop.review;
  for (const yes of ["true", "T", "yes", "Y", "on", "1"]) expect([yes, said(yes)]).toEqual([yes, true]);
  for (const no of ["false", "F", "No", "n", "OFF", "0"]) expect([no, said(no)]).toEqual([no, false]);
});

function tryResolve(env: Record<string, string>) {
  return problem(env) === "" ? resolve(env) : undefined;
}

test("upstream's short names work, and lose against the long ones", () => {
  const { settings, warnings } = resolve({
    LOOPER_TODO: "a.json",
    LOOPER_SCHEMA: "s.json",
    LOOPER_LOG_DIR: "logs",
    LOOPER_MAX_ITERATIONS: "3",
    LOOPER_LOOP_MAX_ITERATIONS: "4",
    LOOPER_HOOK: "echo a, b",
    LOOPER_LOOP_DELAY: "1.5",
    LOOPER_GIT_INIT: "1",
    LOOPER_APPLY_SUMMARY: "false",
    CODEX_BIN: "/x/codex",
    CLAUDE_BIN: "cl",
    CODEX_MODEL: "m1",
    CLAUDE_MODEL: "m2",
    CODEX_ARGS: "-a, -b",
    CLAUDE_ARGS: '["-c", "d,e"]',
  });
  expect(warnings).toEqual([]);
  expect(settings).toMatchObject({
    todo_file: "a.json",
    schema_file: "s.json",
    log_dir: "logs",
    loop: { max_iterations: 4, delay_seconds: 1.5, apply_summary: false },
    hooks: { post_iteration: ["echo a, b"] },
    git: { init: true },
    agents: {
      codex: { binary: "/x/codex", model: "m1", args: ["-a", "-b"] },
      claude: { binary: "cl", model: "m2", args: ["-c", "d,e"] },
    },
  });
});

test("agents: known names first, dashes as _, new names from the variable", () => {
  const { settings } = resolve(
    {
      LOOPER_AGENTS_MY_BOT_ENV: '{"A": "1", "B": "x=y"}',
      LOOPER_AGENTS_MY_BOT_IDLE_TIMEOUT: "5m",
      LOOPER_AGENTS_CODEX_ENV: '{"C": "2"}',
      LOOPER_AGENTS_CODEX_PASS_ENV: "CI_*,HOME",
      LOOPER_AGENTS_NEW_ONE_KIND: "command",
      LOOPER_AGENTS_NEW_ONE_BINARY: "x",
    },
    { agents: { "my-bot": { kind: "command", binary: "b" } } },
  );
  expect(settings.agents["my-bot"]).toMatchObject({ env: { A: "1", B: "x=y" }, idle_timeout: 300_000 });
  expect(settings.agents["codex"]).toMatchObject({ env: { C: "2" }, pass_env: ["CI_*", "HOME"] });
  expect(settings.agents["new-one"]).toMatchObject({ kind: "command", binary: "x" });
});

test.each([
  [
    "LOOPER_MAX_ITERATIONS",
    "five",
    'LOOPER_MAX_ITERATIONS: loop.max_iterations is "five"; allowed: a whole number',
  ],
  ["LOOPER_MAX_ITERATIONS", "0x10", 'loop.max_iterations is "0x10"'],
  ["LOOPER_LOOP_REVIEW", "maybe", "allowed: true or false"],
  ["LOOPER_HOOKS_TIMEOUT", "5m banana", "a duration such as"],
  ["LOOPER_SCHEDULE_AGENTS", '["codex"', 'schedule.agents is "[\\"codex\\"", which is not JSON'],
  // A single text would do here as a value: it is not taken for one.
  ["LOOPER_VERIFY_COMMANDS", '["npm test"', "LOOPER_VERIFY_COMMANDS: verify.commands is"],
  ["LOOPER_VERIFY_COMMANDS", "{npm test", "which is not JSON; allowed: a JSON list"],
  ["LOOPER_GIT_COMMIT", "runer", "did you mean runner?"],
  ["LOOPER_AGENTS_CODX_MODEL", "m", "did you mean the agent codex?"],
])("%s=%s does not parse", (name, value, message) => {
  expect(problem({ [name]: value })).toContain(message);
});

test("a broken list of variables is refused without showing it", () => {
  const text = problem({ LOOPER_AGENTS_CODEX_ENV: '{"TOKEN": "hush' });
  expect(text).toContain("agents.codex.env is not a JSON object");
  expect(text).not.toContain("hush");
  const list = problem({ LOOPER_AGENTS_CODEX_ENV: '{"TOKEN": ["hush"]}' });
  expect(list).toContain("agents.codex.env.TOKEN is not a text");
  expect(list).not.toContain("hush");
});

test("an empty variable leaves its setting as it is, whatever the setting takes", () => {
  const names = [...ROWS].flatMap(([key, row]) => [
    `LOOPER_${key.replace("*", "codex").replace(/\.\*$/, "").toUpperCase().replaceAll(".", "_")}`,
    ...Object.keys(row.env ?? {}),
  ]);
  const project = { loop: { max_iterations: 7 }, hooks: { post_iteration: ["./own.sh"] } };
  for (const empty of ["", "  ", "\t\n"]) {
    const env = Object.fromEntries(names.map((name) => [name, empty]));
    expect(resolve(env, project)).toEqual(resolve({}, project));
  }
});

test("a value is trimmed, and capitals of names and words have no meaning", () => {
  const { settings } = resolve({
    LOOPER_GIT_INIT: " on ",
    LOOPER_MAX_ITERATIONS: " 3\n",
    LOOPER_TODO: " a.json ",
    LOOPER_SCHEDULE: " Claude ",
    LOOPER_SCHEDULE_AGENTS: "Codex,, claude,",
    LOOPER_ROLES_REVIEW: "CODEX",
    LOOPER_GIT_COMMIT: "Agent",
    LOOPER_HOOKS_TIMEOUT: " 1.5m ",
  });
  expect(settings).toMatchObject({
    todo_file: "a.json",
    git: { init: true, commit: "agent" },
    loop: { max_iterations: 3 },
    schedule: { strategy: "single", agent: "claude", agents: ["codex", "claude"] },
    roles: { review: "codex" },
    hooks: { timeout: 90_000 },
  });
});

test("variables that a run sets are never settings, nor those of others; other unknown names are warned about", () => {
  const env = (names: string) => Object.fromEntries(names.split(" ").map((name) => [`LOOPER_${name}`, "x"]));
  expect(resolve(env("RUN_ID PHASE TASK_ID VERDICT STAGE MAX_ITERATION")).warnings).toEqual([]);
  expect(resolve(env("LOG_LEVEL LOG_FORMAT CHAPO_API_KEY MARK_abc")).warnings).toEqual([]);
  const { warnings } = resolve({
    LOOPER_MAX_ITERATION: "3",
    LOOPER_MODEL: "m",
    LOOPER_XYZZY: "1",
    LOOPER_AGENTS_CODEX_MODL: "m",
    OTHER: "1",
  });
  expect(warnings).toEqual([
    "LOOPER_AGENTS_CODEX_MODL is not a setting and was ignored; did you mean LOOPER_AGENTS_CODEX_MODEL?",
    "LOOPER_MAX_ITERATION is not a setting and was ignored; did you mean LOOPER_MAX_ITERATIONS?",
    "LOOPER_MODEL is not a setting and was ignored",
    "LOOPER_XYZZY is not a setting and was ignored",
  ]);
});
