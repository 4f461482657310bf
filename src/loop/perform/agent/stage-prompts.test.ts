// The prompts of the stages of every shipped workflow, at the first and at the second visit, as recorded in testdata/prompts.
// UPDATE_PROMPTS=1 writes them again; they are read in review like any other change.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { resolveSettings } from "../../../config/read/resolve.js";
import { stageVariables } from "../../../prompts/compose-stage.js";
import { OUTPUT_EXAMPLES } from "../../../prompts/stage-report.js";
import { render } from "../../../prompts/render.js";
import { readStageTemplate } from "../../../prompts/store.js";
import { formatTaskDocument } from "../../../prompts/task-document.js";
import { nodePorts } from "../../../system/processes/node-ports.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { Task } from "../../../todo/model/task.js";
import { backlog } from "../../../todo/testing/testing.js";
import type { Progress } from "../../../workflow/progress.js";
import { listOwnOutcomes } from "../../../workflow/advance.js";
import { Workflow } from "../../../workflow/workflow.js";
import type { JobFacts } from "../../step/effects.js";
import { openAgentStage } from "./agent-stage.js";
import { getPromptPlaces, makeIterationFacts } from "./prompt-for.js";
import { makeStageFacts } from "./stage-facts.js";
import { documentOf } from "../outputs/stage-output.js";
import { createMemory, type World } from "../world.js";

const NEEDLE = "NEEDLE-OF-PRAISE";
const PROMPTS = fileURLToPath(new URL("../../../../prompts", import.meta.url));
const WORKFLOWS = fileURLToPath(new URL("../../../../workflows", import.meta.url));
const RECORDED = fileURLToPath(new URL("../testdata/prompts", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "looper-prompts-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const workflows = readdirSync(WORKFLOWS)
  .filter((name) => name !== "default.json")
  .map((name) => Workflow.parse(JSON.parse(readFileSync(path.join(WORKFLOWS, name), "utf8"))));
const stages = workflows.flatMap((workflow) =>
  Object.entries(workflow.stages).flatMap(([name, stage]) =>
    stage.kind === "work" || stage.kind === "analyze"
      ? [1, 2].map((round) => ({ workflow, name, stage, round }))
      : [],
  ),
);

const AT = "2026-11-24T08:00:00.000Z";
const by = { by: "ada", via: "cli" as const, at: AT };

/** The outputs of the stages so far: those before this one; at its second visit all of them. */
function outputsOf(workflow: Workflow, stage: string, round: number): NonNullable<Progress["outputs"]> {
  const before = Object.keys(workflow.stages);
  const seen = round > 1 ? before : before.slice(0, before.indexOf(stage));
  const outputs: NonNullable<Progress["outputs"]> = {};
  for (const name of seen) {
    const author = workflow.stages[name];
    if (author?.kind !== "work" && author?.kind !== "analyze") continue;
    const schema = author.output;
    const reported = schema === undefined ? { summary: `${NEEDLE} ${name}` } : OUTPUT_EXAMPLES[schema];
    const praise = author.kind === "work" ? { verdict: "passed", summary: NEEDLE } : {};
    const bytes = JSON.stringify({ ...(reported as object), ...praise });
    const visit = before.indexOf(name) + 1;
    const file = `T7/${String(visit)}-${name}.json`;
    mkdirSync(path.join(folder, ".looper/tasks/T7"), { recursive: true });
    writeFileSync(path.join(folder, ".looper/tasks", file), bytes);
    const outcome = Object.keys(author.next)[0] ?? "done";
    outputs[name] = {
      stage: name,
      visit,
      outcome,
      file,
      sha256: sha256Hex(bytes),
      agent: "codex",
      run: "r",
      at: AT,
    };
  }
  return outputs;
}

function makeTask(workflow: Workflow, { name, round }: { name: string; round: number }): Task {
  const asks = Object.values(workflow.stages).some(({ kind }) => kind === "ask");
  const question = { question: "T7.2", asked: "Carry out this plan?", outcome: "approve" };
  const progress: Progress = {
    workflow: workflow.name,
    digest: "d",
    stage: name,
    visit: round === 1 ? 3 : 6,
    since: AT,
    visits: { [name]: round },
    outputs: outputsOf(workflow, name, round),
    ...(asks && round > 1
      ? { answers: [{ ...question, comment: "Leave the tests of main.ts out.", ...by }] }
      : {}),
    ...(round > 1 ? { notes: [{ text: "Keep the old flag working.", ...by }] } : {}),
    ...(round > 1 ? { reasons: [NEEDLE] } : {}),
  };
  return Task.parse({
    id: "T7",
    title: "Print the report as a table",
    description: "Columns: name, size, age. Sorted by name.",
    priority: 2,
    status: "doing",
    depends_on: ["T1"],
    verify: ["npm run check"],
    result: NEEDLE,
    progress,
  });
}

async function promptOf({ workflow, name, round }: (typeof stages)[number]): Promise<string> {
  rmSync(path.join(folder, ".looper"), { recursive: true, force: true });
  const task = makeTask(workflow, { name, round });
  const other = Task.parse({ id: "T1", title: "Collect", priority: 1, status: "done", result: "Collected." });
  const ran = { end: { how: "exited" as const, code: 1 }, duration_ms: 1, tail: "" };
  const tests = { "the clock is right": "failed" as const, "a list is sorted": "passed" as const };
  const baseline = {
    baseline: {
      commands: [{ ...ran, command: "npm test", own: false, tests }],
      own: [{ ...ran, command: "npm run check", own: true }],
    },
    file: "",
    changes: [],
  };
  const memory = { ...createMemory(), backlog: backlog(other, task), baseline };
  const resolved = resolveSettings({ env: {}, flags: { "--verify": ["npm test"] } });
  const project = {
    folder,
    todoFile: path.join(folder, "to-do.json"),
    logDir: path.join(folder, "looper-logs"),
    paths: {
      userFolder: path.join(folder, "user"),
      prompts: {},
      promptFolders: [],
      tasksDir: path.join(folder, ".looper/tasks"),
    },
    resolved,
  };
  const digest = "d";
  const world = {
    ports: nodePorts(),
    project,
    memory,
    promptsFolder: PROMPTS,
    workflows: { [workflow.name]: { digest, workflow } },
  } as unknown as World;
  const job: JobFacts = {
    ...{ job: 4, iteration: 3, phase: "iteration", task_id: task.id, agent: "codex", attempt: 1 },
    ...{ stage: name, visit: task.progress?.visit ?? 1 },
  };
  const stage = await openAgentStage(world, job);
  if (stage === undefined) throw new Error(name);
  const facts = await makeStageFacts(world, job, stage);
  const texts = Object.values(task.progress?.outputs ?? {}).map((output) => ({
    ...{ stage: output.stage, visit: output.visit, outcome: output.outcome },
    ...schemaOf(workflow, output.stage),
    output: JSON.parse(readFileSync(path.join(folder, ".looper/tasks", output.file), "utf8")) as unknown,
  }));
  const hasWork = Object.keys(task.progress?.outputs ?? {}).some(
    (one) => workflow.stages[one]?.kind === "work",
  );
  const diff = " src/format.ts | 1 +\n\n+++ b/src/format.ts\n@@ -0,0 +1 @@\n+export const table = 1;\n";
  const work = { verdict: "passed" as const, commands: ["npm test"], diff, command: "git diff a b" };
  const text = render(
    await readStageTemplate(world.ports.files, getPromptPlaces(world), stage.stage.prompt),
    stageVariables({
      ...(await makeIterationFacts(world, job, [])),
      ...facts,
      document: { path: documentOf(world.project, task.id), text: formatTaskDocument(task, texts) },
      ...(hasWork ? { work } : {}),
    }),
  );
  return text.replaceAll(folder, "/project");
}

function schemaOf(workflow: Workflow, name: string): { schema?: string } {
  const stage = workflow.stages[name];
  return stage !== undefined && "output" in stage && stage.output !== undefined
    ? { schema: stage.output }
    : {};
}

describe("the prompts of the shipped workflows", () => {
  test.each(stages)("$workflow.name, $name, visit $round", async (one) => {
    const prompt = await promptOf(one);
    const file = path.join(RECORDED, `${one.workflow.name}-${one.name}-${String(one.round)}.md`);
    if (process.env["UPDATE_PROMPTS"] === "1") {
      mkdirSync(RECORDED, { recursive: true });
      writeFileSync(file, prompt);
    }
    expect(prompt).toBe(readFileSync(file, "utf8"));
  });

  test.each(stages)(
    "$workflow.name, $name, visit $round: path, task, outcomes and outputs as data",
    async (one) => {
      const prompt = await promptOf(one);
      expect(prompt).toContain("/project/.looper/tasks/T7/task.md");
      expect(prompt).toContain("`T7`");
      expect(prompt).toMatch(
        /## What failed before the work[^]*npm test: exit code 1\n {2}the clock is right\n/u,
      );
      for (const outcome of listOwnOutcomes(one.stage)) expect(prompt).toContain(`- \`${outcome}\`: `);
      expect(prompt).not.toMatch(/\{\{|undefined|\n\n\n/u);
      if (one.stage.kind === "analyze") expect(prompt).not.toContain(NEEDLE);
      if (one.stage.kind === "analyze") expect(prompt).toContain("Change nothing: no file, no commit.");
    },
  );

  test("no reader of work is told what its author says about it, and an author is", async () => {
    const readers = stages.filter(({ stage, round }) => stage.kind === "analyze" && round === 2);
    expect(readers.length).toBeGreaterThan(5);
    for (const one of readers) expect(await promptOf(one)).not.toContain(NEEDLE);
    const author = stages.find(({ name, round }) => name === "green" && round === 2);
    expect(author && (await promptOf(author))).toContain(NEEDLE);
  });
});

/** R4-42 to R4-44: the instructions of each prompt, as it is rendered. */
const INSTRUCTIONS: readonly (readonly [string, readonly RegExp[]])[] = [
  [
    "plan",
    [
      /\*\*Look first\.\*\*[^]*\*\*Then ask\.\*\*/u,
      /`questions` of the report[^]*2 to 4 options/u,
      /\*Reuse\*[^]*\*Assumptions\*, \*risks\* and \*out of scope\*/u,
      /\*\*Check the plan before you report it\*\*/u,
      /\*Overview\*/u,
      /\*Plan\*/u,
      /\*Testing strategy\*/u,
      /\*To-do\*[^]*ticked one by one/u,
    ],
  ],
  [
    "implement",
    [
      /Read the task's document at `\/project\/\.looper\/tasks\/T7\/task\.md`/u,
      /\*\*Fix the review findings first\*\*/u,
      /next unticked items/u,
      /\*\*Tick what you finished\*\*[^]*`completed`[^]*`remaining`/u,
      /Ask nothing/u,
    ],
  ],
  [
    "review-task",
    [
      /\*\*Verify every ticked item\*\*/u,
      /\*\*Run the tests\*\*/u,
      /\*\*Your findings replace\s+them\*\*/u,
      /`failed_items`[^]*unticked/u,
      /\*\*Never fix code\.\*\*/u,
      /the file and the line/u,
      /\*\*Verify each finding before you report it\*\*: open the file at that line/u,
      /Say `complete` if every item[^]*nothing fails that did not fail before/u,
      /no finding is worse than `low`: those stay in the task's document/u,
      /ends\s+the task `T7`/u,
    ],
  ],
];

test.each(INSTRUCTIONS)("the prompt %s has each of its instructions at every visit", async (name, wanted) => {
  const rendered = stages.filter(({ stage }) => stage.prompt === name);
  expect(rendered.map(({ round }) => round)).toEqual(expect.arrayContaining([1, 2]));
  for (const one of rendered) {
    const prompt = await promptOf(one);
    expect(prompt).toContain("/project/.looper/tasks/T7/task.md");
    for (const instruction of wanted) expect(prompt).toMatch(instruction);
  }
});
