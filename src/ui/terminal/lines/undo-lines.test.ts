import { expect, test } from "vitest";
import { PLAIN } from "../../colours.js";
import { refusalLines, undoLines } from "./undo-lines.js";

const HASH = "0123456789abcdef0123456789abcdef01234567";
const told = {
  task: "T1",
  undone: [
    { task: "T1", title: "One \u001b[2J", commit: HASH },
    { task: "T2", title: "Two", commit: null },
  ],
  paths: Array.from({ length: 12 }, (_, n) => `p${n}`),
  ...{ created: [], modified: [], deleted: [] },
  reopened: ["T1", "T2"],
  warnings: [],
};

test("the result of an undo lists tasks, paths and reopened tasks", () => {
  expect(undoLines({ outcome: "undone", ...told, commit: HASH }, PLAIN)).toEqual([
    "undone T1 One (0123456789ab)",
    "undone T2 Two (this branch has no commit of it: nothing is taken back)",
    "committed 0123456789ab",
    "12 paths changed back: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9 and 2 more",
    "to do again: T1, T2",
  ]);
});

test("a plan is told as a plan", () => {
  expect(undoLines({ outcome: "planned", ...told, paths: ["a"] }, PLAIN)).toEqual([
    "would undo T1 One (0123456789ab)",
    "would undo T2 Two (this branch has no commit of it: nothing is taken back)",
    "1 path changed back: a",
    "to do again: T1, T2",
  ]);
});

test("each refusal says why and what helps", () => {
  const none = { outcome: "refused" as const, task: "T1", tasks: [], paths: [], conflicts: [] };
  const tasks = [{ task: "T2", title: "Two" }];
  expect(refusalLines({ ...none, why: "dependents", tasks })).toEqual([
    "T1 was not undone: a done task depends on it",
    "  T2 Two",
    "  looper undo T1 --cascade undoes that as well",
  ]);
  expect(refusalLines({ ...none, why: "in-hand", tasks }).at(-1)).toBe(
    "  finish it first: looper run --task T2",
  );
  expect(refusalLines({ ...none, why: "changes", paths: ["a\nb"] })[1]).toBe("  a b");
  const later = [
    { commit: HASH, title: "By hand" },
    { commit: HASH, title: "Do T2", task: "T2" },
  ];
  expect(refusalLines({ ...none, why: "conflicts", conflicts: [{ path: "a", later }] }).slice(1, 4)).toEqual([
    "  a",
    "    0123456789ab By hand",
    "    0123456789ab Do T2 (T2)",
  ]);
  expect(refusalLines({ ...none, why: "interrupted" })).toEqual(["T1 was not undone: it was interrupted"]);
});
