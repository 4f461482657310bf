// Commands as real processes: what is a sign of their life, what they say of their own failure, and why they cannot be started.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Agent } from "../agent.js";
import { createAgent } from "../clients/registry.js";
import { hurried, requestOf, runAgent, settingsOf } from "../testing/rig.js";

const deps = { ports: hurried(nodePorts()), self: { command: process.execPath, args: [] } };
/** Time passes as it does. */
const real = { ...deps, ports: nodePorts() };
const env = { PATH: process.env.PATH ?? "" };
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "looper-life-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

function shell(lines: string, more: Partial<AgentSettings> = {}): Agent {
  return createAgent(settingsOf("command", { binary: "sh", args: ["-c", lines], ...more }), real);
}

const request = (): ReturnType<typeof requestOf> => requestOf({ cwd, env });

const DOTS = `i=0; while [ $i -lt 8 ]; do printf . ; sleep 0.5; i=$((i + 1)); done; echo`;

test("an agent that prints dots is alive where it speaks text; lines of JSON have an end", async () => {
  const text = shell(DOTS, { idleTimeoutMs: 3_000 });
  const lines = shell(`${DOTS}; sleep 60`, { idleTimeoutMs: 3_000, output: "jsonl" });
  const seen = await Promise.all([runAgent(text, request()), runAgent(lines, request())]);
  expect(seen[0].result).toMatchObject({ outcome: "ok", lastMessage: "........" });
  expect(seen[1].result).toMatchObject({
    ...{ outcome: "failed", reason: "idle" },
    evidence: "no line on stdout for 3 s (agents.ours.idle_timeout)",
  });
});

test("output on stderr does not count as a sign of life, and the failure says so", async () => {
  const agent = shell("while :; do echo at work >&2; sleep 0.05; done", { idleTimeoutMs: 300 });
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({
    ...{ outcome: "failed", reason: "idle" },
    evidence: "no line on stdout for 300 ms (agents.ours.idle_timeout)",
  });
});

test("a command that speaks JSON lines says itself that it is limited, and until when", async () => {
  const line = JSON.stringify({
    ...{ type: "error", error: "You have hit your limit, try again in 60s", reason: "rate-limited" },
  });
  const before = Date.now();
  const { result } = await runAgent(shell(`echo '${line}'; exit 1`, { output: "jsonl" }), request());
  expect(result).toMatchObject({
    ...{ outcome: "failed", reason: "rate-limited", exitCode: 1 },
    evidence: "exit code 1: You have hit your limit, try again in 60s",
  });
  const retryAt = (result.outcome === "failed" && result.retryAt) || 0;
  expect(retryAt - before).toBeGreaterThanOrEqual(60_000);
});

test("a command that prints text and ends with a limit is limited; in the middle of its text it is not", async () => {
  const ending = async (script: string) => {
    const { result } = await runAgent(shell(script), request());
    return result.outcome === "failed" ? result : { reason: undefined, retryAt: undefined };
  };
  for (const where of ["", " >&2"]) {
    const before = Date.now();
    const { reason, retryAt = 0 } = await ending(`echo working; echo '${LIMIT}'${where}; exit 1`);
    expect(reason).toBe("rate-limited");
    expect(retryAt - before).toBeGreaterThanOrEqual(60_000);
  }
  const log = Array.from({ length: 9 }, (_, line) => `ok ${line}`).join("\\n");
  expect(await ending(`echo '${LIMIT}'; printf '${log}\\n'; exit 1`)).toMatchObject({ reason: "exited" });
  // Many a wrapper ends with 0 then. An agent that reports a summary has not hit the limit.
  expect(await ending(`echo '${LIMIT}'`)).toMatchObject({ reason: "rate-limited" });
  const summary = JSON.stringify({ task_id: "T1", status: "done", summary: "x", files: [], blockers: [] });
  expect(await ending(`echo '${summary}'; echo '${LIMIT}'; exit 1`)).toMatchObject({ reason: "exited" });
});

const LIMIT = "You have hit your limit, try again in 60s";

/** An executable file that begins so. */
function program(name: string, content: string | Uint8Array): string {
  const binary = path.join(cwd, name);
  writeFileSync(binary, content);
  chmodSync(binary, 0o755);
  return binary;
}

test.each<[string, string, RegExp]>([
  ["#!/no/such/python -u\n", "its interpreter /no/such/python is not there", /correct the first line of/],
  ["#!/usr/bin/env no-such-python\n", "its interpreter no-such-python is not on PATH", /install it/],
  ["#! /usr/bin/env -S no-such-python -u\n", "its interpreter no-such-python is not on PATH", /install it/],
  [
    "#!/bin/sh\r\necho hi\r\n",
    "its first line, which names the interpreter /bin/sh, ends in CRLF",
    /ends of LF/,
  ],
  ["#!/usr/bin/env sh\r\n", "its first line, which names the interpreter sh, ends in CRLF", /ends of LF/],
])("a script that begins %j cannot be run, and that is said", async (content, what, hint) => {
  const binary = program("script", content);
  const agent = createAgent(settingsOf("command", { binary }), deps);
  const missing = `${binary} cannot be run: ${what}`;
  const found = await agent.find(env, cwd);
  expect(found).toEqual({ missing, hint: expect.stringMatching(hint) as string });
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "failed", reason: "not-found" });
  expect(result.outcome === "failed" && result.evidence).toContain(missing);
});

test.each([
  "#!/bin/sh\n",
  "#!/bin/sh",
  "#!/bin/sh -e\n",
  "#!/usr/bin/env sh\n",
  "#!/usr/bin/env -i sh\n",
  "#!/usr/bin/env A=b sh\n",
  "\u007fELF",
  "",
  `#!/${"x".repeat(300)}\n`,
])("nothing is said of one that begins %j", async (content) => {
  const binary = program("fine", content);
  const agent = createAgent(settingsOf("command", { binary }), deps);
  expect(await agent.find(env, cwd)).toEqual({ found: binary });
});

/** A program of this machine, asking for a loader that is not there; `undefined` where it asks for none. */
function withoutLoader(): Buffer | undefined {
  const bytes = readFileSync("/bin/true");
  const at = bytes.indexOf("/lib64/ld-linux");
  return at === -1
    ? undefined
    : Buffer.concat([bytes.subarray(0, at), Buffer.from("/lib63"), bytes.subarray(at + 6)]);
}

test.runIf(withoutLoader() !== undefined).each(["auto", "none"] as const)(
  "a program whose loader is missing is not found, contained: %s",
  async (contain) => {
    const binary = program("no-loader", withoutLoader() ?? "");
    const { result } = await runAgent(
      createAgent(settingsOf("command", { binary, contain }), deps),
      request(),
    );
    expect(result).toMatchObject({ outcome: "failed", reason: "not-found" });
    expect(result.outcome === "failed" && result.evidence).toContain(
      `${binary} cannot be started in ${cwd}: `,
    );
  },
);

test("a program that ends as if it could not be started is none that could not be", async () => {
  const { result } = await runAgent(
    shell("echo 'setsid: failed to execute x: No such file' >&2; exit 127"),
    request(),
  );
  expect(result).toMatchObject({ reason: "exited", exitCode: 127 });
});

test("a folder of the agent's own that is not there is named with its key", async () => {
  const settings = settingsOf("command", { binary: "true", workDir: "/no/such/folder", contain: "auto" });
  const agent = createAgent(settings, deps);
  const missing = "cannot find the folder /no/such/folder";
  expect(await agent.find(env, cwd)).toEqual({ missing, hint: "correct agents.ours.work_dir" });
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({ reason: "not-found", evidence: `${missing}: correct agents.ours.work_dir` });
  expect((await runAgent(shell("pwd", { workDir: cwd }), request())).result.lastMessage).toBe(cwd);
});
