import { expect, test } from "vitest";
import { parse } from "smol-toml";
import { GO_KEYS } from "../settings/go-program-names.js";
import { isSet, nestSettings, translateSettings } from "./translate.js";

/** The settings that a `looper.toml` becomes. */
function settings(toml: string): Record<string, unknown> {
  return nestSettings(translateSettings(parse(toml)).moved);
}

function left(toml: string): string[] {
  return translateSettings(parse(toml)).left.map(({ from, why }) => `${from}: ${why}`);
}

test("every known key is moved, or left with a reason", () => {
  expect(
    settings(`
      max_iterations = 7
      schedule = "Odd_Even"
      odd_agent = " Codex "
      even_agent = "claude"
      review_agent = "claude"
      apply_summary = false
      git_init = true
      hook_command = "./my hooks/notify.sh"
      loop_delay_seconds = 3
      todo_file = "tasks.json"
      [roles]
      iter = "codex"
      repair = "CLAUDE"
      [agents.codex]
      binary = "/opt/codex"
      model = "gpt-5"
      reasoning = "high"
      args = ["--foo", " ", "bar"]
      [agents.claude]
      binary = "claude"
      model = ""
      args = "--a, --b"
    `),
  ).toEqual({
    todo_file: "tasks.json",
    loop: { max_iterations: 7, apply_summary: false, delay_seconds: 3 },
    schedule: { strategy: "odd-even", odd: "codex", even: "claude" },
    git: { init: true },
    hooks: { post_iteration: ["./my hooks/notify.sh"] },
    roles: { iteration: "codex", repair: "claude", review: "claude" },
    agents: {
      codex: { binary: "/opt/codex", model: "gpt-5", reasoning: "high", args: ["--foo", "bar"] },
      claude: { args: ["--a", "--b"] },
    },
  });
});

test.each([
  ['schedule = "codex"', { schedule: { agent: "codex" } }],
  [
    'schedule = "rr"\nrr_agents = "codex,,Claude,"',
    { schedule: { strategy: "round-robin", agents: ["codex", "claude"] } },
  ],
  [
    'schedule = "round-robin"\nrr_agents = ["claude"]',
    { schedule: { strategy: "round-robin", agents: ["claude"] } },
  ],
  [
    '[agents.mine]\nprompt_format = "arg"\n[roles]\niter = "mine"',
    {
      agents: { mine: { prompt_via: "arg", kind: "command", binary: "mine" } },
      roles: { iteration: "mine" },
    },
  ],
  ['[agents.agents.Mine]\nbinary = "./m"', { agents: { mine: { binary: "./m", kind: "command" } } }],
  ['[agents.codex]\nprompt_format = "stdin"\n[agents.claude]\nprompt_format = "arg"', {}],
  ['[agents.opencode]\nmodel = "x"', { agents: { opencode: { model: "x" } } }],
])("%j", (toml, expected) => {
  expect(settings(toml)).toEqual(expected);
  expect(left(toml)).toEqual([]);
});

test.each([
  ['log_level = "debug"', "log_level: use `--log-level` or `LOOPER_LOG_LEVEL`"],
  ["[parallel]\nenabled = true", "parallel.enabled: one task at a time is all there is yet"],
  [
    'log_dir = "~/.looper"',
    "log_dir: this is the Go program's default; runs are logged in `looper-logs`, in the project",
  ],
  [
    "max_iterations = 0",
    "max_iterations: loop.max_iterations cannot be 0: a whole number, at least 1 (--dry-run starts nothing)",
  ],
  ["colour = 1", "colour: the Go program has no such key either"],
  [
    'schedule = "amp"',
    'schedule: no agent is called "amp" here; add it under `agents`, then set schedule.agent',
  ],
  [
    '[agents.codex]\nparser = "p.py"',
    /^agents\.codex\.parser: codex, claude, gemini and opencode are read natively/,
  ],
  [
    '[agents.codex]\nprompt_format = "arg"',
    "agents.codex.prompt_format: looper passes codex its prompt in its own way",
  ],
])("%j is left", (toml, expected) => {
  expect(settings(toml)).toEqual({});
  expect(left(toml)).toEqual([typeof expected === "string" ? expected : expect.stringMatching(expected)]);
});

test("every key of the Go program with a counterpart leads to a setting that there is", () => {
  for (const [key, instead] of GO_KEYS)
    if ("key" in instead) expect(instead.key, key).toMatch(/^[a-z_]+(?:\.(?:[a-z_]+|\*))*$/);
});

test("whether a file says something at a key", () => {
  expect(isSet({ loop: { review: false } }, "loop.review")).toBe(true);
  expect(isSet({ loop: {} }, "loop.review")).toBe(false);
  expect(isSet(undefined, "loop.review")).toBe(false);
});
