// `looper workflows`: lists, shows, copies and checks workflows. Leaves their rules to src/workflow, and finding them to
// src/config/workflows.
import path from "node:path";
import type { Project } from "../../../src/config/project/open-project.js";
import {
  findWorkflowFile,
  listWorkflowFiles,
  OWN_WORKFLOWS,
  type WorkflowFile,
  type WorkflowPlaces,
} from "../../../src/config/workflows/find-workflows.js";
import {
  describeProblems,
  loadWorkflow,
  readWorkflowFile,
} from "../../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../../src/config/workflows/workflow-places.js";
import { checkAgentSettings, checkStageFiles } from "../../../src/loop/start/before/check-stage-files.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import {
  workflowAnswer,
  workflowCheckAnswer,
  workflowsAnswer,
  type ListedWorkflow,
} from "../../../src/ui/answers/backlog/workflows.js";
import { coloursFor } from "../../../src/ui/colours.js";
import type { WorkflowsAnswer } from "../../../src/ui/shapes/workflows.js";
import { tableLines } from "../../../src/ui/terminal/columns.js";
import { clean, showBlock } from "../../../src/ui/text.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { WorkflowReading } from "../../../src/workflow/file/read-workflow.js";
import { hintOfFile, printJson, printLines, projectOf, shownPath } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { WORKFLOW_VERBS } from "../../context/words.js";

interface Place {
  project: Project;
  places: WorkflowPlaces;
}

/** Without a verb it lists the workflows. */
export async function workflows(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const [verb, name, ...more] = typed.operands;
  const known = WORKFLOW_VERBS.find((one) => one === verb);
  if (verb !== undefined && known === undefined)
    throw new UserError(
      "usage",
      `looper workflows has no verb ${verb}`,
      didYouMean(nearest(verb, WORKFLOW_VERBS), "show NAME, copy NAME, or check FILE"),
    );
  if (more.length > 0)
    throw new UserError("usage", `looper workflows ${verb ?? ""} takes one name`, "name one of them");
  const project = await projectOf(context);
  const place = { project, places: workflowPlaces({ ...context, project }) };
  if (known === undefined) return list(context, typed, place);
  if (name === undefined)
    throw new UserError(
      "usage",
      `looper workflows ${known} needs ${known === "check" ? "a file" : "a name"}`,
      known === "check" ? "looper workflows check FILE" : "looper workflows lists them",
    );
  if (known === "show") return show(context, typed, { ...place, name });
  return known === "copy"
    ? copy(context, typed, { ...place, name })
    : check(context, typed, { ...place, name });
}

async function list(
  context: CommandContext,
  typed: Typed,
  { project, places }: Place,
): Promise<CommandOutcome> {
  const { files } = context.ports;
  const listed: ListedWorkflow[] = [];
  for (const file of await listWorkflowFiles(files, places)) {
    const reading = await readWorkflowFile(files, places, file);
    const around =
      file.origin === "shipped" ? [] : await problemsAround(context, project, { found: file, reading });
    listed.push({ ...file, reading, around });
  }
  const answer = workflowsAnswer(listed, project.resolved.settings.workflow);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else await printLines(context.out, listLines(context, answer));
  return "ok";
}

function listLines({ out }: CommandContext, { workflows: all }: WorkflowsAnswer): string[] {
  const colours = coloursFor(out.colour);
  const rows = all.map(({ name, about, origin, problems, in_use }) => [
    clean(`${name}${in_use === true ? " *" : ""}`),
    origin,
    problems === undefined ? clean(about ?? "") : `cannot be used: ${plural(problems.length, "problem")}`,
  ]);
  const columns = [{ title: "workflow" }, { title: "from" }, { title: "about", shrinks: true as const }];
  const { header, lines } = tableLines(columns, rows, out.isTerminal ? out.columns() : undefined);
  return [
    colours.dim(header),
    ...lines,
    "",
    colours.dim("* the setting workflow; looper run --workflow NAME uses another"),
  ];
}

interface Named extends Place {
  name: string;
}

async function show(context: CommandContext, typed: Typed, { places, name }: Named): Promise<CommandOutcome> {
  const { files } = context.ports;
  const found = await loadWorkflow(files, places, { name, namedBy: "the command line" });
  const answer = workflowAnswer(found, found.reading);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else if (hasFlag(typed, "--mermaid")) await printLines(context.out, [answer.mermaid]);
  else {
    const text = Buffer.from((await files.read(found.file)) ?? new Uint8Array()).toString("utf8");
    const colours = coloursFor(context.out.colour);
    const about = found.reading.workflow.about;
    await printLines(context.out, [
      `${colours.bold(name)}${about === undefined ? "" : ` · ${clean(about)}`}`,
      colours.dim(`${found.origin} · ${clean(shownPath(context, found.file))}`),
      "",
      ...answer.text.flatMap(showBlock),
      "",
      ...showBlock(text.replace(/^\uFEFF/u, "").trimEnd()),
    ]);
  }
  return "ok";
}

/** Copies the user's, else the one that Looper brings, byte for byte. */
async function copy(context: CommandContext, typed: Typed, { places, name }: Named): Promise<CommandOutcome> {
  const { files } = context.ports;
  const none = path.join(places.shipped, "none");
  const source = await findWorkflowFile(files, { ...places, project: none }, name);
  if (source === undefined) throw await nothingToCopy(context, places, name);
  const own = await findWorkflowFile(files, { ...places, user: none, shipped: none }, name);
  if (own !== undefined && !hasFlag(typed, "--force"))
    throw new UserError("no", `${own.shown} is there already`, "pass --force to replace it");
  const file = path.join(places.project, OWN_WORKFLOWS, path.basename(source.file));
  const bytes = await files.read(source.file);
  if (bytes === undefined) throw new UserError("usage", `${source.file} is not there any more`);
  await files.makeFolder(path.dirname(file));
  await mustBeInProject(context, places, path.dirname(file));
  // A link would be followed, and a file with another ending would be a second one of the same name.
  if (own !== undefined) await files.remove(own.file);
  await files.writeAtomic(file, bytes);
  const answer = { name, from: source.file, file, replaced: own !== undefined };
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const shown = clean(shownPath(context, file));
    await printLines(context.out, [
      `${shown} ${answer.replaced ? "replaced" : "written"}; change it, then looper workflows check ${shown}`,
    ]);
  }
  return "ok";
}

async function nothingToCopy(
  context: CommandContext,
  places: WorkflowPlaces,
  name: string,
): Promise<UserError> {
  const listed = await listWorkflowFiles(context.ports.files, places);
  if (listed.some((one) => one.name === name))
    return new UserError(
      "usage",
      `the workflow ${name} is the project's own already`,
      "copy the file to another name",
    );
  const known = listed.map((one) => one.name);
  return new UserError(
    "usage",
    `there is no workflow ${JSON.stringify(name)}`,
    didYouMean(nearest(name, known), `known: ${known.join(", ")}`),
  );
}

async function mustBeInProject(
  { ports: { files } }: CommandContext,
  places: WorkflowPlaces,
  folder: string,
): Promise<void> {
  const [top, real] = [await files.realPath(places.project), await files.realPath(folder)];
  if (top !== undefined && real?.startsWith(`${top}${path.sep}`) === true) return;
  throw new UserError(
    "usage",
    `${folder} is a link that leads out of the project`,
    "replace the link by a folder",
  );
}

/** A file, or the name of a workflow if no such file exists. */
async function check(context: CommandContext, typed: Typed, named: Named): Promise<CommandOutcome> {
  const found = await findChecked(context, named);
  const reading = await readWorkflowFile(context.ports.files, named.places, found);
  const around = await problemsAround(context, named.project, { found, reading });
  const problems = [...reading.problems, ...around];
  const answer = workflowCheckAnswer(found.file, { workflow: reading.workflow, problems });
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const shown = clean(shownPath(context, found.file));
    const last = answer.ok
      ? `${shown} is valid: ${plural(Object.keys(reading.workflow?.stages ?? {}).length, "stage")}`
      : `${plural(problems.length, "problem")} in ${shown}`;
    await printLines(context.out, [...describeProblems(shown, problems).map((line) => clean(line)), last]);
  }
  return answer.ok ? "ok" : "no";
}

/** `name`: the one that it must have. */
type Checked = Pick<WorkflowFile, "file" | "origin"> & { name?: string };

async function findChecked(context: CommandContext, { places, name }: Named): Promise<Checked> {
  const { files } = context.ports;
  const file = path.resolve(context.cwd, name);
  if ((await files.stat(file, { link: true })) === undefined) {
    const found = await findWorkflowFile(files, places, name);
    if (found !== undefined) return found;
    throw new UserError(
      "usage",
      `there is no file ${shownPath(context, file)}`,
      await hintOfFile(files, file, "correct the path, or name a workflow"),
    );
  }
  const isOwn = path.dirname(file) === path.join(places.project, OWN_WORKFLOWS);
  // A draft that lies elsewhere is not looked up by its name yet.
  return isOwn ? { name: path.parse(file).name, file, origin: "project" } : { file, origin: "user" };
}

/** Problems of files and settings that it names, once the workflow itself can be read. */
async function problemsAround(
  { ports, env, home, promptsFolder }: CommandContext,
  project: Project,
  { found, reading }: { found: Checked; reading: WorkflowReading },
): Promise<WorkflowReading["problems"]> {
  if (reading.workflow === undefined) return [];
  const loaded = { ...found, name: reading.workflow.name, shown: found.file, reading };
  return [
    ...(await checkStageFiles({ ports, project, env, home, promptsFolder }, loaded)),
    ...checkAgentSettings({ project }, loaded),
  ];
}
