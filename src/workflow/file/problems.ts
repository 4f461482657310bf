// The rules of a workflow beyond its shape: names that are there, arrows that lead somewhere, ends that can be reached. Pure.
// Leaves the shape to shape.ts, and files that a workflow names (prompts, schemas) to who reads the project.
import type { SourcePath } from "../../system/text/source-text.js";
import { arrowsOf, reachedFrom } from "./graph.js";
import { isEnd, listOwnOutcomes, MOST_VISITS, isRunnerOutcome, toTarget } from "../advance.js";
import { didYouMean, durationProblems, listNames, type WorkflowProblem } from "./problem.js";
import { stageProblems } from "./stage-problems.js";
import { ENDS, type Limits, type Name, type Stage, type Target, type Workflow } from "../workflow.js";

/** The most stages of a workflow. */
const MOST_STAGES = 100;

/** The outcomes that a stage must map, because nothing else says where they lead. */
const REQUIRED: Readonly<Partial<Record<Stage["kind"], readonly Name[]>>> = {
  work: ["done"],
  check: ["passed"],
};

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
  const found = [
    ...(names.includes(start) ? [] : [unknownStart(start, names)]),
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

function unknownStart(start: Name, names: readonly Name[]): WorkflowProblem {
  return {
    path: ["start"],
    message: `start is ${JSON.stringify(start)}, which is not a stage`,
    suggestion: didYouMean(start, names),
  };
}

function nextProblems(names: readonly Name[], name: Name, stage: Stage): WorkflowProblem[] {
  const at = ["stages", name, "next"];
  const found = Object.entries(stage.next).flatMap(([outcome, target]) =>
    targetProblems({ path: [...at, outcome], names, stage }, outcome, target),
  );
  const missing = (REQUIRED[stage.kind] ?? []).filter((outcome) => !Object.hasOwn(stage.next, outcome));
  for (const outcome of missing)
    found.push({
      path: at,
      message: `the outcome ${outcome} of the ${stage.kind} stage ${name} leads nowhere`,
      suggestion: `add ${JSON.stringify(outcome)} to its next`,
    });
  if (missing.length === 0 && listOwnOutcomes(stage).length === 0)
    found.push({
      path: at,
      message: `the stage ${name} has no outcome that ${stage.kind === "ask" ? "a person" : "its agent"} can give`,
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
  if (stage.kind === "check" && outcome !== "passed" && outcome !== "failed" && !isRunnerOutcome(outcome))
    problems.push({
      path,
      message: `a check stage has the outcomes passed and failed, not ${outcome}`,
      suggestion: didYouMean(outcome, ["passed", "failed"]),
    });
  const hasWork = stage.kind === "work" || (stage.kind === "ask" && stage.shows !== undefined);
  if (discard && !hasWork)
    problems.push({
      path,
      message: `discard drops the changes of a stage, and this ${stage.kind} stage ${stage.kind === "ask" ? "shows none" : "makes none"}`,
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
