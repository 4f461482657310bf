// Modules and scripts in a real child: `looper agent-host` bundled alone (test/fakes/agent-host.ts).
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, stop } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createAgent } from "../clients/registry.js";
import { requestOf, runAgent, settingsOf, type RigResult } from "../testing/rig.js";
import { chooseAttempt, Script } from "./play.js";

const ports = nodePorts();
let root = "";
let cwd = "";
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), "looper-hosts-"));
  await build({
    entryPoints: [fileURLToPath(new URL("../../../test/fakes/agent-host.ts", import.meta.url))],
    outfile: path.join(root, "host.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // As scripts/bundle.mjs: the "main" of jsonc-parser cannot be bundled.
    mainFields: ["module", "main"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  // Other tests of this process end its children, and the service is one.
  await stop();
  cwd = path.join(root, "work");
  mkdirSync(cwd);
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

interface More {
  timeoutMs?: number;
  idleTimeoutMs?: number;
  stopAt?: (line: string) => boolean;
  request?: Parameters<typeof requestOf>[1];
  env?: Record<string, string>;
}

async function host(kind: "module" | "scripted", file: string, more: More = {}): Promise<RigResult> {
  const { request = {}, stopAt = () => false, env: extra = {}, ...limits } = more;
  const self = { command: process.execPath, args: [path.join(root, "host.mjs")] };
  const settings = settingsOf(kind, { [kind === "module" ? "module" : "script"]: file, ...limits });
  const stop = new AbortController();
  return runAgent(
    createAgent(settings, { ports, self }),
    requestOf({ cwd, env: { ...env, ...extra } }, request),
    {
      stop: stop.signal,
      onLine: (line) => {
        if (stopAt(line)) stop.abort("now");
      },
    },
  );
}

let files = 0;
function write(content: string, ending: string): string {
  files += 1;
  const file = path.join(root, `file-${files}.${ending}`);
  writeFileSync(file, content);
  return file;
}

const runModule = (code: string, more?: More): Promise<RigResult> => host("module", write(code, "mjs"), more);
const play = (actions: unknown, more?: More): Promise<RigResult> =>
  host("scripted", write(JSON.stringify({ default: [actions] }), "json"), more);

test("a module runs with the request, its events and its summary come across, its prints do not disturb them", async () => {
  const { result, events, stderr } = await runModule(
    `export default {
       async run(request, { emit }) {
         console.log("not an event");
         process.stdout.write("{\\"type\\":\\"message\\"");
         await emit({ type: "message", role: "assistant", content: request.prompt + request.taskId + request.attempt });
         return { task_id: request.taskId, status: "done", summary: "did it" };
       },
     };`,
  );
  expect(result).toMatchObject({
    outcome: "ok",
    unknownEvents: 0,
    report: { found: { task_id: "T1", status: "done", summary: "did it" } },
  });
  expect(events).toEqual([{ type: "message", role: "assistant", content: "Do it.\nT11" }]);
  expect(stderr).toContain("not an event");
});

test.each([
  ["throws", `export default { run() { throw new Error("no luck"); } };`, "exited", /no luck/],
  ["is no agent", `export const run = 1;`, "exited", /has no default export with a function run/],
  ["cannot be read", `export default {`, "exited", /Unexpected end/],
  ["exits by itself", `export default { run() { process.exit(0); } };`, "incomplete", /stops before the end/],
  ["emits nonsense", `export default { run: (_, { emit }) => emit({ type: "shout" }) };`, "exited", /type/],
] as const)("a module that %s", async (_name, code, reason, evidence) => {
  const { result } = await runModule(code);
  expect(result).toMatchObject({ outcome: "failed", reason });
  expect(result.outcome === "failed" && result.evidence).toMatch(evidence);
});

test("a module without a summary ends well, with its report missing", async () => {
  expect((await runModule(`export default { async run() {} };`)).result).toMatchObject({
    outcome: "ok",
    report: { missing: expect.any(String) as string },
  });
});

test("a module that hears of the stop may clean up", async () => {
  const note = path.join(cwd, "cleaned");
  const { result } = await runModule(
    `import { writeFileSync } from "node:fs";
     export default { run: (_, { emit, signal }) => new Promise((resolve) => {
       const keep = setInterval(() => {}, 1000);
       signal.addEventListener("abort", () => { writeFileSync(${JSON.stringify(note)}, "yes"); clearInterval(keep); resolve(); });
       void emit({ type: "message", role: "assistant", content: "ready" });
     }) };`,
    { stopAt: (line) => line.includes("ready") },
  );
  expect(result).toMatchObject({ outcome: "failed", reason: "interrupted", exitCode: 143 });
  expect(readFileSync(note, "utf8")).toBe("yes");
});

test("a script edits, runs commands and reports, each of it as events", async () => {
  const { result, events, stderr } = await play(
    [
      { say: "Here we go." },
      { write: "src/a.txt", content: "one two" },
      { replace: "src/a.txt", find: "two", with: "$& three" },
      { append: "src/a.txt", content: "!\n" },
      { write: "gone.txt", content: "" },
      { remove: "gone.txt" },
      { run: "node", args: ["-e", "console.log(process.env.LOOPER_TASK_ID); process.exit(3)"] },
      { shell: "exit 0" },
      { git: ["--version"] },
      { stderr: "a word aside\n" },
      { summary: { task_id: "T1", status: "done" } },
    ],
    { env: { LOOPER_TASK_ID: "T1" } },
  );
  expect(result).toMatchObject({ outcome: "ok", report: { found: { task_id: "T1" } } });
  expect(readFileSync(path.join(cwd, "src/a.txt"), "utf8")).toBe("one $& three!\n");
  expect(existsSync(path.join(cwd, "gone.txt"))).toBe(false);
  expect(
    events.map((event) =>
      event.type === "command" ? `${event.command} ${event.exit_code ?? "…"}` : event.type,
    ),
  ).toEqual([
    "message",
    ...Array.from({ length: 5 }, () => ["tool_use", "tool_result"]).flat(),
    "node -e console.log(process.env.LOOPER_TASK_ID); process.exit(3) …",
    "node -e console.log(process.env.LOOPER_TASK_ID); process.exit(3) 3",
    "exit 0 …",
    "exit 0 0",
    "git --version …",
    "git --version 0",
  ]);
  expect(stderr).toContain("T1\n");
  expect(stderr).toContain("a word aside");
});

test.each([
  ["fails as told", [{ fail: "no quota", reason: "rate-limited" }], "rate-limited", /no quota/],
  ["exits as told", [{ stderr: "Error: told so\n" }, { exit: 4 }], "exited", /exit code 4: Error: told so/],
  ["exits 0 without an end", [{ exit: 0 }], "incomplete", /stops before the end/],
  ["leaves its folder", [{ write: "../x", content: "" }], "exited", /\.\.\/x is not inside/],
  [
    "replaces what is not there",
    [{ replace: "nope.txt", find: "a", with: "b" }],
    "exited",
    /nope\.txt does not hold "a"/,
  ],
  ["is not a script", [{ dance: true }], "exited", /is not a valid script/],
] as const)("a script that %s", async (_name, actions, reason, evidence) => {
  const { result } = await play(actions);
  expect(result).toMatchObject({ outcome: "failed", reason });
  expect(result.outcome === "failed" && result.evidence).toMatch(evidence);
});

test("a script that hangs is ended by its limits and by a stop", async () => {
  expect((await play([{ hang: true }], { idleTimeoutMs: 1_500 })).result).toMatchObject({ reason: "idle" });
  expect((await play([{ say: "x" }, { delay: "1m" }], { timeoutMs: 1_500 })).result).toMatchObject({
    reason: "timed-out",
  });
  const stopped = await play([{ say: "ready" }, { shell: "sleep 30" }, { hang: true }], {
    stopAt: (line) => line.includes("ready"),
  });
  // Ended by SIGTERM, so before the grace was over, and long before its command would have ended.
  expect(stopped.result).toMatchObject({ reason: "interrupted", exitCode: 143 });
});

test("a script prints garbage in bulk, and delays", async () => {
  const { result } = await play([
    { print: "<{garbage\n", times: 200_000 },
    { delay: "50ms" },
    { summary: { task_id: null, status: "done" } },
  ]);
  expect(result).toMatchObject({
    outcome: "ok",
    unknownEvents: 200_000,
    report: { found: { task_id: null } },
  });
});

test("a fork is on its own, and carries its environment; it does not outlive the agent", async () => {
  const mark = `LOOPER_TEST_${process.pid}`;
  const marked = `grep -slz '^${mark}=1' /proc/[0-9]*/environ | cut -d/ -f3`;
  // Its parent is gone: it belongs to the process that adopts orphans.
  const orphans = `for pid in $(${marked}); do ps -o ppid=,args= -p "$pid"; done | grep '6[0]000'`;
  const { result, stderr } = await play(
    [{ fork: { seconds: 60 } }, { shell: orphans }, { summary: { task_id: null, status: "done" } }],
    { env: { [mark]: "1" } },
  );
  expect(result.outcome).toBe("ok");
  expect(stderr).toMatch(/^ *1 .*SIGTERM/m);
  expect(execFileSync("sh", ["-c", marked], { encoding: "utf8" })).toBe("");
});

test("which part of a script is played", () => {
  const say = (text: string): { say: string }[] => [{ say: text }];
  const ask = { phase: "iteration", taskId: "T1", iteration: 1, attempt: 1 } as const;
  const script: Script = {
    tasks: { T1: [say("1"), say("2")] },
    default: [say("other")],
    repair: [say("mend")],
  };
  expect(chooseAttempt(script, ask)).toEqual(say("1"));
  expect(chooseAttempt(script, { ...ask, attempt: 2 })).toEqual(say("2"));
  expect(chooseAttempt(script, { ...ask, attempt: 9 })).toEqual(say("2"));
  expect(chooseAttempt(script, { ...ask, taskId: "toString" })).toEqual(say("other"));
  expect(chooseAttempt(script, { ...ask, phase: "repair" })).toEqual(say("mend"));
  expect(chooseAttempt(script, { ...ask, phase: "bootstrap" })).toBeUndefined();
  expect(chooseAttempt(script, { ...ask, phase: "review" })).toMatchObject([
    { summary: { status: "reviewed" } },
  ]);
  const steps: Script = { steps: [say("1"), say("2")] };
  expect(chooseAttempt(steps, { ...ask, iteration: 2, phase: "review" })).toEqual(say("2"));
});

test("the shape of a script has a JSON schema", () => {
  const schema = z.toJSONSchema(Script, { io: "input" });
  expect(schema.anyOf).toHaveLength(2);
});
