// Nothing an attempt started outlives it, however it ends, and nothing a run started outlives the run: not what sits in a
// session of its own, has no parent any more, is deaf, or, where the system has PID namespaces for us, gave up its environment.
import path from "node:path";
import { expect, test } from "vitest";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { sample } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const { by } = await nodePorts().processes.containment();

/** Seconds; no other process sleeps so long. */
const LONG = 7_000_000 + process.pid;
const quiet = ">/dev/null 2>&1 </dev/null";
const DEAF = `sh -c 'trap "" TERM INT HUP; sleep ${LONG} & wait; wait' ${quiet}`;
const MARKED = [`setsid ${DEAF} &`, `(setsid sh -c 'sleep ${LONG} & exit' ${quiet} &)`];
const UNMARKED = `(env -i setsid sleep ${LONG} ${quiet} &)`;

/** Leaves processes behind; resolves once they sleep. */
async function leave(turn: Turn, contain: "auto" | "none"): Promise<void> {
  const unmarked = contain === "auto" && by === "namespace" ? [UNMARKED] : [];
  const asleep = `ps axww -o args= | grep -c '^sleep ${LONG}'`;
  const count = MARKED.length + unmarked.length;
  await turn.shell(
    [...MARKED, ...unmarked, `until [ "$(${asleep})" = ${count} ]; do sleep 0.05; done`].join("\n"),
  );
}

const left = (rig: Rig): string[] => rig.leftovers().filter((line) => line.includes(`sleep ${LONG}`));

const ENDINGS: Record<string, { agent?: string; end(turn: Turn): Promise<unknown>; why?: RegExp }> = {
  "A-done": { end: (turn) => turn.report() },
  "B-failed": { end: (turn) => turn.exit(1), why: /^exited: / },
  "C-killed": { end: (turn) => turn.die("SIGKILL"), why: /^killed: / },
  "D-timeout": { agent: "slow", end: (turn) => turn.gone, why: /^timed-out: / },
  "E-idle": { agent: "idle", end: (turn) => turn.gone, why: /^idle: / },
  "F-events": {
    agent: "talks",
    end: (turn) => turn.say("x\nx\nx\nx\nx\nx"),
    why: /^events: more than 5 events \(agents\.talks\.max_events\)$/,
  },
  "G-output": {
    agent: "prints",
    end: (turn) => turn.say("x".repeat(3_000)),
    why: /^output: printed more than 2 KB \(agents\.prints\.max_output\)$/,
  },
};

test.each(["none", "auto"] as const)("attempts end with all they started (contain: %s)", (contain) =>
  story(async (rig) => {
    const puppet = await rig.agents(
      {
        fake: { contain },
        slow: { contain, timeout: "1s" },
        idle: { contain, idle_timeout: "1s" },
        talks: { contain, max_events: 5 },
        prints: { contain, max_output: "2KB" },
      },
      { loop: { max_attempts: 1 } },
    );
    const found: Record<string, string[]> = {};
    puppet.play(async (turn) => {
      // Of the attempt before it.
      found[turn.task] = left(rig);
      const ending = ENDINGS[turn.task];
      if (ending === undefined) return turn.report();
      await leave(turn, contain);
      await ending.end(turn);
      await turn.gone;
    });
    const endings = Object.keys(ENDINGS);
    const ids = [...(contain === "auto" ? endings : sample(endings, 3)), "Z-last"];
    rig.writeBacklog(
      ids.map((id) => ({ id, ...(ENDINGS[id]?.agent === undefined ? {} : { agent: ENDINGS[id].agent }) })),
    );
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(1);
    expect(found).toEqual(Object.fromEntries(ids.map((id) => [id, []])));
    for (const { id, status, blockers } of rig.readBacklog().tasks) {
      const why = ENDINGS[id]?.why;
      expect({ id, status }).toEqual({ id, status: why === undefined ? "done" : "blocked" });
      if (why !== undefined) expect(blockers?.[0]).toMatch(why);
    }
  })(),
);

const STOPS = [
  ["none", ["SIGINT", "SIGINT"], 130],
  ["auto", ["SIGTERM"], 143],
  ["auto", ["SIGINT", "SIGINT"], 130],
  ["none", ["SIGTERM"], 143],
] as const;

test.each(sample(STOPS, 2))("a run that is ended ends all (contain: %s, %j)", (contain, signals, code) =>
  story(async (rig) => {
    const puppet = await rig.agent({ contain });
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await leave(turn, contain);
    for (const signal of signals) {
      program.signal(signal);
      await program.says(/stopping once|ending the agent/);
    }
    expect(await program.ended).toMatchObject({ code });
    expect(rig.leftovers()).toEqual([]);
  })(),
);

test(
  "a run that is killed: the next start ends what it left, before anything else",
  story(async (rig) => {
    const puppet = await rig.agent({ contain: "none" });
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    await leave(await puppet.next(), "none");
    await program.kill("alone");
    expect(left(rig)).not.toEqual([]);
    const again = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    expect(left(rig)).toEqual([]);
    puppet.play((one) => one.report());
    await turn.report();
    expect(await again.ended).toMatchObject({ code: 0 });
  }),
);

test.runIf(by === "namespace")("a run that is killed takes its namespaces with it", () =>
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    const program = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await turn.ignore("SIGINT", "SIGTERM", "SIGHUP");
    await leave(turn, "auto");
    await program.kill("alone");
    await turn.gone;
    await expect.poll(() => rig.leftovers()).toEqual([]);
  })(),
);

/** Leaves processes behind, from a line of shell; ends once they sleep. */
function leaving(folder: string): string {
  const unmarked = by === "namespace" ? [UNMARKED] : [];
  const asleep = `ps axww -o args= | grep -c '^sleep ${LONG}'`;
  const count = MARKED.length + unmarked.length;
  const lines = [...MARKED, ...unmarked, `until [ "$(${asleep})" -ge ${count} ]; do sleep 0.05; done`];
  // No process of earlier commands may be there any more.
  return `test "$(${asleep})" = 0 && echo x >>${folder}/clean\n${lines.join("\n")}`;
}

test(
  "checks, setups and hooks end with all they started",
  story(async (rig) => {
    const line = leaving(rig.root);
    const agent = await rig.agent(
      {},
      {
        verify: { commands: [line], setup: [line], cold: true },
        hooks: { pre_iteration: [line], post_iteration: [line] },
      },
    );
    agent.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/out.txt`, "made\n");
      await turn.report();
    });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    // Two rooms with a setup and a check each, and two hooks.
    expect(rig.read("../clean")).toBe("x\n".repeat(6));
    expect(left(rig)).toEqual([]);
  }),
);

test(
  "the end of a run ends a process that a git filter left behind",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(".gitattributes", "*.kept filter=leaving\n");
    rig.gitInit();
    const started = path.join(rig.root, "filter-started");
    rig.git("config", "filter.leaving.clean", `setsid sleep ${LONG} ${quiet} & echo x >>${started}; cat`);
    puppet.play(async (turn) => {
      await turn.write("made.kept", "made\n");
      await turn.report();
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.read("../filter-started")).toMatch(/^x/);
    expect(left(rig)).toEqual([]);
  }),
);
