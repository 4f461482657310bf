// Edits of the task a run has in hand: the edit is made, the attempt stopped, its work kept, and the tree put back.
import { expect, test } from "vitest";
import { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const taskOf = (rig: Rig, id: string) => rig.readBacklog().tasks.find((task) => task.id === id);
const attempts = (rig: Rig) =>
  rig.events().flatMap((line) => (line.type === "agent_started" ? [line["task_id"]] : []));

/** The output of a command, and its exit code. */
async function say(rig: Rig, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run(words);
  return `${String(code)} ${stdout}${stderr}`;
}

/** Breaks what the check looks at, and leaves a file. */
async function breakTree(turn: Turn): Promise<void> {
  await turn.write(`${turn.hello.cwd}/kept.txt`, "broken\n");
  await turn.write(`${turn.hello.cwd}/new-${turn.task}.txt`, "half\n");
}

async function work(turn: Turn): Promise<void> {
  await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, `${turn.task}\n`);
  await turn.report();
}

/** T1 breaks the tree, then `meanwhile` happens; unless it reports, it is stopped. It is worked on as it should be the second time. */
async function stage(
  rig: Rig,
  meanwhile: (turn: Turn) => Promise<unknown>,
  more: Record<string, unknown> = {},
) {
  const puppet = await rig.agent({}, { verify: { commands: ["grep -q whole kept.txt"] }, ...more });
  rig.write("kept.txt", "whole\n");
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  rig.gitInit();
  let first = true;
  puppet.play(async (turn) => {
    if (turn.task !== "T1" || !first) return work(turn);
    first = false;
    await breakTree(turn);
    await ((await meanwhile(turn)) === "reports" ? turn.report() : turn.gone);
  });
}

const run = (rig: Rig) => rig.run(["run", "--no-review", "--trust"]);

test.each(
  sample<[string, string[], string, Record<string, string>]>(
    [
      ["todo", ["todo", "T1"], "T1: doing → todo", { T1: "done", T2: "done" }],
      ["block", ["block", "T1", "not now"], "T1: doing → blocked", { T1: "blocked", T2: "done" }],
      ["done", ["done", "T1"], "T1: doing → done", { T1: "done", T2: "done" }],
      ["rm", ["rm", "T1"], "T1: removed", { T2: "done" }],
      [
        "set",
        ["set", "T1", "status=blocked", "priority=5"],
        "T1: status, priority",
        { T1: "blocked", T2: "done" },
      ],
    ],
    1,
  ),
)(
  "`looper %s` of the task in hand stops its attempt, keeps its work and puts the tree back",
  (_name, words, said, statuses) =>
    story(async (rig) => {
      rig.trees = true;
      let answer = "";
      let others: string[] = [];
      await stage(rig, async () => {
        // Neither another key nor the status it has stops the attempt.
        others = [
          await say(rig, "set", "T1", "title=Another", "priority=1", "details=more"),
          await say(rig, "set", "T1", "status=doing"),
        ];
        answer = await say(rig, ...words);
      });
      const { code, stdout, stderr } = await run(rig);
      expect(others).toEqual(["0 T1: title, priority, details\n", "0 T1: status\n"]);
      const [id = ""] = rig.runs();
      expect(answer).toBe(`0 ${said}\nT1: run ${id} stops its attempt; its work is kept: looper rescue\n`);
      const [, name = ""] =
        /edited meanwhile; its work is kept: looper rescue show (\S+)\n/.exec(stderr) ?? [];
      expect(rig.git("show", `refs/looper/rescue/${name}:kept.txt`)).toBe("broken\n");
      expect(rig.git("show", `refs/looper/rescue/${name}:new-T1.txt`)).toBe("half\n");
      expect((await rig.run(["rescue", "show", name])).code).toBe(0);
      expect(rig.read("kept.txt")).toBe("whole\n");
      expect(rig.git("status", "--porcelain")).toBe("");
      expect(rig.statuses()).toEqual(statuses);
      expect(code, stderr).toBe(statuses["T1"] === "blocked" ? 1 : 0);
      expect(stderr.match(/edited meanwhile; its work is kept: looper rescue show/g)).toHaveLength(1);
      expect(stderr).not.toMatch(/✓ T1(?=.*edited)/);
      const again = words[0] === "todo";
      expect(attempts(rig)).toEqual(again ? ["T1", "T1", "T2"] : ["T1", "T2"]);
      expect(rig.commitsByTask()).toEqual(again ? { T1: 1, T2: 1 } : { T2: 1 });
      expect(stdout).not.toContain("unverified");
    })(),
);

exhaustively(
  "an edit of the task in hand and of others is made as one",
  story(async (rig) => {
    let answer = "";
    let unknown = "";
    await stage(rig, async () => {
      unknown = await say(rig, "done", "T1", "T9");
      answer = await say(rig, "done", "T1", "T2");
    });
    const { code, stderr } = await run(rig);
    expect(code, stderr).toBe(0);
    // All or none: the attempt continued.
    expect(unknown).toMatch(/^[12] .*T9/);
    expect(answer).toMatch(
      /^0 T1: doing → done\nT2: todo → done\nT1: run \S+ stops its attempt; its work is kept: /,
    );
    expect(attempts(rig)).toEqual(["T1"]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect(rig.read("kept.txt")).toBe("whole\n");
    expect(rig.commitsByTask()).toEqual({});
  }),
);

test.each(
  sample<[string, string, (rig: Rig) => void]>(
    [
      ["git.on_failure: keep", "keep", () => undefined],
      ["no repository", "restore", (rig) => rig.git("init", "-q", "--bare", "../elsewhere.git")],
    ],
    1,
  ),
)("with %s the work stays in the tree, and the run says so", (_name, onFailure) =>
  story(async (rig) => {
    let answer: unknown;
    const puppet = await rig.agent({}, { git: { on_failure: onFailure } });
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    if (onFailure === "keep") rig.gitInit();
    puppet.play(async (turn) => {
      if (turn.task !== "T1") return work(turn);
      await turn.write(`${turn.hello.cwd}/half.txt`, "half\n");
      const { stdout } = await rig.run(["block", "T1", "wait", "--json"]);
      answer = JSON.parse(stdout);
      return turn.gone;
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(1);
    expect(EditAnswer.parse(answer)).toMatchObject({
      changed: [{ id: "T1", from: "doing", to: "blocked" }],
      run: rig.runs()[0],
    });
    expect(stderr).toContain("edited meanwhile; its work stays in the working tree");
    expect(rig.read("half.txt")).toBe("half\n");
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "done" });
  })(),
);

exhaustively(
  "a task that a person blocks is not taken again in that run; the next run tries it once; both are replayed with the tree",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.trees = true;
    rig.writeBacklog(["T1", "T2", "T3", "T4"].map((id) => ({ id })));
    rig.gitInit();
    puppet.play(async (turn) => {
      if (turn.task === "T1") {
        expect(await say(rig, "block", "T2", "not now")).toBe("0 T2: todo → blocked\n");
        expect(await say(rig, "block", "T3", "nor this")).toBe("0 T3: todo → blocked\n");
        expect(await say(rig, "todo", "T3")).toBe("0 T3: blocked → todo\n");
        await rig.run(["add", "More", "-p", "2", "--details", "by hand"]);
        expect(await say(rig, "rm", "T4")).toBe("0 T4: removed\n");
        await rig.run(["set", "T3", "title=Better", "depends_on+=T5"]);
      }
      await work(turn);
    });
    const first = await rig.run(["run", "--no-review"]);
    expect(first.code).toBe(1);
    expect(attempts(rig)).toEqual(["T1", "T5", "T3"]);
    expect(taskOf(rig, "T2")).toMatchObject({ status: "blocked", blockers: ["not now"] });
    const edits = first.stderr.match(/(?<=edited meanwhile; ).*/g)?.join("; ");
    for (const said of ["new: T5", "changed: T2", "T4 removed"]) expect(edits).toContain(said);
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);
    expect(attempts(rig)).toEqual(["T2"]);
  }),
);

exhaustively(
  "between two attempts, an edit by a command or an editor puts the work aside that is in the tree",
  story(async (rig) => {
    const answers: string[] = [];
    const loop = { delay_seconds: 3, max_attempts: 3 };
    const puppet = await rig.agent({}, { loop });
    rig.write("kept.txt", "whole\n");
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }]);
    rig.gitInit();
    const tried: string[] = [];
    puppet.play(async (turn) => {
      tried.push(turn.task);
      if (turn.task === "T3") return work(turn);
      await breakTree(turn);
      return turn.exit(1);
    });
    const program = rig.start(["run", "--no-review"]);
    await program.says(/failed T1/);
    answers.push(await say(rig, "block", "T1", "not now"));
    await program.says(/failed T2/);
    rig.write("to-do.json", rig.read("to-do.json").replace('"doing"', '"blocked"'));
    const { code, stderr } = await program.ended;
    expect(code, stderr).toBe(1);
    expect(answers[0]).toMatch(/^0 T1: doing → blocked\nT1: run \S+ stops its attempt; its work is kept: /);
    expect(tried).toEqual(["T1", "T2", "T3"]);
    expect(rig.git("status", "--porcelain")).toBe("");
    expect(rig.read("kept.txt")).toBe("whole\n");
    expect(rig.git("for-each-ref", "refs/looper/rescue").trim().split("\n")).toHaveLength(2);
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "blocked", T3: "done" });
  }),
);

test(
  "an edit of a task whose checks are running stops them",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["test ! -e T1.txt || sleep 60"] } });
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(work);
    const program = rig.start(["run", "--no-review", "--trust", "--json"]);
    await program.says(/"kind":"run-gate"/);
    const answer = await say(rig, "done", "T1");
    const { code, stderr } = await program.ended;
    expect(answer).toMatch(/^0 T1: doing → done\nT1: run \S+ stops its attempt; its work is kept: /);
    expect(code, stderr).toBe(0);
    expect(rig.commitsByTask()).toEqual({});
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

exhaustively(
  "an edit stands although its run is killed meanwhile, and the next run puts the work aside",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const program = rig.start(["run", "--no-review"]);
    const turn = await puppet.next();
    await turn.write(`${turn.hello.cwd}/half.txt`, "half\n");
    await turn.ignore("SIGINT", "SIGTERM");
    expect(await say(rig, "block", "T1", "not now")).toMatch(/^0 T1: doing → blocked\nT1: run /);
    await program.kill("group");
    expect(rig.statuses()).toEqual({ T1: "blocked", T2: "todo" });
    expect(rig.read("half.txt")).toBe("half\n");
    expect(await say(rig, "block", "T1", "not yet")).toBe("0 T1: blocked, as before\n");
    puppet.play(work);
    expect((await rig.run(["run", "--no-review"])).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    expect(rig.git("for-each-ref", "refs/looper/rescue").trim().split("\n")).toHaveLength(1);
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);
