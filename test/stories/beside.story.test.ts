// A person's git beside a run: commits made during an attempt, and what the first lines of a run state about the repository.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const subjects = (rig: Rig) => lines(rig.git("log", "--format=%s"));
const ofTask = (rig: Rig, id: string) => rig.git("log", "--format=%H", `--grep=^Looper-Task: ${id}$`).trim();
const paths = (rig: Rig, commit: string) => lines(rig.git("show", "--format=", "--name-only", commit)).sort();

const PERSON = ["-c", "user.name=Person", "-c", "user.email=person@example.org"];

/** As in another terminal: nothing of the agent's environment is there. */
function commitByHand(rig: Rig, path: string): string {
  rig.write(path, "mine\n");
  execFileSync("git", ["add", path], { cwd: rig.project, env: rig.env });
  execFileSync("git", [...PERSON, "commit", "-qm", `mine: ${path}`], { cwd: rig.project, env: rig.env });
  return rig.git("rev-parse", "HEAD").trim();
}

const work = (turn: Turn) => turn.write(`${turn.hello.cwd}/${turn.task}.txt`, `${turn.task}\n`);

test(
  "a person's commit during an attempt stays on the branch and out of the task's commit; on top of the agent's it is kept",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.gitInit();
    const theirs: string[] = [];
    puppet.play(async (turn) => {
      if (turn.task === "") return turn.report();
      await work(turn);
      if (turn.task === "T1") theirs.push(commitByHand(rig, "mine.txt"));
      if (turn.task === "T2") {
        await turn.shell(`git add -A && git ${PERSON.join(" ")} commit -qm 'by the agent'`);
        commitByHand(rig, "late.txt");
      }
      if (turn.task === "T3") {
        theirs.push(commitByHand(rig, `third-${turn.hello.env["LOOPER_ATTEMPT"] ?? ""}.txt`));
        return turn.exit(1);
      }
      await turn.report();
    });
    const { stderr } = await rig.run(["run", "--no-review"]);
    expect(subjects(rig)).toEqual([
      "looper: blocked",
      "mine: third-2.txt",
      "mine: third-1.txt",
      "Do T2",
      "Do T1",
      "mine: mine.txt",
      "start",
    ]);
    expect(paths(rig, ofTask(rig, "T1"))).toEqual(["T1.txt", "to-do.json"]);
    expect(paths(rig, ofTask(rig, "T2"))).toEqual(["T2.txt", "to-do.json"]);
    for (const commit of theirs) {
      expect(rig.git("branch", "--contains", commit)).toContain("main");
      expect(stderr).toContain(`commit ${commit.slice(0, 12)} "mine: `);
    }
    expect(rig.git("status", "--porcelain")).toBe("?? late.txt\n");
    expect(stderr).toMatch(/"mine: late\.txt", not made by the agent, .* get it back: git cherry-pick/);
    expect(stderr).toContain("to commit beside a run, use another worktree");
  }),
);

test(
  "a run names a missing identity and a detached HEAD before it works, and is silent where both are as usual",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      if (turn.task !== "") await work(turn);
      await turn.report();
    });
    rig.git("switch", "-q", "--detach");
    const first = await rig.run(["run", "--no-review", "--task", "T1"]);
    expect(first.stderr).toContain(
      "HEAD is detached: commits are on no branch; keep them with `git switch -c",
    );
    expect(first.stderr).toContain('`git config user.name "Your Name"`');
    expect(first.stderr).toContain('`git config user.email "you@example.com"`');
    rig.git("switch", "-qc", "kept");
    rig.git("config", "user.name", "Ada");
    rig.git("config", "user.email", "ada@example.org");
    const second = await rig.run(["run", "--no-review"]);
    expect(second.stderr).not.toContain("detached");
    expect(second.stderr).not.toContain("git config");
  }),
);

test(
  "a large untracked file is named before the run and left out; an attempt that removes a repository inside fails, and it is said",
  story(async (rig) => {
    const puppet = await rig.agent({}, { git: { max_untracked_bytes: "1KB" } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.write("data.bin", "x".repeat(3000));
    const inside = (...args: string[]) =>
      execFileSync("git", args, { cwd: `${rig.project}/nested`, env: rig.env, encoding: "utf8" });
    rig.write("nested/mine.txt", "mine\n");
    inside("init", "-q");
    inside("add", "-A");
    inside(...PERSON, "commit", "-qm", "inside");
    puppet.play(async (turn) => {
      await turn.shell("rm -rf nested data.bin; echo half > half.txt");
      await turn.report();
    });
    const { stderr, code } = await rig.run(["run", "--no-review", "--max-attempts", "1"]);
    expect(code).toBe(1);
    expect(stderr).toContain("data.bin (2.9 KB) is untracked and larger than git.max_untracked_bytes (1 KB)");
    expect(stderr.indexOf("data.bin (2.9 KB)")).toBeLessThan(stderr.indexOf("- 1/1 T1"));
    expect(stderr).toContain("data.bin was removed during the attempt; it is in no checkpoint");
    const lost = "the repository nested inside the tree was removed or replaced: Looper cannot bring it back";
    expect(stderr).toContain(lost);
    expect(rig.readBacklog().tasks[0]).toMatchObject({
      status: "blocked",
      blockers: [expect.stringContaining(lost) as unknown, expect.anything() as unknown],
    });
    expect(rig.git("cat-file", "--batch-check", "--batch-all-objects")).not.toContain("blob 3000");
  }),
);

test(
  "checks that pass with changes inside a repository of its own verify nothing, and the run names the folder",
  story(async (rig) => {
    const puppet = await rig.agent(
      {},
      {
        verify: {
          commands: ["grep -q agent nested/mine.txt || test ! -e T1.txt"],
          cold: false,
          protected: ["!T1.txt"],
        },
      },
    );
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.write("nested/mine.txt", "mine\n");
    const inside = (...args: string[]) =>
      execFileSync("git", args, { cwd: `${rig.project}/nested`, env: rig.env });
    inside("init", "-q");
    inside("add", "-A");
    inside(...PERSON, "commit", "-qm", "inside");
    puppet.play(async (turn) => {
      await work(turn);
      await turn.write(`${turn.hello.cwd}/nested/mine.txt`, "agent\n");
      await turn.report();
    });
    const { code, stderr } = await rig.run(["run", "--no-review", "--trust"]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("changes inside nested, a repository of its own, are not committed");
    expect((await rig.run(["ls"])).stdout).toContain(
      "unverified: the checks passed with changes inside nested, which the commit does not hold",
    );
    expect(paths(rig, ofTask(rig, "T1"))).toEqual(["T1.txt", "to-do.json"]);
  }),
);

test(
  "a rescue that is restored is its task's work again: the next attempt continues from it, and the commit holds it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    rig.write("mine.txt", "mine\n");
    let gives = false;
    puppet.play(async (turn) => {
      if (turn.task === "T2" && !gives) {
        await turn.write(`${turn.hello.cwd}/half.txt`, "half\n");
        return turn.report({ status: "blocked", blockers: ["a key"] });
      }
      await work(turn);
      await turn.report();
    });
    expect((await rig.run(["run", "--no-review"])).code).toBe(1);
    rig.write("half.txt", "half\n");
    const again = await rig.run(["rescue", "restore", "T2"]);
    expect(again.stdout).toContain("its commit does not hold what was there already: half.txt");
    await rig.run(["block", "T2", "not yet"]);
    execFileSync("rm", ["half.txt"], { cwd: rig.project });
    const back = await rig.run(["rescue", "restore", "T2"]);
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining("and its commit holds it")]);
    const more = await rig.run(["rescue", "restore", "T2"]);
    expect(more.stdout).toContain("and its commit holds it");
    expect(rig.statuses()).toEqual({ T1: "done", T2: "doing" });
    gives = true;
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(paths(rig, ofTask(rig, "T2"))).toEqual(["T2.txt", "half.txt", "to-do.json"]);
    expect(lines(rig.git("status", "--porcelain"))).toEqual(["?? mine.txt"]);
  }),
);
