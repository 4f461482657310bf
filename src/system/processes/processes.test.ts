import { spawn } from "node:child_process";
import { afterAll, expect, test } from "vitest";
import { nodePorts } from "./node-ports.js";

const ports = nodePorts();
const { processes } = ports;
const base = { cwd: "/", env: { PATH: process.env["PATH"] ?? "" } };
const sh = (script: string) => ({ command: "sh", args: ["-c", script], ...base });
const run = `test-${String(process.pid)}`;
processes.mark(run);
afterAll(() => processes.sweep(run));

test("each way to end is told apart", async () => {
  expect((await processes.run(sh("exit 7"))).end).toEqual({ how: "exited", code: 7 });
  expect((await processes.run(sh("kill -9 $$"))).end).toEqual({ how: "killed", signal: "SIGKILL" });
  expect((await processes.run({ ...base, command: "no-such-program", args: [] })).end.how).toBe("not-found");
  expect((await processes.run({ ...base, cwd: "/no/such/folder", command: "true", args: [] })).end.how).toBe(
    "not-found",
  );
});

test("a program sees the environment that it was given, the mark of the run, and nothing else", async () => {
  const env = { PATH: base.env.PATH, GIVEN: "yes" };
  const { stdout } = await processes.run({ command: "env", args: [], cwd: "/", env });
  const seen = Buffer.from(stdout).toString().trim().split("\n");
  const mark = `LOOPER_MARK_${run.replaceAll("-", "_")}=1`;
  expect(seen.toSorted()).toEqual(["GIVEN=yes", mark, `PATH=${base.env.PATH}`]);
});

test("a child that ends at once is heard to the last byte, both pipes", async () => {
  const result = await processes.run(sh("head -c 300000 /dev/zero | tr '\\0' x; echo end; echo err >&2"));
  expect(result.stdout.length).toBe(300_004);
  expect(result.stderr).toBe("err\n");
});

test("the timeout ends the whole group, one that ignores SIGTERM too", async () => {
  const result = await processes.run(sh("sleep 100 & trap '' TERM; while :; do sleep 0.05; done"), {
    timeoutMs: 50,
  });
  expect(result.timedOut).toBe(true);
  expect(result.end.how).toBe("killed");
});

test("a grandchild that holds the pipe does not hold us", async () => {
  // The pipe is held longer than a test may take.
  const result = await processes.run(sh("setsid sleep 6000 & echo here"));
  expect(Buffer.from(result.stdout).toString()).toBe("here\n");
  await processes.sweep(run);
});

test("the sweep finds a child in a session of its own by the mark it inherited, and spares everybody else", async () => {
  const other = processes.start({ command: "env", args: ["-i", "sleep", "60"], ...base });
  // The run ends when the pipes close: the child is on its own, past its exec, by then.
  await processes.run(sh(`setsid sh -c 'trap "" TERM; exec >/dev/null 2>&1; sleep 61; sleep 62' &`));
  expect((await processes.marked(run)).length).toBeGreaterThan(0);
  const swept = await processes.sweep(run);
  expect(swept.left).toEqual([]);
  expect(swept.killed.length).toBeGreaterThan(0);
  expect(await processes.marked(run)).toEqual([]);
  // Started by us but without the mark: known as a descendant, so it is ended as well.
  expect(await other.ended).toEqual({ how: "killed", signal: "SIGKILL" });
});

test("the sweep spares children of the program that embeds this one, and those of another session in it", async () => {
  const theirs = spawn("sleep", ["60"], { stdio: "ignore" });
  const { processes: others } = nodePorts();
  others.mark(`${run}-other`);
  const beside = others.start({ ...base, command: "sleep", args: ["60"] });
  const ours = processes.start({ command: "env", args: ["-i", "sleep", "60"], ...base });
  expect((await processes.sweep(run)).killed).toEqual([ours.pid]);
  expect(await ours.ended).toEqual({ how: "killed", signal: "SIGKILL" });
  expect([theirs.exitCode, theirs.signalCode]).toEqual([null, null]);
  expect(theirs.kill()).toBe(true);
  beside.signal("SIGTERM", "group");
  expect(await beside.ended).toEqual({ how: "killed", signal: "SIGTERM" });
});

test("an owner is alive, gone, or not to be told from here", async () => {
  const self = await processes.identity();
  expect(await processes.fate(self)).toBe("alive");
  expect(await processes.fate({ ...self, started: "0" })).toBe("gone");
  expect(await processes.fate({ ...self, boot: "another" })).toBe("gone");
  expect(await processes.fate({ ...self, host: "another" })).toBe("unknown");
});

test("a command is looked up on the PATH it is given, or taken as a path", async () => {
  expect(await processes.which("sh", "/nowhere:/bin", "/")).toBe("/bin/sh");
  expect(await processes.which("sh", "/nowhere", "/")).toBeUndefined();
  expect(await processes.which("./bin/sh", "", "/")).toBe("/bin/sh");
  expect(await processes.which("/bin", "", "/")).toBeUndefined();
});
