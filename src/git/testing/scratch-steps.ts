// For the random histories: their steps, with probabilities. histories.test.ts performs them.
import fc from "fast-check";

/** The files of a history. */
export const PATHS = ["a.txt", "b", "dir/b.txt", "dir/new", "dir", "deep/er/x", "x.ign", "ü\n"] as const;

/** Actions of an agent or a person on files, index and branch. `at`: a path; numbers choose. */
export type Deed =
  | { do: "write" | "stage-part" | "link" | "remove" | "mode" | "add" | "unstage"; at: number }
  | { do: "add-all" | "commit" | "commit-staged" | "reset-hard" | "branch" | "stash" };

/** The steps of a history, in order. */
export type HistoryStep =
  | { kind: "person"; deeds: readonly Deed[] }
  | { kind: "task"; attempts: readonly Attempt[]; end: "done" | "given-up"; kill: number }
  | { kind: "rescue"; which: number }
  /**
   * Undoes a finished task, unless that would be refused. `kill`: before the nth git process that changes something.
   */
  | { kind: "undo"; which: number; kill: number };

/** One attempt at a task. */
interface Attempt {
  deeds: readonly Deed[];
  /** Actions of a person before the next attempt. */
  between: readonly Deed[];
  /** The run is killed before the nth git process after the agent. */
  kill: number;
}

/** Few paths, so that actions meet. */
const path = fc.oneof(
  { weight: 3, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.nat(PATHS.length - 1) },
);
const onPath = fc.record({
  do: fc.constantFrom(
    "write",
    "write",
    "stage-part",
    "stage-part",
    "link",
    "remove",
    "mode",
    "add",
    "unstage",
  ),
  at: path,
});
const persons = fc.oneof(
  { weight: 5, arbitrary: onPath },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("add-all", "commit", "commit-staged") }) },
);
const agents = fc.oneof(
  { weight: 4, arbitrary: onPath },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("add-all", "commit", "commit-staged", "reset-hard", "branch", "stash"),
    }),
  },
);
const kill = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
);
const attempts = fc.record({
  deeds: fc.array(agents, { minLength: 1, maxLength: 3 }),
  between: fc.array(persons, { maxLength: 1 }),
  kill,
});
const personStep = fc.record({
  kind: fc.constant("person" as const),
  deeds: fc.array(persons, { minLength: 1, maxLength: 4 }),
});
const taskStep = fc.record({
  kind: fc.constant("task" as const),
  attempts: fc.oneof(
    { weight: 2, arbitrary: fc.array(attempts, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(attempts, { minLength: 2, maxLength: 3 }) },
  ),
  end: fc.constantFrom("done" as const, "given-up" as const),
  kill,
});
const rescueStep = fc.record({ kind: fc.constant("rescue" as const), which: fc.nat() });
const undoStep = fc.record({ kind: fc.constant("undo" as const), which: fc.nat(), kill });

const steps: fc.Arbitrary<HistoryStep> = fc.oneof(
  { weight: 3, arbitrary: personStep },
  { weight: 3, arbitrary: taskStep },
  { weight: 1, arbitrary: rescueStep },
  { weight: 2, arbitrary: undoStep },
);

/**
 * A person begins, because otherwise an agent could damage little. An undo is last, because otherwise most are
 * refused.
 */
export const histories: fc.Arbitrary<HistoryStep[]> = fc
  .tuple(personStep, taskStep, fc.array(steps, { maxLength: 3 }), undoStep)
  .map(([person, task, rest, undo]) => [person, task, ...rest, undo]);
