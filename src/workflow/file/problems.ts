// The rules of a workflow beyond its shape: names that are there, arrows that lead somewhere, ends that can be reached. Pure.
// Leaves the shape to shape.ts, and files that a workflow names (prompts, schemas) to who reads the project.
import type { SourcePath } from "../../system/text/source-text.js";
import { arrowsOf, reachedFrom } from "./graph.js";
import { isEnd, listOwnOutcomes, MOST_VISITS, isRunnerOutcome, toTarget } from "../advance.js";
import { didYouMean, durationProblems, listNames, type WorkflowProblem } from "./problem.js";
import { stageProblems } from "./stage-problems.js";
import { STAGE_KINDS } from "../stage-kinds.js";
import { ENDS, type Limits, type Name, type Stage, type Target, type Workflow } from "../workflow.js";

/** The most stages of a workflow. */
const MOST_STAGES = 100;

/** Every problem of a workflow whose shape is right, in the file's order of stages. */
export function problemsOf(workflow: Workflow): WorkflowProblem[] {
  const { start, stages, limits } = workflow;
  const names = Object.keys(stages);
  if (names.length > MOST_STAGES)
    return [
      {
        path: ["stages"],
        message: `it has ${String(names.length)} stages, and a workflow has at most ${String(MOST_STAGES)}`,
        suggestion: "split the work into tasks of their own",
      },
    ];
  if (names.length === 0)
    return [{ path: ["stages"], message: "it has no stages", suggestion: "add at least one" }];
  const own = Object.entries(stages).flatMap(([name, stage]) => [
    ...nextProblems(names, name, stage),
    ...stageProblems(stages, name, stage),
    ...limitProblems(["stages", name, "limits"], stage.limits),
  ]);
  const ends = names.filter(isEnd);
  const unknownStart: WorkflowProblem = {
    path: ["start"],
    message: `start is ${JSON.stringify(start)}, which is not a stage`,
    suggestion: didYouMean(start, names),
  };
  const found = [
    ...(names.includes(start) ? [] : [unknownStart]),
    ...ends.map((name) => ({
      path: ["stages", name],
      message: `a stage cannot be called ${name}: it is one of the two ends`,
      suggestion: "give it another name",
    })),
    ...limitProblems(["limits"], limits),
    ...own,
  ];
  // Where an arrow leads nowhere, whatever is behind it would be reported as well.
  const isFollowed = names.includes(start) && ends.length === 0 && own.length === 0;
  return isFollowed ? [...found, ...arrowProblems(start, stages, limits?.visits ?? MOST_VISITS)] : found;
}

function nextProblems(names: readonly Name[], name: Name, stage: Stage): WorkflowProblem[] {
  const at = ["stages", name, "next"];
  const found = Object.entries(stage.next).flatMap(([outcome, target]) =>
    targetProblems({ path: [...at, outcome], names, stage }, outcome, target),
  );
  const { success, by } = STAGE_KINDS[stage.kind];
  if (success !== undefined && !Object.hasOwn(stage.next, success))
    found.push({
      path: at,
      message: `the outcome ${success} of the ${stage.kind} stage ${name} leads nowhere`,
      suggestion: `add ${JSON.stringify(success)} to its next`,
    });
  else if (listOwnOutcomes(stage).length === 0)
    found.push({
      path: at,
      message: `the stage ${name} has no outcome that ${by === "person" ? "a person" : "its agent"} can give`,
      suggestion: 'add one to its next, such as "done": "finish"',
    });
  return found;
}

interface TargetPlace {
  path: SourcePath;
  names: readonly Name[];
  stage: Stage;
}

function targetProblems(
  { path, names, stage }: TargetPlace,
  outcome: Name,
  target: Target,
): WorkflowProblem[] {
  const { to, discard } = toTarget(target);
  const problems: WorkflowProblem[] = [];
  if (!isEnd(to) && !names.includes(to))
    problems.push({
      path,
      message: `the outcome ${outcome} leads to ${JSON.stringify(to)}, which is not a stage`,
      suggestion: didYouMean(to, [...ENDS, ...names]),
    });
  const { outcomes, changes, by } = STAGE_KINDS[stage.kind];
  if (outcomes.length > 0 && !outcomes.includes(outcome) && !isRunnerOutcome(outcome))
    problems.push({
      path,
      message: `a ${stage.kind} stage has the outcomes ${outcomes.join(" and ")}, not ${outcome}`,
      suggestion: didYouMean(outcome, outcomes),
    });
  if (discard && !changes && stage.shows === undefined)
    problems.push({
      path,
      message: `discard drops the changes of a stage, and this ${stage.kind} stage ${by === "person" ? "shows none" : "makes none"}`,
      suggestion: "leave discard out",
    });
  return problems;
}

function arrowProblems(
  start: Name,
  stages: Readonly<Record<Name, Stage>>,
  visits: number,
): WorkflowProblem[] {
  const arrows = arrowsOf(stages);
  const reached = reachedFrom(arrows, start);
  const names = Object.keys(stages);
  const isEnding = (name: Name): boolean => [...reachedFrom(arrows, name).keys()].some(isEnd);
  const problems: WorkflowProblem[] = names
    .filter((name) => !reached.has(name))
    .map((name) => ({
      path: ["stages", name],
      message: `no stage leads to ${name}`,
      suggestion: "lead an outcome to it, or remove it",
    }));
  const stuck = names.filter((name) => reached.has(name) && !isEnding(name));
  const [first] = stuck;
  if (first !== undefined)
    problems.push({
      path: ["stages", first, "next"],
      message: `${stuck.length === 1 ? `the stage ${first} leads` : `the stages ${listNames(stuck)} lead`} in a circle without an exit`,
      suggestion: "lead an outcome to finish or block",
    });
  else if (!reached.has("finish"))
    problems.push({
      path: ["stages"],
      message: "no outcome leads to finish, so no task could ever be done",
      suggestion: "lead the last stage's good outcome to finish",
    });
  const least = reached.get("finish") ?? 0;
  if (least > visits)
    problems.push({
      path: ["limits"],
      message: `a task must enter at least ${String(least)} stages to be done, and may enter ${String(visits)}`,
      suggestion: `set limits.visits to ${String(least)} or more`,
    });
  return problems;
}

function limitProblems(path: SourcePath, limits: Limits | undefined): WorkflowProblem[] {
  return durationProblems([...path, "duration"], limits?.duration);
}
