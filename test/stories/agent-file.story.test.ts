import { expect, test } from "vitest";
import { story } from "../rig/rig.js";

const append = (line: unknown) =>
  `echo '${typeof line === "string" ? line : JSON.stringify(line)}' >> "$LOOPER_STEP_DIR/agent.jsonl"`;

test(
  "an agent's report, tasks and notes in agent.jsonl count, and lines that cannot be used are warned of",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent();
    agent.play(async (turn) => {
      if (turn.task !== "T1") return turn.report();
      await turn.write("made.txt", "x\n");
      await turn.shell(append({ type: "add_task", task: { title: "Two", verify: ["true"] } }));
      await turn.shell(append({ type: "note", text: "found a second bug" }));
      await turn.shell(append({ type: "answer", id: "T1" }));
      await turn.shell(append({ type: "add_task", task_id: "T9", task: { title: "Nine" } }));
      await turn.shell(append({ type: "report", report: { status: "done", summary: "by the file" } }));
      await turn.shell(append('{"type":"note","te'));
      return turn.exit(0, "no report here");
    });
    const { code } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done" });
    const { tasks } = rig.readBacklog();
    expect(tasks[1]).toMatchObject({ id: "T2", title: "Two" });
    expect(tasks[1]).not.toHaveProperty("verify");
    const events = rig.events();
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "message",
        role: "note",
        content: "found a second bug",
        task_id: "T1",
      }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: "summary", summary: "by the file" }));
    const warnings = events.flatMap(({ type, message }) => (type === "warning" ? [String(message)] : []));
    expect(warnings).toEqual(
      expect.arrayContaining([
        'line 3 of agent.jsonl is not used: its type is "answer"',
        "line 6 of agent.jsonl is not used: it is not a JSON object",
        "add_task in agent.jsonl is not used: it is of task T9, and this is T1",
      ]),
    );
  }),
);

test(
  "a question in agent.jsonl blocks the task, whatever the final message says",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent();
    agent.play(async (turn) => {
      await turn.write("made.txt", "x\n");
      await turn.shell(append({ type: "ask_human", question: "Which port?" }));
      await turn.report();
    });
    const { code } = await rig.run(["run", "--no-review", "--max-attempts", "1"]);
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    expect(rig.readBacklog().tasks[0]).toMatchObject({ blockers: ["Which port?"] });
  }),
);
