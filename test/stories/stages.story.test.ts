// The effect of the stages of a workflow on the tree, git and files: saved, shelved, applied and taken back, also after a kill.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import type { Turn } from "../rig/puppet.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";
import { type Rig, story } from "../rig/rig.js";

const { by } = await nodePorts().processes.containment();

const RUN = ["run", "--trust", "--no-review"];
const PLAN = { summary: "Write it", steps: ["write it"], items: ["write it"] };

/** One agent for every stage; `review` says what the reviewer of a visit reports. */
async function play(turn: Turn): Promise<void> {
  const { LOOPER_STAGE: stage = "", LOOPER_VISIT: visit = "" } = turn.hello.env;
  const id = turn.task;
  switch (stage) {
    case "plan":
      return turn.report({ outcome: "done", output: PLAN });
    case "clarify":
      return turn.report({
        outcome: "clear",
        output: { status: "clear", questions: [], clarified_query: "x" },
      });
    case "review":
    case "validate": {
      await turn.write("reviewed.txt", "no\n");
      const isFirst = stage === "review" && visit === "2";
      const findings = isFirst ? [{ text: "more", file: `${id}.txt`, line: 1, severity: "high" }] : [];
      const output = { findings, failed_items: [], checked: ["write it"] };
      return turn.report({ outcome: isFirst ? "changes" : "complete", output });
    }
    default:
      await turn.write(`${id}.txt`, `${stage} ${visit}\n`);
      return turn.report({ outcome: "done", output: { completed: ["write it"], remaining: [] } });
  }
}

async function begin(rig: Rig): Promise<void> {
  rig.writeBacklog([{ id: "T1" }]);
  const puppet = await rig.agent({}, { verify: { commands: ["test ! -f red"] } });
  rig.gitInit();
  puppet.play(play);
}

/** A workflow of one stage of work and a question about it; `no` is where a rejection leads. */
function writeAsked(rig: Rig, shows: "work" | "diff", no: unknown): void {
  const look = { kind: "ask", question: "Keep it?", shows, next: { yes: "finish", no } };
  const stages = { do: { kind: "work", prompt: "implement", next: { done: "look" } }, look };
  const workflow = { workflow: 1, name: "asked", start: "do", stages };
  rig.write(".looper/workflows/asked.json", JSON.stringify(workflow));
  rig.writeBacklog([{ id: "T1" }]);
}

const ASKED = [...RUN, "--workflow", "asked"];
const DROP = { to: "do", discard: true };

function refs(rig: Rig): string[] {
  const listed = rig.git("for-each-ref", "--format=%(refname)", "refs/looper");
  return listed.split("\n").filter((ref) => ref !== "" && !ref.includes("/attempts/"));
}

test(
  "a task that is implemented and reviewed twice is one commit, and the reviewer changes nothing",
  story(async (rig) => {
    await begin(rig);
    const run = await rig.run([...RUN, "--workflow", "implement-review"]);
    expect(run.code, run.stderr).toBe(0);
    const commits = rig.git("log", "--format=%s", "--", "T1.txt");
    expect(commits.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(path.join(rig.project, "T1.txt"), "utf8")).toBe("implement 3\n");
    expect(existsSync(path.join(rig.project, "reviewed.txt"))).toBe(false);
    expect(rig.git("status", "--porcelain").trim()).toBe("");
    expect(refs(rig).filter((ref) => !ref.includes("/rescue/"))).toEqual([]);
    expect(existsSync(path.join(rig.project, ".looper/tasks/T1/4-review.json"))).toBe(true);
    expect(await rig.replayTree()).toMatchObject({ same: true, commits: 1 });
  }),
);

exhaustively(
  "a review that is complete beside a critical finding sends the work back; one beside a nit keeps it in the document",
  story(async (rig) => {
    await begin(rig);
    const puppet = await rig.agent({}, { verify: { commands: ["test ! -f red"] } });
    puppet.play(async (turn) => {
      const { LOOPER_STAGE: stage = "", LOOPER_VISIT: visit = "" } = turn.hello.env;
      if (stage !== "review") return play(turn);
      const severity = visit === "2" ? "Critical" : "nit";
      const findings = [{ text: `found in visit ${visit}`, file: "T1.txt", line: 1, severity }];
      return turn.report({ outcome: "complete", output: { findings } });
    });
    const run = await rig.run([...RUN, "--workflow", "implement-review"]);
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain("its findings decide, and it counts as changes");
    expect(readFileSync(path.join(rig.project, "T1.txt"), "utf8")).toBe("implement 3\n");
    expect(rig.read(".looper/tasks/T1/task.md")).toContain("- **low** `T1.txt:1`: found in visit 4");
  }),
);

test(
  "a plan that waits leaves the tree free, is approved as it was reported, and its commit names who did; undo takes work back",
  story(async (rig) => {
    await begin(rig);
    const env = { USER: "ada" };
    const asked = await rig.run([...RUN, "--workflow", "plan-approve-execute"], { env });
    expect(asked.code).toBe(1);
    expect((await rig.run(["undo", "T1", "-y"])).code).toBe(1);
    expect((await rig.run(["approve", "T1"], { env })).code).toBe(0);
    writeFileSync(path.join(rig.project, ".looper/tasks/T1/2-plan.json"), '{"summary":"EVIL"}');
    const run = await rig.run([...RUN, "--workflow", "plan-approve-execute"], { env });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stderr).toContain("the output of plan of T1 was changed since");
    expect(rig.git("log", "-1", "--format=%B", "--", "T1.txt")).toContain(
      "Looper-Approved-By: ada (cli, approve)",
    );
    const planned = await rig.run(["undo", "T1", "--dry-run", "--json"]);
    expect(JSON.parse(planned.stdout)).toMatchObject({ outcome: "planned", paths: ["T1.txt"] });
    expect(JSON.parse(planned.stdout)).toMatchObject({ created: ["T1.txt"], modified: [], deleted: [] });
    expect(existsSync(path.join(rig.project, "T1.txt"))).toBe(true);
    const undone = await rig.run(["undo", "T1"]);
    expect(undone.code, undone.stderr).toBe(0);
    expect(undone.stdout).toContain("undone T1 ");
    expect(existsSync(path.join(rig.project, "T1.txt"))).toBe(false);
  }),
);

test(
  "a rejection that drops changes, and undo of a task that is not done, which asks, keep the work as a rescue, and name it",
  story(async (rig) => {
    writeAsked(rig, "diff", DROP);
    const puppet = await rig.agent();
    rig.gitInit();
    puppet.play(play);
    await rig.run(ASKED);
    await rig.run(["reject", "T1"]);
    const rejected = await rig.run(ASKED);
    expect(rejected.code).toBe(1);
    const [, dropped = ""] =
      /the changes of do were dropped from the work of T1; they are kept: looper rescue show (\S+)/u.exec(
        rejected.stderr,
      ) ?? [];
    expect(dropped).toMatch(/\/T1-do$/u);
    expect((await rig.run(["rescue", "show", dropped])).stdout).toContain("+do 1");
    expect((await rig.run(["rescue"])).stdout).toContain("changes of a stage that were dropped");

    const before = { rows: rig.read("to-do.json"), refs: refs(rig) };
    const unasked = await rig.run(["undo", "T1"]);
    expect([unasked.code, unasked.stderr]).toEqual([
      2,
      "looper: cannot undo T1, which is not done: no terminal to ask on\n  confirm with -y, or look first with --dry-run\n",
    ]);
    const planned = JSON.parse((await rig.run(["undo", "T1", "--dry-run", "--json"])).stdout) as object;
    expect(planned).toMatchObject({
      outcome: "would-take-back",
      modified: [],
      deleted: [],
      reopened: ["T1"],
    });
    const { created } = planned as { created: string[] };
    expect(created).toHaveLength(1);
    expect({ rows: rig.read("to-do.json"), refs: refs(rig) }).toEqual(before);
    expect((await rig.run(["undo", "T1", "-y", "--reason", "no"])).code).toBe(2);
    const undone = await rig.run(["undo", "T1", "-y"]);
    expect(undone.code, undone.stderr).toBe(0);
    const rescue =
      /^took T1 back: 1 file created, 0 modified\n {2}its work is kept: looper rescue show (\S+)\n$/;
    const [, id = ""] = rescue.exec(undone.stdout) ?? [];
    expect((await rig.run(["rescue", "show", id])).stdout).toContain(created[0]);
    // Only the row of the task is another.
    expect(rig.git("status", "--porcelain").trim()).toBe("M to-do.json");
    expect(rig.statuses()).toEqual({ T1: "todo" });
    const again = await rig.run(["undo", "T1", "-y"]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("there is nothing to undo")]);
  }),
);

exhaustively(
  "the commit of a task tells what its last work did, also if a person answered days later",
  story(async (rig) => {
    writeAsked(rig, "diff", "block");
    const puppet = await rig.agent();
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write("T1.txt", "x\n");
      await turn.report({ outcome: "done", summary: "The work was done" });
    });
    expect((await rig.run(ASKED)).code).toBe(1);
    expect((await rig.run(["answer", "T1", "yes"])).code).toBe(0);
    const last = await rig.run(ASKED);
    expect(last.code, last.stderr).toBe(0);
    expect(rig.git("log", "-1", "--format=%B")).toContain("\n\nThe work was done\n");
    expect(rig.readBacklog().tasks[0]).toMatchObject({ result: "The work was done" });
  }),
);

test(
  "the commit of a research tells the report, and the task has no verdict",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const puppet = await rig.agent();
    rig.gitInit();
    puppet.play(async (turn) =>
      turn.report({
        outcome: "done",
        output: { summary: "s", sections: [{ title: "A", text: "b" }], sources: ["a"] },
        summary: "The report",
      }),
    );
    const run = await rig.run([...RUN, "--workflow", "research"]);
    expect(run.code, run.stderr).toBe(0);
    expect(`${run.stdout}${run.stderr}`).not.toMatch(/unverified|none/);
    expect((await rig.run(["show", "T1"])).stdout).not.toMatch(/unverified|none/);
    expect((await rig.run(["ls"])).stdout).not.toContain("unverified");
    expect(rig.readBacklog().tasks[0]).toMatchObject({ result: "The report", meta: { verdict: "none" } });
  }),
);

test.runIf(by === "namespace")(
  "a reviewer finds nothing that the implementer says about its work, in no file of the project",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const puppet = await rig.agent();
    rig.gitInit();
    const found: string[] = [];
    puppet.play(async (turn) => {
      const { LOOPER_STAGE: stage = "" } = turn.hello.env;
      if (stage === "implement") {
        await turn.say("PRAISE of the work");
        await turn.write("T1.txt", "x\n");
        return turn.report({ outcome: "done", summary: "PRAISE of the work" });
      }
      if (stage === "review") {
        found.push((await turn.shell("grep -rl PRAISE . 2>/dev/null; true")).stdout);
        found.push((await turn.shell('ls "$LOOPER_STEP_DIR/prompt.md"')).stdout);
      }
      return turn.report({ outcome: "complete", output: { findings: [] } });
    });
    const run = await rig.run([...RUN, "--workflow", "implement-review"]);
    expect(run.code, run.stderr).toBe(0);
    expect(found).toEqual(["", expect.stringContaining("prompt.md")]);
  }),
);

exhaustively(
  "with git.on_failure: keep, work of a rejected task that is not in the tree becomes a rescue, and its blocker names it",
  story(async (rig) => {
    writeAsked(rig, "work", "block");
    const puppet = await rig.agent({}, { git: { on_failure: "keep" } });
    rig.gitInit();
    puppet.play(play);
    await rig.run(ASKED);
    await rig.run(["reject", "T1", "-m", "not that"]);
    await rig.run(ASKED);
    expect(existsSync(path.join(rig.project, "T1.txt"))).toBe(false);
    const [rescue = "", ...others] = refs(rig);
    expect(others).toEqual([]);
    expect(rig.git("show", `${rescue}:T1.txt`)).toBe("do 1\n");
    expect(rig.read("to-do.json")).toContain("its work is kept: looper rescue show ");
  }),
);

exhaustively(
  "a stage that the gate rejects to its last attempt loses its own changes, and the work before it is committed",
  story(async (rig) => {
    const dropped = { to: "finish", discard: true };
    const tidy = { kind: "work", prompt: "refactor", limits: { attempts: 1 } };
    const stages = {
      do: { kind: "work", prompt: "implement", next: { done: "tidy" } },
      tidy: { ...tidy, next: { done: "finish", exhausted: dropped } },
    };
    rig.write(
      ".looper/workflows/tidied.json",
      JSON.stringify({ workflow: 1, name: "tidied", start: "do", stages }),
    );
    rig.writeBacklog([{ id: "T1" }]);
    const puppet = await rig.agent({}, { verify: { commands: ["test ! -e tidy.txt"] } });
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.env["LOOPER_STAGE"] ?? ""}.txt`, "x\n");
      await turn.report({ outcome: "done" });
    });
    const run = await rig.run([...RUN, "--workflow", "tidied"]);
    expect(run.code, run.stderr).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
    expect(run.stderr).toContain("the changes of tidy were dropped from the work of T1");
    expect(run.stderr).not.toContain("a person completed it");
    expect(rig.git("show", "HEAD:do.txt")).toBe("x\n");
    expect(rig.git("ls-tree", "--name-only", "HEAD")).not.toContain("tidy.txt");
  }),
);

exhaustively(
  "without git a rejection that drops changes says that they are still in the files",
  story(async (rig) => {
    writeAsked(rig, "diff", DROP);
    const puppet = await rig.agent();
    puppet.play(play);
    await rig.run(ASKED);
    await rig.run(["reject", "T1"]);
    const again = await rig.run(ASKED);
    expect(again.stdout + again.stderr).toContain(
      "the changes of do of T1 are still in the files: without git they cannot be dropped",
    );
  }),
);

test(
  "a work stage that SIGTERM stopped resumes its session, and the tree is as if nothing had happened",
  story(async (rig) => {
    rig.write(
      ".looper/workflows/solo.json",
      JSON.stringify({
        ...{ workflow: 1, name: "solo", start: "do" },
        stages: { do: { kind: "work", prompt: "implement", next: { done: "finish" } } },
      }),
    );
    rig.writeBacklog([{ id: "T1" }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    const resumed = {
      shell: ["echo two >> T1.txt"],
      summary: { status: "done", outcome: "done", summary: "Both" },
    };
    const env = rig.clis({ tasks: { T1: [{ shell: ["echo one >> T1.txt"], hang: true, resumed }] } });
    const go = [...RUN, "--agent", "claude", "--workflow", "solo"];
    const first = rig.start([...go, "--json"], { env });
    await first.says(/"type":"command"/u);
    first.signal("SIGTERM");
    await first.ended;
    expect(rig.statuses()).toEqual({ T1: "doing" });
    const second = await rig.run(go, { env });
    expect(second.code, second.stderr).toBe(0);
    const command = rig.events().find(({ type }) => type === "agent_started")?.["command"];
    expect(command).toMatch(/ --resume [0-9a-f-]{8,}/u);
    expect(rig.read("looper-logs/last/001-iter-1-do/prompt.md")).toMatch(
      /^The run was stopped while you worked/u,
    );
    expect(rig.read("T1.txt")).toBe("one\ntwo\n");
  }),
);
