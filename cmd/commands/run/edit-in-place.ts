// The output of a stage in the person's editor, for the answer `edit` at the prompt of a run. The changed output is a file of its
// own; the one that was shown stays.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import { findEditable, writeEdited } from "../../../src/loop/runs/edited-output.js";
import { UserError } from "../../../src/system/errors.js";
import type { Task } from "../../../src/todo/model/task.js";
import { clean } from "../../../src/ui/text.js";
import type { Question, StageOutput } from "../../../src/workflow/progress.js";
import type { CommandContext } from "../../context/command-context.js";
import { nameOfUser } from "../../lookup/name-of-user.js";
import { tasksFolder } from "../../../src/config/project/tasks-folder.js";

/** The changed output; `undefined` where the person changed nothing or gave up. */
export async function editOutput(
  context: CommandContext,
  project: Project,
  { task, question }: { task: Task; question: Question },
): Promise<StageOutput | undefined> {
  const { files } = context.ports;
  const editable = findEditable(task, question);
  const before = await files.read(path.join(tasksFolder(project), editable.output.file));
  const folder = await files.makeTempFolder("looper-edit-");
  const copy = path.join(folder, path.basename(editable.output.file));
  try {
    await files.writeNew(copy, before ?? "", { mode: 0o600, fleeting: true });
    for (;;) {
      if (!(await openEditor(context, copy))) return undefined;
      const text = new TextDecoder().decode((await files.read(copy)) ?? new Uint8Array());
      if (text === new TextDecoder().decode(before)) {
        await tell(context, `${clean(editable.output.stage)} is unchanged`);
        return undefined;
      }
      const written = await tryWrite(context, project, { editable, text });
      if (typeof written !== "string") return written;
      await tell(context, written);
      const again = await context.confirm("Open the editor again?", []);
      if (!again) return undefined;
    }
  } finally {
    await files.removeTree(folder);
  }
}

type Editable = ReturnType<typeof findEditable>;

/** The changed output, or why it cannot be used. */
async function tryWrite(
  { ports, env }: CommandContext,
  project: Project,
  { editable, text }: { editable: Editable; text: string },
): Promise<StageOutput | string> {
  try {
    return await writeEdited(ports.files, editable, {
      tasksDir: tasksFolder(project),
      text,
      by: nameOfUser(env),
      at: new Date(ports.clock.now()).toISOString(),
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

/** Whether the editor ended well. */
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
