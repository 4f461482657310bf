// The changes of a run to a repository, and the parts it leaves alone.
import { chmodSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Puppet, Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

/** Does the task in its simple way: a file of its own. */
async function work(turn: Turn, summary: Record<string, unknown> = {}): Promise<void> {
  if (turn.task !== "") await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, `${turn.task}\n`);
  await turn.report(summary);
}

/** Plays some tasks as told and the others in their simple way. */
function play(puppet: Puppet, parts: Record<string, (turn: Turn) => Promise<unknown>> = {}): void {
  puppet.play(async (turn) => {
    const part = parts[turn.task];
    await (part === undefined ? work(turn) : part(turn));
  });
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const subjects = (rig: Rig) => lines(rig.git("log", "--format=%s"));
/** The paths a commit changed. */
const paths = (rig: Rig, commit: string) => lines(rig.git("show", "--format=", "--name-only", commit)).sort();
const ofTask = (rig: Rig, id: string) => rig.git("log", "--format=%H", `--grep=^Looper-Task: ${id}$`).trim();

test(
  "a commit for each task: what it changed and the backlog, with title, summary and trailers, under its own name where git has none",
  story(async (rig) => {
    rig.trees = true;
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1", title: "Add a greeting" }, { id: "T2" }]);
    rig.gitInit();
    play(puppet, { T1: (turn) => work(turn, { summary: "Says hello.\nTwice." }) });
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
    const [run = ""] = rig.runs();
    expect(rig.git("log", "-1", "--format=%B", ofTask(rig, "T1")).trim()).toBe(
      `Add a greeting\n\nSays hello.\nTwice.\n\nLooper-Task: T1\nLooper-Run: ${run}\nLooper-Agent: fake`,
    );
    expect(rig.git("log", "-1", "--format=%an <%ae> %cn", ofTask(rig, "T1")).trim()).toMatch(
      /^Looper <.+> Looper$/i,
    );
    expect(paths(rig, ofTask(rig, "T1"))).toEqual(["T1.txt", "to-do.json"]);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
    // The backlog of each commit says what was done by then.
    const backlogAt = (commit: string) =>
      (JSON.parse(rig.git("show", `${commit}:to-do.json`)) as { tasks: { status: string }[] }).tasks;
    expect(backlogAt(ofTask(rig, "T1")).map(({ status }) => status)).toEqual(["done", "todo"]);
    // The marker came after the last task: the backlog is committed alone.
    expect(subjects(rig)[0]).toBe("looper: complete");
    expect(paths(rig, "HEAD")).toEqual(["to-do.json"]);
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.unfinished()).toBe("");
  }),
);

test(
  "a dirty tree: staged, unstaged, removed and untracked files stay as they are, and out of the commits, which have the person's identity",
  story(async (rig) => {
    const puppet = await rig.agent();
    for (const name of ["staged", "unstaged", "both", "gone", "shared"]) rig.write(`${name}.txt`, "before\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    rig.git("config", "user.name", "Ada");
    rig.git("config", "user.email", "ada@example.org");
    for (const name of ["staged", "both"]) {
      rig.write(`${name}.txt`, "staged\n");
      rig.git("add", `${name}.txt`);
    }
    rig.write("both.txt", "staged, then changed\n");
    rig.write("unstaged.txt", "changed\n");
    rig.write("shared.txt", "a person's line\n");
    rig.write("untracked.txt", "new\n");
    rig.write("added.txt", "new and staged\n");
    rig.git("add", "added.txt");
    rig.git("rm", "-q", "gone.txt");
    const before = lines(rig.git("status", "--porcelain"));
    const staged = rig.git("diff", "--cached", "--", "staged.txt", "both.txt", "gone.txt", "added.txt");
    play(puppet, {
      T2: async (turn) => {
        await turn.write(`${turn.hello.cwd}/shared.txt`, "a person's line\nthe agent's line\n");
        await work(turn);
      },
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.git("log", "-1", "--format=%an <%ae>", ofTask(rig, "T1")).trim()).toBe(
      "Ada <ada@example.org>",
    );
    expect(paths(rig, ofTask(rig, "T1"))).toEqual(["T1.txt", "to-do.json"]);
    // A file that both changed goes in whole, with a warning.
    expect(paths(rig, ofTask(rig, "T2"))).toEqual(["T2.txt", "shared.txt", "to-do.json"]);
    expect(stderr).toContain(
      "shared.txt had your uncommitted changes, and the agent changed it too: the commit contains both",
    );
    expect(lines(rig.git("status", "--porcelain"))).toEqual(
      before.filter((line) => !line.endsWith("shared.txt")),
    );
    expect(rig.git("diff", "--cached", "--", "staged.txt", "both.txt", "gone.txt", "added.txt")).toBe(staged);
    expect(rig.read("both.txt")).toBe("staged, then changed\n");
  }),
);

test(
  "a repository without commits gets its first one from the first task, and the person's files stay out of it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.git("init", "-q");
    rig.write("mine.txt", "mine\n");
    play(puppet);
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.commitsByTask()).toEqual({ T1: 1 });
    expect(lines(rig.git("ls-tree", "--name-only", "-r", "HEAD"))).toEqual(["T1.txt", "to-do.json"]);
    expect(lines(rig.git("status", "--porcelain"))).toEqual(["?? mine.txt"]);
  }),
);

test(
  "a linked worktree: its branch gets the commits, the main tree is left alone",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.git("worktree", "add", "-q", "../linked", "-b", "side");
    play(puppet);
    const { code, stderr } = await rig.run(["run", "--no-review"], { cwd: "../linked" });
    expect(code, stderr).toBe(0);
    expect(lines(rig.git("log", "--format=%s", "side"))).toEqual(["Do T1", "start"]);
    expect(subjects(rig)).toEqual(["start"]);
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(existsSync(path.join(rig.root, "linked/T1.txt"))).toBe(true);
    expect(rig.statuses()).toEqual({ T1: "todo" });
  }),
);

test(
  "in the middle of a merge no run begins: it says why, and nothing of the merge is touched",
  story(async (rig) => {
    await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.git("switch", "-qc", "side");
    rig.write("side.txt", "side\n");
    rig.git("add", "side.txt");
    const person = ["-c", "user.name=P", "-c", "user.email=p@example.org"];
    rig.git(...person, "commit", "-qm", "side");
    rig.git("switch", "-q", "-");
    rig.git(...person, "merge", "-q", "--no-ff", "--no-commit", "side");
    const { code, stderr } = await rig.run(["run"]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("a merge is in progress")]);
    expect(stderr).toContain("git merge --continue");
    expect(rig.statuses()).toEqual({ T1: "todo" });
    expect(rig.git("status", "--porcelain")).toBe("A  side.txt\n");
    expect(rig.git("rev-parse", "MERGE_HEAD")).toBe(rig.git("rev-parse", "side"));
  }),
);

test(
  "no git at all: the work is done, and it is said that nothing is committed; --git-init makes a repository",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    play(puppet);
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(stderr).toContain("is not in a git repository");
    expect(rig.read("T1.txt")).toBe("T1\n");
    expect(existsSync(path.join(rig.project, ".git"))).toBe(false);
    rig.writeBacklog([{ id: "T2" }]);
    expect(await rig.run(["run", "--no-review", "--git-init"])).toMatchObject({ code: 0 });
    expect(rig.commitsByTask()).toEqual({ T2: 1 });
  }),
);

test(
  "git.commit agent: what it commits stays where it is, the backlog is committed at the end; none: nothing is committed",
  story(async (rig) => {
    const commit = "git -c user.name=Agent -c user.email=agent@example.org commit -q";
    const commitByItself = (puppet: Puppet) => {
      play(puppet, {
        T1: async (turn) => {
          await turn.write(`${turn.hello.cwd}/T1.txt`, "T1\n");
          await turn.shell(`git add T1.txt && ${commit} -m 'by the agent'`);
          await turn.report();
        },
      });
    };
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    commitByItself(await rig.agent({}, { git: { commit: "agent" } }));
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
    expect(subjects(rig)).toEqual(["looper: complete", "by the agent", "start"]);
    expect(rig.statuses()).toEqual({ T1: "done" });

    rig.writeBacklog([{ id: "T2" }]);
    commitByItself(await rig.agent({}, { git: { commit: "none" } }));
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect(subjects(rig)).toEqual(["looper: complete", "by the agent", "start"]);
    expect(lines(rig.git("status", "--porcelain"))).toEqual([" M to-do.json", "?? T2.txt"]);
  }),
);

test(
  "git.branch: a branch of the run's own, made from where HEAD is; the branch it began on stays there",
  story(async (rig) => {
    const puppet = await rig.agent({}, { git: { branch: "looper/{run}" } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    play(puppet);
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(rig.git("branch", "--show-current").trim()).toBe(`looper/${rig.runs()[0] ?? ""}`);
    expect(lines(rig.git("log", "--format=%s", "main"))).toEqual(["start"]);
    expect(subjects(rig)).toEqual(["Do T1", "start"]);
  }),
);

test(
  "a backlog that git ignores: commits hold the work alone, and a task that changed nothing has none",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write(".gitignore", "to-do.json\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    play(puppet, { T2: (turn) => turn.report() });
    expect(await rig.run(["run"])).toMatchObject({ code: 0 });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect(subjects(rig)).toEqual(["Do T1", "start"]);
    expect(paths(rig, "HEAD")).toEqual(["T1.txt"]);
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

test(
  "a project in a sub-folder: agents work there, and what they change elsewhere in the repository goes in too",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("app/to-do.json", rig.read("to-do.json"));
    rmSync(path.join(rig.project, "to-do.json"));
    rig.gitInit();
    const folders: string[] = [];
    play(puppet, {
      T1: async (turn) => {
        folders.push(turn.hello.cwd);
        await turn.write(`${rig.project}/outside.txt`, "o\n");
        await work(turn);
      },
    });
    const { code, stderr } = await rig.run(["run", "--no-review"], { cwd: "app" });
    expect(code, stderr).toBe(0);
    expect(folders).toEqual([path.join(rig.project, "app")]);
    expect(paths(rig, "HEAD")).toEqual(["app/T1.txt", "app/to-do.json", "outside.txt"]);
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(await rig.run(["replay"], { cwd: "app" })).toMatchObject({ code: 0 });
  }),
);

test(
  "the attempts of one task are one piece of work; that of a task given up becomes a rescue, and the tree its base",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write("shared.txt", "before\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.gitInit();
    play(puppet, {
      T1: async (turn) => {
        const { cwd, env } = turn.hello;
        await turn.write(`${cwd}/attempt-${env["LOOPER_ATTEMPT"] ?? ""}.txt`, "a\n");
        if (env["LOOPER_ATTEMPT"] === "1") return turn.exit(1);
        return turn.report();
      },
      T2: async (turn) => {
        await turn.write(`${turn.hello.cwd}/half.txt`, "half\n");
        await turn.write(`${turn.hello.cwd}/shared.txt`, "half\n");
        await turn.shell("git add half.txt");
        await turn.exit(1);
      },
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 1 });
    expect(rig.statuses()).toEqual({ T1: "done", T2: "blocked", T3: "done" });
    expect(paths(rig, ofTask(rig, "T1"))).toEqual(["attempt-1.txt", "attempt-2.txt", "to-do.json"]);
    expect(paths(rig, ofTask(rig, "T3"))).toEqual(["T3.txt", "to-do.json"]);
    expect(existsSync(path.join(rig.project, "half.txt"))).toBe(false);
    expect(rig.read("shared.txt")).toBe("before\n");
    expect(rig.git("log", "--format=%H", "--", "half.txt")).toBe("");
    // Another task went before the last attempt, with an agent that had failed within seconds.
    const rescue =
      rig.git("for-each-ref", "--format=%(refname)", "refs/looper/rescue").trim().split("\n").at(-1) ?? "";
    expect(rig.git("show", `${rescue}:half.txt`)).toBe("half\n");
    expect(rig.git("show", `${rescue}:shared.txt`)).toBe("half\n");
    expect(
      rig
        .readBacklog()
        .tasks.find(({ id }) => id === "T2")
        ?.blockers?.at(-1),
    ).toBe(`its work is kept: looper rescue show ${rescue.slice("refs/looper/rescue/".length)}`);
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.commitsByTask()).toEqual({ T1: 1, T3: 1 });
  }),
);

test(
  "strange paths, modes, links and deletions go in as they are; the log folder and the project's git hooks stay out of it",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write("old.txt", "old\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    rig.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch hook-ran\nexit 1\n");
    chmodSync(path.join(rig.project, ".git/hooks/pre-commit"), 0o755);
    play(puppet, {
      T1: async (turn) => {
        await turn.write(`${turn.hello.cwd}/a b"ü\n.txt`, "strange\n");
        await turn.shell("printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh; ln -s run.sh link; rm old.txt");
        await turn.shell(
          "printf 'a\\000b\\r\\n' > binary; mkdir -p deep/er; echo x > deep/er/x; echo leak >> looper-logs/x",
        );
        await turn.report();
      },
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    const tree = rig
      .git("ls-tree", "-r", "-z", "HEAD")
      .split("\0")
      .map((line) => line.replace(/ blob \w+\t/, " "));
    expect(tree.filter((line) => line !== "").sort()).toEqual(
      [
        "100644 binary",
        '100644 a b"ü\n.txt',
        "100644 deep/er/x",
        "100644 to-do.json",
        "100755 run.sh",
        "120000 link",
      ].sort(),
    );
    expect(rig.git("cat-file", "-p", "HEAD:binary")).toBe("a\0b\r\n");
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(existsSync(path.join(rig.project, "hook-ran"))).toBe(false);
  }),
);
