// `looper rescue`: lists, shows, restores and drops abandoned work. Restored files are work of their task
// again: a checkpoint is made of the tree without them and the task is marked as doing, so that the next
// attempt continues from them and the task's commit contains them. Leaves git to src/git/.
import { Argument } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { asResult, GitError, withHint } from "../../src/git/base/git.js";
import { openRepository, type Repository } from "../../src/git/base/repository/repository.js";
import {
  restoreRescue,
  type BroughtBack,
  type Clash,
  dropRescue,
  listRescues,
  showRescue,
  type Rescue,
} from "../../src/git/bring-back/bring-back.js";
import { checkpoint, dropCheckpoint, listInHand } from "../../src/git/checkpoint/checkpoint.js";
import { listWorks } from "../../src/git/saved-work/work-ref.js";
import { takeRunLocks } from "../../src/loop/runs/locks.js";
import { makeRepositoryPlaces } from "../../src/loop/runs/run-request.js";
import { environmentError, usageError } from "../../src/system/errors.js";
import { listSome } from "../../src/system/text/cut.js";
import { hintOn } from "../../src/system/text/nearest.js";
import type { Task, TaskId } from "../../src/todo/model/task.js";
import { openStore, type Store } from "../../src/todo/store/store.js";
import { rescueListAnswer, rescueRestoreAnswer, rescueShowAnswer } from "../../src/ui/answers/runs/work.js";
import type { RescueDropAnswer, RescueRestoreAnswer } from "../../src/ui/shapes/work.js";
import { diffLines, PUT_ASIDE, rescueLines, savedWorkLines } from "../../src/ui/terminal/rescues.js";
import { clean } from "../../src/ui/text.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import { JSON_OPTION, type AnsweringCommand, type CommandAnswer } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { readVerb } from "../context/words.js";
import { lookOf, projectOf, warn } from "../lookup/project.js";
import { refuseAgents } from "../lookup/caller.js";

const VERBS = ["list", "show", "restore", "drop"] as const;
type Verb = (typeof VERBS)[number];

interface Request {
  verb?: string;
  ids?: readonly string[];
}

interface Site {
  context: CommandContext;
  project: Project;
  /** `undefined` without a repository, which holds the rescues. */
  repo: Repository | undefined;
  rescues: readonly Rescue[];
}

export const command: AnsweringCommand<Request> = {
  arguments: [
    new Argument("[verb]", "list (default), show, restore or drop"),
    new Argument("[ids...]", "ids as listed, or how they begin"),
  ],
  options: [JSON_OPTION],
  examples: [
    ["looper rescue show T3-2", "show what was saved of the second attempt at T3"],
    ["looper rescue restore T3-2", "restore the work for T3, uncommitted"],
  ],
  answer: (context, request) => withHint("mend what git names", () => answer(context, request)),
};

async function answer(context: CommandContext, { verb: word, ids = [] }: Request): Promise<CommandAnswer> {
  const verb = readVerb("rescue", word, VERBS) ?? "list";
  checkIds(verb, ids);
  if (verb === "restore" || verb === "drop")
    await refuseAgents(context, `${verb} what was put aside`, "say in the summary which rescue is meant");
  const project = await projectOf(context);
  const repo = await repositoryOf(context, project, verb);
  const rescues = repo === undefined ? [] : await listRescues(repo);
  const site: Site = { context, project, repo, rescues };
  return { list, show, restore, drop }[verb](site, ids);
}

function checkIds(verb: Verb, ids: readonly string[]): void {
  const wrong = verb === "list" ? ids.length > 0 : verb === "drop" ? ids.length === 0 : ids.length !== 1;
  if (!wrong) return;
  const wants = verb === "list" ? "takes no id" : verb === "drop" ? "takes one id or more" : "takes one id";
  throw usageError(`looper rescue ${verb} ${wants}`, "looper rescue lists the ids");
}

async function repositoryOf(context: CommandContext, project: Project, verb: Verb) {
  const opened = await openRepository(context.ports, makeRepositoryPlaces({ project, env: context.env }));
  if (opened.ok) return opened.value;
  const { why, message } = opened.error;
  if (why !== "no-repository")
    throw environmentError(message, "run `git init`: looper keeps abandoned work in git");
  // The other verbs report that the named rescue does not exist.
  if (verb === "list") await warn(context, `${message}: there are no rescues`);
  return undefined;
}

/**
 * Finds a rescue by its id, label or ref, or by a prefix that only one rescue has. A whole label (T1-1) is not the prefix of
 * another (T1-10, T1-1-2): a rescue that was dropped already must not drop the next one.
 */
function findRescue(rescues: readonly Rescue[], typed = ""): Rescue {
  const isWhole = /-\d+$/.test(typed) && (typed.includes("/") || !/^\d{4}-\d\d-/.test(typed));
  const exact = rescues.filter(({ id, label, ref }) => [id, label, ref].includes(typed));
  const found =
    exact.length > 0 || typed === "" || isWhole
      ? exact
      : rescues.filter(({ id, label }) => id.startsWith(typed) || label.startsWith(typed));
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const names = found.map(({ id }) => id);
  if (only !== undefined) throw usageError(`${typed} may be ${listSome(names)}`, "type more characters");
  const known = rescues.flatMap(({ id, label }) => [id, label]);
  const otherwise = rescues.length === 0 ? "there are no rescues" : "list rescues with `looper rescue`";
  throw usageError(`unknown rescue ${typed}`, hintOn(typed, known, otherwise));
}

async function list({ context, repo, rescues }: Site): Promise<CommandAnswer> {
  const json = rescueListAnswer(rescues, repo === undefined ? [] : await listWorks(repo));
  const listed =
    rescues.length === 0 ? ["no abandoned work"] : rescueLines(json.rescues, lookOf(context.out));
  return { json, lines: [...listed, ...savedWorkLines(json.saved ?? [])] };
}

async function show({ context, rescues }: Site, ids: readonly string[]): Promise<CommandAnswer> {
  const found = findRescue(rescues, ids[0]);
  const diff = await showRescue(found);
  const json = rescueShowAnswer(found, diff);
  const { id, at, task, why, commit } = json;
  const about = task === undefined ? "" : `${clean(task)}: `;
  const head = [`${clean(id)}  ${at}`, `${about}${PUT_ASIDE[why]}, ${commit}`, ""];
  return { json, lines: [...head, ...diffLines(diff, lookOf(context.out).colours)] };
}

async function restore(site: Site, ids: readonly string[]): Promise<CommandAnswer> {
  const { context, project, repo, rescues } = site;
  const found = findRescue(rescues, ids[0]);
  if (repo === undefined) return { json: undefined, lines: [], end: "no" };
  const locks = await takeRunLocks(context.ports, project, repo);
  try {
    const { back, task, goesOn } = await handBack(site, repo, found);
    const json = rescueRestoreAnswer(found, back, task);
    const lines = restoreLines(json, { commit: found.commit, goesOn });
    return { json, lines, end: json.ok ? "ok" : "no" };
  } finally {
    await locks.release();
  }
}

function restoreLines(answer: RescueRestoreAnswer, { commit, goesOn }: { commit: string; goesOn: boolean }) {
  const id = clean(answer.id);
  if (!answer.ok) {
    return [
      `${id}: nothing was changed, ${plural(answer.clashes.length, "path")} would be overwritten:`,
      ...answer.clashes.map(({ path, why }) => `  ${clean(path)} (${CLASHES[why]})`),
      `commit these, or put them elsewhere, then try again; or take single files: git restore --source=${commit} PATH`,
    ];
  }
  const { restored, already, left } = answer;
  return [
    restored.length === 0
      ? `${id}: all of its files are in the tree already`
      : `${id}: brought back ${plural(restored.length, "path")}, uncommitted:`,
    ...restored.map((path) => `  ${clean(path)}`),
    ...(already.length === 0 || restored.length === 0 ? [] : [`${already.length} were as it has them`]),
    ...left.map((path) => `  ${clean(path)} is a repository of its own: this rescue does not hold its files`),
    ...(answer.task === null ? [] : [inHandText(clean(answer.task), goesOn ? [] : already)]),
    `it is kept until you drop it: looper rescue drop ${id}`,
  ];
}

/** `theirs`: files that were in the tree before the task began; they count as the person's. */
function inHandText(task: string, theirs: readonly string[]): string {
  const again = `${task} is in progress again: the next attempt continues from this work`;
  if (theirs.length === 0) return `${again}, and its commit holds it`;
  return `${again}; its commit does not hold what was there already: ${clean(theirs.join(", "))}`;
}

const CLASHES: Readonly<Record<Clash["why"], string>> = {
  differs: "changed since, in the same place",
  ignored: "an untracked file is in the way",
  folder: "a file and a folder have the same name",
};

async function drop({ rescues }: Site, ids: readonly string[]): Promise<CommandAnswer> {
  // Find all of them before the first is dropped.
  const found = new Set(ids.map((id) => findRescue(rescues, id)));
  for (const one of found) await dropRescue(one);
  const json: RescueDropAnswer = { dropped: Array.from(found, ({ id, commit }) => ({ id, commit })) };
  const lines = json.dropped.map(
    ({ id, commit }) =>
      `dropped ${clean(id)}; until git prunes it: git branch rescued ${commit} brings its commit back`,
  );
  return { json, lines };
}

/** Restores a rescue, as work of its task unless that is done. `goesOn`: it adds to such work in the tree. */
async function handBack({ context: { ports }, project }: Site, repo: Repository, rescue: Rescue) {
  const bring = (): Promise<BroughtBack> => restoreRescue(rescue);
  const store = openStore(ports, project.todoFile, { lockFolder: project.lockDir });
  const task = rescue.repo === repo ? await taskOf(store, rescue) : undefined;
  if (task === undefined) return { back: await bring(), task: undefined, goesOn: false };
  const inHand = await listInHand(repo, [task.id]);
  // Work in the tree already has its base, which stays valid.
  const goesOn = task.status === "doing" && inHand.length > 0;
  if (!goesOn) await checkpoint(repo, { id: task.id, run: rescue.run, reuse: false });
  const back = await asResult(bring);
  if (!back.ok || "clashes" in back.value) {
    // The failure of bringing it back is what the user must know of.
    if (!goesOn) await asResult(() => dropCheckpoint(repo, task.id));
    if (!back.ok) throw new GitError(back.error.command, back.error.message);
    return { back: back.value, task: undefined, goesOn: false };
  }
  await takeInHand(store, task.id);
  return { back: back.value, task: task.id, goesOn };
}

async function taskOf(store: Store, { task, why }: Rescue): Promise<Task | undefined> {
  if (task === undefined || !["given-up", "dropped", "commits"].includes(why)) return undefined;
  const read = await store.read();
  if (read.kind !== "ok") return undefined;
  return read.backlog.tasks.find(({ id, status }) => id === task && status !== "done");
}

async function takeInHand(store: Store, id: TaskId): Promise<void> {
  const edited = await store.edit(
    () => [{ op: "edit", id, set: { status: "doing" }, clear: ["blockers"] }],
    () => Promise.resolve(),
  );
  if (!edited.ok)
    throw environmentError(
      `cannot take ${id} in hand: the task file cannot be changed`,
      `repair it, then run looper set ${id} status=doing`,
    );
}
