// The answers of `looper workflows`. Pure. Leaves finding and reading the files to src/config/workflows.
import type { WorkflowFile } from "../../../config/workflows/find-workflows.js";
import { drawMermaid, drawText } from "../../../workflow/file/draw.js";
import type { PlacedProblem, WorkflowReading } from "../../../workflow/file/read-workflow.js";
import type { WorkflowsShowAnswer, WorkflowsCheckAnswer, WorkflowsAnswer } from "../../shapes/workflows.js";

/** A workflow that can be named, read. */
export interface ListedWorkflow extends WorkflowFile {
  reading: WorkflowReading;
  /** Problems of the files and settings that it names. */
  around: readonly PlacedProblem[];
}

/** The shipped ones that most projects need; they come first, with those of people. */
const FIRST = ["default", "implement-review", "plan-approve-execute", "tdd"];

/** `used`: the name in the setting. */
export function workflowsAnswer(listed: readonly ListedWorkflow[], used: string): WorkflowsAnswer {
  const rank = ({ name, origin }: ListedWorkflow): number => {
    if (origin !== "shipped") return 0;
    return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
  };
  return {
    workflows: listed
      .toSorted((a, b) => rank(a) - rank(b))
      .map(({ name, origin, file, reading: { workflow, problems }, around }) => ({
        name,
        origin,
        file,
        about: workflow?.about,
        stages: workflow === undefined ? undefined : Object.keys(workflow.stages),
        problems: problems.length + around.length === 0 ? undefined : [...problems, ...around].map(problemOf),
        ...(name === used ? { in_use: true as const } : {}),
      })),
  };
}

export function workflowAnswer(
  { name, origin, file }: WorkflowFile,
  { workflow, digest }: Extract<WorkflowReading, { digest: string }>,
): WorkflowsShowAnswer {
  const mermaid = drawMermaid(workflow).join("\n");
  return { name, origin, file, digest, workflow, text: drawText(workflow), mermaid };
}

export function workflowCheckAnswer(
  file: string,
  { workflow, problems }: Pick<WorkflowReading, "workflow" | "problems">,
): WorkflowsCheckAnswer {
  return {
    file,
    ok: problems.length === 0,
    name: workflow?.name,
    problems: problems.map(problemOf),
  };
}

function problemOf({
  line,
  column,
  message,
  suggestion,
}: PlacedProblem): WorkflowsCheckAnswer["problems"][number] {
  return { line, column, message, suggestion };
}
