import { expect, test } from "vitest";
import { UserError } from "../../system/errors.js";
import { agentSettings } from "./agent-settings.js";
import { ChapoSettings } from "./chapo-settings.js";
import { resolveSettings, type Layers } from "./resolve.js";
import { readJsonSettings } from "./settings-text.js";
import { spellSettings } from "./show-settings.js";
import { nodeFiles } from "../../system/files/files.js";
import { projectWith } from "../testing/testing.js";
import { readTrust } from "../trust/trust.js";

const place = { project: "/p", home: "/h" };

function resolve({ user, project, env = {} }: { user?: unknown; project?: unknown; env?: Layers["env"] }) {
  const file = (name: string, value: unknown) =>
    value === undefined ? undefined : readJsonSettings(name, JSON.stringify(value, undefined, 1));
  return resolveSettings({ user: file("u.json", user), project: file("p.json", project), env, flags: {} });
}

function chapo(layers: Parameters<typeof resolve>[0], name = "chapo"): ChapoSettings | undefined {
  return agentSettings(resolve(layers).settings, name, place).chapo;
}

function problem(own: unknown): string {
  try {
    resolve({ project: { agents: { chapo: { chapo: own } } } });
  } catch (error) {
    if (error instanceof UserError && error.kind === "usage") return error.message;
    throw error;
  }
  return "";
}

test("a sandbox hides the file of variables too; without the setting there is none", () => {
  const own = { agents: { chapo: { chapo: { sandbox: true } } } };
  expect(chapo({ project: { ...own, env_file: "keys.env" } })?.sandbox).toEqual({
    keyFiles: ["/p/keys.env"],
  });
  expect(chapo({})?.sandbox).toBeUndefined();
});

test("the engine's defaults are those of its page, and no other agent has any of it", () => {
  expect(chapo({})).toEqual({
    fallback: [],
    stream: true,
    toolCalls: "native",
    tools: "chapo",
    rules: { allow: [], ask: [], deny: [] },
    language: "en",
    maxConversationTokens: 120_000,
    maxRequests: 1000,
    maxTokens: 20_000_000,
    maxCostUsd: 50,
    maxToolRetries: 3,
    minValidationConfidence: 0.7,
    compactAt: 0.92,
    subAgents: {},
    search: {},
    webFetch: {},
    git: { allowPushMain: false },
    ssh: { hosts: {} },
    logs: {},
    documents: "/p/context/documents",
    mcp: { servers: {} },
    budgets: { tools: {} },
  });
  expect(chapo({}, "codex")).toBeUndefined();
  const told = [...resolve({}).values.keys()].filter((key) => key.split(".")[2] === "chapo");
  expect(told.every((key) => key.startsWith("agents.chapo."))).toBe(true);
  expect(told).toContain("agents.chapo.chapo.max_requests");
});

test("everything can be set; paths are absolute; a second agent of the kind has settings of its own", () => {
  const own = {
    base_url: "http://127.0.0.1:9/v1",
    fallback: ["openai/gpt-x", "gemini/g"],
    script: "s.json",
    prices_file: "~/prices.json",
    temperature: 0.2,
    max_output_tokens: 100,
    mode: "default",
    rules: { deny: ["Bash(git push *)"] },
    language: "de",
    core_prompt: "core.md",
    sub_agents: { developer: { model: "openai/x", tools: ["fs_*"], prompt: "dev.md" } },
    search: { provider: "searxng", base_url: "http://s" },
    web_fetch: { only_mentioned: false },
    git: { allow_push_main: true },
    ssh: { hosts: { web: "deploy@web.example.org", db: { host: "db", port: 22, identity: "~/.ssh/db" } } },
    logs: { staging: "logs/staging.log" },
    documents: "/docs",
    mcp: {
      servers: {
        a: { command: "srv", args: ["-x"], env: { A: "1" } },
        b: { url: "https://m", tools: ["t"] },
      },
    },
    budgets: { total: 9, tools: { bash_execute: 0 } },
  };
  const settings = chapo(
    { project: { prices_file: "p.json", agents: { mine: { kind: "chapo", chapo: own } } } },
    "mine",
  );
  expect(settings).toMatchObject({
    baseUrl: "http://127.0.0.1:9/v1",
    script: "/p/s.json",
    pricesFile: "/h/prices.json",
    mode: "default",
    rules: { allow: [], ask: [], deny: ["Bash(git push *)"] },
    corePrompt: "/p/core.md",
    subAgents: { developer: { model: "openai/x", tools: ["fs_*"], prompt: "/p/dev.md" } },
    webFetch: { onlyMentioned: false },
    ssh: {
      hosts: { web: { user: "deploy", host: "web.example.org" }, db: { host: "db", identity: "/h/.ssh/db" } },
    },
    logs: { staging: "/p/logs/staging.log" },
    documents: "/docs",
    budgets: { total: 9, tools: { bash_execute: 0 } },
  });
  expect(settings?.mcp.servers).toEqual(own.mcp.servers);
  expect(ChapoSettings.parse(JSON.parse(JSON.stringify(settings)))).toEqual(settings);
  expect(chapo({ project: { prices_file: "p.json" } })?.pricesFile).toBe("/p/p.json");
});

test("records merge name by name; variables say them too", () => {
  const servers = (name: string) => ({
    agents: { chapo: { chapo: { mcp: { servers: { [name]: { command: name } } } } } },
  });
  const both = chapo({ user: servers("one"), project: servers("two") });
  expect(Object.keys(both?.mcp.servers ?? {})).toEqual(["one", "two"]);
  const byVariable = chapo({
    env: {
      LOOPER_AGENTS_CHAPO_CHAPO_MAX_ITERATIONS: "7",
      LOOPER_AGENTS_CHAPO_CHAPO_SELF_VALIDATION_ENABLED: "false",
      LOOPER_AGENTS_CHAPO_CHAPO_FALLBACK: "openai/a,google/b",
      LOOPER_AGENTS_CHAPO_CHAPO_MCP_SERVERS: '{"x": {"command": "y"}}',
    },
  });
  expect(byVariable).toMatchObject({
    maxIterations: 7,
    selfValidationEnabled: false,
    fallback: ["openai/a", "google/b"],
    mcp: { servers: { x: { command: "y" } } },
  });
});

test.each([
  [{ max_iterations: 0 }, "max_iterations is 0; allowed: a whole number from 1 to 1000"],
  [{ max_iterations: 2.5 }, "a whole number from 1 to 1000"],
  [{ max_conversation_tokens: 10 }, "a whole number from 1000 to 10000000"],
  [{ max_tool_retries: 11 }, "a whole number from 0 to 10"],
  [{ min_validation_confidence: 1.1 }, "a number from 0 to 1"],
  [{ compact_at: 0 }, "a number from 0.1 to 1"],
  [{ tools: "claud" }, "did you mean claude?"],
  [{ base_url: "ftp://x" }, "a URL that begins with http"],
  [{ fallback: ["gpt-5"] }, 'fallback[0] is "gpt-5"; allowed: a provider/model'],
  [{ fallback: ["antropic/x"] }, 'did you mean "anthropic/x"?'],
  [{ sub_agents: { dev: { modle: "x" } } }, "{model?, tools?, prompt?}"],
  [{ sub_agents: { dev: { prompt: "" } } }, 'sub_agents.dev.prompt is ""'],
  [{ mcp: { servers: { "a.b": { command: "x" } } } }, "cannot be a name"],
  [{ mcp: { servers: { a: { command: "x", url: "http://y" } } } }, "{command, args?, env?, tools?}"],
  [{ ssh: { hosts: { a: "-oProxyCommand=x" } } }, "user@host"],
  [{ ssh: { hosts: { a: { host: "-x" } } } }, "user@host"],
  [{ budgets: { total: 0 } }, "a whole number, at least 1"],
  [{ max_iteration: 3 }, "did you mean agents.chapo.chapo.max_iterations?"],
])("%j is refused", (own, expected) => {
  expect(problem(own)).toContain(expected);
});

test("what a project lets the engine start, send or do is asked about; how well it works is not", async () => {
  const own = {
    base_url: "http://evil",
    script: "s.json",
    mode: "bypassPermissions",
    rules: { allow: ["Bash"], deny: [] },
    core_prompt: "c.md",
    sub_agents: { searcher: { tools: ["bash_*"] } },
    search: { provider: "brave", base_url: "http://evil" },
    web_fetch: { only_mentioned: false },
    git: { allow_push_main: true },
    ssh: { hosts: { a: "b@c" } },
    logs: { staging: "/var/log/syslog" },
    documents: "../other",
    mcp: { servers: { m: { command: "x", args: ["y".repeat(100), "the end"] } } },
    max_iterations: 3,
    language: "de",
    budgets: { total: 5, tools: { fs_edit: 3 } },
  };
  const listed = (chapoSettings: unknown) => {
    const resolved = resolve({ project: { agents: { chapo: { chapo: chapoSettings } } } });
    const project = projectWith(resolved, { ...place, env: {} });
    return readTrust({ files: nodeFiles(), project, home: place.home, env: {} }, []);
  };
  const asked = (await listed(own)).map(({ what }) => what.replace("agents.chapo.chapo.", ""));
  expect(asked.sort()).toEqual([
    "base_url",
    "core_prompt",
    "documents",
    "git.allow_push_main",
    "logs.staging",
    "mcp.servers.m",
    "mode",
    "rules.allow",
    "rules.deny",
    "script",
    "search.base_url",
    "ssh.hosts.a",
    "sub_agents.searcher",
    "web_fetch.only_mentioned",
  ]);
  // Whole: what an answer is remembered by must not end before a command does.
  expect((await listed(own)).map(({ value }) => value).join()).toContain("the end");
  expect(
    await listed({ documents: "docs", logs: { staging: "s.log" }, tools: "claude", tool_calls: "json" }),
  ).toEqual([]);
});

test("of what servers are given as secrets nothing is told", () => {
  const servers = {
    a: { command: "x", env: { API_TOKEN: "secret-of-the-server" } },
    b: { url: "http://x", headers: { "X-Any": "secret-in-a-header" } },
  };
  const { values } = resolve({ project: { agents: { chapo: { chapo: { mcp: { servers } } } } } });
  expect(JSON.stringify(spellSettings(values, {}))).not.toMatch(/secret-/);
});

test("an agent of another kind is told that it does nothing", () => {
  const { warnings } = resolve({ project: { agents: { codex: { chapo: { language: "de" } } } } });
  expect(warnings).toEqual([expect.stringContaining("agents.codex.chapo.language does nothing")]);
});
