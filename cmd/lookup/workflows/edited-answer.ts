// The text of an answer that a person changed, as the task's row takes it.
import { findOutputSchema } from "../../../src/config/workflows/find-output-schema.js";
import { workflowPlaces } from "../../../src/config/workflows/find-workflows.js";
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { findEditable, writeEdited } from "../../../src/loop/runs/output-files.js";
import { usageError } from "../../../src/system/errors.js";
import { isRecord, parseJson } from "../../../src/system/text/json.js";
import { EDIT, type TypedAnswer } from "../../../src/todo/change/person-answers.js";
import type { Question } from "../../../src/workflow/progress.js";
import { personOf } from "../caller.js";
import type { AskedTask } from "./shown-work.js";

/** A changed text, or none. */
export type EditedAnswer = Pick<TypedAnswer, "edited" | "arguments">;

/** The changed text of an answer, as a row takes it; a changed output is written into a file of its own. */
export async function takeEdited(
  asked: AskedTask,
  text: string,
  word: string | undefined,
): Promise<EditedAnswer> {
  const { question } = asked;
  mustFitCall(question, word);
  return question.source === "tool" ? takeCall(question, text) : takeOutput(asked, text);
}

/** Writes the changed output beside the one that was shown. */
async function takeOutput(asked: AskedTask, text: string): Promise<EditedAnswer> {
  const { context, project, task, question } = asked;
  const { ports } = context;
  const editable = findEditable(task, question);
  const at = new Date(ports.clock.now()).toISOString();
  const schema = await findSchemaOf(asked, editable.output.stage);
  const change = { tasksDir: project.paths.tasksDir, text, by: personOf(context).by, at, schema };
  return { edited: await writeEdited(ports.files, editable, change) };
}

function takeCall({ call, id }: Question, text: string): EditedAnswer {
  if (call?.arguments === undefined)
    throw usageError(
      `cannot edit the call of ${id}: its arguments are not in the task's row`,
      "reject it, and say in the remark what to do instead",
    );
  const changed = parseJson(text);
  if (isRecord(changed)) return { arguments: changed };
  throw usageError(
    `the changed arguments of ${call.tool} are not a JSON object`,
    "nothing was answered; correct them and answer again",
  );
}

/** The schema of a stage of the task's workflow; `undefined` where the stage has none, or is gone. */
async function findSchemaOf({ context, project, task: { id, progress } }: AskedTask, stage: string) {
  if (progress === undefined) return undefined;
  const { files } = context.ports;
  const places = workflowPlaces({ ...context, project });
  const named = { name: progress.workflow, namedBy: `task ${id}` };
  const { reading } = await loadWorkflow(files, places, named);
  const name = Object.entries(reading.workflow.stages).find(([one]) => one === stage)?.[1].output;
  if (name === undefined) return undefined;
  const schema = await findOutputSchema(files, places, name);
  if (schema.ok) return schema.value;
  throw usageError(schema.error.message, schema.error.hint);
}

/** A changed call is allowed by the answer `edit` alone. */
function mustFitCall({ source, id }: Question, word: string | undefined): void {
  if (source !== "tool" || word === undefined || word === EDIT) return;
  throw usageError(
    `cannot answer ${word} with changed arguments`,
    `\`looper answer ${id} edit\` changes the call and allows it`,
  );
}
