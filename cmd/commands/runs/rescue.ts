// `looper rescue`: lists, shows, restores and drops abandoned work. Leaves finding a rescue to
// find-rescue.ts, and git to src/git/.
import {
  rescueDropAnswer,
  rescueListAnswer,
  rescueRestoreAnswer,
  rescueShowAnswer,
} from "../../../src/ui/answers/runs/rescue.js";
import { makeRepositoryPlaces } from "../../../src/loop/runs/repository-places.js";
import { restoreRescue, type Clash } from "../../../src/git/bring-back/bring-back.js";
import { withHint } from "../../../src/git/base/git.js";
import { openRepository, type Repository } from "../../../src/git/base/repository/repository.js";
import { dropRescue, listRescues, showRescue, type Rescue } from "../../../src/git/bring-back/rescues.js";
import { listWorks } from "../../../src/git/saved-work/work-ref.js";
import { takeRunLocks } from "../../../src/loop/runs/locks.js";
import type { Project } from "../../../src/config/project/open-project.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { never } from "../../../src/system/never.js";
import { plural } from "../../../src/ui/view/words/amounts.js";
import type { RescueRestoreAnswer } from "../../../src/ui/shapes/work.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { diffLines, rescueLines, savedWorkLines, whyText } from "../../../src/ui/terminal/rescues.js";
import { clean } from "../../../src/ui/text.js";
import { handBack } from "./hand-back.js";
import { findRescue } from "../../lookup/find-rescue.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { refuseAgents } from "../../lookup/under-an-agent.js";
import { RESCUE_VERBS } from "../../context/words.js";

type Verb = (typeof RESCUE_VERBS)[number];

interface Site {
  context: CommandContext;
  project: Project;
  /** `undefined` without a repository, which holds the rescues. */
  repo: Repository | undefined;
  rescues: readonly Rescue[];
  json: boolean;
  /** Restore the files only, not as work of their task. */
  onlyFiles: boolean;
}

/** `looper rescue [list | show ID | restore ID | drop ID…]`. */
export function rescue(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  return withHint("mend what git names", () => handleRescues(context, typed));
}

async function handleRescues(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const [word = "list", ...ids] = typed.operands;
  const verb = toVerb(word);
  checkIds(verb, ids);
  if (verb === "restore" || verb === "drop")
    await refuseAgents(context, {
      what: `an agent of a run may not ${verb} what was put aside`,
      instead: "say in the summary which rescue is meant",
    });
  const project = await projectOf(context);
  const repo = await repositoryOf(context, project, verb);
  const rescues = repo === undefined ? [] : await listRescues(repo);
  const site: Site = {
    context,
    project,
    repo,
    rescues,
    json: hasFlag(typed, "--json"),
    onlyFiles: hasFlag(typed, "--only-files"),
  };
  switch (verb) {
    case "list":
      return list(site);
    case "show":
      return show(site, ids);
    case "restore":
      return restore(site, ids);
    case "drop":
      return drop(site, ids);
    default:
      return never(verb);
  }
}

function toVerb(word: string): Verb {
  const verb = RESCUE_VERBS.find((one) => one === word);
  if (verb !== undefined) return verb;
  const near = nearest(word, RESCUE_VERBS);
  const hint = near === undefined ? `looper rescue show ${word} shows one` : `did you mean ${near}?`;
  throw new UserError("usage", `looper rescue knows list, show, restore and drop, not ${word}`, hint);
}

function checkIds(verb: Verb, ids: readonly string[]): void {
  const wrong = verb === "list" ? ids.length > 0 : verb === "drop" ? ids.length === 0 : ids.length !== 1;
  if (!wrong) return;
  const wants = verb === "list" ? "takes no id" : verb === "drop" ? "takes one id or more" : "takes one id";
  throw new UserError("usage", `looper rescue ${verb} ${wants}`, "looper rescue lists the ids");
}

async function repositoryOf(
  context: CommandContext,
  project: Project,
  verb: Verb,
): Promise<Repository | undefined> {
  const opened = await openRepository(context.ports, makeRepositoryPlaces({ project, env: context.env }));
  if (opened.ok) return opened.value;
  if (opened.error.why !== "no-repository")
    throw new UserError(
      "environment",
      opened.error.message,
      "run `git init`: looper keeps abandoned work in git",
    );
  const line = `looper: ${clean(opened.error.message)}: there are no rescues`;
  // The other verbs report that the named rescue does not exist.
  if (verb === "list") await context.report({ level: "warn", lines: [line] });
  return undefined;
}

async function list({ context, repo, rescues, json }: Site): Promise<CommandOutcome> {
  const answer = rescueListAnswer(rescues, repo === undefined ? [] : await listWorks(repo));
  const listed =
    rescues.length === 0 ? ["no abandoned work"] : rescueLines(answer.rescues, terminalOf(context));
  if (json) await printJson(context, answer);
  else await printLines(context.out, [...listed, ...savedWorkLines(answer.saved ?? [])]);
  return "ok";
}

async function show({ context, rescues, json }: Site, ids: readonly string[]): Promise<CommandOutcome> {
  const found = findRescue(rescues, ids[0] ?? "");
  const diff = await showRescue(found);
  const answer = rescueShowAnswer(found, diff);
  if (json) await printJson(context, answer);
  else {
    const { id, at, task, why, commit } = answer;
    const about = task === undefined ? "" : `${clean(task)}: `;
    const head = [`${clean(id)}  ${at}`, `${about}${whyText(why)}, ${commit}`, ""];
    await printLines(context.out, [...head, ...diffLines(diff, terminalOf(context).colours)]);
  }
  return "ok";
}

async function restore(site: Site, ids: readonly string[]): Promise<CommandOutcome> {
  const { context, project, repo, rescues, json } = site;
  const found = findRescue(rescues, ids[0] ?? "");
  if (repo === undefined) return "no";
  const locks = await takeRunLocks(context.ports, project, repo);
  try {
    const bring = () => restoreRescue(found);
    const handed = site.onlyFiles
      ? undefined
      : await handBack({ ports: context.ports, project, repo }, found, bring);
    const back = handed?.back ?? (await bring());
    const answer = rescueRestoreAnswer(found, back, handed?.task);
    if (json) await printJson(context, answer);
    else
      await printLines(
        context.out,
        restoreLines(answer, { commit: found.commit, goesOn: handed?.goesOn === true }),
      );
    return answer.ok ? "ok" : "no";
  } finally {
    await locks.release();
  }
}

function restoreLines(
  answer: RescueRestoreAnswer,
  { commit, goesOn }: { commit: string; goesOn: boolean },
): string[] {
  const id = clean(answer.id);
  if (!answer.ok) {
    return [
      `${id}: nothing was changed, ${plural(answer.clashes.length, "path")} would be overwritten:`,
      ...answer.clashes.map(({ path, why }) => `  ${clean(path)} (${clashText(why)})`),
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

function clashText(why: Clash["why"]): string {
  switch (why) {
    case "differs":
      return "changed since, in the same place";
    case "ignored":
      return "an untracked file is in the way";
    case "folder":
      return "a file and a folder have the same name";
    default:
      return never(why);
  }
}

async function drop({ context, rescues, json }: Site, ids: readonly string[]): Promise<CommandOutcome> {
  // Find all of them before the first is dropped.
  const found = new Set(ids.map((id) => findRescue(rescues, id)));
  for (const one of found) await dropRescue(one);
  const answer = rescueDropAnswer(found);
  if (json) await printJson(context, answer);
  else
    await printLines(
      context.out,
      answer.dropped.map(
        ({ id, commit }) =>
          `dropped ${clean(id)}; until git prunes it: git branch rescued ${commit} brings its commit back`,
      ),
    );
  return "ok";
}

function terminalOf({ out }: CommandContext): {
  colours: ReturnType<typeof coloursFor>;
  columns?: number;
} {
  const colours = coloursFor(out.colour);
  return { colours, ...(out.isTerminal ? { columns: out.columns() } : {}) };
}
