// Tests how the real clients end: a program prints a recorded stream, writes to stderr and exits as the client did, and is
// run as an agent of that kind.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { FailureReason } from "../agent.js";
import { createAgent } from "./registry.js";
import { requestOf, runAgent, settingsOf, type RigResult } from "../testing/rig.js";

const deps = { ports: nodePorts(), self: { command: process.execPath, args: [] } };
const streams = fileURLToPath(new URL("../testing/testdata/streams/", import.meta.url));
const env = { PATH: process.env["PATH"] ?? "" };
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "looper-clis-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

type Kind = AgentSettings["kind"];

interface Play {
  /** A stream's name, or its lines. */
  stream?: string | readonly string[];
  stderr?: string;
  exit?: number;
  signal?: string;
}

let programs = 0;

async function play(
  kind: Kind,
  { stream = [], stderr = "", exit = 0, signal }: Play,
  more: Parameters<typeof requestOf>[1] = {},
): Promise<RigResult> {
  programs += 1;
  const name = path.join(cwd, `${kind}-${programs}`);
  const lines =
    typeof stream === "string"
      ? readFileSync(path.join(streams, `${kind}-${stream}.jsonl`), "utf8")
      : stream.join("\n");
  writeFileSync(`${name}.out`, lines);
  writeFileSync(`${name}.err`, stderr);
  const end = signal === undefined ? `exit ${exit}` : `kill -${signal} $$`;
  writeFileSync(
    name,
    `#!/bin/sh\ncat > ${name}.in\nprintf '%s\\n' "$@" > ${name}.args\nenv > ${name}.env\ncat ${name}.out\ncat ${name}.err >&2\n${end}\n`,
  );
  chmodSync(name, 0o755);
  const agent = createAgent(settingsOf(kind, { binary: name }), deps);
  return runAgent(agent, requestOf({ cwd, env }, more));
}

const read = (ending: string, kind: Kind): string =>
  readFileSync(path.join(cwd, `${kind}-${programs}.${ending}`), "utf8");

test.each<[string, Kind, Play, readonly [FailureReason, RegExp]]>([
  ["codex: an API error", "codex", { stream: "failed-turn", exit: 1 }, ["model-unknown", /./]],
  ["codex: an API error, exit 0", "codex", { stream: "failed-turn" }, ["model-unknown", /./]],
  [
    "codex: a bad flag",
    "codex",
    { stderr: "error: unexpected argument '--x' found\n", exit: 2 },
    ["exited", /exit code 2: error: unexpected argument/],
  ],
  [
    "codex: a bad schema file",
    "codex",
    { stderr: "Failed to read output schema file\n", exit: 1 },
    ["exited", /schema file/],
  ],
  [
    "codex: an unknown session",
    "codex",
    {
      stderr:
        "Error: thread/resume failed: no rollout found for thread id x\n\nStack backtrace:\n   0: <unknown>\n",
      exit: 1,
    },
    ["exited", /no rollout found/],
  ],
  [
    "codex: SIGTERM by others",
    "codex",
    { stream: "cut-off", signal: "TERM" },
    ["killed", /SIGTERM, not by looper/],
  ],
  ["codex: SIGINT by others", "codex", { stream: "cut-off", exit: 1 }, ["exited", /exit code 1/]],
  ["codex 0.130: SIGTERM by others", "codex", { stream: "cut-off" }, ["incomplete", /stops before the end/]],
  ["claude: an API error", "claude", { stream: "api-error", exit: 1 }, ["rate-limited", /slow down/]],
  ["claude: an API error, exit 0", "claude", { stream: "api-error" }, ["rate-limited", /slow down/]],
  [
    "claude: a bad flag",
    "claude",
    { stderr: "error: unknown option '--x'\n", exit: 1 },
    ["exited", /unknown option/],
  ],
  [
    "claude: root without a sandbox",
    "claude",
    {
      stderr:
        "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons\n",
      exit: 1,
    },
    ["exited", /root/],
  ],
  ["claude: the most turns", "claude", { stream: "max-turns", exit: 1 }, ["turns", /./]],
  ["claude 2.0.76: the most turns", "claude", { stream: "max-turns" }, ["turns", /./]],
  ["claude: SIGTERM by others", "claude", { exit: 143 }, ["killed", /143: ended by SIGTERM, not by looper/]],
  [
    "claude: SIGINT by others, no result",
    "claude",
    { stream: "result-then-work" },
    ["incomplete", /stops before the end/],
  ],
  ["gemini: 400", "gemini", { stream: "bad-request", exit: 144 }, ["bad-request", /Bad thing happened/]],
  ["gemini: 401", "gemini", { stream: "not-signed-in", exit: 145 }, ["not-signed-in", /Bad thing happened/]],
  ["gemini: 429, daily quota", "gemini", { stream: "quota", exit: 173 }, ["rate-limited", /quota/]],
  [
    "gemini: the stream ends early, exit 0",
    "gemini",
    { stream: "cut" },
    ["network", /without a finish reason/],
  ],
  ["gemini: a reset", "gemini", { stream: "reset", exit: 1 }, ["network", /terminated/]],
  [
    "gemini: a malformed frame",
    "gemini",
    { stream: "malformed", exit: 1 },
    ["network", /Unterminated string/],
  ],
  ["gemini: an HTML page", "gemini", { stream: "html", exit: 1 }, ["network", /Incomplete JSON segment/]],
  ["gemini: the most turns", "gemini", { stream: "turns", exit: 53 }, ["turns", /max session turns/]],
  ["gemini: a loop, exit 0", "gemini", { stream: "loop" }, ["incomplete", /Loop detected/]],
  [
    "gemini: no such auth",
    "gemini",
    { stderr: "YOLO mode is enabled.\nInvalid auth method selected.\n", exit: 41 },
    ["not-signed-in", /Invalid auth method/],
  ],
  [
    "gemini: a folder that is not trusted",
    "gemini",
    { stderr: "Gemini CLI is not running in a trusted directory.\n", exit: 55 },
    ["exited", /trusted directory/],
  ],
  ["gemini: a bad flag", "gemini", { stderr: "Unknown argument: x\n", exit: 1 }, ["exited", /exit code 1/]],
  [
    "gemini: an unknown session",
    "gemini",
    { stderr: 'Error resuming session: Invalid session identifier "x".\n  Use --list-sessions\n', exit: 42 },
    ["exited", /exit code 42: Error resuming/],
  ],
  [
    "gemini: SIGTERM to the group by others, exit 0",
    "gemini",
    { stream: "cut-off" },
    ["incomplete", /1 line was not understood/],
  ],
  [
    "opencode: 400",
    "opencode",
    { stream: "bad-request", exit: 1 },
    ["bad-request", /Bad thing happened \(400\)/],
  ],
  ["opencode: 401", "opencode", { stream: "not-signed-in", exit: 1 }, ["not-signed-in", /401/]],
  ["opencode: 429", "opencode", { stream: "rate-limited", exit: 1 }, ["rate-limited", /Rate limit reached/]],
  [
    "opencode: the longest answer, exit 0",
    "opencode",
    { stream: "length" },
    ["incomplete", /broke off at its longest/],
  ],
  [
    "opencode: a refusal ends it, exit 0",
    "opencode",
    { stream: "refused-stops" },
    ["incomplete", /stopped there: .*rejected permission/],
  ],
  [
    "opencode: a stream that always ends early, ended",
    "opencode",
    { stream: "stream-ends-early", signal: "TERM" },
    ["killed", /SIGTERM/],
  ],
  [
    "opencode: a bad flag",
    "opencode",
    { stderr: "opencode run [message..]\n\nUnknown argument: x\n", exit: 1 },
    ["exited", /exit code 1/],
  ],
  [
    "opencode: an unknown session",
    "opencode",
    { stderr: "\u001b[91m\u001b[1mError: \u001b[0mSession not found\n", exit: 1 },
    ["exited", /exit code 1: Error: Session not found/],
  ],
  [
    "opencode: an unknown provider",
    "opencode",
    { stream: "unknown-error", exit: 1 },
    ["exited", /Unexpected server error/],
  ],
])("%s", async (_name, kind, played, [reason, evidence]) => {
  const { result } = await play(kind, played);
  expect(result).toMatchObject({ outcome: "failed", reason });
  expect(result.outcome === "failed" && result.evidence).toMatch(evidence);
});

test.each<[Kind, string]>([
  ["codex", "prose"],
  ["codex", "reconnecting"],
  ["claude", "two-results"],
  ["claude", "permission-denied"],
  ["gemini", "success"],
  ["gemini", "read-only"],
  ["gemini", "tools-fail"],
  ["opencode", "success"],
  ["opencode", "refused"],
  ["opencode", "rule"],
])("%s, %s: an agent does not fail because a tool failed or was refused", async (kind, stream) => {
  const { result, events } = await play(kind, { stream });
  expect(result).toMatchObject({ outcome: "ok", exitCode: 0, unknownEvents: 0 });
  expect(events.filter(({ type }) => type === "usage")).toHaveLength(1);
});

test.each<Kind>(["codex", "claude", "gemini", "opencode"])(
  "%s gets its whole prompt on stdin",
  async (kind) => {
    const prompt = `line 1\n"two" $x ${"€".repeat(100_000)}\n`;
    await play(kind, { stream: kind === "codex" ? "prose" : "success" }, { prompt });
    expect(read("in", kind)).toBe(prompt);
    expect(read("args", kind)).not.toContain("two");
  },
);

test("gemini is not started with more than it reads, and does not start itself again", async () => {
  const { result, started } = await play("gemini", {}, { prompt: "x".repeat(8 * 1024 * 1024 + 1) });
  expect(result).toMatchObject({ outcome: "failed", reason: "bad-request" });
  expect(started).toEqual([]);
  await play("gemini", { stream: "success" });
  expect(read("env", "gemini")).toContain("GEMINI_CLI_NO_RELAUNCH=true\n");
});

test("codex finds the summary's schema in a file beside its prompt", async () => {
  await play("codex", { stream: "prose" });
  const args = read("args", "codex").split("\n");
  const file = args[args.indexOf("--output-schema") + 1] ?? "";
  expect(path.dirname(file)).toBe(cwd);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ additionalProperties: false });
});

test("a session is returned, and resumed", async () => {
  const first = await play("gemini", { stream: "success" });
  expect(first.result.session).toEqual({ id: "00000000-0000-4000-8000-000000000001" });
  await play("gemini", { stream: "resumed" }, { resume: { id: "00000000-0000-4000-8000-000000000001" } });
  expect(read("args", "gemini")).toContain("--resume\n00000000-0000-4000-8000-000000000001\n");
  const { session } = (await play("opencode", { stream: "success" })).result;
  const again = await play(
    "opencode",
    { stream: "resumed" },
    session === undefined ? {} : { resume: session },
  );
  expect(read("args", "opencode")).toContain(`--session\n${session?.id ?? ""}\n`);
  // It counts each run by itself.
  expect(again.events.at(-1)).toMatchObject({ type: "usage", input_tokens: 60, cost_usd: 0.000114 });
});

test("opencode gets its permissions among the user's own settings, or is not started with what is none", async () => {
  const given = {
    ...env,
    OPENCODE_CONFIG_CONTENT:
      '{ "theme": "x", /* ours */ "permission": { "bash": "ask", "webfetch": "deny" }, }',
  };
  await play("opencode", { stream: "success" }, { permissions: "read-only", env: given });
  const content = /^OPENCODE_CONFIG_CONTENT=(.*)$/m.exec(read("env", "opencode"))?.[1] ?? "";
  expect(JSON.parse(content)).toEqual({
    theme: "x",
    experimental: { continue_loop_on_deny: true },
    permission: { bash: "deny", edit: "deny", webfetch: "deny" },
  });
  const { result } = await play("opencode", {}, { env: { ...env, OPENCODE_CONFIG_CONTENT: "{ broken" } });
  expect(result).toMatchObject({ outcome: "failed", reason: "bad-request" });
});
