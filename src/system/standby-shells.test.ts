// What is started by the shell that waits ends as what is started from here, and nothing of one is in the next.
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodeClock } from "./clock.js";
import type { Processes, ProcessSpec } from "./ports.js";
import { nodeProcesses } from "./processes.js";

let run: string;
let processes: Processes;
let top: string;

beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), "looper-standby-"));
  run = `standby ${randomBytes(6).toString("hex")}`;
  processes = nodeProcesses(nodeClock());
  processes.mark(run);
});

afterEach(async () => {
  await processes.sweep(run);
  expect(await processes.marked(run)).toEqual([]);
  rmSync(top, { recursive: true });
});

function sh(script: string, input?: Uint8Array): ProcessSpec {
  const env = { PATH: process.env["PATH"] ?? "", ODD: "a 'b'\n$c" };
  return {
    command: "sh",
    args: ["-c", script, "sh", "it's", "$x\n`y`"],
    cwd: top,
    env,
    ...(input && { input }),
  };
}

const often = { timeoutMs: 30_000, maxBytes: 1 << 24, often: true };
const everyByte = Uint8Array.from({ length: 300_000 }, (_, at) => at % 256);

const CASES: Record<string, { script: string; input?: Uint8Array }> = {
  "both pipes": { script: "echo out; echo err >&2" },
  "no line end": { script: "printf out; printf err >&2; exit 3" },
  "words and environment": { script: 'printf "%s|" "$@" "$ODD"' },
  "no input": { script: "cat" },
  "every byte, there and back": { script: "cat", input: everyByte },
  "an empty input": { script: "cat", input: new Uint8Array() },
  "input that nobody reads": { script: "exit 4", input: everyByte },
  "a failure": { script: "exit 128" },
  killed: { script: "kill -KILL $$" },
  much: { script: "head -c 3000000 /dev/zero; head -c 300000 /dev/zero >&2" },
  "its folder": { script: "pwd -P" },
};

test.each(Object.entries(CASES))("the same end: %s", async (_, { script, input }) => {
  const direct = await processes.run(sh(script, input), { ...often, often: false });
  const found = await processes.run(sh(script, input), often);
  // Of a program that was killed a shell has something to say itself.
  const stderr = direct.end.how === "killed" ? found.stderr : direct.stderr;
  expect({ ...found, stdout: [] }).toEqual({ ...direct, stdout: [], stderr });
  expect(Buffer.compare(found.stdout, direct.stdout)).toBe(0);
  // The next one starts clean.
  expect((await processes.run(sh("cat; echo next"), often)).stdout.toString()).toBe("next\n");
});

test("one shell starts them all, and is gone after the sweep", async () => {
  const parents = new Set<string>();
  for (let count = 0; count < 3; count++)
    parents.add((await processes.run(sh("echo $PPID"), often)).stdout.toString());
  expect([...parents]).not.toContain(`${String(process.pid)}\n`);
  expect(parents.size).toBe(1);
  await processes.sweep(run);
  expect((await processes.run(sh("echo $PPID"), often)).stdout.toString()).toBe(`${String(process.pid)}\n`);
});

test("two at a time do not wait for each other", async () => {
  const [first, second] = await Promise.all([
    processes.run(sh("until [ -e there ]; do sleep 0.01; done; echo first"), often),
    processes.run(sh("touch there; echo second"), often),
  ]);
  expect([first, second].map(({ stdout }) => stdout.toString())).toEqual(["first\n", "second\n"]);
});

test("what takes too long is ended, one that ignores SIGTERM too, and the next one runs", async () => {
  const ended = await processes.run(sh("sleep 60"), { ...often, timeoutMs: 200 });
  expect(ended).toMatchObject({ timedOut: true, end: { how: "killed", signal: "SIGTERM" } });
  expect((await processes.run(sh("echo next"), often)).stdout.toString()).toBe("next\n");
  const deaf = await processes.run(sh('trap "" TERM; while :; do sleep 1; done'), {
    ...often,
    timeoutMs: 200,
  });
  expect(deaf).toMatchObject({ timedOut: true, end: { how: "killed", signal: "SIGKILL" } });
  expect((await processes.run(sh("echo next"), often)).stdout.toString()).toBe("next\n");
}, 30_000);

test("more than the most is dropped", async () => {
  const { stdout } = await processes.run(sh("head -c 5000 /dev/zero"), { ...often, maxBytes: 1000 });
  expect(stdout).toHaveLength(1000);
});

test("a folder that was made anew is the new one, and one that is gone is told as ever", async () => {
  await processes.run(sh("true"), often);
  renameSync(top, `${top}-old`);
  mkdirSync(top);
  await processes.run(sh("echo new >file"), often);
  expect((await processes.run(sh("cat file"), often)).stdout.toString()).toBe("new\n");
  rmSync(`${top}-old`, { recursive: true });
  rmSync(top, { recursive: true });
  expect((await processes.run(sh("true"), often)).end).toMatchObject({ how: "not-found" });
  mkdirSync(top);
});

test("a program that is not there is told as ever", async () => {
  const spec = { ...sh(""), command: "no-such-program" };
  const direct = await processes.run(spec, { ...often, often: false });
  expect(direct.end.how).toBe("not-found");
  expect(await processes.run(spec, often)).toEqual(direct);
});
