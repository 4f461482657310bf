// Checks the rules beyond the shape (contract §3.3): unique ids, dependencies that exist without a cycle, agents that
// exist. Works on any parsed value, valid or not, so that every problem is reported at once. shape.ts checks the shape.
import { nearest } from "../../system/text/nearest.js";
import { findCycles } from "../model/cycles.js";
import { compareIds } from "../model/order.js";
import { didYouMean, show, type UnplacedProblem } from "../model/problem.js";
import { isDateTime } from "../model/date-time.js";
import { Progress } from "../../workflow/progress.js";
import { questionId, whyNotValid } from "../../workflow/question.js";

/** The fields of a task that the rules read; fields of a wrong type are left out. */
interface Entry {
  /** Its place in `tasks`. */
  index: number;
  id: string | undefined;
  depends_on: { id: string; index: number }[];
  agent: string | undefined;
}

/** After this many comparisons suggestions stop, so that a file full of mistakes does not take minutes. */
const MOST_COMPARISONS = 2_000_000;
/** How many ids at each end of a long cycle are shown. */
const SHOWN_ENDS = 10;

/** Finds every broken rule. `agentNames`: the agents that a task may name; without it, any name is valid. */
export function checkRules(value: unknown, agentNames?: readonly string[]): UnplacedProblem[] {
  const entries = entriesOf(value);
  const byId = new Map<string, Entry>();
  const findings: UnplacedProblem[] = [];
  for (const entry of entries) {
    const { id, index } = entry;
    if (id === undefined) continue;
    const first = byId.get(id);
    if (first === undefined) byId.set(id, entry);
    else {
      const message = `the id ${show(id)} is taken by the task at /tasks/${first.index}`;
      const suggestion = "give it an id of its own";
      findings.push({ rule: "duplicate-id", pointer: `/tasks/${index}/id`, message, suggestion });
    }
  }
  for (const { agent, index } of agentNames === undefined ? [] : entries) {
    if (agent === undefined || agentNames?.includes(agent) !== false) continue;
    const suggestion = didYouMean(nearest(agent, agentNames), `known are ${agentNames.join(", ")}`);
    const message = `there is no agent ${show(agent)}`;
    findings.push({ rule: "unknown-agent", pointer: `/tasks/${index}/agent`, message, suggestion });
  }
  return [...findings, ...badEdges(entries, byId), ...cycles(byId)];
}

function entriesOf(value: unknown): Entry[] {
  const tasks = property(value, "tasks");
  if (!Array.isArray(tasks)) return [];
  return tasks.map((task: unknown, index) => {
    const edges: unknown = property(task, "depends_on");
    const depends_on = (Array.isArray(edges) ? edges : []).flatMap((id: unknown, at) =>
      typeof id === "string" ? [{ id, index: at }] : [],
    );
    return { index, id: textIn(task, "id"), depends_on, agent: textIn(task, "agent") };
  });
}

/** An own property of any value. */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}

/** An own property that is a text. */
export function textIn(value: unknown, key: string): string | undefined {
  const found = property(value, key);
  return typeof found === "string" ? found : undefined;
}

function badEdges(entries: readonly Entry[], byId: ReadonlyMap<string, Entry>): UnplacedProblem[] {
  const ids = [...byId.keys()];
  let comparisons = 0;
  const findings: UnplacedProblem[] = [];
  for (const entry of entries) {
    for (const edge of entry.depends_on) {
      const pointer = `/tasks/${entry.index}/depends_on/${edge.index}`;
      if (edge.id === entry.id) {
        const message = `${show(edge.id)} depends on itself`;
        findings.push({ rule: "self-dependency", pointer, message, suggestion: "remove it" });
      } else if (!byId.has(edge.id)) {
        comparisons += ids.length;
        const near = comparisons > MOST_COMPARISONS ? undefined : nearest(edge.id, ids);
        const message = `there is no task ${show(edge.id)}`;
        const suggestion = didYouMean(near, "remove it, or add that task");
        findings.push({ rule: "unknown-dependency", pointer, message, suggestion });
      }
    }
  }
  return findings;
}

function cycles(byId: ReadonlyMap<string, Entry>): UnplacedProblem[] {
  const entries = [...byId.values()];
  const numbers = new Map(entries.map((entry, number) => [entry.id, number]));
  const edges = entries.map((entry) => entry.depends_on.flatMap((edge) => numbers.get(edge.id) ?? []));
  // If every task waits only for earlier ones, the file's order proves that a cycle is impossible.
  if (edges.every((targets, number) => targets.every((target) => target < number))) return [];
  const idOf = (number: number): string => entries[number]?.id ?? "";
  const found = findCycles(edges, (a, b) => compareIds(idOf(a), idOf(b)));
  return found.map((cycle) => {
    const first = entries[cycle[0] ?? 0];
    const ids = cycle.map(idOf);
    const edge = first?.depends_on.find(({ id }) => id === ids[1]);
    return {
      rule: "cycle",
      pointer: `/tasks/${first?.index ?? 0}/depends_on/${edge?.index ?? 0}`,
      message: `these tasks wait for each other: ${shownCycle(ids)}`,
      suggestion: "remove one of these dependencies",
    };
  });
}

function shownCycle(ids: readonly string[]): string {
  const closed = [...ids, ids[0] ?? ""];
  const left = closed.length - 2 * SHOWN_ENDS;
  if (left <= 1) return closed.join(" → ");
  return [...closed.slice(0, SHOWN_ENDS), `… ${left} more …`, ...closed.slice(-SHOWN_ENDS)].join(" → ");
}

// The rules about workflows: a parent that exists, a question of the task and visit that asks it. A progress of a wrong shape is
// left to shape.ts.

/** The way out of a progress that cannot be mended. */
export const BEGIN_AGAIN = 'remove "progress": the task then begins its workflow again';

/** Finds every broken rule. `answers`: also answers that do not fit, which a run does not count. */
export function checkProgress(tasks: readonly unknown[], { answers = false } = {}): UnplacedProblem[] {
  if (!tasks.some(isInWorkflow)) return [];
  const parents = new Map(tasks.map((task) => [textIn(task, "id"), textIn(task, "parent")]));
  return tasks.flatMap((task, at) => {
    if (!isInWorkflow(task)) return [];
    const id = textIn(task, "id");
    const pointer = `/tasks/${String(at)}`;
    const progress = Progress.safeParse(property(task, "progress")).data;
    return [
      ...parentProblems({ id, parent: textIn(task, "parent") }, parents, pointer),
      ...(id === undefined || progress === undefined ? [] : questionProblems(id, progress, pointer)),
      ...outputProblems(progress, pointer),
      ...(answers && progress !== undefined ? answerProblems(progress, pointer) : []),
    ];
  });
}

/** Whether a task has a progress or is a part of another task. */
function isInWorkflow(task: unknown): boolean {
  return property(task, "progress") !== undefined || property(task, "parent") !== undefined;
}

type Parents = ReadonlyMap<string | undefined, string | undefined>;

function parentProblems(
  { id, parent }: { id: string | undefined; parent: string | undefined },
  parents: Parents,
  pointer: string,
): UnplacedProblem[] {
  if (parent === undefined) return [];
  const at = { pointer: `${pointer}/parent` };
  if (!parents.has(parent)) {
    const known = [...parents.keys()].flatMap((one) => one ?? []);
    const suggestion = didYouMean(known.length > MOST_IDS ? undefined : nearest(parent, known), "remove it");
    return [{ rule: "unknown-parent", ...at, message: `there is no task ${show(parent)}`, suggestion }];
  }
  if (!isOwnAncestor(id, parents)) return [];
  const message = `${show(id)} is a part of itself`;
  return [{ rule: "cycle", ...at, message, suggestion: "remove it" }];
}

/** Beyond this a suggestion takes too long. */
const MOST_IDS = 2_000;

function isOwnAncestor(id: string | undefined, parents: Parents): boolean {
  const seen = new Set<string>();
  let at = parents.get(id);
  while (at !== undefined && !seen.has(at)) {
    if (at === id) return true;
    seen.add(at);
    at = parents.get(at);
  }
  return false;
}

function questionProblems(
  id: string,
  { question, visit, first }: Progress,
  pointer: string,
): UnplacedProblem[] {
  if (question === undefined) return [];
  const at = `${pointer}/progress/question`;
  const own = questionId(id, { visit, first });
  const found: UnplacedProblem[] = [];
  const bad = (key: string, message: string, suggestion: string): void => {
    found.push({ rule: "bad-value", pointer: `${at}/${key}`, message, suggestion });
  };
  if (question.id !== own)
    bad(
      "id",
      `the question of visit ${String(visit)} of ${id} must be ${own}; it is ${show(question.id)}`,
      `write ${show(own)}, or ${BEGIN_AGAIN}`,
    );
  const { deadline, on_timeout: otherwise, outcomes } = question;
  if (deadline !== undefined && !isDateTime(deadline))
    bad(
      "deadline",
      `deadline must be a date and time such as 2026-11-20T21:46:01Z; it is ${show(deadline)}`,
      "correct it, or remove it: the question then waits for ever",
    );
  if (otherwise !== undefined && !outcomes.includes(otherwise))
    bad(
      "on_timeout",
      `on_timeout must be one of ${outcomes.join(", ")}; it is ${show(otherwise)}`,
      didYouMean(nearest(otherwise, [...outcomes]), "correct it, or remove it"),
    );
  return found;
}

/** An output whose file would be looked for outside of `tasks_dir`. */
function outputProblems(progress: Progress | undefined, pointer: string): UnplacedProblem[] {
  const { outputs = {}, answer } = progress ?? {};
  const named = Object.entries(outputs).map(([key, { file }]) => ({ at: `outputs/${key}`, file }));
  if (answer?.edited !== undefined) named.push({ at: "answer/edited", file: answer.edited.file });
  return named.flatMap(({ at, file }) => {
    if (isBelowTasks(file)) return [];
    const message = `file must be a path below tasks_dir, such as T1/2-plan.json; it is ${show(file)}`;
    const place = `${pointer}/progress/${at}/file`;
    return [{ rule: "bad-value", pointer: place, message, suggestion: `correct it, or ${BEGIN_AGAIN}` }];
  });
}

function isBelowTasks(file: string): boolean {
  return (
    !/[\\\0]/u.test(file) && file.split("/").every((part) => part !== "" && part !== "." && part !== "..")
  );
}

function answerProblems({ question, answer }: Progress, pointer: string): UnplacedProblem[] {
  if (answer === undefined) return [];
  const at = `${pointer}/progress/answer`;
  const why = question === undefined ? "there is no question" : whyNotValid(question, answer);
  if (why === undefined) return [];
  const near = answer.outcome === undefined ? undefined : nearest(answer.outcome, question?.outcomes ?? []);
  const message = `the answer does not count: ${why}`;
  return [
    { rule: "bad-value", pointer: at, message, suggestion: didYouMean(near, "correct it, or remove it") },
  ];
}
