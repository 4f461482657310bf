// The result of an undo as lines. Pure.
import { never } from "../../../system/never.js";
import { listSome } from "../../../system/text/cut.js";
import { plural, showDuration } from "../../view/words/amounts.js";
import type { UndoAnswer } from "../../shapes/work.js";
import type { Colours } from "../../colours.js";
import { clean } from "../../text.js";

type Answer<O extends UndoAnswer["outcome"]> = Extract<UndoAnswer, { outcome: O }>;

const HASH = 12;
/** So many paths are named, the rest is counted. */
const NAMED = 10;

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
    ...(planned ? [] : gateLines(answer.gate, colours)),
  ];
}

function gateLines({ verdict, commands }: Answer<"undone">["gate"], colours: Colours): string[] {
  switch (verdict) {
    case "none":
      return ["nothing verifies it: verify.commands is empty"];
    case "untrusted":
      return ["not verified: this project's commands have not been approved yet; --trust says so"];
    case "interrupted":
      return ["not verified: it was interrupted"];
    case "passed":
    case "failed":
      return commands.flatMap(({ command, passed, end, exit_code, duration_ms, tail }) => {
        const how = end === "exited" ? `exit code ${exit_code ?? 0}` : end;
        const line = `${clean(command)} ${colours.dim(`(${passed ? "" : `${how}, `}${showDuration(duration_ms)})`)}`;
        if (passed) return [`${colours.green("✓")} ${line}`];
        const told = tail
          .split("\n")
          .map(clean)
          .filter((text) => text !== "");
        return [`${colours.red("✗")} ${line}`, ...told.map((text) => `  ${text}`)];
      });
    default:
      return never(verdict);
  }
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
