// Hooks: what they are given, that nothing they do changes anything, and who may name them.
import { chmodSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { z } from "zod";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

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
      LOOPER_VERIFIED: "no",
      LOOPER_VERDICT: "unverified",
      LOOPER_ITERATION: "1",
      LOOPER_AGENT: "fake",
      LOOPER_LAST_MESSAGE: message,
    });
    const verified = seen.map(({ name, env }) => `${name}${env["LOOPER_VERIFIED"] ?? "?"}`);
    expect(new Set(verified)).toEqual(new Set(["pre", "postno", "blockedno", "post", "end"]));
    const summary = path.join(path.dirname(message), "summary.json");
    expect(post?.args[2]).toBe(summary);
    expect(JSON.parse(readFileSync(summary, "utf8"))).toEqual({
      task_id: "T1",
      status: "done",
      summary: "made it",
      files: [],
      blockers: [],
      new_tasks: [],
    });
    expect(statSync(summary).mode & 0o777).toBe(0o600);
    expect(post?.message).toContain("made it");
    expect(post?.cwd).toBe(rig.project);
    expect(post?.event).toMatchObject({
      type: "post_iteration",
      run,
      task_id: "T1",
      status: "done",
      iteration: 1,
      agent: "fake",
      summary: "made it",
      files: [],
    });
    expect(seen[2]?.event).toMatchObject({ type: "pre_iteration", task_id: "T2", summary: "", files: [] });
    const given = seen.map(({ args: [, , file = ""] }): unknown => JSON.parse(readFileSync(file, "utf8")));
    expect(given).toMatchObject([
      { task_id: "T1", status: "doing" },
      { task_id: "T1", status: "done", summary: "made it" },
      { task_id: "T2", status: "doing" },
      { task_id: "T2", status: "blocked", blockers: ["no access"] },
      { task_id: "T2", status: "blocked", blockers: ["no access"] },
      { task_id: "T3", status: "doing" },
      { task_id: "T3", status: "blocked", reported_status: "skipped", summary: "not now" },
      { task_id: "T3", status: "blocked", reported_status: "skipped" },
      { task_id: "T4", status: "doing" },
      { task_id: "T4", status: "blocked" },
      { task_id: "T4", status: "blocked" },
      { task_id: null, status: "doing" },
      { task_id: null, status: "reviewed" },
      { task_id: null, status: "blocked" },
    ]);
    expect(given[9]).toEqual({ task_id: "T4", status: "blocked" });
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
  "a hook that fails, hangs or leaves children behind is reported, and changes nothing",
  story(async (rig) => {
    const deaf = "trap '' TERM INT HUP; sleep 1000";
    const hooks = {
      timeout: "8s",
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
      hooks: { post_iteration: ["touch hook-ran && true", ["./listed", "a word"]] },
      agents: {
        mine: { kind: "command", binary: "./evil.sh", args: ["--all"] },
        mod: { kind: "module", module: "./a.mjs" },
      },
    };
    rig.write(".looper/config.json", JSON.stringify(config));
    const refused = await rig.run(["run"]);
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    for (const named of [
      "touch hook-ran",
      '["./listed","a word"]',
      "./evil.sh",
      "--all",
      "./a.mjs",
      ".looper/config.json",
      "--trust",
    ])
      expect(refused.stderr).toContain(named);
    expect(rig.runs()).toEqual([]);
    expect(rig.statuses()).toEqual({ T1: "todo" });
    expect(await rig.run(["ls"])).toMatchObject({ code: 0 });

    expect(await rig.run(["run", "--no-review"], { env: { CI: "true" } })).toMatchObject({ code: 0 });
    expect(rig.read("hook-ran")).toBe("");
    rig.writeBacklog([{ id: "T3" }]);
    expect(await rig.run(["run"], { env: { CI: "false" } })).toMatchObject({ code: 3 });
    // Settings that start nothing need no trust.
    rig.write(".looper/config.json", JSON.stringify({ loop: { max_attempts: 1 }, git: { commit: "none" } }));
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
  }),
);

/** A program that writes down the number of its arguments, and all of them. */
function counter(rig: Rig, name: string): void {
  rig.write(name, `#!/bin/sh\necho "$#:$*" >> ${rig.root}/counted\n`);
  chmodSync(path.join(rig.project, name), 0o755);
}

exhaustively(
  "a script, a list of words, a quoted path and a simple line each get the four arguments; other lines keep them",
  story(async (rig) => {
    const hooks = {
      pre_iteration: "./notify.sh",
      post_iteration: [
        "./notify.sh",
        ["./notify.sh", "a word"],
        "'./my hook.sh'",
        "sh ./notify.sh --loud",
        "./notify.sh --only $2",
        './notify.sh piped | { cat; sh ./notify.sh "$1"; }',
        "./headless",
      ],
      on_run_end: [["./notify.sh"]],
    };
    const puppet = await rig.agent({}, { hooks });
    for (const name of ["notify.sh", "my hook.sh"]) counter(rig, name);
    rig.write("headless", `echo "$#:$*" >> ${rig.root}/counted\n`);
    chmodSync(path.join(rig.project, "headless"), 0o755);
    rig.writeBacklog([{ id: "T1" }]);
    play(puppet);
    const ran = await rig.run(["run", "--no-review", "--hook", "./notify.sh"]);
    expect(ran).toMatchObject({ code: 0 });
    expect(lines(rig, "counted")).toEqual([
      "4:T1 doing FILE iter-1",
      "4:T1 done FILE iter-1",
      "4: complete FILE run-end",
    ]);
    rig.writeBacklog([{ id: "T1" }]);
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(lines(rig, "counted").slice(3)).toEqual([
      "4:T1 doing FILE iter-1",
      "4:T1 done FILE iter-1",
      "5:a word T1 done FILE iter-1",
      "4:T1 done FILE iter-1",
      "5:--loud T1 done FILE iter-1",
      "2:--only done",
      "1:piped",
      "1:T1",
      "4:T1 done FILE iter-1",
      "4: complete FILE run-end",
    ]);
    rig.writeBacklog([{ id: "T1" }]);
    const env = { LOOPER_HOOK: "./notify.sh" };
    expect(await rig.run(["run", "--no-review"], { env })).toMatchObject({ code: 0 });
    expect(lines(rig, "counted").slice(14)).toEqual(["4:T1 done FILE iter-1", "4: complete FILE run-end"]);
  }),
);

/** The lines of a file beside the project, the path of a summary as FILE. */
function lines(rig: Rig, name: string): string[] {
  const text = readFileSync(path.join(rig.root, name), "utf8");
  return text
    .replace(/\S+summary\.json/g, "FILE")
    .trimEnd()
    .split("\n");
}

test(
  "a hook that cannot be started is named with what the system says; a secret in a summary reaches neither a hook's file nor its stdin",
  story(async (rig) => {
    const secret = 'q8Zx-71-very-"secret"-value';
    const cannot = ["./missing.sh", "./plain.sh --loud", ["./missing.sh", "a word"]];
    const puppet = await rig.agent({}, { hooks: { post_iteration: [...cannot, 'cat "$3" - > told'] } });
    rig.write("plain.sh", "#!/bin/sh\n");
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play((turn) => turn.report({ summary: `used ${secret}` }));
    const { code, stderr } = await rig.run(["run", "--no-review"], { env: { SERVICE_TOKEN: secret } });
    expect(code).toBe(0);
    expect(rig.read("told")).not.toContain("very");
    expect(rig.read("told").match(/used \[redacted\]/g)).toHaveLength(2);
    expect(stderr).toMatch(/the hook \.\/missing\.sh failed.*not found/);
    expect(stderr).toMatch(/the hook \.\/plain\.sh --loud failed.*[Pp]ermission denied/);
    expect(stderr).toMatch(/the hook \.\/missing\.sh 'a word' failed/);
  }),
);

test(
  "a branch that is switched between two attempts ends the run, and nothing is done on the other branch",
  story(async (rig) => {
    const hooks = { post_iteration: ["git switch --quiet other; true"] };
    const puppet = await rig.agent({}, { hooks });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    puppet.play(async (turn) => {
      await turn.write("made.txt", turn.task);
      await turn.report();
    });
    rig.gitInit();
    rig.git("branch", "other");
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(3);
    expect(stderr).toContain("a person or a hook switched from main to other between two attempts");
    expect(stderr).toContain("git switch main");
    expect(rig.git("branch", "--show-current")).toBe("other\n");
    expect(rig.git("log", "--format=%s", "main", "-1")).toBe("Do T1\n");
    expect(rig.git("rev-parse", "other")).toBe(rig.git("rev-parse", "main~1"));
    expect(rig.readBacklog().tasks.map(({ status }) => status)).toEqual(["todo", "todo"]);
    rig.git("switch", "--quiet", "main");
    expect(rig.readBacklog().tasks.map(({ status }) => status)).toEqual(["done", "todo"]);
  }),
);
