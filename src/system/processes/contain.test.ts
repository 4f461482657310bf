// Programs that leave all kinds of processes behind: none of them may be there once the program is gone.
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { nodeClock } from "../clock.js";
import { nodeProcesses } from "./processes.js";
import type { Contain, ContainedProcess } from "../ports.js";

const processes = nodeProcesses(nodeClock());
const { by } = await processes.containment();
/** Their clock stands still: what waits for seconds to pass never ends. */
const timeless = nodeProcesses({ ...nodeClock(), monotonic: () => 0 });
const env = { PATH: process.env["PATH"] ?? "" };

let tags = 0;
const used: string[] = [];
/** Names processes: an argument that no other has. */
function newTag(): string {
  const tag = `${1_000_000 + process.pid}.${++tags}`;
  used.push(tag);
  return tag;
}

/** Those that have the tag among their words, what stands around the program left out. */
function tagged(tag: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return words.includes(tag) && words[0]?.endsWith("/nsenter") === false ? [Number(name)] : [];
    } catch {
      return []; // no process, or gone meanwhile
    }
  });
}

afterAll(() => {
  for (const pid of used.flatMap(tagged)) process.kill(pid, "SIGKILL");
});

interface Started {
  running: ContainedProcess;
  /** Resolves once it printed this line. */
  said: (line: string) => Promise<void>;
  printed: () => string;
}

async function start(how: Contain, script: string, tag = "", by = processes): Promise<Started> {
  let printed = "";
  const waiting: { line: string; heard: () => void }[] = [];
  const running = await by.contain(
    {
      ...{ command: "sh", args: ["-c", script, "sh", tag], cwd: "/", env },
      onStdout: (chunk) => {
        printed += Buffer.from(chunk).toString();
        for (const { line, heard } of waiting) if (printed.includes(`${line}\n`)) heard();
      },
    },
    how,
  );
  const said = (line: string): Promise<void> =>
    printed.includes(`${line}\n`) ? Promise.resolve() : new Promise((heard) => waiting.push({ line, heard }));
  return { running, said, printed: () => printed };
}

/** Once the process is stopped, and what stands around it is as well. */
async function whenStopped(pid: number): Promise<void> {
  if (pid === process.pid) return;
  const stateOf = (): string[] =>
    /^\d+ \(.*\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.slice(1) ?? [];
  while (stateOf()[0] !== "T") await nodeClock().sleep(5);
  await whenStopped(Number(stateOf()[1]));
}

/** Says `ready` once as many processes as told sleep under its tag. */
const whenAsleep = (count: number): string =>
  `until [ "$(ps axww -o args= | grep -c "^sleep $1")" = ${count} ]; do :; done; echo ready;`;

const deaf = `trap "" TERM INT HUP;`;
/** Each leaves a process that sleeps. */
const LEAVINGS = {
  "a child in the background": `sleep "$1" >/dev/null 2>&1 &`,
  "a session of its own": `setsid sleep "$1" >/dev/null 2>&1 &`,
  "a double fork": `(setsid sh -c 'sleep "$1" & exit' sh "$1" >/dev/null 2>&1 &)`,
  "one that is deaf": `(${deaf} exec setsid sleep "$1" >/dev/null 2>&1 &)`,
};
const HOLDING = `setsid sleep "$1" &`;
const UNMARKED = `(env -i setsid sleep "$1" >/dev/null 2>&1 &)`;

const HOWS: Contain[] = ["none", "auto"];

describe.each(HOWS)("contained: %s", (how) => {
  const all = Object.values(LEAVINGS);

  test("nothing it left is there once it is gone, however it was left", async () => {
    const tag = newTag();
    const { running, printed } = await start(how, `${all.join("\n")}\n${whenAsleep(all.length)} exit 7`, tag);
    expect(await running.ended).toEqual({ how: "exited", code: 7 });
    expect(printed()).toBe("ready\n");
    await running.gone;
    expect(tagged(tag)).toEqual([]);
  });

  test("a killed command leaves no process behind, and its end does not wait for a process that holds its pipes", async () => {
    const tag = newTag();
    const { running, said } = await start(
      how,
      `${deaf} ${all.join("\n")}\n${HOLDING}\n${whenAsleep(all.length + 1)} sleep "$1"`,
      tag,
      timeless,
    );
    await said("ready");
    running.signal("SIGKILL", "group");
    expect(await running.ended).toEqual({ how: "killed", signal: "SIGKILL" });
    await running.gone;
    expect(tagged(tag)).toEqual([]);
  });

  test.each([
    ["itself", `kill -STOP $$`],
    ["with a child", `sh -c 'kill -STOP $$' & kill -STOP $$`],
  ])("a killed command that had stopped %s ends", async (_, script) => {
    const tag = newTag();
    const { running } = await start(how, script, tag);
    await whenStopped(running.pid);
    running.signal("SIGTERM", "group");
    running.signal("SIGKILL", "group");
    expect(await running.ended).toMatchObject({ how: "killed" });
    await running.gone;
    expect(tagged(tag)).toEqual([]);
  });

  test("what it left may say its last words", async () => {
    const { running, printed } = await start(how, `(trap "" HUP; sleep 0.3; echo last words) & exit 0`);
    await running.gone;
    expect(printed()).toBe("last words\n");
  });

  test("nothing else is ended", async () => {
    const tag = newTag();
    const other = await start(how, `echo ready; exec sleep "$1"`, tag);
    const plain = processes.start({ command: "sleep", args: [tag], cwd: "/", env });
    await other.said("ready");
    await (
      await start(how, `exit 0`)
    ).running.gone;
    expect(tagged(tag).sort()).toEqual([other.running.pid, plain.pid].sort());
    plain.signal("SIGKILL", "process");
    other.running.signal("SIGKILL", "group");
    await other.running.gone;
  });

  test.each([
    ["exit 0", { how: "exited", code: 0 }],
    ["exit 137", { how: "exited", code: 137 }],
    ["kill -9 $$", { how: "killed", signal: "SIGKILL" }],
    ["kill -TERM $$", { how: "killed", signal: "SIGTERM" }],
    ["kill -SEGV $$", { how: "killed", signal: "SIGSEGV" }],
  ])("how it ends is told as it is: %s", async (script, end) => {
    const { running } = await start(how, script);
    expect(await running.ended).toEqual(end);
  });

  test("its pid is its own, seen from here: a signal to it reaches it, and only it", async () => {
    const tag = newTag();
    const child = `sh -c 'trap "echo child >&2; exit" TERM; echo ready; while :; do sleep 0.01; done' &`;
    const { running, said, printed } = await start(
      how,
      `trap 'echo parent; kill -9 $!; exit 3' TERM; ${child} wait`,
      tag,
    );
    await said("ready");
    expect(tagged(tag)).toEqual([running.pid]);
    running.signal("SIGTERM", "process");
    expect(await running.ended).toEqual({ how: "exited", code: 3 });
    expect(printed()).toBe("ready\nparent\n");
  });

  test("a signal to the group reaches what is in it", async () => {
    const child = `sh -c 'trap "echo child; exit" TERM; echo ready; while :; do sleep 0.01; done' &`;
    const { running, said, printed } = await start(how, `trap 'wait; exit 4' TERM; ${child} wait`);
    await said("ready");
    running.signal("SIGTERM", "group");
    expect(await running.ended).toEqual({ how: "exited", code: 4 });
    expect(printed()).toBe("ready\nchild\n");
  });

  test("a contained command has the environment and folder it was given", async () => {
    let printed = "";
    const running = await processes.contain(
      {
        command: process.execPath,
        args: ["-e", "console.log(process.cwd(), process.env['a.b'], require('fs').readFileSync(0, 'utf8'))"],
        cwd: "/usr",
        // A shell on the way would drop this name.
        env: { ...env, "a.b": "c" },
        input: "typed",
        onStdout: (chunk) => {
          printed += Buffer.from(chunk).toString();
        },
      },
      how,
    );
    expect(await running.ended).toEqual({ how: "exited", code: 0 });
    expect(printed).toBe("/usr c typed\n");
  });

  test("one that cannot be started says so", async () => {
    const running = await processes.contain({ command: "/no/such", args: [], cwd: "/no/where", env }, how);
    expect((await running.ended).how).toBe("not-found");
    await running.gone;
  });
});

test.runIf(by === "namespace")("in a namespace, what gave up its environment too is ended", async () => {
  const tag = newTag();
  const { running } = await start("auto", `${UNMARKED}\n${whenAsleep(1)} exit 0`, tag);
  await running.gone;
  expect(tagged(tag)).toEqual([]);
});

test.runIf(by === "namespace")(
  "in a namespace, orphans are taken in, and pids do not begin anew",
  async () => {
    const zombies = `until [ "$(ps ax -o stat=,args= | grep -c '^Z')" = 0 ]; do :; done`;
    const { running, printed } = await start(
      "auto",
      `(sleep 0.01 &); sleep 0.05; ${zombies}; echo $$; ps ax -o pid=`,
    );
    expect(await running.ended).toEqual({ how: "exited", code: 0 });
    const [own = "", ...others] = printed().trim().split(/\s+/);
    expect(others).toContain(own);
    expect(others.length).toBeLessThan(6);
    expect(Math.abs(Number(own) - running.pid)).toBeLessThan(100);
  },
);

test("what a search finds is told by the mark that only the program's own processes carry", async () => {
  const tag = newTag();
  const { running, said } = await start("none", `echo ready; sleep "$1"; exit 0`, tag);
  await said("ready");
  const marks = readFileSync(`/proc/${running.pid}/environ`, "utf8").split("\0");
  expect(marks.filter((entry) => entry.startsWith("LOOPER_MARK_"))).toHaveLength(1);
  running.signal("SIGKILL", "group");
  await running.gone;
});
