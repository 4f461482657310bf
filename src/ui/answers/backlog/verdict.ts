// The verdict on a task in the answers of `looper ls --json` and `looper show --json`. Pure.
import { isSetMarker } from "../../../todo/model/select.js";
import type { Task } from "../../../todo/model/task.js";
import { acceptanceOf, verdictOf, type Verdict } from "../../../todo/model/verified.js";
import type { VerdictFields } from "../../shapes/backlog.js";
import type { Found } from "../../view/read-doubts.js";

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
    evidence:
      evidence === undefined
        ? null
        : { fail_to_pass: [...evidence.fail_to_pass], new_tests: [...evidence.new_tests] },
    because: why?.because ?? null,
    unverified_because: [...(why?.reasons ?? [])],
    ...(accepted === undefined ? {} : { accepted }),
  };
}

/** The verdict on a task that is done; null for every other. */
export function verdictOfDone(task: Task): Verdict | null {
  return task.status !== "done" || isSetMarker(task) ? null : verdictOf(task);
}
