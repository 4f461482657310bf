// Many processes answer the same questions beside a run: each question takes one answer, and the run takes each once. The whole
// crowd: CROWD=20x50 npx vitest run --project stories test/stories/crowd.story.test.ts (20 processes, 50 answers each; 84 s
// on two busy cores).
import { expect } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { story, type Rig } from "../rig/rig.js";
import { mcpCalls, mcpResults } from "../rig/mcp.js";
import type { Progress } from "../../src/workflow/progress.js";

const [processes = 4, questions = 6] = (process.env["CROWD"] ?? "4x6").split("x").map(Number);
const IDS = Array.from({ length: questions }, (_, at) => `T${String(at + 1)}`);
const SINCE = "2026-11-23T20:00:00Z";
const ASK = {
  workflow: 1,
  name: "ask",
  start: "look",
  stages: { look: { kind: "ask", question: "Which?", next: { one: "finish", two: "block" } } },
};

function asking(id: string): { id: string } & Record<string, unknown> {
  const progress: Progress = {
    ...{ workflow: "ask", digest: "d", stage: "look", visit: 1, since: SINCE },
    question: {
      ...{ id: `${id}.1`, source: "stage", text: "Which?", outcomes: ["one", "two"], asked_at: SINCE },
    },
  };
  return { id, status: "blocked", blockers: ["Which?"], progress };
}

/** One process: it answers every question, each process in an order of its own. */
async function answerAll(rig: Rig, at: number): Promise<unknown[]> {
  const turned = IDS.map((_, index) => IDS[(index + at * 7) % IDS.length] ?? "");
  const input = mcpCalls(...turned.map((id) => ["answer", { id: `${id}.1`, outcome: "two" }] as const));
  const env = { USER: `p${String(at)}` };
  const { stdout } = await rig.run(["mcp", "--allow-answers"], { env, input });
  return mcpResults(stdout);
}

exhaustively(
  "many processes answer the same questions beside a run: each takes one answer, and the run takes it once",
  story(async (rig) => {
    rig.writeBacklog([{ id: "WORK", priority: 1, workflow: "default" }, ...IDS.map(asking)]);
    rig.write(".looper/workflows/ask.json", JSON.stringify(ASK));
    rig.write(".gitignore", "looper-logs/\n.looper/tasks/\n");
    rig.gitInit();
    const agent = await rig.agent();
    const results: unknown[] = [];
    agent.play(async (turn) => {
      const people = Array.from({ length: processes }, (_, at) => answerAll(rig, at));
      results.push(...(await Promise.all(people)).flat());
      await turn.write("made.txt", "made\n");
      await turn.report();
    });
    await rig.run(["run", "--no-review", "--trust", "--workflow", "ask"]);
    expect(results).toHaveLength(processes * questions);
    const refused = results.filter((one) => typeof one === "string");
    expect(results.length - refused.length).toBe(questions);
    for (const one of refused) expect(one).toMatch(/T\d+\.1 was already answered: two, by p\d+ \(mcp\)/u);
    const taken = rig.events().filter(({ type }) => type === "question_answered");
    expect(taken.map(({ question }) => String(question)).sort()).toEqual(IDS.map((id) => `${id}.1`).sort());
    const answers = rig.readBacklog().tasks.flatMap(({ progress }) => progress?.answers ?? []);
    expect(answers.map(({ question, via }) => `${question} ${via}`).sort()).toEqual(
      IDS.map((id) => `${id}.1 mcp`).sort(),
    );
  }),
);
