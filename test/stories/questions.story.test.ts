// The questions of tasks in a workflow, as people list and answer them from a shell: each is taken once, and what is approved is
// what was shown. Leaves taking the answers to the stories of runs.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Progress } from "../../src/workflow/progress.js";
import { QuestionsAnswer } from "../../src/ui/shapes/workflows.js";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { mcpCalls } from "../rig/mcp.js";
import { type Rig, story } from "../rig/rig.js";
import { PLAN as USUAL_PLAN, playStages } from "../rig/stages.js";
import { BIN } from "../rig/program.js";

const SINCE = "2026-11-20T10:00:00Z";
const PLAN = '{\n  "summary": "add a page",\n  "steps": ["one"]\n}\n';
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A task that asks whether its plan may be carried out. */
function asking(rig: Rig, id: string, more: Partial<Progress> = {}): { id: string; [key: string]: unknown } {
  rig.write(`.looper/tasks/${id}/1-plan.json`, PLAN);
  rig.write(`.looper/tasks/${id}/1-plan.md`, "# The plan\n");
  const text = "Carry out this plan?";
  const output = {
    ...{ stage: "plan", visit: 1, outcome: "done", file: `${id}/1-plan.json`, sha256: sha256(PLAN) },
    ...{ agent: "codex", run: "r", at: SINCE },
  };
  const progress: Progress = {
    ...{ workflow: "plan-approve-execute", digest: "d", stage: "approve", visit: 2, since: SINCE },
    visits: { plan: 1, approve: 1 },
    outputs: { plan: output },
    question: {
      ...{ id: `${id}.2`, source: "stage", text, outcomes: ["approve", "edit", "revise", "reject"] },
      ...{ shows: { what: "plan", sha256: sha256(PLAN) }, edits: "plan", asked_at: SINCE },
    },
    ...more,
  };
  return { id, status: "blocked", blockers: [text], progress };
}

const progressOf = (rig: Rig, id: string): Progress | undefined =>
  rig.readBacklog().tasks.find((task) => task.id === id)?.progress;

async function say(rig: Rig, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run(words, { env: { USER: "ada" } });
  return `${String(code)} ${stdout}${stderr}`;
}

test(
  "open questions are listed with what they show, and answered once",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1"), { id: "T2" }]);
    const listed = await rig.run(["questions", "--json"]);
    const [open] = QuestionsAnswer.parse(JSON.parse(listed.stdout)).questions;
    expect(open).toMatchObject({
      ...{ id: "T1.2", task: "T1", since: SINCE, outcomes: ["approve", "edit", "revise", "reject"] },
      shows: { what: "plan", sha256: sha256(PLAN) },
      command: "looper answer T1.2 (approve, edit, revise, reject)",
    });
    expect(open?.shows?.readable).toMatch(/\.looper\/tasks\/T1\/1-plan\.md$/);
    expect(await say(rig, "questions")).toContain(".looper/tasks/T1/1-plan.md");
    expect(await say(rig, "why", "T1")).toContain("looper answer T1.2 (approve, edit, revise, reject)");
    expect(await say(rig, "approve", "T1", "-m", "go", "--shown", sha256(PLAN))).toBe(
      "0 T1.2: approve; the next run takes it\n",
    );
    const answer = { outcome: "approve", comment: "go", by: "ada", via: "cli", shown_sha256: sha256(PLAN) };
    expect(progressOf(rig, "T1")?.answer).toMatchObject(answer);
    expect(rig.readBacklog().tasks[0]).toMatchObject({ status: "todo" });
    expect(await say(rig, "reject", "T1")).toMatch(
      /^1 looper: T1\.2 was already answered: approve, by ada \(cli\), 20/,
    );
    expect(await say(rig, "questions")).toBe("0 no question is open\n");
  }),
);

exhaustively(
  "one question is shown in full, with the plan as it was asked about",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1"), asking(rig, "T2")]);
    for (const id of ["T1", "T1.2"]) {
      const shown = await say(rig, "questions", id);
      expect(shown).toMatch(/^0 T1 .* · approve · T1\.2\n {2}Carry out this plan\?\n/u);
      expect(shown).toMatch(/\n {4}looper reject T1 -m "why"\n\nadd a page\n\n## Plan\n\n1\. one\n/u);
      expect(shown).not.toContain("T2");
    }
    rig.write(".looper/tasks/T1/1-plan.json", `${PLAN} `);
    expect(await say(rig, "questions", "T1")).toMatch(
      /^1 [^]*1-plan\.json was changed after T1\.2 was asked/u,
    );
    expect(await say(rig, "questions", "T3")).toMatch(/^2 looper: there is no task T3/u);
    await say(rig, "reject", "T2");
    expect(await say(rig, "questions", "T2")).toMatch(/^1 looper: T2\.2 was already answered/u);
  }),
);

test(
  "an answer that does not fit is refused and changes nothing",
  story(async (rig) => {
    const agents = { question: { id: "T3.2", source: "agent", text: "Which port?", outcomes: [] } };
    const free = { ...agents.question, asked_at: SINCE } as Progress["question"];
    rig.writeBacklog([asking(rig, "T1"), { id: "T2" }, asking(rig, "T3", { question: free })]);
    const before = rig.read("to-do.json");
    const refused: [string[], RegExp][] = [
      [["answer", "T1", "aprove"], /^2 .*not an outcome of T1\.2\n {2}did you mean "approve"/s],
      [["answer", "T1"], /^2 .*T1\.2 needs an outcome/],
      [["answer", "T1", "edit"], /^2 .*plan is missing\n.*looper answer T1 edit --edit FILE/s],
      [["approve", "T1", "--edit"], /^2 .*--edit needs a value/],
      [["approve", "T9"], /^2 .*there is no task T9/],
      [["approve", "T2"], /^1 .*T2 has no open question/],
      [["approve", "T1.7"], /^1 .*the question T1\.7 is not open; the question of T1 is T1\.2/],
      [["approve", "T1", "--shown", "0".repeat(64)], /^1 .*what T1\.2 shows has changed/],
      [["approve", "T1", "--shown", sha256(PLAN).slice(0, 6)], /^2 .*too short: name at least its first 7/],
      [["approve", "T3"], /^2 .*answered with a text/],
      [["resume", "T1"], /^1 looper: T1: it is not paused/],
      [
        ["todo", "T1", "--restart", "--stage", "aprove"],
        /^2 .*has no stage aprove\n {2}did you mean approve/s,
      ],
      [["todo", "T1", "--stage", "plan"], /^2 .*--stage is for --restart/],
      [["steer", "T1", " "], /^2 .*the message is empty/],
      [["complete", "T9"], /^2 .*there is no task T9/],
    ];
    for (const [words, said] of sample(refused, 6))
      expect(await say(rig, ...words), words.join(" ")).toMatch(said);
    expect(rig.read("to-do.json")).toBe(before);
    expect(await say(rig, "answer", "T3", "8080")).toBe('0 T3.2: "8080"; the next run takes it\n');
  }),
);

exhaustively(
  "a changed plan is a new file with its own digest, and the old one stays",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1")]);
    rig.write("changed.json", '{"summary": "add two pages", "steps": [{"text": "add them"}]}');
    rig.write("broken.json", "{");
    expect(await say(rig, "answer", "T1", "--edit", "broken.json")).toMatch(/^2 .*not a JSON object/);
    rig.write("unfit.json", '{"steps": 3, "tests": 4}');
    expect(await say(rig, "answer", "T1", "--edit", "unfit.json")).toMatch(
      /^2 looper: the changed output of plan does not fit its schema: output\.summary is missing; output\.steps must/,
    );
    rig.write("large.json", JSON.stringify({ summary: "x".repeat(1024 * 1024), steps: [] }));
    expect(await say(rig, "answer", "T1", "--edit", "large.json")).toMatch(
      /^2 looper: the changed output of plan has 10486\d\d bytes of JSON; the most is 1048576\n/,
    );
    expect(await say(rig, "answer", "T1", "edit", "--edit", "changed.json", "--message", "two")).toBe(
      "0 T1.2: edit; the next run takes it\n",
    );
    const edited = progressOf(rig, "T1")?.answer?.edited;
    expect(edited).toMatchObject({ stage: "plan", visit: 2, file: "T1/2-plan.json", agent: "ada" });
    expect(edited?.sha256).toBe(sha256(rig.read(".looper/tasks/T1/2-plan.json")));
    expect(rig.read(".looper/tasks/T1/2-plan.md")).toContain("add two pages");
    expect(rig.read(".looper/tasks/T1/1-plan.json")).toBe(PLAN);
  }),
);

test(
  "a task is paused, resumed, steered, completed and begun again from a shell",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1"), { id: "T2" }]);
    expect(await say(rig, "pause", "T2", "-m", "legal")).toBe("0 T2: paused; no job starts on it\n");
    expect(await say(rig, "why", "T2")).toMatch(
      /^0 T2 is paused, by ada \(cli\).*: legal\n.*looper resume T2/,
    );
    expect(await say(rig, "resume", "T2")).toBe("0 T2: not paused any more\n");
    expect(progressOf(rig, "T2")).toBeUndefined();
    expect(await say(rig, "steer", "T1", "use tabs")).toMatch(/^0 T1: its agent gets the message/);
    expect(progressOf(rig, "T1")?.notes).toMatchObject([{ text: "use tabs", by: "ada", via: "cli" }]);
    expect(await say(rig, "set", "T2", "workflow=tdd")).toBe("0 T2: workflow\n");
    expect(await say(rig, "set", "T2", "workflow=ttd")).toMatch(/^2 .*no workflow "ttd".*did you mean tdd/s);
    expect(await say(rig, "add", "Three", "--workflow", "ttd")).toMatch(/^2 .*did you mean tdd\?/s);
    expect(await say(rig, "add", "Three", "--workflow", "tdd")).toBe("0 T3\n");
    expect(rig.readBacklog().tasks[2]).toMatchObject({ id: "T3", workflow: "tdd" });
    expect(await say(rig, "rm", "T3")).toMatch(/^0 /);
    expect(rig.readBacklog().tasks[1]).toMatchObject({ workflow: "tdd" });
    expect(await say(rig, "complete", "T1")).toBe("0 T1: complete; the next run finishes it\n");
    const completed = rig.read("to-do.json");
    expect(await say(rig, "complete", "T1")).toBe("0 T1: complete already\n");
    expect(rig.read("to-do.json")).toBe(completed);
    expect(await say(rig, "todo", "T1", "--restart", "--stage", "plan")).toBe("0 T1: begins again at plan\n");
    expect(progressOf(rig, "T1")).toMatchObject({ stage: "block", restart: "plan" });
    expect(await say(rig, "todo", "T1", "--restart", "--json")).toMatch(/^0 \{/);
    expect(await say(rig, "todo", "T1")).toBe("0 T1: todo, as before\n");
    expect(progressOf(rig, "T1")).toBeUndefined();
  }),
);

test(
  "each of these commands takes another task file",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1"), asking(rig, "T2"), asking(rig, "T3")]);
    rig.write("other.json", rig.read("to-do.json"));
    rig.writeBacklog([{ id: "T9" }]);
    const before = rig.read("to-do.json");
    const typed = [
      ...[["questions"], ["answer", "T1", "revise"], ["approve", "T2"], ["reject", "T3"], ["pause", "T1"]],
      ...[
        ["resume", "T1"],
        ["steer", "T1", "text"],
        ["complete", "T1"],
        ["todo", "T1", "--restart"],
      ],
    ];
    for (const words of sample(typed, 3))
      expect(await say(rig, ...words, "--file", "other.json"), words.join(" ")).toMatch(/^0 /);
    expect(rig.read("to-do.json")).toBe(before);
  }),
);

test(
  "an agent of a run cannot answer, pause, steer, complete or restart",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1")]);
    const before = rig.read("to-do.json");
    rig.write("changed.json", "{}");
    const typed = ["approve T1", "reject T1", "answer T1 edit --edit changed.json", "pause T1", "resume T1"];
    for (const line of sample([...typed, "steer T1 x", "complete T1", "todo T1 --restart"], 3)) {
      const ran = await rig.run(line.split(" "), { env: { LOOPER_RUN_ID: "2026-11-20_10-00-00" } });
      expect([ran.code, ran.stderr], line).toEqual([1, expect.stringContaining("an agent of a run may not")]);
    }
    expect(rig.read("to-do.json")).toBe(before);
  }),
);

test(
  "of many answers at the same time each question takes the first, and the others are told so",
  story(async (rig) => {
    const ids = ["T1", "T2"];
    rig.writeBacklog(ids.map((id) => asking(rig, id)));
    const people = ["ada", "bob"];
    const ran = await Promise.all(
      people.flatMap((USER) =>
        ids.map(async (id) => ({
          id,
          USER,
          ...(await rig.run(["answer", id, "approve"], { env: { USER } })),
        })),
      ),
    );
    for (const id of ids) {
      const [first, ...more] = ran.filter((one) => one.id === id && one.code === 0);
      expect(more).toEqual([]);
      expect(progressOf(rig, id)?.answer?.by).toBe(first?.USER);
      for (const { stderr } of ran.filter((one) => one.id === id && one.code !== 0))
        expect(stderr).toContain(`${id}.2 was already answered: approve, by ${first?.USER ?? ""} (cli)`);
    }
  }),
);

test(
  "an answer and a message that come during a run are taken by that run; an agent's own answer in the file is put back",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    const agent = await rig.agent();
    const said: string[] = [];
    agent.play(
      playStages({
        plan: async (turn) => {
          if (turn.hello.env["LOOPER_TASK_ID"] === "T2") {
            said.push(await say(rig, "approve", "T1"), await say(rig, "steer", "T1", "use tabs"));
            const forged = rig.readBacklog();
            const [first] = forged.tasks;
            if (first?.progress !== undefined) first.progress.answer = { outcome: "reject" };
            rig.write("to-do.json", JSON.stringify(forged));
          }
          await turn.report({ outcome: "done", output: USUAL_PLAN });
        },
      }),
    );
    const ran = await rig.run(["run", "--no-review", "--workflow", "plan-approve-execute"]);
    expect([ran.code, ...said]).toEqual([
      1,
      expect.stringMatching(/^0 T1\.3: approve; run .* takes it/),
      expect.stringMatching(/^0 T1: its agent gets the message/),
    ]);
    const putBack = rig.events().flatMap(({ type, put_back }) => (type === "backlog_edited" ? put_back : []));
    expect(putBack).toEqual(["progress.answer of T1"]);
    const finished = rig.events().filter(({ type }) => type === "question_answered");
    expect(finished).toMatchObject([{ task_id: "T1", outcome: "approve", via: "cli" }]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "blocked" });
  }),
);

test(
  "an agent of a run answers in no way: without its marks, in a session of its own, orphaned, over MCP, or in the file",
  story(async (rig) => {
    rig.writeBacklog([asking(rig, "T1"), { id: "T2" }]);
    rig.write(".gitignore", "looper-logs/\n.looper/\n");
    rig.gitInit();
    const agent = await rig.agent();
    const said: string[] = [];
    const bare = `env $(env | sed -n 's/^\\(LOOPER[A-Z0-9_a-z]*\\)=.*/-u \\1/p')`;
    const looper = `'${process.execPath}' '${BIN}'`;
    agent.play(
      playStages({
        plan: async (turn) => {
          const approve = `${looper} approve T1`;
          const orphan = `(${bare} setsid sh -c "${approve}; echo exit $? > orphaned" &) ; until test -f orphaned; do sleep 0.05; done`;
          for (const line of [approve, `${bare} ${approve}`, `${bare} setsid -w ${approve}`, orphan]) {
            const { code, stdout, stderr } = await turn.shell(`${line} 2>&1`);
            said.push(`${String(code)} ${stdout}${stderr}`);
          }
          const calls = mcpCalls(["answer", { id: "T1", outcome: "approve" }]).replaceAll("'", "");
          said.push((await turn.shell(`echo '${calls}' | ${bare} ${looper} mcp --allow-answers`)).stdout);
          const forged = rig.readBacklog();
          const [first] = forged.tasks;
          if (first?.progress !== undefined)
            first.progress.answer = { outcome: "approve", by: "ada", via: "cli" };
          await turn.write("to-do.json", JSON.stringify(forged));
          await turn.report({ outcome: "done", output: USUAL_PLAN });
        },
      }),
    );
    await rig.run(["run", "--no-review", "--workflow", "plan-approve-execute"]);
    expect(said).toHaveLength(5);
    for (const one of said)
      expect(one).toMatch(/an agent of a run may not answer questions|there is no tool answer here/u);
    const putBack = rig.events().flatMap(({ type, put_back }) => (type === "backlog_edited" ? put_back : []));
    expect(putBack).toEqual(["progress.answer of T1"]);
    expect(progressOf(rig, "T1")).toMatchObject({ stage: "approve" });
    expect(progressOf(rig, "T1")).not.toHaveProperty("answer");
  }),
);
