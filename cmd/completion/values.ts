// Looks up values in the project: tasks, tags, runs, agents, settings, rescues. Only reads; starts only git, for rescues.
// Contract: throws errors about the project; the caller then offers nothing.
import { makeRepositoryPlaces } from "../../src/loop/runs/repository-places.js";
import path from "node:path";
import { knownAgents } from "../../src/config/read/agent-settings.js";
import { openProject, type Project } from "../../src/config/project/open-project.js";
import { resolvePath } from "../../src/config/read/places.js";
import { listWorkflowFiles, type WorkflowFile } from "../../src/config/workflows/find-workflows.js";
import { readWorkflowFile } from "../../src/config/workflows/load-workflow.js";
import { workflowPlaces } from "../../src/config/workflows/workflow-places.js";
import { rowOf, STRATEGIES } from "../../src/config/settings/settings.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { findRescues, type FoundRescue } from "../../src/git/rescue/rescue.js";
import { EVENT_TYPES } from "../../src/logging/events/events.js";
import { given } from "../../src/system/given.js";
import { never } from "../../src/system/never.js";
import { checkBacklog } from "../../src/todo/check/check.js";
import { orderForListing, withoutMarker } from "../../src/todo/model/select.js";
import { STATUSES } from "../../src/todo/model/status.js";
import type { Task } from "../../src/todo/model/task.js";
import { listQuestions } from "../../src/ui/view/open-questions.js";
import { listOwnRuns } from "../lookup/own-runs.js";
import { listTemplates } from "../lookup/task-templates.js";
import type { CommandContext } from "../context/command-context.js";
import type { CandidateKind } from "./narrow.js";
import type { Completion } from "./point.js";

/** Where to look: the values of `-C` and `--file` as typed. `typed`: the beginning of the word. */
export interface CompletionPlace {
  folder?: string;
  file?: string;
  typed: string;
}

/** All values of a kind, the most likely first. */
export async function valuesOf(
  context: CommandContext,
  kind: CandidateKind,
  place: CompletionPlace,
): Promise<Completion[]> {
  switch (kind) {
    case "file":
    case "folder":
      return [];
    case "status":
    case "status-or-file":
      return STATUSES.map(plain);
    case "priority":
      return [1, 2, 3, 4, 5].map((priority) => plain(String(priority)));
    case "event-type":
      return EVENT_TYPES.toSorted().map(plain);
    case "agent":
      return agentsOf(await projectAt(context, place)).map(plain);
    case "schedule":
      return [...STRATEGIES, ...agentsOf(await projectAt(context, place))].map(plain);
    case "run":
    case "run-or-file":
      return (await listOwnRuns(context, await projectAt(context, place))).toReversed().map(plain);
    case "session":
      return (await namesBelow(context, place, "sessions")).reverse().map(plain);
    case "skill":
      return (await namesBelow(context, place, "skills")).map(plain);
    case "setting":
      return settingsOf(await projectAt(context, place));
    case "tag":
      return tagsOf(await tasksOf(context, await projectAt(context, place)));
    case "task":
      return withoutMarker(await tasksOf(context, await projectAt(context, place))).map(({ id, title }) => {
        return { value: id, says: title };
      });
    case "template":
      return (await listTemplates(context, await projectAt(context, place))).map(plain);
    case "workflow":
      return (await workflowsOf(context, place)).map(({ name }) => plain(name));
    case "stage":
      return stagesOf(context, place);
    case "question":
      return listQuestions(await tasksOf(context, await projectAt(context, place)), "").map((open) => {
        return { value: open.task, says: open.question.text };
      });
    case "outcome":
      return outcomesOf(await tasksOf(context, await projectAt(context, place))).map(plain);
    case "rescue":
      return rescuesOf(context, await projectAt(context, place), place.typed);
    default:
      return never(kind);
  }
}

function plain(value: string): Completion {
  return { value };
}

function projectAt(
  { ports, cwd, home, env }: CommandContext,
  { folder, file }: CompletionPlace,
): Promise<Project> {
  const start = folder === undefined ? cwd : resolvePath(folder, { project: cwd, home });
  const named = file === undefined ? {} : { file: resolvePath(file, { project: start, home }) };
  return openProject(ports.files, { cwd: start, env, home, flags: {}, ...named });
}

/** The names of the folders in a folder of `.looper/`. */
async function namesBelow(
  context: CommandContext,
  place: CompletionPlace,
  folder: string,
): Promise<string[]> {
  const project = await projectAt(context, place);
  const names = await context.ports.files.list(path.join(project.folder, ".looper", folder));
  return names.filter((name) => !name.startsWith("."));
}

function agentsOf({ resolved }: Project): string[] {
  return knownAgents(resolved.settings);
}

function settingsOf({ resolved }: Project): Completion[] {
  return [...resolved.values.keys()].map((key) => {
    const doc = rowOf(key)?.doc;
    return { value: key, ...given({ says: doc }) };
  });
}

/** In the order of `looper ls`; empty for a file that is not a valid backlog. */
async function tasksOf({ ports: { files } }: CommandContext, { todoFile }: Project): Promise<Task[]> {
  const checked = checkBacklog((await files.read(todoFile)) ?? new Uint8Array());
  return checked.kind === "ok" ? orderForListing(checked.backlog.tasks) : [];
}

/** The outcomes of all open questions. */
function outcomesOf(tasks: readonly Task[]): string[] {
  return [...new Set(listQuestions(tasks, "").flatMap(({ question }) => question.outcomes))];
}

function tagsOf(tasks: readonly Task[]): Completion[] {
  return [...new Set(tasks.flatMap(({ tags = [] }) => tags))].toSorted().map(plain);
}

/** Unique labels, else ids; ids as well when the person began to type one. */
async function rescuesOf(
  { ports, env }: CommandContext,
  project: Project,
  typed: string,
): Promise<Completion[]> {
  const opened = await openRepository(ports, makeRepositoryPlaces({ project, env }));
  if (!opened.ok) return [];
  const found = (await findRescues(opened.value)).reverse();
  return found.map((one) => ({ value: nameOf(one, found, typed), says: `of run ${one.run}` }));
}

function nameOf({ run, label }: FoundRescue, all: readonly FoundRescue[], typed: string): string {
  const id = `${run}/${label}`;
  const isOnly = all.filter((other) => other.label === label).length === 1;
  return isOnly && (typed === "" || !id.startsWith(typed)) ? label : id;
}

async function workflowsOf(context: CommandContext, place: CompletionPlace): Promise<WorkflowFile[]> {
  const { ports, env, home, workflowsFolder } = context;
  const project = await projectAt(context, place);
  return listWorkflowFiles(ports.files, workflowPlaces({ project, env, home, workflowsFolder }));
}

/** The stages of all workflows that can be read; which of them a run goes through depends on its tasks. */
async function stagesOf(context: CommandContext, place: CompletionPlace): Promise<Completion[]> {
  const { folder: project } = await projectAt(context, place);
  const stages = new Set<string>();
  for (const file of await workflowsOf(context, place)) {
    const { workflow } = await readWorkflowFile(context.ports.files, { project }, file);
    for (const name of Object.keys(workflow?.stages ?? {})) stages.add(name);
  }
  return [...stages].sort().map(plain);
}
