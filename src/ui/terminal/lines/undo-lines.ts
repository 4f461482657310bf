// The result of an undo as lines. Pure.
import type { ChangeCounts } from "../../../loop/undo/plan-undo.js";
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural } from "../../view/words/amounts.js";
import type { UndoAnswer } from "../../shapes/work.js";
import type { Colours } from "../../colours.js";
import { clean } from "../../text.js";

type Answer<O extends UndoAnswer["outcome"]> = Extract<UndoAnswer, { outcome: O }>;

const HASH = 12;
/** So many paths are named, the rest is counted. */
const NAMED = 10;

/** The most paths of unfinished work that are listed. */
const MOST_SHOWN = 20;

/** Lines about the work of a task that is not done. */
export function workLines(answer: Answer<"would-take-back" | "declined" | "taken-back">): string[] {
  const { outcome, task, rescue } = answer;
  switch (outcome) {
    case "would-take-back":
      return [`${clean(task)}: ${countLine(answer)}`, ...pathLines(answer)];
    case "declined":
      return ["nothing was undone"];
    case "taken-back":
      return [
        `took ${clean(task)} back: ${countLine(answer)}`,
        ...(rescue === undefined ? [] : [`  its work is kept: looper rescue show ${clean(rescue)}`]),
      ];
    default:
      return never(outcome);
  }
}

/** How many files a task created, modified and deleted. */
export function countLine({ created, modified, deleted }: ChangeCounts): string {
  const gone = deleted.length === 0 ? "" : `, ${String(deleted.length)} deleted`;
  return `${plural(created.length, "file")} created, ${String(modified.length)} modified${gone}`;
}

/** The files that a task created, modified and deleted. */
export function pathLines({ created, modified, deleted }: ChangeCounts): string[] {
  const all = [
    ...created.map((path) => `  + ${clean(path)}`),
    ...modified.map((path) => `  ~ ${clean(path)}`),
    ...deleted.map((path) => `  - ${clean(path)}`),
  ];
  const more = all.length - MOST_SHOWN;
  return more > 0 ? [...all.slice(0, MOST_SHOWN), `  and ${String(more)} more`] : all;
}

/** Lines of the answer. */
export function undoLines(answer: Answer<"undone" | "planned">, colours: Colours): string[] {
  const planned = answer.outcome === "planned";
  const tasks = answer.undone.map(({ task, title, commit }) => {
    const what = `${planned ? "would undo" : "undone"} ${clean(task)} ${clean(title)}`;
    const where =
      commit === null ? "this branch has no commit of it: nothing is taken back" : commit.slice(0, HASH);
    return `${what} ${colours.dim(`(${where})`)}`;
  });
  const { paths, reopened } = answer;
  const named = listSome(paths.map(clean), NAMED);
  const open = reopened.map(clean).join(", ");
  return [
    ...tasks,
    ...(planned || answer.commit === null ? [] : [`committed ${answer.commit.slice(0, HASH)}`]),
    ...(paths.length === 0 ? [] : [`${plural(paths.length, "path")} changed back: ${named}`]),
    ...(reopened.length === 0 ? [] : [`to do again: ${open}`]),
  ];
}

/** Why nothing was undone, and what helps. */
export function refusalLines({ task, why, tasks, paths, conflicts }: Answer<"refused">): string[] {
  const id = clean(task);
  const not = `${id} was not undone:`;
  const named = tasks.map((one) => `  ${clean(one.task)} ${clean(one.title)}`);
  switch (why) {
    case "dependents":
      return [
        `${not} ${tasks.length === 1 ? "a done task depends" : "done tasks depend"} on it`,
        ...named,
        `  looper undo ${id} --cascade undoes ${tasks.length === 1 ? "that" : "them"} as well`,
      ];
    case "conflicts":
      return [
        `${not} later work changed the same places`,
        ...conflicts.flatMap(({ path, later }) => [
          `  ${clean(path)}`,
          ...later.map(
            (one) =>
              `    ${one.commit.slice(0, HASH)} ${clean(one.title)}${one.task === undefined ? "" : ` (${clean(one.task)})`}`,
          ),
        ]),
        "  undo the later tasks first, or take it back by hand: git revert",
      ];
    case "changes":
      return [
        `${not} changes that no commit holds are in the way`,
        ...paths.map((path) => `  ${clean(path)}`),
        "  commit them, or put them aside: git stash push --include-untracked",
      ];
    case "foreign":
      return [
        `${not} others changed the same paths since it did`,
        ...paths.map((path) => `  ${clean(path)}`),
      ];
    case "in-hand":
      return [
        `${not} unfinished work is in the tree`,
        ...named,
        `  finish it first: looper run --task ${clean(tasks[0]?.task ?? "")}`,
      ];
    case "interrupted":
      return [`${not} it was interrupted`];
    default:
      return never(why);
  }
}
