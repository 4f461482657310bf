// The engine with real processes: shell scripts, node, and the fakes of codex and claude.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { Agent } from "../agent.js";
import { createAgent } from "../clients/registry.js";
import { hurried, requestOf, runAgent, settingsOf } from "../testing/rig.js";

const ports = nodePorts();
const deps = { ports, self: { command: process.execPath, args: [] } };
const fakes = fileURLToPath(new URL("../../../test/fakes", import.meta.url));
const testdata = fileURLToPath(new URL("../testing/testdata/streams", import.meta.url));
const inherited = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
const env = { ...inherited, PATH: `${fakes}:${inherited.PATH ?? ""}` };
const fast = { ...deps, ports: hurried(ports) };
let cwd = "";

beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), "looper-agents-"));
});
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

/** An executable that runs these lines. */
function program(name: string, lines: string, interpreter = "/bin/sh"): string {
  const file = path.join(cwd, name);
  writeFileSync(file, `#!${interpreter}\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

function shell(lines: string, more: Partial<AgentSettings> = {}): Agent {
  return createAgent(settingsOf("command", { binary: "sh", args: ["-c", lines], ...more }), deps);
}

function node(code: string, more: Partial<AgentSettings> = {}, by = deps): Agent {
  return createAgent(settingsOf("command", { binary: process.execPath, args: ["-e", code], ...more }), by);
}

function scripted(script: unknown): Record<string, string> {
  const file = path.join(cwd, `script-${Math.random().toString(36).slice(2)}.json`);
  writeFileSync(file, JSON.stringify({ default: [script] }));
  return { ...env, FAKE_AGENT_SCRIPT: file };
}

const request = (more: Parameters<typeof requestOf>[1] = {}): ReturnType<typeof requestOf> =>
  requestOf({ cwd, env }, more);

async function runMany(agent: Agent, times: number, width: number): Promise<number> {
  let understood = 0;
  let left = times;
  const worker = async (): Promise<void> => {
    for (; left > 0;) {
      left -= 1;
      const { result } = await runAgent(agent, request());
      if (result.outcome === "ok" && "found" in result.report) understood += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return understood;
}

/** A race needs many tries to show; some of them hold in `make test`. */
const TIMES = process.env["EXHAUSTIVE"] === undefined ? 15 : 200;

test("all commands that print their summary and exit at once are understood", async () => {
  const agent = shell(`echo working; printf '%s' '{"task_id":"T1","status":"done"}'`);
  expect(await runMany(agent, TIMES, 20)).toBe(TIMES);
});

test("all codex streams that end at once are understood", async () => {
  const binary = program("quick-codex", `cat '${testdata}/codex-success.jsonl'`);
  expect(await runMany(createAgent(settingsOf("codex", { binary }), deps), TIMES, 20)).toBe(TIMES);
});

test("the prompt comes on stdin, which is closed", async () => {
  const { result, lines, started } = await runAgent(
    shell("cat; echo end"),
    request({ prompt: "line 1\nline 2\n" }),
  );
  expect(result).toMatchObject({ outcome: "ok", exitCode: 0, lastMessage: "line 1\nline 2\nend" });
  expect(lines).toEqual(["line 1", "line 2", "end"]);
  expect(started).toEqual([
    { pid: expect.any(Number) as number, command: expect.stringContaining("sh -c") as string },
  ]);
});

test("the prompt as an argument is only text, and as a file its path", async () => {
  const prompt = "a $& 'b' {prompt_file}";
  const byArgument = shell(`printf '%s' "$1"`, {
    promptVia: "arg",
    args: ["-c", `printf '<%s>' "$1"`, "sh", "{prompt}!"],
  });
  expect((await runAgent(byArgument, request({ prompt }))).result.lastMessage).toBe(`<${prompt}!>`);
  const byFile = shell("", { promptVia: "file", args: ["-c", `printf '<%s>' "$1"`, "sh"] });
  expect((await runAgent(byFile, request())).result.lastMessage).toBe(`<${cwd}/prompt.md>`);
});

test("a prompt too long for an argument is refused with the way out", async () => {
  const agent = shell("", { promptVia: "arg" });
  const { result, started } = await runAgent(agent, request({ prompt: "€".repeat(50_000) }));
  expect(result).toMatchObject({ outcome: "failed", reason: "bad-request" });
  expect(result.outcome === "failed" && result.evidence).toMatch(
    /150000 bytes.*agents\.ours\.prompt_via to stdin/,
  );
  expect(started).toEqual([]);
  const fits = await runAgent(
    shell("", { promptVia: "arg", args: ["-c", "true"] }),
    request({ prompt: "x".repeat(131_071) }),
  );
  expect(fits.result.outcome).toBe("ok");
});

test("a program that is not there is not-found, with what to do", async () => {
  const { result } = await runAgent(
    createAgent(settingsOf("codex"), fast),
    requestOf({ cwd, env: { PATH: "/nowhere" } }),
  );
  expect(result).toMatchObject({ outcome: "failed", reason: "not-found" });
  expect(result.outcome === "failed" && result.evidence).toMatch(
    /codex is not on PATH: .*npm i -g @openai\/codex/,
  );
});

test.each([
  [
    "exits 1",
    "echo 'Error: no such thing' >&2; echo bye >&2; exit 1",
    "exited",
    /exit code 1: Error: no such thing/,
  ],
  ["exits 1 in silence", "exit 1", "exited", /exit code 1: with nothing on stderr$/],
  [
    "says why on stdout",
    "echo hello; echo 'Error: no such project'; echo bye; exit 1",
    "exited",
    /^exit code 1: with nothing on stderr; the last on stdout: Error: no such project$/,
  ],
  ["speaks on both", "echo 'an error here'; echo said >&2; exit 1", "exited", /^exit code 1: said$/],
  ["is killed", "kill -9 $$", "killed", /SIGKILL/],
  ["exits 143", "exit 143", "killed", /SIGTERM/],
] as const)("a command that %s", async (_name, lines, reason, evidence) => {
  const { result } = await runAgent(shell(lines), request());
  expect(result).toMatchObject({ outcome: "failed", reason });
  expect(result.outcome === "failed" && result.evidence).toMatch(evidence);
});

test("a hanging agent runs into its timeout, even if it keeps printing", async () => {
  const agent = node("setInterval(() => console.log('still here'), 20)", {
    timeoutMs: 400,
    idleTimeoutMs: 5_000,
  });
  const { result } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "failed", reason: "timed-out", signal: "SIGTERM" });
  expect(result.outcome === "failed" && result.evidence).toBe(
    "not finished after 400 ms (agents.ours.timeout)",
  );
});

test("a silent agent runs into its idle timeout", async () => {
  const { result } = await runAgent(shell("echo hi; sleep 60", { idleTimeoutMs: 300 }), request());
  const evidence = "printed nothing for 300 ms (agents.ours.idle_timeout)";
  expect(result).toMatchObject({ outcome: "failed", reason: "idle", evidence });
});

test("an agent that says too much is stopped as its kind stops; what it cost is told all the same", async () => {
  const usage = { type: "usage", input_tokens: 7, output_tokens: 5 };
  const agent = node(
    `const say = (event) => console.log(JSON.stringify(event));
     process.on("SIGTERM", () => { say(${JSON.stringify(usage)}); process.exit(0); });
     setInterval(() => say({ type: "message", role: "assistant", content: "again" }), 1);`,
    { output: "jsonl", maxEvents: 50 },
  );
  const { result, events } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "failed", reason: "events", exitCode: 0, lastMessage: "again" });
  expect(result.outcome === "failed" && result.evidence).toBe("more than 50 events (agents.ours.max_events)");
  expect(events.filter(({ type }) => type === "message")).toHaveLength(50);
  expect(events.at(-1)).toEqual(usage);
});

test("an agent may say as much as it is allowed", async () => {
  const say = `{"type":"message","role":"assistant","content":"x"}`;
  const agent = shell(`echo '${say}'; echo '${say}'`, {
    output: "jsonl",
    maxEvents: 2,
    maxOutput: (say.length + 1) * 2,
  });
  const { result, events } = await runAgent(agent, request());
  expect(result.outcome).toBe("ok");
  expect(events).toHaveLength(2);
});

test.each([
  ["stdout", "yes hello"],
  ["stderr", "yes hello >&2"],
])("an agent that prints too much on %s is stopped, and no more than that is kept", async (_pipe, lines) => {
  const { result, events, stderr } = await runAgent(shell(lines, { maxOutput: 2048 }), request());
  expect(result).toMatchObject({ outcome: "failed", reason: "output", signal: "SIGTERM" });
  expect(result.outcome === "failed" && result.evidence).toBe(
    "printed more than 2 KB (agents.ours.max_output)",
  );
  const kept = events.length * 6 + stderr.length;
  expect(kept).toBeGreaterThan(2048 - 6);
  expect(kept).toBeLessThan(2048 + 6);
});

test("the idle clock stops while a command of the agent runs, and continues after it", async () => {
  const binary = program(
    "slow-codex",
    `echo '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"x"}}'
sleep 4
echo '{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"x","exit_code":0}}'
[ "$HANG" = yes ] && sleep 60
echo '{"type":"turn.completed","usage":{}}'`,
  );
  const agent = createAgent(settingsOf("codex", { binary, idleTimeoutMs: 2_500 }), deps);
  expect((await runAgent(agent, request())).result.outcome).toBe("ok");
  const hanging = await runAgent(agent, requestOf({ cwd, env: { ...env, HANG: "yes" } }));
  expect(hanging.result).toMatchObject({ outcome: "failed", reason: "idle" });
});

test("output that the listener delays does not count as silence", async () => {
  const agent = shell("for i in 1 2 3 4; do head -c 300000 /dev/zero; echo; done", { idleTimeoutMs: 1_500 });
  let [writing, most] = [0, 0];
  const { result } = await runAgent(agent, request(), {
    onPause: async () => {
      writing += 1;
      most = Math.max(most, writing);
      await ports.clock.sleep(2_000);
      writing -= 1;
    },
  });
  expect(result.outcome).toBe("ok");
  expect([writing, most]).toEqual([0, 1]);
});

test.each([
  ["codex", "SIGINT"],
  ["claude", "SIGTERM"],
] as const)("%s is stopped with %s", async (kind, signal) => {
  const note = path.join(cwd, `${kind}-signal`);
  const binary = program(
    `deaf-${kind}`,
    `const fs = require("node:fs");
     for (const s of ["SIGINT", "SIGTERM"]) process.on(s, () => { fs.writeFileSync(process.env.NOTE, s); process.exit(0); });
     setInterval(() => {}, 1000); console.log('{"type":"ready"}');`,
    process.execPath,
  );
  const stop = new AbortController();
  const { result } = await runAgent(
    createAgent(settingsOf(kind, { binary }), deps),
    requestOf({ cwd, env: { ...env, NOTE: note } }),
    {
      stop: stop.signal,
      onLine: () => {
        stop.abort("now");
      },
    },
  );
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", exitCode: 0 });
  expect(readFileSync(note, "utf8")).toBe(signal);
});

const DEAF = `for (const s of ["SIGINT", "SIGTERM"]) process.on(s, () => {}); setInterval(() => {}, 1000); console.log("ready");`;

test("a deaf agent is killed 5 s after it was stopped", async () => {
  const stop = new AbortController();
  const begun = performance.now();
  const { result } = await runAgent(node(DEAF), request(), {
    stop: stop.signal,
    onLine: () => {
      stop.abort("now");
    },
  });
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", signal: "SIGKILL" });
  expect(performance.now() - begun).toBeGreaterThan(4_900);
});

test("a stop of kind kill does not wait", async () => {
  const stop = new AbortController();
  // On this clock no grace period ends.
  const clock = { ...ports.clock, monotonic: () => 0 };
  const { result } = await runAgent(node(DEAF, {}, { ...deps, ports: { ...ports, clock } }), request(), {
    stop: stop.signal,
    onLine: () => {
      stop.abort("kill");
    },
  });
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", signal: "SIGKILL" });
});

test("an agent is not started once the run is being stopped", async () => {
  const { result, started } = await runAgent(shell("echo hi"), request(), { stop: AbortSignal.abort("now") });
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted" });
  expect(started).toEqual([]);
});

test("a listener that throws ends the agent with a reason, and is not called again", async () => {
  let calls = 0;
  const { result } = await runAgent(node("setInterval(() => console.log('x'), 5)"), request(), {
    onEvent: () => {
      calls += 1;
      throw new Error("no space left");
    },
  });
  expect(result).toMatchObject({ outcome: "failed", reason: "output", signal: "SIGKILL" });
  expect(result.outcome === "failed" && result.evidence).toMatch(/no space left/);
  expect(calls).toBe(1);
});

test("a start that cannot be noted ends the agent with a reason", async () => {
  const { result } = await runAgent(shell("sleep 60"), request(), {
    onStart: () => Promise.reject(new Error("no space left")),
  });
  expect(result).toMatchObject({ outcome: "failed", reason: "output" });
});

test("the start is noted before anything else, however slowly", async () => {
  const order: string[] = [];
  await runAgent(shell("echo line; echo error >&2"), request(), {
    onStart: async () => {
      await ports.clock.sleep(100);
      order.push("start");
    },
    onLine: (line) => void order.push(line),
    onStderr: (text) => void order.push(text.trim()),
  });
  expect(order[0]).toBe("start");
  expect(order.slice(1).sort()).toEqual(["error", "line"]);
});

test("100 MB of text: bounded in memory, told in part, its end kept", async () => {
  const summary = '{"task_id":"T1","status":"done"}';
  const agent = node(
    `const line = "x".repeat(65535) + "\\n"; let left = 1600;
     const go = () => { while (left-- > 0) if (!process.stdout.write(line)) return process.stdout.once("drain", go);
       process.stdout.write(${JSON.stringify(summary)}); }; go();`,
  );
  const before = process.memoryUsage().rss;
  const { result, events } = await runAgent(agent, request());
  expect(result).toMatchObject({ outcome: "ok", report: { found: { task_id: "T1" } } });
  expect(Buffer.byteLength(result.lastMessage)).toBeLessThanOrEqual(1024 * 1024);
  expect(events.filter((event) => event.type === "error")).toEqual([
    expect.objectContaining({ reason: "output-cut" }) as object,
  ]);
  expect(events.length).toBeLessThan(20);
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
});

test("half a million short lines are told in part only", async () => {
  const { result, events } = await runAgent(shell("yes | head -n 500000"), request());
  expect(result.outcome).toBe("ok");
  expect(events.length).toBeLessThan(11_000);
});

test("garbage of a kind that speaks JSON is kept and counted, and proves nothing", async () => {
  const agent = createAgent(settingsOf("codex"), deps);
  const place = { cwd, env: scripted({ garbage: 3, terminal: false, prose: "bye" }) };
  const { result, lines } = await runAgent(agent, requestOf(place));
  expect(result).toMatchObject({ outcome: "failed", reason: "incomplete", unknownEvents: 3, exitCode: 0 });
  expect(result.outcome === "failed" && result.evidence).toMatch(/3 lines were not understood/);
  expect(lines.filter((line) => line.startsWith("<garbage"))).toHaveLength(3);
});

test.each(["codex", "claude"] as const)("the fake %s does a task and is understood", async (kind) => {
  const agent = createAgent(settingsOf(kind), deps);
  const place = { cwd, env: { ...env, LOOPER_TASK_ID: `by-${kind}` } };
  const { result, events } = await runAgent(agent, requestOf(place));
  expect(result).toMatchObject({
    outcome: "ok",
    unknownEvents: 0,
    report: { found: { task_id: `by-${kind}` } },
  });
  expect(existsSync(path.join(cwd, `by-${kind}.txt`))).toBe(true);
  expect(events.at(-1)).toMatchObject({ type: "usage", input_tokens: 200, cached_input_tokens: 1000 });
});

test.each([
  ["codex", { error: { message: "Unauthorized", status: 401 } }, "not-signed-in"],
  ["claude", { error: { message: "overloaded_error", status: 529 } }, "overloaded"],
  ["codex", { terminal: false }, "incomplete"],
  ["claude", { terminal: false }, "incomplete"],
  ["codex", { exit: 7 }, "exited"],
] as const)("the fake %s with %j", async (kind, script, reason) => {
  const agent = createAgent(settingsOf(kind), deps);
  const { result } = await runAgent(agent, requestOf({ cwd, env: scripted(script) }));
  expect(result).toMatchObject({ outcome: "failed", reason });
});

test("a denied tool is an event; how it ends is another matter", async () => {
  const agent = createAgent(settingsOf("claude"), deps);
  const place = {
    cwd,
    env: scripted({ denied: "WebFetch", summary: { status: "blocked", blockers: ["denied"] } }),
  };
  const { result, events } = await runAgent(agent, requestOf(place));
  expect(result).toMatchObject({ outcome: "ok", report: { found: { status: "blocked" } } });
  expect(events).toContainEqual(expect.objectContaining({ type: "error", reason: "refused" }));
});

test("prose instead of a report is said to be missing, not failed", async () => {
  const agent = createAgent(settingsOf("codex"), deps);
  const { result } = await runAgent(agent, requestOf({ cwd, env: scripted({ prose: "I did it." }) }));
  expect(result).toMatchObject({ outcome: "ok", report: { missing: expect.any(String) as string } });
});

test.each([
  ["claude", "claude-success.jsonl", { outcome: "ok" }],
  ["codex", "codex-success.jsonl", { outcome: "ok" }],
  ["claude", "claude-usage-limit.jsonl", { outcome: "failed", reason: "rate-limited" }],
] as const)("the last event of a %s that then hangs is its verdict (%s)", async (kind, stream, expected) => {
  const binary = program(`hung-${stream}`, `cat '${testdata}/${stream}'; exec sleep 600`);
  const { result } = await runAgent(createAgent(settingsOf(kind, { binary }), fast), request());
  expect(result).toMatchObject(expected);
});

test.each([
  ["lines of a kind of its own", `echo '{"type":"heartbeat"}'`],
  ["lines that it knows", `echo '{"type":"thread.started","thread_id":"t"}'`],
  ["words on stdout and stderr", `echo "still here"; echo "still here" >&2`],
])("a client that is done and prints %s is done", async (_, chatter) => {
  const binary = program(
    "chatter",
    `cat '${testdata}/codex-success.jsonl'; while :; do ${chatter}; sleep 0.02; done`,
  );
  const { result } = await runAgent(
    createAgent(settingsOf("codex", { binary, timeoutMs: 400_000 }), fast),
    request(),
  );
  expect(result).toMatchObject({ outcome: "ok", report: { found: { status: "done" } } });
});

test("a turn that begins after the end of the one before is work", async () => {
  const message = `{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\\"status\\":\\"blocked\\",\\"blockers\\":[\\"b\\"]}"}}`;
  const binary = program(
    "two-turns",
    `cat '${testdata}/codex-success.jsonl'; echo '{"type":"turn.started"}'
for n in 1 2 3 4 5 6 7 8 9 10; do echo '{"type":"heartbeat"}'; sleep 0.1; done
echo '${message}'; echo '{"type":"turn.completed"}'`,
  );
  const { result } = await runAgent(createAgent(settingsOf("codex", { binary }), fast), request());
  expect(result).toMatchObject({ outcome: "ok", report: { found: { status: "blocked" } } });
});

test("a client may say nothing for long between a result without a report and the end of its background work", async () => {
  const lines = readFileSync(`${testdata}/claude-two-results.jsonl`, "utf8").trim().split("\n");
  const cut = lines.findIndex((line) => line.includes("It is still running."));
  writeFileSync(path.join(cwd, "first.jsonl"), `${lines.slice(0, cut + 1).join("\n")}\n`);
  writeFileSync(path.join(cwd, "rest.jsonl"), `${lines.slice(cut + 1).join("\n")}\n`);
  const binary = program("waiting-claude", "cat first.jsonl; sleep 1; cat rest.jsonl");
  const { result } = await runAgent(createAgent(settingsOf("claude", { binary }), fast), request());
  expect(result).toMatchObject({ outcome: "ok", report: { found: { status: "done" } } });
});

test.each([
  ["nothing", "", true],
  [
    "that it starts",
    `echo '{"type":"thread.started","thread_id":"t"}'; echo '{"type":"turn.started"}'`,
    true,
  ],
  ["only on stderr", "echo starting >&2", true],
  ["a line of another kind", `echo '{"type":"progress"}'`, false],
  [
    "that a tool works",
    `echo '{"type":"item.started","item":{"id":"i","type":"command_execution","command":"make"}}
{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"make"}}'`,
    false,
  ],
])("a client that hangs and said %s", async (_, said, unbegun) => {
  const binary = program("hanging-codex", `${said}\nexec sleep 600`);
  const settings = settingsOf("codex", { binary, idleTimeoutMs: 20_000 });
  const { result } = await runAgent(createAgent(settings, fast), request());
  expect(result).toMatchObject({ outcome: "failed", reason: "idle" });
  expect(result.outcome === "failed" && result.evidence.startsWith("it did not begin to work: ")).toBe(
    unbegun,
  );
});

test("a command that reports and then hangs is done; one that tells of a limit and hangs has met it", async () => {
  const idle = { idleTimeoutMs: 2_000 };
  const done = await runAgent(shell(`echo '{"task_id":"T1","status":"done"}'; sleep 60`, idle), request());
  expect(done.result).toMatchObject({ outcome: "ok", report: { found: { status: "done" } } });
  const limited = await runAgent(shell("echo '429 Too Many Requests'; sleep 60", idle), request());
  expect(limited.result).toMatchObject({ outcome: "failed", reason: "rate-limited" });
});

test.each(["claude", "codex", "gemini", "opencode"] as const)(
  "a plain sentence on the stdout of %s counts as on stderr, and is kept",
  async (kind) => {
    const said = "You've hit your usage limit. Try again in 2 hours.";
    for (const code of [0, 1]) {
      const binary = program(`plain-${kind}-${String(code)}`, `echo "${said}"; exit ${String(code)}`);
      const { result, stderr } = await runAgent(createAgent(settingsOf(kind, { binary }), deps), request());
      expect(result).toMatchObject({ outcome: "failed", reason: "rate-limited" });
      expect(stderr).toContain(said);
    }
  },
);

test("a limit in place of a report is a limit, though the command ends with exit code 0", async () => {
  const said = "You've hit your usage limit. Try again in 2 hours.";
  const { result } = await runAgent(shell(`echo working; echo "${said}"`), request());
  expect(result).toMatchObject({ outcome: "failed", reason: "rate-limited", exitCode: 0 });
  const prose = await runAgent(shell("echo 'The rate limit is handled now, and I added a test.'"), request());
  expect(prose.result).toMatchObject({ outcome: "ok", report: { missing: expect.any(String) as string } });
});

test("a client that is missing for a moment is started once it is back", async () => {
  const binary = path.join(cwd, "updated-codex");
  let looks = 0;
  const which: typeof ports.processes.which = (...asked) => {
    looks += 1;
    if (looks === 3) program("updated-codex", `cat '${testdata}/codex-success.jsonl'`);
    return ports.processes.which(...asked);
  };
  const by = { ...fast, ports: { ...fast.ports, processes: { ...ports.processes, which } } };
  const { result } = await runAgent(createAgent(settingsOf("codex", { binary }), by), request());
  expect(result).toMatchObject({ outcome: "ok" });
});
