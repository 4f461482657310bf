// Hooks: what they are given, that nothing they do changes anything, and who may name them.
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Puppet, Turn } from "./puppet.js";
import { type Rig, story } from "./rig.js";

const Call = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  event: z.looseObject({ type: z.string() }),
  cwd: z.string(),
  message: z.string(),
});

/** A hook that writes down how it was called. */
function recorder(rig: Rig, name: string): string {
  rig.write(
    "record.cjs",
    `const fs = require("fs");
     const [, , name, out, ...args] = process.argv;
     const pick = Object.entries(process.env).filter(([key]) => /^LOOPER_(?!MARK)/.test(key));
     const read = (file) => { try { return fs.readFileSync(file, "utf8"); } catch { return ""; } };
     fs.appendFileSync(out, JSON.stringify({ name, args, env: Object.fromEntries(pick), cwd: process.cwd(),
       event: JSON.parse(fs.readFileSync(0, "utf8")), message: read(process.env.LOOPER_LAST_MESSAGE) }) + "\\n");`,
  );
  return `node ${rig.project}/record.cjs ${name} ${rig.root}/calls.jsonl "$1" "$2" "$3" "$4"`;
}

function calls(rig: Rig): z.infer<typeof Call>[] {
  const text = readFileSync(path.join(rig.root, "calls.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Call.parse(JSON.parse(line)));
}

/** T1 is done, T2 blocks, T3 skips, T4 fails. */
function play(puppet: Puppet): void {
  const parts: Record<string, (turn: Turn) => Promise<void>> = {
    T1: (turn) => turn.report({ summary: "made it" }),
    T2: (turn) => turn.report({ status: "blocked", blockers: ["no access"] }),
    T3: (turn) => turn.report({ status: "skipped", summary: "not now" }),
    T4: (turn) => turn.exit(1),
  };
  puppet.play((turn) => (parts[turn.task] ?? ((one: Turn) => one.report()))(turn));
}

test(
  "each hook is told what happened: by environment, arguments and an event on stdin, in the project",
  story(async (rig) => {
    const hooks = {
      pre_iteration: [recorder(rig, "pre")],
      post_iteration: [recorder(rig, "post")],
      on_blocked: [recorder(rig, "blocked")],
      on_run_end: [recorder(rig, "end")],
    };
    const puppet = await rig.agent({}, { hooks, loop: { max_attempts: 1 } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }, { id: "T4" }]);
    play(puppet);
    expect(await rig.run(["run"])).toMatchObject({ code: 1 });
    const seen = calls(rig);
    expect(seen.map(({ name, args: [id, status, , label] }) => [name, id, status, label].join(" "))).toEqual([
      "pre T1 doing iter-1",
      "post T1 done iter-1",
      "pre T2 doing iter-2",
      "post T2 blocked iter-2",
      "blocked T2 blocked iter-2",
      "pre T3 doing iter-3",
      "post T3 blocked iter-3",
      "blocked T3 blocked iter-3",
      "pre T4 doing iter-4",
      "post T4 blocked iter-4",
      "blocked T4 blocked iter-4",
      "pre  doing review-5",
      "post  reviewed review-5",
      expect.stringMatching(/^end {2}blocked /),
    ]);
    const [run = ""] = rig.runs();
    const post = seen[1];
    const message = path.join(rig.project, `looper-logs/runs/${run}/001-iter-1/last-message.txt`);
    expect(post?.env).toEqual({
      LOOPER_RUN_ID: run,
      LOOPER_TASK_ID: "T1",
      LOOPER_STATUS: "done",
      LOOPER_ITERATION: "1",
      LOOPER_AGENT: "fake",
      LOOPER_LAST_MESSAGE: message,
    });
    expect(post?.args[2]).toBe(message);
    expect(post?.message).toContain("made it");
    expect(post?.cwd).toBe(rig.project);
    expect(post?.event).toMatchObject({
      type: "post_iteration",
      run,
      task_id: "T1",
      status: "done",
      iteration: 1,
      agent: "fake",
    });
  }),
);

test(
  "skipped and failed attempts that will be tried again are told as such; --hook adds one for this run",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T3" }, { id: "T4" }]);
    play(puppet);
    expect(await rig.run(["run", "--no-review", "--hook", recorder(rig, "flag")])).toMatchObject({ code: 1 });
    expect(calls(rig).map(({ args: [id, status] }) => [id, status].join(" "))).toEqual([
      "T3 skipped",
      "T3 blocked",
      "T4 failed",
      "T4 blocked",
    ]);
  }),
);

test(
  "a hook that fails, hangs or leaves children behind is told of, and changes nothing",
  story(async (rig) => {
    const deaf = "trap '' TERM INT HUP; sleep 1000";
    const hooks = {
      timeout: "1s",
      pre_iteration: ["echo not today; exit 3"],
      post_iteration: [`[ "$1" != T1 ] || { ${deaf}; }`, `setsid sh -c "${deaf}" >/dev/null 2>&1 &`],
      on_run_end: ["kill -9 $$"],
    };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    play(puppet);
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(rig.commitsByTask()).toEqual({ T1: 1 });
    const ended = rig.events().filter(({ type }) => type === "hook_finished");
    expect(ended).toMatchObject([
      { hook: "pre_iteration", outcome: "failed", exit_code: 3, output: "not today\n" },
      { hook: "post_iteration", outcome: "timed-out" },
      { hook: "post_iteration", outcome: "ok" },
      { hook: "on_run_end", outcome: "failed" },
    ]);
    expect(stderr).toContain("echo not today; exit 3 failed (exit 3): not today");
    expect(stderr).toContain("took too long");
    expect(rig.leftovers()).toEqual([]);
  }),
);

test(
  "Ctrl-C once: the agent finishes, its hooks run and those of the run's end; twice: the agent is ended, and only those of the end",
  story(async (rig) => {
    const hooks = {
      post_iteration: [recorder(rig, "post")],
      on_run_end: [recorder(rig, "end")],
    };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    const first = rig.start(["run"]);
    const turn = await puppet.next();
    first.signal("SIGINT");
    await first.says(/stopping once the agent has finished/);
    await turn.report();
    expect(await first.ended).toMatchObject({ code: 130 });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "todo" });
    expect(calls(rig).map(({ name, args: [, status] }) => `${name} ${status ?? ""}`)).toEqual([
      "post done",
      "end interrupted",
    ]);

    const second = rig.start(["run"]);
    const hanging = await puppet.next();
    second.signal("SIGINT");
    await second.says(/stopping once the agent has finished/);
    second.signal("SIGINT");
    expect(await second.ended).toMatchObject({ code: 130 });
    await hanging.gone;
    expect(rig.statuses()).toEqual({ T1: "done", T2: "doing" });
    expect(
      calls(rig)
        .slice(2)
        .map(({ name, args: [, status] }) => `${name} ${status ?? ""}`),
    ).toEqual(["end interrupted"]);
  }),
);

test(
  "a project that names commands of its own: not without --trust, each of them listed; CI counts as trust, reading commands do not ask",
  story(async (rig) => {
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report());
    rig.writeBacklog([{ id: "T1" }]);
    const config = {
      hooks: { post_iteration: ["touch hook-ran"] },
      agents: {
        mine: { kind: "command", binary: "./evil.sh", args: ["--all"] },
        mod: { kind: "module", module: "./a.mjs" },
      },
    };
    rig.write(".looper/config.json", JSON.stringify(config));
    const refused = await rig.run(["run"]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    for (const named of ["touch hook-ran", "./evil.sh", "--all", "./a.mjs", ".looper/config.json", "--trust"])
      expect(refused.stderr).toContain(named);
    expect(rig.runs()).toEqual([]);
    expect(rig.statuses()).toEqual({ T1: "todo" });
    expect(await rig.run(["ls"])).toMatchObject({ code: 0 });
    expect(await rig.run(["validate"])).toMatchObject({ code: 0 });

    expect(await rig.run(["run", "--trust"])).toMatchObject({ code: 0 });
    expect(rig.read("hook-ran")).toBe("");
    rig.writeBacklog([{ id: "T2" }]);
    expect(await rig.run(["run"], { env: { CI: "true" } })).toMatchObject({ code: 0 });
    rig.writeBacklog([{ id: "T3" }]);
    expect(await rig.run(["run"], { env: { CI: "false" } })).toMatchObject({ code: 3 });
    // Settings that start nothing need no trust.
    rig.write(".looper/config.json", JSON.stringify({ loop: { max_attempts: 1 }, git: { commit: "none" } }));
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
  }),
);
