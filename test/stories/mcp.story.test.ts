// `looper mcp` through the real program: the protocol, a person's client, and an agent of a run.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { mcpAnswers, mcpCalls, mcpInput, mcpResults, type Call } from "../rig/mcp.js";
import type { Turn } from "../rig/puppet.js";
import { story, type Rig } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

async function callAll(rig: Rig, calls: readonly Call[], args: readonly string[] = []): Promise<unknown[]> {
  const { code, stdout } = await rig.run(["mcp", ...args], { input: mcpCalls(...calls) });
  expect(code).toBe(0);
  return mcpResults(stdout);
}

/** The same from an agent's hands. */
async function callInside(turn: Turn, calls: readonly Call[], before = ""): Promise<unknown[]> {
  await turn.write(".git/mcp-input", mcpCalls(...calls));
  const { code, stdout, stderr } = await turn.shell(
    `${before} '${process.execPath}' '${BIN}' mcp --allow-answers < .git/mcp-input`,
  );
  expect(code, stderr).toBe(0);
  return mcpResults(stdout);
}

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });

/** A row that waits for a person. */
const ASKED = {
  id: "T1",
  status: "blocked",
  blockers: ["Carry out this plan?"],
  progress: {
    workflow: "plan-approve-execute",
    digest: "d",
    stage: "approve",
    visit: 2,
    since: "2026-11-20T00:00:00Z",
    question: {
      id: "T1.2",
      source: "stage",
      text: "Carry out this plan?",
      outcomes: ["approve", "revise", "reject"],
      asked_at: "2026-11-20T00:00:00Z",
    },
  },
};

test(
  "--file names another task file, for what is read and for what is written",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("other.json", rig.read("to-do.json").replaceAll("T1", "X1"));
    const calls: Call[] = [
      ["list_tasks", {}],
      ["add_task", { title: "Say goodbye" }],
    ];
    const [listed] = await callAll(rig, calls, ["--file", "other.json"]);
    expect(JSON.stringify(listed)).toContain("X1");
    expect(rig.read("other.json")).toContain("Say goodbye");
    expect(rig.read("to-do.json")).not.toContain("Say goodbye");
  }),
);

test(
  "a client is greeted, shown the tools, and answered on every line that is a request",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const input = mcpInput(
      request(1, "tools/list"),
      '{"jsonrpc":"2.0","id":2,"me',
      "[]",
      request(4, "no/such"),
      request(5, "tools/call", { name: "no_such" }),
      request(6, "tools/call", { name: "show_task", arguments: { id: "T9" } }),
      request(7, "tools/call", { name: "list_tasks", arguments: { statu: "todo" } }),
      request(8, "ping"),
    );
    const { code, stdout } = await rig.run(["mcp"], { input });
    expect(code).toBe(0);
    const answers = mcpAnswers(stdout);
    const of = (id: number | string) => answers.find((answer) => answer.id === id);
    expect(of("hello")?.result).toMatchObject({
      protocolVersion: "2025-06-18",
      serverInfo: { name: "looper" },
      capabilities: { tools: {} },
    });
    const { tools } = of(1)?.result as { tools: { name: string; inputSchema: object }[] };
    expect(tools.map(({ name }) => name)).toEqual([
      "list_tasks",
      "show_task",
      "status",
      "questions",
      "add_task",
      "edit_task",
    ]);
    for (const { inputSchema } of tools) expect(inputSchema).toMatchObject({ type: "object" });
    expect(of(4)?.error?.code).toBe(-32601);
    for (const [id, text] of [
      [5, "there is no tool no_such here"],
      [6, "there is no task T9"],
      [7, 'list_tasks: Unrecognized key: "statu"'],
    ] as const)
      expect(of(id)?.result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(text) as unknown }],
      });
    expect(of(8)?.result).toEqual({});
  }),
);

test(
  "a person's client lists, shows, adds and edits tasks as the commands do",
  story(async (rig) => {
    rig.writeBacklog([
      { id: "T1", priority: 2 },
      { id: "T2", status: "blocked", blockers: ["the key"] },
    ]);
    const [list, shown] = await callAll(rig, [
      ["list_tasks", { limit: 1 }],
      ["show_task", { id: "T1" }],
    ]);
    expect(list).toMatchObject({ total: 2, tasks: [{ id: "T1", ready: true }] });
    expect(shown).toMatchObject({ task: { id: "T1" }, history: [] });
    const added = await callAll(rig, [
      ["add_task", { title: "Three", priority: 1, verify: ["npm test"], depends_on: ["T1"], tags: ["a,b"] }],
    ]);
    expect(added).toMatchObject([{ changed: [{ id: "T3", from: null, to: "todo" }] }]);
    expect(
      await callAll(rig, [["edit_task", { id: "T2", status: "todo", title: "Two, again", clear: ["tags"] }]]),
    ).toMatchObject([{ changed: [{ id: "T2", from: "blocked", to: "todo" }] }]);
    const [, two, three] = rig.readBacklog().tasks;
    expect(two).toMatchObject({ title: "Two, again", status: "todo" });
    expect(two).not.toHaveProperty("blockers");
    expect(three).toMatchObject({ title: "Three", priority: 1, tags: ["a,b"], verify: ["npm test"] });
    const before = rig.read("to-do.json");
    expect(
      await callAll(rig, [
        ["add_task", { title: "Four", depends_on: ["T9"] }],
        ["edit_task", { id: "T1" }],
        ["edit_task", { id: "T1", progress: {} }],
        ["add_task", { title: "Five", progress: {}, meta: { verdict: "verified" } }],
        ["answer", { id: "T1" }],
        ["report", { status: "done" }],
      ]),
    ).toEqual([
      expect.stringContaining("T9"),
      expect.stringContaining("nothing is to be changed"),
      expect.stringContaining("progress"),
      expect.stringContaining("meta"),
      "there is no tool answer here",
      "there is no tool report here",
    ]);
    expect(rig.read("to-do.json")).toBe(before);
  }),
);

exhaustively(
  "two clients at once that each add 5 tasks lose none",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const many = (name: string): Call[] =>
      Array.from({ length: 5 }, (_, at) => ["add_task", { title: `${name} ${at}` }]);
    const results = await Promise.all([callAll(rig, many("a")), callAll(rig, many("b"))]);
    const ids = results.flat().map((made) => (made as { changed: [{ id: string }] }).changed[0].id);
    expect(new Set(ids).size).toBe(10);
    expect(rig.readBacklog().tasks).toHaveLength(11);
  }),
);

test(
  "an answer is taken only with --allow-answers, and recorded as given over MCP",
  story(async (rig) => {
    rig.writeBacklog([ASKED]);
    const answer: Call = ["answer", { id: "T1", outcome: "approve", comment: "go" }];
    expect(await callAll(rig, [answer])).toEqual(["there is no tool answer here"]);
    expect(rig.readBacklog().tasks[0]?.progress).not.toHaveProperty("answer");
    const [questions, wrong] = await callAll(
      rig,
      [["questions"], ["answer", { id: "T1", outcome: "perhaps" }]],
      ["--allow-answers"],
    );
    expect(questions).toMatchObject({
      questions: [{ task: "T1", id: "T1.2", text: "Carry out this plan?" }],
    });
    expect(wrong).toContain("perhaps");
    expect(await callAll(rig, [answer], ["--allow-answers"])).toMatchObject([{ changed: [{ id: "T1" }] }]);
    expect(rig.readBacklog().tasks[0]).toMatchObject({
      status: "todo",
      progress: { answer: { question: "T1.2", outcome: "approve", comment: "go", via: "mcp" } },
    });
    expect(await callAll(rig, [answer], ["--allow-answers"])).toEqual([
      expect.stringMatching(/T1\.2 was already answered: approve, by .* \(mcp\)/),
    ]);
  }),
);

exhaustively(
  "an edit of the task in hand ends its attempt, as by a command",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent();
    const running = rig.start(["run", "--no-review"]);
    const turn = await agent.next();
    await turn.write("made.txt", "x\n");
    const [made] = await callAll(rig, [["edit_task", { id: "T1", status: "done" }]]);
    expect(made).toMatchObject({ changed: [{ id: "T1", to: "done" }] });
    expect((await running.ended).code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done" });
  }),
);

test(
  "an agent of a run reads its task and leaves requests, and cannot edit or answer",
  story(async (rig) => {
    rig.writeBacklog([
      { id: "T1", details: "with care" },
      { id: "T2", depends_on: ["T1"] },
    ]);
    const agent = await rig.agent();
    agent.play(async (turn) => {
      if (turn.task !== "T1") return turn.report();
      await turn.write("made.txt", "x\n");
      const before = rig.read("to-do.json");
      const [task, added, noted, edit, answered, completed, bad, reported] = await callInside(turn, [
        ["task"],
        ["add_task", { title: "Three", verify: ["true"] }],
        ["note", { text: "half of it was there" }],
        ["edit_task", { id: "T1", status: "done" }],
        ["answer", { id: "T1", outcome: "approve" }],
        ["complete", { id: "T1" }],
        ["report", { status: "perfect" }],
        ["report", { status: "done", summary: "over MCP" }],
      ]);
      expect(task).toMatchObject({ task: { id: "T1", details: "with care", status: "doing" }, attempt: 1 });
      expect(readFileSync((task as { prompt: string }).prompt, "utf8")).toContain("with care");
      for (const said of [added, noted, reported]) expect(said).toMatchObject({ ok: true });
      for (const said of [edit, answered, completed]) expect(said).toContain("there is no tool");
      expect(bad).toContain("report: status");
      expect(rig.read("to-do.json")).toBe(before);
      // Without its environment the agent is still known.
      const [hidden] = await callInside(turn, [["answer", { id: "T1" }]], "env -i");
      expect(hidden).toBe("there is no tool answer here");
      expect(existsSync(path.join(turn.hello.env["LOOPER_STEP_DIR"] ?? "", "agent.jsonl"))).toBe(true);
      return turn.exit(0, "no report");
    });
    const { code } = await rig.run(["run", "--no-review"]);
    expect(code).toBe(0);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T3: "done" });
    expect(rig.readBacklog().tasks[2]).not.toHaveProperty("verify");
    const summaries = rig.events().flatMap(({ type, summary }) => (type === "summary" ? [summary] : []));
    expect(summaries).toContain("over MCP");
    expect(rig.events()).toContainEqual(
      expect.objectContaining({ type: "message", role: "note", content: "half of it was there" }),
    );
  }),
);

test(
  "a question that an agent asks over MCP blocks its task until a person answers",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent();
    agent.play(async (turn) => {
      await turn.write("made.txt", "x\n");
      const [asked] = await callInside(turn, [["ask_human", { question: "Which port?" }]]);
      expect(asked).toMatchObject({ message: expect.stringContaining("End your turn now") as unknown });
      await turn.report();
    });
    const { code } = await rig.run(["run", "--no-review", "--max-attempts", "1"]);
    expect(code).toBe(1);
    expect(rig.statuses()).toEqual({ T1: "blocked" });
    expect(rig.readBacklog().tasks[0]).toMatchObject({ blockers: ["Which port?"] });
  }),
);

exhaustively(
  "in a workflow the question is asked, answered over MCP, and the same stage continues with the answer",
  story(async (rig) => {
    const told = path.join(rig.root, "told");
    rig.writeBacklog([{ id: "T1" }]);
    const agent = await rig.agent({}, { hooks: { notification: [`cat >> ${told}`] } });
    const seen: unknown[] = [];
    agent.play(async (turn) => {
      if (turn.hello.prompt.includes("Which port?")) {
        const [task] = await callInside(turn, [["task"]]);
        seen.push(task);
        if ((task as { stage: string }).stage === "implement") await turn.write("made.txt", "8080\n");
        const outcome = (task as { stage: string }).stage === "implement" ? "done" : "complete";
        const output = outcome === "done" ? { completed: [] } : { findings: [] };
        await callInside(turn, [["report", { status: "done", outcome, output, summary: outcome }]]);
        return turn.exit(0, "reported over MCP");
      }
      await callInside(turn, [["ask_human", { question: "Which port?" }]]);
      return turn.exit(0, "asked");
    });
    const words = ["run", "--no-review", "--workflow", "implement-review"];
    const first = await rig.run(words);
    expect(first.code, first.stderr).toBe(1);
    expect(rig.readBacklog().tasks[0]).toMatchObject({
      status: "blocked",
      progress: { stage: "implement", question: { source: "agent", text: "Which port?" } },
    });
    expect(
      await callAll(rig, [["answer", { id: "T1", text: "8080, as before" }]], ["--allow-answers"]),
    ).toMatchObject([{ changed: [{ id: "T1" }] }]);
    const second = await rig.run(words);
    expect(second.code, second.stdout + second.stderr).toBe(0);
    expect(rig.read("made.txt")).toBe("8080\n");
    expect(seen).toMatchObject([
      { stage: "implement", answers: [{ question: "Which port?", text: "8080, as before", via: "mcp" }] },
      { stage: "review", workflow: "implement-review" },
    ]);
    const events = readFileSync(told, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { of: string }).of);
    expect(events).toEqual(["asked", "run_ended", "committed", "run_ended"]);
  }),
);

test(
  "a project without a task file, and one that is broken, are errors of the tools and not of the server",
  story(async (rig) => {
    const [none] = await callAll(rig, [["list_tasks"]]);
    expect(none).toContain("no task file");
    rig.write("to-do.json", "{");
    const [listed, added] = await callAll(rig, [["list_tasks"], ["add_task", { title: "x" }]]);
    expect(listed).toMatchObject({ tasks: [], warnings: [expect.stringContaining("has 1 problem")] });
    expect(added).toContain("is not a valid backlog");
    expect(rig.read("to-do.json")).toBe("{");
  }),
);
