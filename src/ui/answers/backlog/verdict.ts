// The verdict on a task in the answers of `looper ls` and `looper show`, and the answer of `looper why`. Pure.
import { isSetMarker, type Why } from "../../../todo/model/select.js";
import type { Task, IndexRow } from "../../../todo/model/task.js";
import { acceptanceOf, verdictOf, type Verdict } from "../../../todo/model/verified.js";
import type { VerdictFields, WhyAnswer } from "../../shapes/backlog.js";
import type { Found } from "../../view/read-doubts.js";
import { helpOf } from "../../view/open-questions.js";

/** The verdict of the task file, with what the logs have of it: `found` is of the last gate, which may have judged other work. */
export function verdictAnswer(task: Task, found: Found | undefined): VerdictFields {
  const accepted = acceptanceOf(task);
  const verdict = verdictOfDone(task);
  const isOfIt = verdict !== null && (found?.verdict === verdict || accepted !== undefined);
  const { evidence } = (isOfIt ? found : undefined) ?? {};
  const why = verdict === "verified" || !isOfIt ? undefined : found;
  return {
    verdict,
    verified: verdict === "verified",
    evidence: evidence === undefined ? null : evidenceAnswer(evidence),
    because: why?.because ?? null,
    unverified_because: [...(why?.reasons ?? [])],
    ...(accepted === undefined ? {} : { accepted }),
  };
}

function evidenceAnswer(found: Found["evidence"] & {}): VerdictFields["evidence"] & {} {
  return { fail_to_pass: [...found.fail_to_pass], new_tests: [...found.new_tests] };
}

/** The verdict on a task that is done; null for every other. */
export function verdictOfDone(task: Task): Verdict | null {
  return task.status !== "done" || isSetMarker(task) ? null : verdictOf(task);
}

/** Why a task is or isn't next; of a done one its evidence, and why it is not verified. `found`: what its last gate found. */
export function whyAnswer(
  task: Task,
  explained: Why,
  { tasks, found }: { tasks: readonly Task[]; found: Found | undefined },
): WhyAnswer {
  const { id, status } = task;
  const verdict = verdictOfDone(task);
  const { evidence } = found ?? {};
  const ids = (rows: readonly IndexRow[]): string[] => rows.map((row) => row.id);
  return {
    task: id,
    status,
    verdict,
    answer: explained.answer,
    before: explained.answer === "behind" ? ids(explained.before) : [],
    waits_for: explained.answer === "waits" ? ids(explained.waitsFor) : [],
    first: explained.answer === "waits" ? ids(explained.first) : [],
    ...heldOf(task, explained, tasks),
    ...(evidence === undefined ? {} : { evidence: evidenceAnswer(evidence) }),
    ...(found === undefined || verdict === "verified"
      ? {}
      : { reasons: [...found.reasons], needs: [...found.needs] }),
  };
}

/** The tasks that wait for a person, with the command that helps; absent if there are none. */
function heldOf(task: Task, explained: Why, tasks: readonly Task[]): Pick<WhyAnswer, "held"> {
  const held =
    explained.answer === "waits"
      ? explained.held.flatMap((row) => tasks.find((one) => one.id === row.id) ?? [])
      : explained.answer === "asked" || explained.answer === "paused"
        ? [task]
        : [];
  const told = held.flatMap((one) => {
    const help = helpOf(one);
    return help === undefined ? [] : [{ task: one.id, because: help.because, command: help.command }];
  });
  return told.length === 0 ? {} : { held: told };
}
