// A run done again from its log: with its tree, in a clone of the repository, agents replaced by what their attempts left.
import { chmodSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

/** Everything a replay must leave alone: refs, index, files, locks, and the folder for temporary files. */
function touched(rig: Rig): unknown {
  const index = path.join(rig.project, ".git/index");
  return {
    refs: rig.git("for-each-ref"),
    index: rig.readBytes(path.relative(rig.project, index)).toString("hex"),
    files: rig.git("--no-optional-locks", "status", "--porcelain", "--ignored"),
    objects: rig.git("count-objects", "-v"),
    backlog: rig.read("to-do.json"),
    logs: readdirSync(path.join(rig.project, "looper-logs/runs"), { recursive: true }).sort(),
    temporary: readdirSync(path.join(rig.root, "tmp")),
  };
}

const own = (turn: Turn, name = `${turn.task.replaceAll("/", "-")}.txt`) =>
  turn.write(path.join(turn.hello.cwd, name), `${turn.task} ${turn.hello.env["LOOPER_ATTEMPT"] ?? ""}\n`);

exhaustively(
  "a run of every kind of attempt: the same trees of its commits, the same task file, and nothing of the project is touched",
  story(async (rig) => {
    const puppet = await rig.agent({}, { loop: { max_attempts: 2 } });
    rig.writeBacklog([
      { id: "T1", priority: 1 },
      { id: "strange/id.1", priority: 2 },
      { id: "T2", priority: 3 },
      { id: "T3", priority: 4 },
      { id: "T4", priority: 5 },
    ]);
    rig.write("keep.txt", "kept\n");
    rig.write("gone.txt", "gone\n");
    rig.write(".gitignore", "*.log\n");
    rig.gitInit();
    // A person's work, some of it staged: it goes into no commit of a task.
    rig.write("person.txt", "mine\n");
    rig.write("keep.txt", "kept, and more\n");
    rig.git("add", "keep.txt");
    let reviews = 0;
    puppet.play(async (turn) => {
      const at = (name: string) => path.join(turn.hello.cwd, name);
      if (turn.phase === "review") {
        await turn.write(at("review.txt"), "was here\n");
        const more = reviews++ === 0 ? [{ title: "Found in review", priority: 1 }] : [];
        await turn.report({ status: "reviewed", new_tasks: more });
      } else if (turn.task === "T1") {
        // Modes, symlinks, folders in place of files, ignored files.
        writeFileSync(at("run.sh"), "#!/bin/sh\n");
        chmodSync(at("run.sh"), 0o755);
        symlinkSync("run.sh", at("link"));
        rmSync(at("gone.txt"));
        await turn.write(at("gone.txt/now-a-folder"), "x\r\n");
        await turn.write(at("noise.log"), "ignored\n");
        await turn.report({ summary: "made links", files: ["run.sh"] });
      } else if (turn.task === "T2" && turn.hello.env["LOOPER_ATTEMPT"] === "1") {
        await own(turn, "half.txt");
        await turn.exit(3);
      } else if (turn.task === "T3") {
        await own(turn, "given-up.txt");
        await turn.report({ status: "blocked", blockers: ["no way"] });
      } else if (turn.task === "T4") {
        await turn.report({ summary: "nothing to do", new_tasks: [{ title: "Follow up" }] });
      } else {
        await own(turn);
        await turn.report();
      }
    });
    expect(await rig.run(["run"])).toMatchObject({ code: 1 });
    const before = touched(rig);
    const decisions = rig.events().filter(({ type }) => type === "decided").length;
    const commits = rig.events().filter((line) => line.type === "committed" && line["commit"] !== undefined);
    const answer = await rig.replayTree();
    expect(answer).toMatchObject({ same: true, decisions, commits: commits.length, notes: [] });
    expect(commits.length).toBeGreaterThan(5);
    expect(answer.backlogs).toBeGreaterThan(15);
    expect(touched(rig)).toEqual(before);
  }),
);

function changeSettings(rig: Rig, more: Record<string, unknown>): void {
  const file = path.join(rig.root, "config/looper/config.json");
  rig.settings({ ...(JSON.parse(readFileSync(file, "utf8")) as object), ...more });
}

test(
  "a tree or a task file that comes out otherwise is a difference, with its line and what differs",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await own(turn);
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    const [run = ""] = rig.runs();
    const log = `looper-logs/runs/${run}/events.jsonl`;
    const ref = `refs/looper/attempts/${run}/T1-1`;
    const commit = rig.git("rev-parse", ref).trim();
    rig.git("update-ref", ref, rig.git("rev-parse", `refs/looper/attempts/${run}/T2-2`).trim());
    const other = await rig.replayTree();
    expect(other).toMatchObject({ same: false, commits: 0 });
    const line = rig.events().find((one) => one.type === "committed" && one["task_id"] === "T1");
    expect(other.seq).toBe(line?.seq);
    expect(other.difference).toBe(
      `then: commit ${commit}\nnow:  another tree, which differs in T1.txt, T2.txt`,
    );
    rig.git("update-ref", ref, commit);

    const whole = rig.read(log);
    const sha = /"sha256":"([0-9a-f]{64})"/g;
    const last = [...whole.matchAll(sha)].at(-1)?.[1] ?? "";
    rig.write(log, whole.replaceAll(last, "0".repeat(64)));
    expect((await rig.replayTree()).difference).toContain(last);
    rig.write(log, whole);
  }),
);

exhaustively(
  "a person's commit during the run is taken over and reported; their text in the task file is not kept, which is reported",
  story(async (rig) => {
    const puppet = await rig.agent({}, { hooks: { post_iteration: [COMMITS] } });
    puppet.play(async (turn) => {
      await own(turn);
      await turn.report();
    });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    const committed = await rig.replayTree();
    expect(committed).toMatchObject({ same: true, commits: 2 });
    expect(committed.notes.join("\n")).toMatch(/others had moved HEAD to [0-9a-f]{12} meanwhile/);

    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    changeSettings(rig, { hooks: { post_iteration: ["echo >> to-do.json"] } });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    const saved = await rig.replayTree();
    expect(saved).toMatchObject({ same: false, commits: 1 });
    expect(saved.stopped?.why).toBe("others had saved the task file, and what they wrote is kept nowhere");
    expect(saved.decisions).toBe(rig.events().filter(({ type }) => type === "decided").length);
  }),
);

/** The person's hook: it commits a file of its own. */
const COMMITS =
  "date +%N >> hook.log; git add hook.log; git -c user.name=P -c user.email=p@example.org commit -qm hook";

exhaustively(
  "a killed run and the one that resumed it each come out the same, finishing the other's commit included",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const first = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await own(turn, "half.txt");
    await first.kill("alone");
    turn.letGo();
    puppet.play(async (next) => {
      await own(next);
      await next.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    const [killed = "", resumed = ""] = rig.runs();
    expect(await rig.replayTree({ run: killed })).toMatchObject({ same: true, commits: 0, backlogs: 1 });
    // A file that the killed run could not write any more is not missed where nothing followed from it.
    const log = `looper-logs/runs/${resumed}/events.jsonl`;
    const whole = rig.read(log);
    const ref = `refs/looper/attempts/${resumed}/T1-1`;
    const commit = rig.git("rev-parse", ref).trim();
    rig.git("update-ref", "-d", ref);
    const snapshot = rig.events(resumed).find(({ type }) => type === "snapshot")?.seq ?? 0;
    rig.write(
      log,
      `${whole
        .split("\n")
        .slice(0, snapshot + 1)
        .join("\n")}\n`,
    );
    expect(await rig.replayTree({ run: resumed })).toMatchObject({ same: true, commits: 0 });
    rig.write(log, whole);
    expect(await rig.replayTree({ run: resumed })).toMatchObject({
      same: false,
      stopped: { seq: snapshot, why: "what attempt T1-1 left is not kept" },
    });
    rig.git("update-ref", ref, commit);
    expect(await rig.replayTree({ run: resumed })).toMatchObject({ same: true, commits: 2, notes: [] });
    expect(rig.git("show", "--name-only", "--format=", `refs/looper/attempts/${resumed}/T1-1`)).toContain(
      "half.txt",
    );
  }),
);

exhaustively(
  "without git, or without what the attempts left, only decisions are compared, and that is said",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    puppet.play(async (turn) => {
      await own(turn);
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    await expect(rig.replayTree()).rejects.toThrow("there is no tree to replay");
    rig.gitInit();
    expect((await rig.replayTree()).stopped).toEqual({
      seq: 1,
      why: "the run had no git repository, so its tree was not kept",
    });
    rig.writeBacklog([{ id: "T2" }]);
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    for (const ref of rig
      .git("for-each-ref", "--format=%(refname)", "refs/looper/attempts")
      .trim()
      .split("\n"))
      rig.git("update-ref", "-d", ref);
    expect((await rig.replayTree()).stopped?.why).toBe("no attempts of this run are kept in the repository");
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(await rig.replayTree()).toMatchObject({
      same: true,
      commits: 0,
      notes: ["the run made no attempt, so it changed no tree"],
    });
    const log = `looper-logs/runs/${rig.runs().at(-1) ?? ""}/events.jsonl`;
    const whole = rig.read(log);
    rig.write(log, whole.replace(/"version":"[^"]*"/, '"version":"0.0.9"'));
    const refused = await rig.run(["replay"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/looper 0\.0\.9 made run .*, and this is .*: decisions may differ/);
    expect(await rig.run(["tail"])).toMatchObject({ code: 0 });
    rig.write(log, whole);
  }),
);

exhaustively(
  "a project below the top of a repository without a commit, its task file ignored; line ends and the gate",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["grep -q done out.txt"] } });
    rig.git("init", "-q");
    rig.git("config", "core.autocrlf", "input");
    rig.write(".gitignore", "to-do.json\n");
    rig.write(".git/info/exclude", "secret.*\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }], { project: { root: "sub" } });
    rig.write("sub/there.txt", "there\r\n");
    rig.write("sub/out.txt", "done\n");
    puppet.play(async (turn) => {
      const { LOOPER_ATTEMPT: attempt = "" } = turn.hello.env;
      await own(turn, "secret.txt");
      await turn.write(
        path.join(turn.hello.cwd, "out.txt"),
        turn.task === "T1" && attempt === "2" ? "done, indeed\r\n" : "half\r\n",
      );
      await turn.report();
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "blocked" });
    const before = touched(rig);
    const gated = await rig.replayTree({ gate: true });
    expect(gated).toMatchObject({ same: true, commits: 1, gates: 4, notes: [] });
    expect(touched(rig)).toEqual(before);
    changeSettings(rig, { verify: { commands: ["true"] } });
    expect(await rig.replayTree({ gate: true })).toMatchObject({
      same: false,
      difference: "then: failed\nnow:  unbroken",
    });
  }),
);
