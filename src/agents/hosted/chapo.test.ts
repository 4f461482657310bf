// The built-in engine as an agent: when it is found, what its host is given, how what the host says is understood.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentSettings, type AgentSettings } from "../../config/read/agent-settings.js";
import { resolveSettings } from "../../config/read/resolve.js";
import { readJsonSettings } from "../../config/read/settings-text.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { chooseAuto, createAgent, mayKnowCost } from "../clients/registry.js";
import { AUTO_ORDER } from "../../config/settings/setting-row.js";
import { requestOf, runAgent, settingsOf } from "../testing/rig.js";

const ports = nodePorts();
let root = "";

beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "looper-chapo-agent-"));
  writeFileSync(path.join(root, "script.json"), "{}");
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

function chapoOf(own: unknown = {}): AgentSettings {
  const project = readJsonSettings("p.json", JSON.stringify({ agents: { chapo: own } }));
  const { settings } = resolveSettings({ project, env: {}, flags: {} });
  return agentSettings(settings, "chapo", { project: root, home: root });
}

function find(own: unknown, env: Record<string, string>) {
  const self = { command: process.execPath, args: [] };
  return createAgent(chapoOf(own), { ports, self }).find(env, root);
}

test.each([
  [{}, { OPENAI_API_KEY: "k" }, /^openai\//],
  [{}, { GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" }, /^anthropic\//],
  [{ env: { ANTHROPIC_API_KEY: "k" } }, {}, /^anthropic\//],
  [{ model: "google/g" }, { GOOGLE_GENERATIVE_AI_API_KEY: "k" }, /^google\/g$/],
  [{ model: "openai-compatible/m", chapo: { base_url: "http://127.0.0.1:1/v1" } }, {}, /compatible\/m$/],
  [{ model: "scripted", chapo: { script: "script.json" } }, {}, /^scripted$/],
])("%j with %j is found", async (own, env, model) => {
  expect(await find(own, env)).toEqual({ found: expect.stringMatching(model) as string });
});

test.each([
  [{}, {}, /no key is set/, /ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY/],
  [{}, { ANTHROPIC_API_KEY: "" }, /no key is set/, /agents\.chapo\.model/],
  [{ model: "openai/x" }, { ANTHROPIC_API_KEY: "k" }, /^OPENAI_API_KEY is not set.*openai\/x/, /set it/],
  [{ model: "gpt-5" }, { OPENAI_API_KEY: "k" }, /names no provider/, /correct agents\.chapo\.model/],
  [{ model: "openai-compatible/m" }, {}, /base_url is not set/, /127\.0\.0\.1/],
  [{ model: "scripted" }, {}, /chapo\.script is not set/, /file of replies/],
  [{ model: "scripted", chapo: { script: "no.json" } }, {}, /cannot find the script .*no\.json/, /correct/],
])("%j with %j is missing", async (own, env, missing, hint) => {
  expect(await find(own, env)).toEqual({
    missing: expect.stringMatching(missing) as string,
    hint: expect.stringMatching(hint) as string,
  });
});

test("auto takes it last, and only where a key is set", async () => {
  const self = { command: process.execPath, args: [] };
  const agents = AUTO_ORDER.map((kind) =>
    createAgent(kind === "chapo" ? chapoOf() : settingsOf(kind), { ports, self }),
  );
  const nothing = { PATH: "/nowhere" };
  expect(await chooseAuto(agents, nothing, root)).toBeUndefined();
  const found = await chooseAuto(agents, { ...nothing, OPENAI_API_KEY: "k" }, root);
  expect(found?.settings.kind).toBe("chapo");
  expect(AUTO_ORDER.at(-1)).toBe("chapo");
});

test("what it costs can be known where its models have prices", () => {
  expect(mayKnowCost(chapoOf())).toBe(false);
  expect(mayKnowCost(chapoOf({ chapo: { prices_file: "p.json" } }))).toBe(true);
});

/** Runs the agent with a host that hands back what it was given, and ends so. */
async function runHost(own: unknown, end: object, code: number) {
  const file = path.join(root, "host.mjs");
  const lines = [
    "let input = '';",
    "for await (const chunk of process.stdin) input += chunk;",
    "const say = (line) => console.log(JSON.stringify(line));",
    "say({type: 'message', role: 'assistant', content: JSON.stringify({argv: process.argv.slice(2), input: JSON.parse(input)})});",
    `say(${JSON.stringify({ type: "end", ...end })});`,
    `process.exitCode = ${code};`,
  ];
  writeFileSync(file, lines.join("\n"));
  const agent = createAgent(chapoOf(own), { ports, self: { command: process.execPath, args: [file] } });
  const env = { PATH: process.env["PATH"] ?? "", OPENAI_API_KEY: "k" };
  return runAgent(agent, requestOf({ cwd: root, env }, { resume: { id: "s-1" }, prompt: "Do it." }));
}

test("the host gets the request and the engine's settings, on stdin alone", async () => {
  const { result, started } = await runHost(
    { model: "openai/x", max_turns: 7, chapo: { language: "de" } },
    { ok: true, session: "s-2" },
    0,
  );
  const { argv, input } = JSON.parse(result.lastMessage) as { argv: unknown; input: unknown };
  expect(argv).toEqual(["agent-host", "--chapo", "openai/x"]);
  expect(input).toMatchObject({
    phase: "iteration",
    taskId: "T1",
    prompt: "Do it.",
    promptFile: path.join(root, "prompt.md"),
    model: "openai/x",
    maxTurns: 7,
    resume: "s-1",
    chapo: { language: "de", maxRequests: 1000 },
  });
  expect(JSON.stringify(input)).not.toContain("API_KEY");
  expect(started[0]?.command).not.toContain("Do it.");
  expect(result.session).toEqual({ id: "s-2" });
});

test("a limit that ends at a time is told with it; other ends need none", async () => {
  const until = Math.ceil(ports.clock.now() / 1000) * 1000 + 3_600_000;
  const limited = {
    ok: false,
    reason: "rate-limited",
    evidence: "429",
    retry_at: new Date(until).toISOString(),
  };
  const { result } = await runHost({}, limited, 1);
  expect(result).toMatchObject({
    outcome: "failed",
    reason: "rate-limited",
    evidence: "429",
    retryAt: until,
  });
  const { result: over } = await runHost({}, { ok: false, reason: "turns", evidence: "25 turns" }, 1);
  expect(over).toMatchObject({ outcome: "failed", reason: "turns", evidence: "25 turns" });
});
