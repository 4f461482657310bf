// Edits of a task whose run is dead: the next run puts aside the unfinished work that is still in the tree.
import { expect, test } from "vitest";
import { exhaustively, sample } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

/** The output of a command, and its exit code. */
async function say(rig: Rig, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run(words);
  return `${String(code)} ${stdout}${stderr}`;
}

async function breakTree(turn: Turn): Promise<void> {
  await turn.write(`${turn.hello.cwd}/kept.txt`, "broken\n");
  await turn.write(`${turn.hello.cwd}/new-${turn.task}.txt`, "half\n");
}

async function work(turn: Turn): Promise<void> {
  await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, `${turn.task}\n`);
  await turn.report();
}

const run = (rig: Rig) => rig.run(["run", "--no-review", "--trust"]);

/** A run is killed while T1's agent has broken the tree. */
async function killRun(rig: Rig, how: "kill" | "interrupt" = "kill"): Promise<void> {
  const puppet = await rig.agent({}, { verify: { commands: ["grep -q whole kept.txt"] } });
  rig.write("kept.txt", "whole\n");
  rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
  rig.gitInit();
  const program = rig.start(["run", "--no-review", "--trust"]);
  const turn = await puppet.next();
  await breakTree(turn);
  if (how === "kill") await program.kill("group");
  else {
    program.signal("SIGINT");
    await program.says(/stopping once/);
    program.signal("SIGINT");
  }
  await program.ended;
  puppet.play(work);
}

test.each(
  sample<[string, string[], Record<string, string>]>(
    [
      ["todo", ["todo", "T1"], { T1: "done", T2: "done" }],
      ["block", ["block", "T1", "not now"], { T1: "done", T2: "done" }],
      ["done", ["done", "T1"], { T1: "done", T2: "done" }],
      ["rm", ["rm", "T1"], { T2: "done" }],
      ["set", ["set", "T1", "status=todo"], { T1: "done", T2: "done" }],
    ],
    1,
  ),
)(
  "after a dead run and an edit by `looper %s`, which says so, the next run puts the unfinished work aside",
  (name, words, statuses) =>
    story(async (rig) => {
      await killRun(rig, name === "block" ? "interrupt" : "kill");
      expect(await say(rig, "set", "T1", "priority=2")).toBe("0 T1: priority\n");
      const left = "T1: unfinished work, if any, stays in the working tree\n";
      expect(await say(rig, ...words)).toMatch(new RegExp(`^0 T1: .+\n${left}$`));
      expect(rig.read("new-T1.txt")).toBe("half\n");
      rig.write("mine.txt", "a person's\n");
      const { code, stderr } = await run(rig);
      expect(code, stderr).toBe(0);
      const told = /! T1 is not in progress any more: .*`looper rescue restore (\S+)`\n/g;
      const [[, id = ""] = []] = [...stderr.matchAll(told)];
      expect(stderr.match(/not in progress any more|edited meanwhile/g), stderr).toHaveLength(1);
      for (const [file, text] of [
        ["kept.txt", "broken\n"],
        ["new-T1.txt", "half\n"],
        ["mine.txt", "a person's\n"],
      ])
        expect(rig.git("show", `refs/looper/rescue/${id}:${file ?? ""}`)).toBe(text);
      expect((await rig.run(["rescue", "show", id])).code).toBe(0);
      expect(rig.read("kept.txt")).toBe("whole\n");
      expect(rig.git("status", "--porcelain")).toBe("");
      expect(rig.statuses()).toEqual(statuses);
      expect(stderr).not.toContain("unverified");
    })(),
);

const SINCE: readonly [string, (rig: Rig) => void, string][] = [
  [
    "the person committed since",
    (rig) => {
      rig.git("add", "-A");
      rig.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "mine");
    },
    "broken\n",
  ],
  [
    "the tree was cleaned",
    (rig) => {
      rig.git("checkout", "-q", ".");
      rig.git("clean", "-fdq");
    },
    "whole\n",
  ],
];

exhaustively.each(SINCE)("nothing is put aside after a dead run where %s", (_name, meanwhile, text) =>
  story(async (rig) => {
    await killRun(rig);
    expect(await say(rig, "todo", "T1")).toMatch(/^0 /);
    meanwhile(rig);
    const { stderr } = await run(rig);
    expect(stderr).not.toContain("not in progress any more");
    expect(rig.git("for-each-ref", "refs/looper/rescue")).toBe("");
    expect(rig.read("kept.txt")).toBe(text);
  })(),
);
