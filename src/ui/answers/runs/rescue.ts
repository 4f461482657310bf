// The answers of `looper rescue --json`, one per verb. Pure. Leaves finding and restoring a rescue to src/git/bring-back.
import { toText } from "../../../git/base/bytes.js";
import type { BroughtBack, Rescue } from "../../../git/bring-back/bring-back.js";
import type { ListedWork } from "../../../git/saved-work/work-ref.js";
import type {
  RescueDropAnswer,
  RescueShape,
  RescueListAnswer,
  RescueRestoreAnswer,
  RescueShowAnswer,
} from "../../shapes/work.js";

/** All rescues, in their order, and the saved work of tasks. */
export function rescueListAnswer(rescues: readonly Rescue[], works: readonly ListedWork[]): RescueListAnswer {
  const saved = works.map(({ tip, at, ...work }) => ({
    ...work,
    at: new Date(at).toISOString(),
    commit: tip,
  }));
  return { rescues: rescues.map(factsOf), ...(saved.length === 0 ? {} : { saved }) };
}

/** One rescue. `diff`: as git prints it. */
export function rescueShowAnswer(rescue: Rescue, diff: string): RescueShowAnswer {
  const { changes, staged } = rescue;
  const paths = (entries: typeof changes): string[] => entries.map(({ path }) => toText(path));
  return { ...factsOf(rescue), paths: paths(changes), staged: paths(staged), diff };
}

/** The result of restoring a rescue. `task`: the task that continues from it. */
export function rescueRestoreAnswer(
  { id }: Rescue,
  back: BroughtBack,
  task: string | undefined,
): RescueRestoreAnswer {
  if ("clashes" in back) return { id, ok: false, clashes: [...back.clashes] };
  const { restored, already, left } = back;
  return {
    id,
    ok: true,
    restored: [...restored],
    already: [...already],
    left: [...left],
    task: task ?? null,
  };
}

/** Dropped rescues. */
export function rescueDropAnswer(rescues: Iterable<Rescue>): RescueDropAnswer {
  return { dropped: Array.from(rescues, ({ id, commit }) => ({ id, commit })) };
}

function factsOf({ id, at, task, why, changes, staged, commit, ref }: Rescue): RescueShape {
  return {
    id,
    at: new Date(at).toISOString(),
    task,
    why,
    files: new Set([...changes, ...staged].map(({ path }) => path)).size,
    commit,
    ref,
  };
}
