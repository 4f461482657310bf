// `looper workflows`: lists, shows, copies and checks workflows. Leaves their rules to src/workflow, and
// finding them to src/config/workflows.
import path from "node:path";
import { Argument, Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import {
  findWorkflowFile,
  listWorkflowFiles,
  workflowPlaces,
  OWN_WORKFLOWS,
  type WorkflowFile,
  type WorkflowPlaces,
} from "../../src/config/workflows/find-workflows.js";
import {
  describeProblems,
  loadWorkflow,
  readWorkflowFile,
} from "../../src/config/workflows/load-workflow.js";
import { checkAgentSettings, checkStageFiles } from "../../src/loop/start/before/check-stage-files.js";
import { UserError, usageError } from "../../src/system/errors.js";
import { leadsInside } from "../../src/system/files/leads-inside.js";
import { hintOn } from "../../src/system/text/nearest.js";
import {
  workflowAnswer,
  workflowCheckAnswer,
  workflowsAnswer,
  type ListedWorkflow,
} from "../../src/ui/answers/backlog/workflows.js";
import type { WorkflowsAnswer } from "../../src/ui/shapes/workflows.js";
import { shrinks, tableLines } from "../../src/ui/terminal/columns.js";
import { clean, showBlock } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import type { WorkflowReading } from "../../src/workflow/file/read-workflow.js";
import { hintOfFile, lookOf, projectOf, shownPath } from "../lookup/project.js";
import { JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readVerb } from "../context/words.js";

const VERBS = ["show", "copy", "check"] as const;

interface Request {
  verb?: string;
  name?: string;
  words: readonly string[];
  mermaid?: true;
  force?: true;
}

interface Place {
  context: CommandContext;
  project: Project;
  places: WorkflowPlaces;
}

/** Without a verb it lists the workflows. */
export const command: AnsweringCommand<Request> = {
  arguments: [
    new Argument("[verb]", "show, copy or check; without it: a list"),
    new Argument("[name]", "a workflow; for check a file"),
  ],
  options: [
    new Option("--mermaid", "for show: draw a mermaid diagram"),
    new Option("--force", "for copy: replace the project's own"),
    JSON_OPTION,
  ],
  examples: [
    ["looper workflows", "list them, and where each comes from"],
    ["looper workflows show implement-review", "draw its stages and print its file"],
    ["looper workflows copy implement-review", "copy it to .looper/workflows to change it"],
  ],
  answer,
};

async function answer(context: CommandContext, { verb, name, words, mermaid, force }: Request) {
  const known = readVerb("workflows", verb, VERBS);
  if (words.length > 2) throw usageError(`looper workflows ${verb ?? ""} takes one name`, "name one of them");
  const project = await projectOf(context);
  const place = { context, project, places: workflowPlaces({ ...context, project }) };
  if (known === undefined) return list(place);
  if (name === undefined)
    throw usageError(
      `looper workflows ${known} needs ${known === "check" ? "a file" : "a name"}`,
      known === "check" ? "looper workflows check FILE" : "looper workflows lists them",
    );
  const named = { ...place, name };
  if (known === "show") return show(named, mermaid === true);
  return known === "copy" ? copy(named, force === true) : check(named);
}

async function list(place: Place): Promise<CommandAnswer> {
  const { context, project, places } = place;
  const { files } = context.ports;
  const listed: ListedWorkflow[] = [];
  for (const file of await listWorkflowFiles(files, places)) {
    const reading = await readWorkflowFile(files, places, file);
    const around = file.origin === "shipped" ? [] : await problemsAround(place, file, reading);
    listed.push({ ...file, reading, around });
  }
  const json = workflowsAnswer(listed, project.resolved.settings.workflow);
  return { json, lines: listLines(context, json) };
}

function listLines({ out }: CommandContext, { workflows: all }: WorkflowsAnswer): string[] {
  const rows = all.map(({ name, about, origin, problems, in_use }) => [
    clean(`${name}${in_use === true ? " *" : ""}`),
    origin,
    problems === undefined ? clean(about ?? "") : `cannot be used: ${plural(problems.length, "problem")}`,
  ]);
  const columns = ["workflow", "from", shrinks("about")];
  const note = "* the setting workflow; looper run --workflow NAME uses another";
  return [...tableLines(columns, rows, lookOf(out)), "", lookOf(out).colours.dim(note)];
}

interface Named extends Place {
  name: string;
}

async function show({ context, places, name }: Named, mermaid: boolean): Promise<CommandAnswer> {
  const { files } = context.ports;
  const found = await loadWorkflow(files, places, { name, namedBy: "the command line" });
  const json = workflowAnswer(found, found.reading);
  if (mermaid) return { json, lines: [json.mermaid] };
  const text = Buffer.from((await files.read(found.file)) ?? new Uint8Array()).toString("utf8");
  const { colours } = lookOf(context.out);
  const about = found.reading.workflow.about;
  const lines = [
    `${colours.bold(name)}${about === undefined ? "" : ` · ${clean(about)}`}`,
    colours.dim(`${found.origin} · ${clean(shownPath(context, found.file))}`),
    "",
    ...json.text.flatMap(showBlock),
    "",
    ...showBlock(text.replace(/^\uFEFF/u, "").trimEnd()),
  ];
  return { json, lines };
}

/** Copies the user's, else the one that Looper brings, byte for byte. */
async function copy(named: Named, force: boolean): Promise<CommandAnswer> {
  const { context, places, name } = named;
  const { files } = context.ports;
  const none = path.join(places.shipped, "none");
  const source = await findWorkflowFile(files, { ...places, project: none }, name);
  if (source === undefined) throw await nothingToCopy(named);
  const own = await findWorkflowFile(files, { ...places, user: none, shipped: none }, name);
  if (own !== undefined && !force)
    throw new UserError("no", `${own.shown} is there already`, "pass --force to replace it");
  const file = path.join(places.project, OWN_WORKFLOWS, path.basename(source.file));
  const bytes = await files.read(source.file);
  if (bytes === undefined) throw usageError(`${source.file} is not there any more`);
  await files.makeFolder(path.dirname(file));
  await mustBeInProject(named, path.dirname(file));
  // A link would be followed, and a file with another ending would be a second one of the same name.
  if (own !== undefined) await files.remove(own.file);
  await files.writeAtomic(file, bytes);
  const json = { name, from: source.file, file, replaced: own !== undefined };
  const shown = clean(shownPath(context, file));
  const did = json.replaced ? "replaced" : "written";
  return { json, lines: [`${shown} ${did}; change it, then looper workflows check ${shown}`] };
}

async function nothingToCopy({ context, places, name }: Named): Promise<UserError> {
  const listed = await listWorkflowFiles(context.ports.files, places);
  if (listed.some((one) => one.name === name))
    return usageError(`the workflow ${name} is the project's own already`, "copy the file to another name");
  const known = listed.map((one) => one.name);
  return usageError(
    `there is no workflow ${JSON.stringify(name)}`,
    hintOn(name, known, `known: ${known.join(", ")}`),
  );
}

async function mustBeInProject({ context, places }: Place, folder: string): Promise<void> {
  if (await leadsInside(context.ports.files, folder, places.project)) return;
  throw usageError(`${folder} is a link that leads out of the project`, "replace the link by a folder");
}

/** A file, or the name of a workflow if no such file exists. */
async function check(named: Named): Promise<CommandAnswer> {
  const { context } = named;
  const found = await findChecked(named);
  const reading = await readWorkflowFile(context.ports.files, named.places, found);
  const around = await problemsAround(named, found, reading);
  const problems = [...reading.problems, ...around];
  const json = workflowCheckAnswer(found.file, { workflow: reading.workflow, problems });
  const shown = clean(shownPath(context, found.file));
  const last = json.ok
    ? `${shown} is valid: ${plural(Object.keys(reading.workflow?.stages ?? {}).length, "stage")}`
    : `${plural(problems.length, "problem")} in ${shown}`;
  const lines = [...describeProblems(shown, problems).map((line) => clean(line)), last];
  return { json, lines, end: json.ok ? "ok" : "no" };
}

/** `name`: the one that it must have. */
type Checked = Pick<WorkflowFile, "file" | "origin"> & { name?: string };

async function findChecked({ context, places, name }: Named): Promise<Checked> {
  const { files } = context.ports;
  const file = path.resolve(context.cwd, name);
  if ((await files.stat(file, { link: true })) === undefined) {
    const found = await findWorkflowFile(files, places, name);
    if (found !== undefined) return found;
    throw usageError(
      `there is no file ${shownPath(context, file)}`,
      await hintOfFile(files, file, "correct the path, or name a workflow"),
    );
  }
  const isOwn = path.dirname(file) === path.join(places.project, OWN_WORKFLOWS);
  // A draft that lies elsewhere is not looked up by its name yet.
  return isOwn ? { name: path.parse(file).name, file, origin: "project" } : { file, origin: "user" };
}

/** Problems of files and settings that it names, once the workflow itself can be read. */
async function problemsAround({ context, project }: Place, found: Checked, reading: WorkflowReading) {
  const { ports, env, home, promptsFolder } = context;
  if (reading.workflow === undefined) return [];
  const loaded = { ...found, name: reading.workflow.name, shown: found.file, reading };
  return [
    ...(await checkStageFiles({ ports, project, env, home, promptsFolder }, loaded)),
    ...checkAgentSettings({ project }, loaded),
  ];
}
