// Opens the subject of a question in the person's editor: the output of a stage, or the arguments of a call. A changed output is a file of its
// own; the one that was shown stays.
import path from "node:path";
import { findOutputSchema } from "../../../src/config/workflows/find-output-schema.js";
import { loadWorkflow } from "../../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../../src/config/workflows/find-workflows.js";
import { findEditable, writeEdited } from "../../../src/loop/runs/edited-output.js";
import { formatOutputBody } from "../../../src/prompts/output-document.js";
import { UserError, usageError } from "../../../src/system/errors.js";
import { parseJson } from "../../../src/system/text/json.js";
import type { TypedAnswer } from "../../../src/todo/change/person-answers.js";
import { clean, showBlock } from "../../../src/ui/text.js";
import type { OutputSchema } from "../../../src/workflow/outputs/check-output.js";
import { isOutputName } from "../../../src/workflow/outputs/outputs.js";
import type { Question } from "../../../src/workflow/progress.js";
import type { CommandContext } from "../../context/command-context.js";
import { nameOfUser } from "../name-of-user.js";
import type { AskedTask } from "./shown-work.js";

export interface ShownChange {
  typed: Pick<TypedAnswer, "edited" | "arguments">;
  text: readonly string[];
}

/** A text that can be changed: JSON, and what becomes of a changed one. */
interface Subject {
  name: string;
  fileName: string;
  before: string;
  /** A `UserError` where the changed text cannot be used. */
  take(text: string): Promise<ShownChange>;
}

/** The changed text; `undefined` where the person changed nothing or gave up: then a text that could not be used is kept. */
export async function editShown(asked: AskedTask): Promise<ShownChange | undefined> {
  const { context } = asked;
  const { files } = context.ports;
  const subject = await findSubject(asked);
  const folder = await files.makeTempFolder("looper-edit-");
  const copy = path.join(folder, subject.fileName);
  let isKept = false;
  try {
    await files.writeNew(copy, subject.before, { mode: 0o600, fleeting: true });
    for (;;) {
      if (!(await openEditor(context, copy))) return undefined;
      const text = new TextDecoder().decode((await files.read(copy)) ?? new Uint8Array());
      if (text === subject.before) {
        await tell(context, `${clean(subject.name)} is unchanged`);
        return undefined;
      }
      try {
        return await subject.take(text);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        await tell(context, error.message);
      }
      if (await context.confirm("Open the editor again?", [], "no")) continue;
      isKept = true;
      await tell(context, `your text is kept in ${copy}`);
      return undefined;
    }
  } finally {
    if (!isKept) await files.removeTree(folder);
  }
}

/** The changed text of a file, in place of an editor. */
export async function takeEdited(asked: AskedTask, text: string): Promise<ShownChange> {
  return (await findSubject(asked)).take(text);
}

async function findSubject(asked: AskedTask): Promise<Subject> {
  return asked.question.source === "tool" ? callSubject(asked.question) : outputSubject(asked);
}

async function outputSubject(asked: AskedTask): Promise<Subject> {
  const { context, project, task, question } = asked;
  const { ports, env } = context;
  const editable = findEditable(task, question);
  const { output } = editable;
  const tasksDir = project.paths.tasksDir;
  const before = await ports.files.read(path.join(tasksDir, output.file));
  return {
    name: output.stage,
    fileName: path.basename(output.file),
    before: new TextDecoder().decode(before ?? new Uint8Array()),
    take: async (text) => {
      const at = new Date(ports.clock.now()).toISOString();
      const schema = await findSchemaOf(asked, output.stage);
      const change = { tasksDir, text, by: nameOfUser(env), at, schema };
      const edited = await writeEdited(ports.files, editable, change);
      const name = schema?.name ?? output.stage;
      const body = { ...(isOutputName(name) ? { schema: name } : {}), output: parseJson(text) };
      return { typed: { edited }, text: showBlock(formatOutputBody(body).trim()) };
    },
  };
}

function callSubject(question: Question): Subject {
  const { call } = question;
  if (call?.arguments === undefined)
    throw usageError(
      `cannot edit the call of ${question.id}: its arguments are not in the task's row`,
      "reject it, and say in the remark what to do instead",
    );
  return {
    name: "the call",
    fileName: "arguments.json",
    before: `${JSON.stringify(call.arguments, null, 2)}\n`,
    take: (text) => {
      const changed = parseJson(text);
      if (typeof changed !== "object" || changed === null || Array.isArray(changed))
        throw usageError(
          `the changed arguments of ${call.tool} are not a JSON object`,
          "nothing was answered; correct them and answer again",
        );
      const shown = showBlock(JSON.stringify(changed, null, 2));
      return Promise.resolve({
        typed: { arguments: Object.fromEntries(Object.entries(changed)) },
        text: [`tool ${clean(call.tool)}`, ...shown],
      });
    },
  };
}

async function openEditor(context: CommandContext, file: string): Promise<boolean> {
  const { env, cwd, inTerminal } = context;
  const command = [env["VISUAL"], env["EDITOR"]].find((one) => one !== undefined && one !== "") ?? "vi";
  const code = await inTerminal({ command, args: [file], cwd, env });
  if (code === 0) return true;
  const how = code === undefined ? "could not be started" : `ended with exit code ${String(code)}`;
  await tell(context, `the editor ${clean(command)} ${how}; nothing was changed (set EDITOR)`);
  return false;
}

async function tell({ err }: CommandContext, line: string): Promise<void> {
  await err.write(`${clean(line)}\n`);
}

/** The schema of a stage of the task's workflow; `undefined` where the stage has none, or is gone. */
async function findSchemaOf(
  { context, project, task: { id, progress } }: AskedTask,
  stage: string,
): Promise<OutputSchema | undefined> {
  if (progress === undefined) return undefined;
  const { files } = context.ports;
  const places = workflowPlaces({ ...context, project });
  const named = { name: progress.workflow, namedBy: `task ${id}` };
  const { reading } = await loadWorkflow(files, places, named);
  const found = Object.entries(reading.workflow.stages).find(([name]) => name === stage)?.[1];
  const name = found !== undefined && "output" in found ? found.output : undefined;
  if (name === undefined) return undefined;
  const schema = await findOutputSchema(files, places, name);
  if (schema.ok) return schema.value;
  throw usageError(schema.error.message, schema.error.hint);
}
