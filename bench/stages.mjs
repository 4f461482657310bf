// The time of a visit of a stage, against an iteration under the workflow `default` in the same run. The time of a visit is the
// difference between a run with more stages and one with fewer; commits and the start are the same in both.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { projectOf, settingsFor } from "./iteration.mjs";
import { atMost, homeIn, inTurns, looper, median, scratch, wall } from "./measure.mjs";

const ROUNDS = 5;
const FEW = 5;
const MANY = 25;
const CAUSE =
  "a visit of either stage starts 9 git processes and an iteration 10, but a visit writes more files: the stage's output, the " +
  "task's document and its row. An analysis has a checkpoint of its own, and the work of a visit is two commits. " +
  "Done already: HEAD, checkpoints and work are read at once, what was read or saved is remembered by its commit, and a tree " +
  "without changes is not read again to be restored (18 and 16 processes before).";

/** Tasks of a run with stages, and the visits that the longer workflows add to each. */
const TASKS = 8;
const MORE = 4;

/** An agent that changes a file, unless it only looks, and reports. @param {string} root */
function agentIn(root) {
  const agent = path.join(root, "agent.sh");
  const outcome = '${LOOPER_STAGE:+,\\"outcome\\":\\"done\\"}';
  const script = [
    "#!/bin/sh",
    "cat >/dev/null",
    'case "$LOOPER_STAGE" in look*) ;; *) echo "$LOOPER_TASK_ID $LOOPER_STAGE" >>work.txt ;; esac',
    `echo "{\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\"${outcome}}"`,
  ];
  writeFileSync(agent, `${script.join("\n")}\n`);
  chmodSync(agent, 0o755);
  return agent;
}

/**
 * One work stage, and behind it so many stages of a kind.
 * @param {string} name @param {"work" | "analyze"} kind @param {number} more
 */
function workflowOf(name, kind, more) {
  const names = [
    "do",
    ...Array.from({ length: more }, (_, at) => `${kind === "work" ? "more" : "look"}${String(at)}`),
  ];
  /** @type {[string, object][]} */
  const stages = names.map((stage, at) => {
    const own = at === 0 ? "work" : kind;
    const prompt = own === "work" ? "implement" : "review-task";
    return [stage, { kind: own, prompt, next: { done: names[at + 1] ?? "finish" } }];
  });
  return { workflow: 1, name, start: "do", stages: Object.fromEntries(stages) };
}

export function rows() {
  const root = scratch("stages");
  const home = homeIn(root, settingsFor(agentIn(root)));
  const folder = path.join(home, ".config/looper/workflows");
  mkdirSync(folder, { recursive: true });
  const workflows = [
    workflowOf("one", "work", 0),
    workflowOf("looks", "analyze", MORE),
    workflowOf("works", "work", MORE),
  ];
  for (const workflow of workflows)
    writeFileSync(path.join(folder, `${workflow.name}.json`), JSON.stringify(workflow));
  /** @param {number} count @param {string} workflow */
  const side = (count, workflow) => () => {
    const cwd = projectOf(path.join(root, "project"), count, true);
    const args = ["run", "--agent", "sh", "--quiet", "--workflow", workflow];
    return wall(looper(args, { cwd, env: { HOME: home } }));
  };
  const taken = inTurns(ROUNDS, {
    few: side(FEW, "default"),
    many: side(MANY, "default"),
    one: side(TASKS, "one"),
    looks: side(TASKS, "looks"),
    works: side(TASKS, "works"),
  });
  /** @param {"many" | "looks" | "works"} more @param {"few" | "one"} fewer @param {number} jobs */
  const each = (more, fewer, jobs) =>
    median(taken(more).map((long, at) => (long - (taken(fewer)[at] ?? 0)) / jobs));
  const iteration = each("many", "few", MANY - FEW);
  /** @param {string} what @param {number} most @param {number} ours */
  const row = (what, most, ours) =>
    atMost({
      what,
      against: "an iteration under `default`, with checkpoint and commit",
      most,
      ours,
      theirs: iteration,
      unit: `ms, start-up not in it, median of ${String(ROUNDS)}`,
      ...(ours / iteration <= most ? {} : { cause: CAUSE }),
    });
  return [
    row(
      "a visit of an `analyze` stage, of an agent that only reports",
      1,
      each("looks", "one", TASKS * MORE),
    ),
    row("a visit of a `work` stage, of an agent that writes a line", 1.3, each("works", "one", TASKS * MORE)),
  ];
}
