import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import { measureBaseline, runGate } from "./gate.js";
import { runCommands, type GatePlan, type Room } from "./run-commands.js";
import type { Ran } from "../verdict.js";

const ports = nodePorts();
const mark = `gate-test-${String(process.pid)}`;
ports.processes.mark(mark);

const top = realpathSync(mkdtempSync(join(tmpdir(), "gate-")));
let cwd = top;
let room: Room;
afterAll(async () => {
  await ports.processes.sweep(mark);
  rmSync(top, { recursive: true });
});
beforeEach(() => {
  cwd = mkdtempSync(join(top, "room-"));
  room = { cwd, env: { PATH: process.env["PATH"] ?? "" }, redact: createRedact(["hunter2hunter2"]) };
});

const never = new AbortController().signal;

function plan(commands: string | string[], more: Partial<GatePlan> = {}): GatePlan {
  return { commands: [commands].flat(), own: [], timeoutMs: 0, reports: [], ...more };
}

async function run(commands: string | string[], more: Partial<GatePlan> = {}): Promise<Ran[]> {
  const ran = await runCommands(ports, room, plan(commands, more), never);
  if (ran === "interrupted") throw new Error("interrupted");
  return ran;
}

async function runOne(command: string, more: Partial<GatePlan> = {}): Promise<Ran> {
  const [ran] = await run(command, more);
  if (ran === undefined) throw new Error("nothing ran");
  return ran;
}

const suite = (...cases: string[]): string => `<testsuite name="s">${cases.join("")}</testsuite>`;
const good = (name: string): string => `<testcase name="${name}"/>`;
const bad = (name: string): string => `<testcase name="${name}"><failure/></testcase>`;
const write = (file: string, ...cases: string[]): string => `printf '%s' '${suite(...cases)}' > ${file}`;

test("every command runs once, in order and even after a failure, with the task's own last", async () => {
  const ran = await run(["echo 1 >> log; exit 3", "echo 2 >> log", "echo 1 >> log; exit 3"], {
    own: ["cat log", "echo 2 >> log"],
  });
  expect(ran.map(({ command, own, end }) => [command, own, end])).toEqual([
    ["echo 1 >> log; exit 3", false, { how: "exited", code: 3 }],
    ["echo 2 >> log", false, { how: "exited", code: 0 }],
    ["cat log", true, { how: "exited", code: 0 }],
    ["echo 2 >> log", true, { how: "exited", code: 0 }],
  ]);
  expect(ran[2]?.tail).toBe("1\n2\n");
  expect(ran[0]).not.toHaveProperty("tests");
});

test("a command runs with the room's folder and environment, and without input", async () => {
  const began = performance.now();
  const { tail, duration_ms } = await runOne(
    "pwd; env | grep -c HOME; cat; echo err >&2; echo hunter2hunter2",
  );
  // Two pipes: output on one may arrive before earlier output on the other.
  expect(tail.split("\n").sort()).toEqual(["", cwd, "0", "err", "[redacted]"].sort());
  expect(Number.isInteger(duration_ms)).toBe(true);
  expect(duration_ms).toBeLessThanOrEqual(performance.now() - began + 1);
});

test("the result has how the command ended", async () => {
  expect((await runOne("kill -SEGV $$")).end).toEqual({ how: "killed", signal: "SIGSEGV" });
  expect((await runOne("no-such-command")).end).toEqual({ how: "exited", code: 127 });
  room = { ...room, cwd: join(cwd, "gone") };
  expect((await runOne("true")).end.how).toBe("not-found");
});

test("a timeout ends the whole process group, once with SIGTERM and then with SIGKILL", async () => {
  const loop = "while :; do sleep 0.02; done";
  const polite = await runOne(
    `sh -c 'trap "echo kid; exit" TERM; ${loop}' & trap 'wait; echo bye; exit 0' TERM; echo up; ${loop}`,
    { timeoutMs: 5_000 },
  );
  expect(polite.end).toEqual({ how: "timed-out" });
  expect(polite.tail.split("\n").filter((line) => line !== "Terminated")).toEqual(["up", "kid", "bye", ""]);
  const deaf = await runOne(`(trap '' TERM; sleep 300) & trap 'echo term' TERM; ${loop}`, {
    timeoutMs: 5_000,
  });
  expect(deaf.end).toEqual({ how: "timed-out" });
  expect(deaf.tail.match(/^term$/gm)?.length).toBe(1);
  expect((await runOne("exit 1", { timeoutMs: 600_000 })).end).toEqual({ how: "exited", code: 1 });
  expect((await runOne("sleep 1", { timeoutMs: 600_000 })).end).toEqual({ how: "exited", code: 0 });
});

test("neither a jump of the clock nor a suspended machine ends a command", async () => {
  const { clock } = ports;
  let suspended = 0;
  const jumped: typeof clock = {
    ...clock,
    now: () => clock.now() + 3_600_000,
    at: (_, wake) => clock.at(0, wake),
    monotonic: () => clock.monotonic() + (suspended += 3_600_000),
  };
  const order = plan("sleep 0.5", { timeoutMs: 60_000 });
  const ran = await runCommands({ ...ports, clock: jumped }, room, order, never);
  expect(ran).toMatchObject([{ end: { how: "exited", code: 0 } }]);
});

test("processes that a command leaves in its group are killed when it ends", async () => {
  const ran = await runOne("sleep 3000 >/dev/null 2>&1 & echo $!");
  const pid = Number(ran.tail);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => ports.files.read(`/proc/${pid}/cmdline`).then((line) => line?.length ?? 0)).toBe(0);
});

test("a grandchild that keeps the pipe open does not delay the end, and its output is dropped", async () => {
  const { tail, end } = await runOne("setsid sh -c 'sleep 0.2; echo late; exec sleep 300' & echo early");
  expect(end).toEqual({ how: "exited", code: 0 });
  expect(tail).toBe("early\nlate\n");
});

test("a stop kills the running command at once, and the commands after it never start", async () => {
  const stop = new AbortController();
  const running = runCommands(
    ports,
    room,
    plan(["trap '' TERM; echo > up; sleep 300", "echo > next"]),
    stop.signal,
  );
  await expect.poll(() => ports.files.stat(join(cwd, "up"))).toBeDefined();
  stop.abort();
  expect(await running).toBe("interrupted");
  expect(await runCommands(ports, room, plan("echo > next"), stop.signal)).toBe("interrupted");
  expect(await ports.files.stat(join(cwd, "next"))).toBeUndefined();
  const rules = { ...plan("echo > next"), strict: false, baseline: undefined };
  expect(await runGate(ports, room, rules, stop.signal)).toEqual({
    report: { verdict: "interrupted", cold: false, commands: [], tampered: [], evidence: "" },
    now: { commands: [] },
    warnings: [],
  });
  expect(await measureBaseline(ports, room, rules, stop.signal)).toBe("interrupted");
});

test("100 MB of output in one line are read but not kept in memory", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const { tail } = await runOne("head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end", {
    reports: ["stdout"],
  });
  expect(tail).toMatch(
    /^\[… the beginning is left out\]\nx*\n?end\n\[no test report: more than 16777216 bytes on stdout\]\n$/,
  );
  expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(8192);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
});

test("test cases are read from stdout, without secrets and the room's path", async () => {
  const lines = ["TAP version 13", "ok 1 - hunter2hunter2", `not ok 2 - ${cwd}/a.js`, "1..2"];
  const { tests } = await runOne(`printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}`, {
    reports: ["stdout"],
  });
  expect(tests).toEqual({ "[redacted]": "passed", "a.js": "failed" });
  expect(await runOne("echo 'All tests passed'", { reports: ["stdout"] })).not.toHaveProperty("tests");
  expect(await runOne("echo 'TAP version 13'")).not.toHaveProperty("tests");
  expect(await runOne("echo 'TAP version 13' >&2", { reports: ["stdout"] })).not.toHaveProperty("tests");
});

test("names contain neither the room's path nor the path it links to", async () => {
  const link = join(top, `link-${cwd.slice(-6)}`);
  symlinkSync(cwd, link);
  room = { ...room, cwd: link };
  const command = `echo TAP version 13; echo "ok 1 - $(pwd -P)/a.js"; echo "ok 2 - ${link}/b.js"`;
  const { tests } = await runOne(command, { reports: ["stdout"] });
  expect(tests).toEqual({ "a.js": "passed", "b.js": "passed" });
});

test("test cases are read from files, and from folders but not from their subfolders", async () => {
  mkdirSync(join(cwd, "out/deeper.xml"), { recursive: true });
  const commands = [
    write("a.xml", good("a")),
    write("out/TEST-b.XML", good("b")),
    write("out/c.txt", good("c")),
    write("out/deeper.xml/d.xml", good("d")),
    "printf '1..1\\nok 1 - e\\n' > out/e.tap",
    "echo '<coverage/>' > out/coverage.xml",
    write("out/f.xml.old", good("f")),
  ];
  const ran = await runOne(commands.join("; "), { reports: ["a.xml", "out", "none.xml"] });
  expect(ran.tests).toEqual({ "s > a": "passed", "s > b": "passed", e: "passed" });
  expect(ran.tail).toBe("");
});

test("a report that existed before the command counts only if the command rewrote it", async () => {
  const report = join(cwd, "r.xml");
  writeFileSync(report, suite(good("old")));
  const reports = { reports: ["r.xml"] };
  expect(await runOne("true", reports)).not.toHaveProperty("tests");
  expect(await runOne("cat r.xml > /dev/null", reports)).not.toHaveProperty("tests");
  // Each of the signs of a changed file on its own: time, size, identity.
  expect((await runOne("touch r.xml", reports)).tests).toEqual({ "s > old": "passed" });
  expect((await runOne(write("r.xml", good("new")), reports)).tests).toEqual({ "s > new": "passed" });
  const same = "cp -p r.xml r2.xml; mv r2.xml r.xml";
  expect((await runOne(same, reports)).tests).toEqual({ "s > new": "passed" });
  utimesSync(report, 1, 1);
  expect((await runOne(`${write("r.xml", good("now"))}; touch -d @1 r.xml`, reports)).tests).toEqual({
    "s > now": "passed",
  });
  // Two commands right after each other that write the same report.
  const twice = await run([write("r.xml", bad("a")), `${write("r.xml", bad("a"))} # again`, "true"], reports);
  expect(twice.map(({ tests }) => tests)).toEqual([{ "s > a": "failed" }, { "s > a": "failed" }, undefined]);
});

test("a command waits until the last report is old enough to tell a rewritten one from it", async () => {
  const { clock } = ports;
  const slept: number[] = [];
  const sleep = (ms: number): Promise<void> => clock.sleep(ms).finally(() => slept.push(ms));
  const watched = async (at: number): Promise<number[]> => {
    slept.length = 0;
    const now = (): number => at;
    const reports = { reports: ["new.xml", "old.xml", "none.xml"] };
    await runCommands({ ...ports, clock: { ...clock, now, sleep } }, room, plan("true", reports), never);
    return slept;
  };
  expect(await watched(clock.now())).toEqual([]);
  writeFileSync(join(cwd, "old.xml"), "");
  await expect.poll(() => clock.now() - statSync(join(cwd, "old.xml")).ctimeMs).toBeGreaterThan(200);
  writeFileSync(join(cwd, "new.xml"), "");
  const { ctimeMs } = statSync(join(cwd, "new.xml"));
  expect(await watched(ctimeMs + 10)).toEqual([50]);
  expect(await watched(ctimeMs + 60_000)).toEqual([]);
});

test("an unreadable report makes all reports of a command count as none, with a note in its tail", async () => {
  const broken = await runOne(`echo said; echo '<testsuite>' > b.xml; ${write("a.xml", good("a"))}`, {
    reports: ["a.xml", "b.xml"],
  });
  expect(broken).not.toHaveProperty("tests");
  expect(broken.tail).toMatch(/^said\n\[no test report: .*b\.xml is not well-formed XML, .*\]\n$/);
  const big = await runOne(`truncate -s 70000000 b.xml; ${write("c.xml", good("a"))}`, {
    reports: ["b.xml", "c.xml"],
  });
  expect(big).not.toHaveProperty("tests");
  expect(big.tail).toBe("[no test report: more than 67108864 bytes of report files]\n");
});

test("only a regular file is read as a report", async () => {
  symlinkSync("/dev/zero", join(cwd, "zero.xml"));
  symlinkSync("nowhere", join(cwd, "nowhere.xml"));
  const ran = await runOne("mkfifo pipe.xml", { reports: ["pipe.xml", "zero.xml", "nowhere.xml"] });
  expect(ran).not.toHaveProperty("tests");
  expect(ran.tail).toBe("");
});

test("a report without read permission counts as none", async () => {
  symlinkSync("loop.xml", join(cwd, "loop.xml"));
  const ran = await runOne("ln -s loop out; ln -s out loop; mkdir d; ln -s e.xml d/e.xml", {
    reports: ["loop.xml", "out", "d", "loop.xml/a.xml"],
  });
  expect(ran).not.toHaveProperty("tests");
  // A file that is removed, or becomes unreadable, after it was found.
  const { files } = ports;
  const gone: typeof files = {
    ...files,
    readRange: () => Promise.reject(Object.assign(new Error("EACCES"), { code: "EACCES" })),
  };
  const refused = await runCommands(
    { ...ports, files: gone },
    room,
    plan(write("a.xml", good("a")), { reports: ["a.xml"] }),
    never,
  );
  expect(refused).toMatchObject([{ tail: `[no test report: ${cwd}/a.xml cannot be read]\n` }]);
  const broken = { ...files, readRange: () => Promise.reject(new Error("a bug")) };
  const again = plan(write("a.xml", good("b")), { reports: ["a.xml"] });
  await expect(runCommands({ ...ports, files: broken }, room, again, never)).rejects.toThrow("a bug");
});

const rules = (baseline: Awaited<ReturnType<typeof measureBaseline>>, all: GatePlan) => {
  if (baseline === "interrupted") throw new Error("interrupted");
  return { ...all, strict: false, baseline };
};

test("a whole gate has a baseline, a regression, and a baseline for the next task", async () => {
  const all = plan("cat cases.xml; grep -qv failure cases.xml", {
    reports: ["stdout"],
    own: ["test -e done"],
  });
  writeFileSync(join(cwd, "cases.xml"), suite(good("a"), bad("b")));
  const baseline = await measureBaseline(ports, room, all, never);
  expect(baseline).toMatchObject({
    commands: [
      { own: false, end: { how: "exited", code: 1 }, tests: { "s > a": "passed", "s > b": "failed" } },
    ],
  });
  writeFileSync(join(cwd, "cases.xml"), suite(bad("a"), good("b")));
  const failed = await runGate(ports, room, rules(baseline, all), never);
  expect(failed.report.verdict).toBe("failed");
  expect(failed.report.commands.map(({ verdict }) => verdict)).toEqual(["regressed", "new"]);
  expect(failed.report.evidence.split("\n")[0]).toBe(
    "cat cases.xml; grep -qv failure cases.xml: 1 test regressed: s > a; 1 more command failed",
  );
  writeFileSync(join(cwd, "cases.xml"), suite(good("a"), good("b")));
  writeFileSync(join(cwd, "done"), "");
  const passed = await runGate(ports, room, rules(baseline, all), never);
  expect(passed.report).toMatchObject({ verdict: "passed", cold: false, evidence: "" });
  expect(passed.now.commands).toMatchObject([{ tests: { "s > a": "passed", "s > b": "passed" } }]);
  expect(passed.now.commands.length).toBe(1);
  writeFileSync(join(cwd, "cases.xml"), suite(good("b")));
  const less = await runGate(ports, room, rules(baseline, all), never);
  expect(less.report).toMatchObject({ verdict: "unverified", because: "no-report" });
  expect(less.warnings).toEqual([
    'not verified, since 1 test of "cat cases.xml; grep -qv failure cases.xml" that ran before does not run any more: s > a',
  ]);
});

test("only commands that would fail the attempt run once more", async () => {
  const flaky = "echo >> count; test $(wc -l < count) -gt 1";
  const all = plan([flaky, "echo >> good"], { own: ["echo >> own; false"] });
  const first = await runGate(ports, room, { ...all, strict: false, baseline: undefined }, never);
  expect(first.report.commands.map(({ verdict }) => verdict)).toEqual(["flaky", "passed", "new"]);
  expect(first.now.commands.map(({ end }) => end)).toEqual([
    { how: "exited", code: 0 },
    { how: "exited", code: 0 },
  ]);
  const runs = await runOne("wc -l < count; wc -l < good; wc -l < own");
  expect(runs.tail.replaceAll(" ", "")).toBe("2\n1\n2\n");
});

test("a stop during a second run interrupts the gate", async () => {
  const stop = new AbortController();
  const again = "test -e once && echo > twice && sleep 300; echo > once; false";
  const running = runGate(ports, room, { ...plan(again), strict: false, baseline: undefined }, stop.signal);
  await expect.poll(() => ports.files.stat(join(cwd, "twice"))).toBeDefined();
  stop.abort();
  expect((await running).report.verdict).toBe("interrupted");
});
