import { expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { agentSettings } from "./agent-settings.js";
import { resolveSettings, type Flags, type ResolvedSettings } from "./resolve.js";
import { readJsonSettings, type SettingsFile } from "./settings-text.js";

const PROJECT = ".looper/config.json";

interface Given {
  user?: unknown;
  project?: unknown;
  env?: Record<string, string>;
  flags?: Flags;
}

function file(name: string, value: unknown): SettingsFile | undefined {
  return value === undefined ? undefined : readJsonSettings(name, JSON.stringify(value, null, 2));
}

function resolve({ user, project, env = {}, flags = {} }: Given): ResolvedSettings {
  return resolveSettings({ user: file("/u/config.json", user), project: file(PROJECT, project), env, flags });
}

/** The problems, one a line; "" when there are none. */
function problems(given: Given): string {
  try {
    resolve(given);
    return "";
  } catch (error) {
    if (error instanceof UserError && error.kind === "usage") return error.message;
    throw error;
  }
}

test("without any layer every default of the contract is there", () => {
  const { settings, warnings } = resolve({});
  expect(warnings).toEqual([]);
  expect(settings).toEqual({
    todo_file: "to-do.json",
    log_dir: "looper-logs",
    log: { max_bytes: 2 * 2 ** 30 },
    serve: {},
    schedule: {
      strategy: "single",
      agent: "auto",
      odd: "codex",
      even: "claude",
      agents: ["claude", "codex"],
      on_limit: "switch",
    },
    roles: {},
    loop: {
      max_iterations: 50,
      max_attempts: 2,
      max_reviews: 3,
      delay_seconds: 0,
      apply_summary: true,
      review: true,
      completion_marker: true,
      unknown_cost: "refuse",
    },
    agents: {
      codex: ofAgent("codex"),
      claude: ofAgent("claude"),
      gemini: ofAgent("gemini"),
      opencode: ofAgent("opencode"),
      chapo: ofAgent("chapo"),
    },
    hooks: {
      post_iteration: [],
      pre_iteration: [],
      on_blocked: [],
      on_run_end: [],
      timeout: 60_000,
      notification: [],
      read_claude: false,
      events: {},
    },
    workflow: "default",
    tasks_dir: ".looper/tasks",
    ask: { to: [], auto_approve: [] },
    git: {
      init: false,
      commit: "runner",
      on_failure: "restore",
      branch: "current",
      max_untracked_bytes: 50 * 2 ** 20,
      share: "none",
    },
    verify: {
      commands: [],
      timeout: 600_000,
      source: [],
      strict: false,
      report: [],
      accept: "unverified",
      cold: "auto",
      setup: [],
      protected: [],
      hidden: [],
      hidden_tell: "none",
      home: "user",
      from_agents: false,
    },
    prompts: {},
  });
});

function ofAgent(kind: string) {
  return {
    kind,
    args: [],
    env: {},
    timeout: 1_800_000,
    idle_timeout: 600_000,
    max_events: 20_000,
    max_output: 1024 ** 3,
    max_turns: 0,
    network: false,
    contain: "auto",
    permissions: "workspace",
    prompt_via: "stdin",
    output: "text",
    // chapo-settings.test.ts has them all.
    chapo: expect.any(Object) as unknown,
  };
}

test("each layer beats the one below, and each value knows where it came from", () => {
  const all: Required<Given> = {
    user: { loop: { max_iterations: 1, max_attempts: 1, max_reviews: 1, delay_seconds: 1 } },
    project: { loop: { max_attempts: 2, max_reviews: 2, delay_seconds: 2 } },
    env: { LOOPER_LOOP_MAX_REVIEWS: "3", LOOPER_LOOP_DELAY_SECONDS: "3" },
    flags: { "--loop-delay": "4" },
  };
  const { settings, values } = resolve(all);
  expect(settings.loop).toMatchObject({
    max_iterations: 1,
    max_attempts: 2,
    max_reviews: 3,
    delay_seconds: 4,
  });
  const source = (key: string) => values.get(key)?.source;
  expect(source("loop.review")).toEqual({ layer: "default", where: "" });
  expect(source("loop.max_iterations")).toEqual({ layer: "user", where: "/u/config.json:3" });
  expect(source("loop.max_attempts")).toEqual({ layer: "project", where: `${PROJECT}:3` });
  expect(source("loop.max_reviews")).toEqual({ layer: "env", where: "LOOPER_LOOP_MAX_REVIEWS" });
  expect(source("loop.delay_seconds")).toEqual({ layer: "flag", where: "--loop-delay" });
  expect(values.get("loop.delay_seconds")?.value).toBe(4);
});

test("objects merge key by key, lists are replaced", () => {
  const { settings } = resolve({
    user: { agents: { codex: { model: "m", args: ["-a", "-b"], env: { A: "1", B: "1" } } } },
    project: { agents: { codex: { args: ["-c"], env: { B: "2" } } } },
  });
  expect(settings.agents["codex"]).toMatchObject({ model: "m", args: ["-c"], env: { A: "1", B: "2" } });
});

test("an unknown key names file, line, and what was meant", () => {
  expect(problems({ project: { schedule: { kind: "round-robin" } } })).toMatch(
    /unknown key schedule\.kind; .*allowed here: strategy, /,
  );
  expect(problems({ project: { loop: { max_iteration: 3 } } })).toMatch(
    /^\.looper\/config\.json:3: unknown key loop\.max_iteration; did you mean loop\.max_iterations\?/,
  );
  expect(problems({ project: { max_attempts: 3 } })).toContain("did you mean loop.max_attempts?");
  expect(problems({ project: { agents: { codex: { binry: "x" } } } })).toContain(
    "did you mean agents.codex.binary?",
  );
  expect(problems({ project: { __proto__x: 1, constructor: 1 } })).toContain("unknown key constructor");
});

test("a wrong value names the value and what is allowed; all problems come at once", () => {
  const text = problems({
    project: {
      loop: { max_iterations: "five", review: "yes" },
      git: { commit: "runer" },
      hooks: { on_blocked: ["a", 1] },
    },
  });
  expect(text.split("\n")).toEqual([
    `${PROJECT}:3: loop.max_iterations is "five"; allowed: a whole number, at least 1 (--dry-run starts nothing)`,
    `${PROJECT}:4: loop.review is "yes"; allowed: true or false`,
    `${PROJECT}:7: git.commit is "runer"; allowed: runner | agent | none; did you mean runner?`,
    `${PROJECT}:10: hooks.on_blocked[1] is 1; allowed: a text that is not empty, or a list of such words`,
  ]);
});

test.each([
  [{ loop: [] }, "loop is []; allowed: an object"],
  [[], "the settings are []; allowed: an object"],
  [{ loop: { max_iterations: 0 } }, "at least 1"],
  [{ loop: { max_iterations: 1.5 } }, "a whole number"],
  [{ agents: { codex: { timeout: "5m banana" } } }, "a duration such as"],
  [{ agents: { codex: { timeout: -1 } } }, "a duration such as"],
  [{ agents: { codex: { max_output: "1 banana" } } }, "a size such as"],
  [{ agents: { codex: { max_output: "9999999999GB" } } }, "a size such as"],
  [{ agents: { codex: { max_events: -1 } } }, "a whole number, at least 0"],
  [{ agents: { Codex: {} } }, '"Codex" cannot be an agent\'s name'],
  [{ schedule: { strategy: "codex" } }, "single | odd-even | round-robin"],
  [{ schedule: { agents: [] } }, "at least one"],
  [{ verify: { accept: "unbrocken" } }, "unverified | unbroken | verified; did you mean unbroken?"],
  [{ schedule: 1 }, "schedule is 1; allowed: an object"],
  [{ agents: { codex: { model: null } } }, "agents.codex.model is null"],
  [{ agents: { codex: { env: { "A=B": "1" } } } }, "cannot be a variable's name"],
])("%j is refused", (project, message) => {
  expect(problems({ project })).toContain(message);
});

test.each(["unverified", "unbroken", "verified"])("verify.accept may be %s", (accept) => {
  expect(resolve({ project: { verify: { accept } } }).settings.verify.accept).toBe(accept);
});

test("$schema is for editors", () => {
  expect(problems({ project: { $schema: "x.json" } })).toBe("");
});

test("sizes become bytes", () => {
  const sizes = { a: "64kb", b: 1_000, c: 0 };
  const agents = Object.fromEntries(
    Object.entries(sizes).map(([name, max_output]) => [name, { kind: "command", binary: "x", max_output }]),
  );
  const { settings } = resolve({ project: { agents } });
  expect(Object.keys(sizes).map((name) => settings.agents[name]?.max_output)).toEqual([65_536, 1_000, 0]);
});

test("durations become milliseconds, spellings of a strategy become one", () => {
  const { settings } = resolve({
    project: {
      hooks: { timeout: "1d12h" },
      agents: { codex: { timeout: 0, idle_timeout: 1.5 } },
      schedule: { strategy: "rr" },
    },
  });
  expect(settings.hooks.timeout).toBe(36 * 3_600_000);
  expect(settings.agents["codex"]).toMatchObject({ timeout: 0, idle_timeout: 1500 });
  expect(settings.schedule.strategy).toBe("round-robin");
  for (const strategy of ["odd_even", "oddeven", "odd-even"]) {
    expect(resolve({ flags: { "--schedule": strategy } }).settings.schedule.strategy).toBe("odd-even");
  }
});

test("--schedule and LOOPER_SCHEDULE take an agent's name", () => {
  const byFlag = resolve({ project: { schedule: { strategy: "rr" } }, flags: { "--schedule": "codex" } });
  expect(byFlag.settings.schedule).toMatchObject({ strategy: "single", agent: "codex" });
  expect(resolve({ env: { LOOPER_SCHEDULE: "claude" } }).settings.schedule.agent).toBe("claude");
  expect(problems({ flags: { "--schedule": "odd-evn" } })).toContain("did you mean odd-even?");
  expect(problems({ env: { LOOPER_SCHEDULE: "codx" } })).toMatch(/^LOOPER_SCHEDULE: .*did you mean codex\?$/);
});

test("a name of an agent must have an agent behind it", () => {
  expect(problems({ project: { roles: { review: "cladue" } } })).toBe(
    `${PROJECT}:3: roles.review is "cladue", which is not an agent; did you mean claude?`,
  );
  expect(problems({ project: { schedule: { agents: ["codex", "unknown"] } } })).toContain(
    'schedule.agents is "unknown"',
  );
  expect(problems({ project: { schedule: { odd: "auto" } } })).toContain('schedule.odd is "auto"');
  expect(
    problems({
      user: { agents: { bot: { kind: "command", binary: "x" } } },
      flags: { "--odd-agent": "bot" },
    }),
  ).toBe("");
  expect(problems({ flags: { "--review-agent": "constructor" } })).toContain("which is not an agent");
});

test("an agent needs a kind, and some kinds need more", () => {
  expect(problems({ project: { agents: { codx: { model: "m" } } } })).toContain(
    "agents.codx.kind is missing; did you mean the agent codex?",
  );
  expect(problems({ project: { agents: { my: {}, bot: {} } } })).toBe(
    `${PROJECT}:3: agents.my.kind is missing\n${PROJECT}:4: agents.bot.kind is missing`,
  );
  expect(problems({ project: { agents: { codex: {} } } })).toBe("");
  expect(problems({ project: { agents: { a: { kind: "command" } } } })).toContain(
    "agents.a.binary is missing",
  );
  expect(problems({ project: { agents: { a: { kind: "module" } } } })).toContain(
    "agents.a.module is missing",
  );
  expect(problems({ project: { agents: { scripted: { model: "m" } } } })).toContain(
    "agents.scripted.script is missing",
  );
  expect(
    resolve({ project: { agents: { scripted: { script: "s.json" } } } }).settings.agents["scripted"]?.kind,
  ).toBe("scripted");
});

test("flags: lists as repeated, commas where the contract has them, --no-… is false, --model is for every agent", () => {
  const { settings } = resolve({
    flags: {
      "--hook": ["echo a, b", "true"],
      "--rr-agents": "codex,claude",
      "--no-review": true,
      "--git-init": true,
      "--model": "m",
      "--max-iterations": "7",
    },
  });
  expect(settings.hooks.post_iteration).toEqual(["echo a, b", "true"]);
  expect(settings.schedule.agents).toEqual(["codex", "claude"]);
  expect(settings.loop).toMatchObject({ review: false, max_iterations: 7 });
  expect(settings.git.init).toBe(true);
  expect([settings.agents["codex"]?.model, settings.agents["claude"]?.model]).toEqual(["m", "m"]);
  expect(problems({ flags: { "--max-iterations": "many" } })).toBe(
    '--max-iterations: loop.max_iterations is "many"; allowed: a whole number, at least 1 (--dry-run starts nothing)',
  );
});

test("an agent's settings have every value, and absolute paths", () => {
  const { settings } = resolve({
    project: {
      agents: {
        bot: {
          kind: "command",
          binary: "./bin/bot",
          work_dir: "sub",
          last_message: "~/last.txt",
          pass_env: ["CI_*"],
        },
        codex: { binary: "codex-beta", reasoning: "high" },
      },
    },
  });
  const place = { project: "/p", home: "/h" };
  expect(agentSettings(settings, "bot", place)).toEqual({
    name: "bot",
    kind: "command",
    binary: "/p/bin/bot",
    workDir: "/p/sub",
    lastMessage: "/h/last.txt",
    passEnv: ["CI_*"],
    args: [],
    env: {},
    timeoutMs: 1_800_000,
    idleTimeoutMs: 600_000,
    maxEvents: 20_000,
    maxOutput: 1024 ** 3,
    maxTurns: 0,
    network: false,
    contain: "auto",
    permissions: "workspace",
    promptVia: "stdin",
    output: "text",
  });
  expect(agentSettings(settings, "codex", place)).toMatchObject({
    kind: "codex",
    binary: "codex-beta",
    reasoning: "high",
  });
  expect(() => agentSettings(settings, "constructor", place)).toThrow("no agent is called");
});

test("names of agents on the command line are trimmed, in small letters, and without empty ones", () => {
  const { settings } = resolve({ flags: { "--schedule": " Codex ", "--rr-agents": "codex,,CLAUDE," } });
  expect(settings.schedule).toMatchObject({
    strategy: "single",
    agent: "codex",
    agents: ["codex", "claude"],
  });
  expect(resolve({ flags: { "--schedule": "ODD-EVEN" } }).settings.schedule.strategy).toBe("odd-even");
  expect(resolve({ flags: { "--schedule": "RR" } }).settings.schedule.strategy).toBe("round-robin");
});

test.each<[Flags, string]>([
  [
    { "--schedule": "two agents" },
    '--schedule: schedule is "two agents"; allowed: single | odd-even | round-robin | pattern, or the path of a module (./pick.js), or an agent\'s name',
  ],
  [{ "--rr-agents": ",," }, "a list of at least one agent's name"],
  [{ "--odd-agent": "a b" }, 'schedule.odd is "a b"; allowed: an agent\'s name'],
  [{ "--schedule": "zzz" }, "allowed: codex, claude, gemini, opencode, chapo, auto, single"],
  [{ "--max-iterations": "0" }, "allowed: a whole number, at least 1 (--dry-run starts nothing)"],
])("%j is refused with what is allowed, and no hint says it twice", (flags, message) => {
  expect(problems({ flags })).toContain(message);
  expect(() => resolve({ flags })).toThrow(expect.objectContaining({ hint: undefined }) as Error);
});

function warningsOf(agents: unknown, flags: Flags = {}): readonly string[] {
  const project = readJsonSettings("config.json", JSON.stringify({ agents }));
  return resolveSettings({ project, env: {}, flags }).warnings;
}

test("a setting that the agent's kind does nothing with is named, with its place and whom it is for", () => {
  expect(
    warningsOf({ codex: { prompt_via: "arg" }, own: { kind: "command", binary: "x", network: true } }),
  ).toEqual([
    expect.stringMatching(
      /^config\.json:1: agents\.own\.network does nothing: own is of kind command; it is for codex$/,
    ),
    expect.stringMatching(
      /^config\.json:1\b.*: agents\.codex\.prompt_via does nothing: codex is of kind codex; it is for command$/,
    ),
  ]);
});

test("what is heeded, a default, and what a flag says for all are nothing to speak of", () => {
  const agents = {
    own: { kind: "command", binary: "x", prompt_via: "arg", output: "jsonl" },
    codex: { reasoning: "high" },
  };
  expect(warningsOf(agents, { "--model": "m" })).toEqual([]);
});
