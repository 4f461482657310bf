// Real clients in the stages of a workflow: which prompt each turn has, what it reports by the stage's schema, and what comes of it.
import type { Step } from "../model-server/scenario.js";
import { MAKE, unless, type Case, type Scene } from "./case.js";

/** A report of a stage, with every key that the clients' schema flags ask for. */
function stageReport(outcome: string, output?: unknown): Step {
  const value = {
    task_id: "T1",
    status: "done",
    outcome,
    ...(output === undefined ? {} : { output }),
    questions: null,
    summary: "PRAISE of the agent for itself",
    files: [],
    blockers: null,
    new_tasks: null,
    changes_checks: null,
  };
  return { do: "structured", value };
}

const FINDING = { text: "made.txt says too little", file: "made-T1.txt", line: 1, severity: "high" };
const IMPLEMENTED = stageReport("done", { completed: ["Task T1"], remaining: null });
const CHANGES = stageReport("changes", { findings: [FINDING], failed_items: ["Task T1"], checked: null });
const COMPLETE = stageReport("complete", { findings: [], failed_items: null, checked: ["cat made-T1.txt"] });
const AGAIN: Step = { do: "shell", command: "echo more >> made-$LOOPER_TASK_ID.txt" };

const REQUEST = stageReport("clear", { status: "clear", questions: null, clarified_query: "Make the file." });
const PLAN = stageReport("done", {
  summary: "One file.",
  steps: ["Make the file"],
  files_to_create: [{ path: "made-T1.txt", purpose: "what was asked for" }],
  files_to_modify: null,
  commands: null,
  tests: null,
  dependencies: null,
  reuses: null,
  assumptions: null,
  risks: ["It is there already"],
  out_of_scope: null,
  items: ["The file is there"],
});
const EXECUTED = stageReport("done", { completed: ["The file is there"], remaining: null });

/** The stages that were worked in, in order. */
function stagesOf({ rig }: Scene): string {
  return rig
    .events()
    .flatMap((line) => (line.type === "agent_started" ? [String(line["stage"])] : []))
    .join();
}

/** One commit with the work, the stages in order, every session in the log, and a document that says how it ended. */
function wentThrough(scene: Scene, stages: string, document: readonly string[]): string[] {
  const { rig } = scene;
  const text = rig.read(".looper/tasks/T1/task.md");
  const sessions = new Set(
    rig.events().flatMap((line) => (line.type === "session" ? [String(line["id"])] : [])),
  );
  return [
    ...unless(stagesOf(scene) === stages, `the stages were ${stagesOf(scene)}`),
    ...unless(rig.commitsByTask()["T1"] === 1, "T1 does not have one commit"),
    ...unless(rig.git("ls-files").includes("made-T1.txt"), "made-T1.txt is in no commit"),
    ...unless(sessions.size === stages.split(",").length, `${sessions.size} sessions are in the log`),
    ...document.flatMap((line) => unless(text.includes(line), `task.md does not have "${line}"`)),
  ];
}

/** The prompts of the readers of the work hold no word of its author about it. */
function unpraised({ rig, server }: Scene): string[] {
  const reviews = server.seen.filter(({ last }) => last.includes("You review the work"));
  return [
    ...unless(
      reviews.every(({ last }) => !last.includes("PRAISE")),
      "a reviewer was told the author's summary",
    ),
    ...unless(!rig.read(".looper/tasks/T1/task.md").includes("PRAISE"), "task.md has the author's summary"),
  ];
}

export const WORKFLOW_CASES: readonly Case[] = [
  {
    name: "implement-review",
    about:
      "The workflow implement-review: a review with a finding, and one that is complete; each stage reports by its schema.",
    settings: { workflow: "implement-review" },
    scenario: { sessions: [[MAKE, IMPLEMENTED], [CHANGES], [AGAIN, IMPLEMENTED], [COMPLETE]] },
    check: (scene) => [
      ...wentThrough(scene, "implement,review,implement,review", ["- [x] Task T1", "nothing was found"]),
      ...unpraised(scene),
    ],
    wanted: "complete",
  },
  {
    name: "plan-approve-execute",
    about: "The workflow plan-approve-execute, with the plan approved by --auto-approve.",
    settings: { workflow: "plan-approve-execute" },
    args: ["--auto-approve", "approve"],
    scenario: { sessions: [[REQUEST], [PLAN], [MAKE, EXECUTED], [COMPLETE]] },
    check: (scene) =>
      wentThrough(scene, "clarify,plan,execute,validate", ["- [x] The file is there", "One file."]),
    wanted: "complete",
  },
  {
    name: "stage-report",
    about:
      "A review ends in words, and is asked once more in the same session. Claude holds it to the schema by itself; gemini over ACP loses the session that it is to load (google-gemini/gemini-cli#28775).",
    settings: { workflow: "implement-review" },
    scenario: {
      sessions: [
        [MAKE, IMPLEMENTED],
        [{ do: "say", text: "All is well, I think." }, COMPLETE],
      ],
    },
    check: ({ rig, agent }) => [
      ...unless(agent === "gemini-acp" || rig.commitsByTask()["T1"] === 1, "T1 does not have one commit"),
      ...unless(
        rig.events().filter(({ type }) => type === "agent_started").length === (agent === "claude" ? 2 : 3),
        `the agent was started ${rig.events().filter(({ type }) => type === "agent_started").length} times`,
      ),
    ],
    wanted: "complete",
    // "Invalid session identifier": its session/load overwrites the session's file before it reads it. The next attempt is a new one.
    wantedOf: { "gemini-acp": "blocked: no-summary" },
  },
];
