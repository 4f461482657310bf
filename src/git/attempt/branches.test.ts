import { expect, test } from "vitest";
import { warnOfBranches } from "./branches.js";

const [one, two] = ["1".repeat(40), "2".repeat(40)];
const refs = (all: Record<string, string>) => new Map(Object.entries(all));

test("branches that were made, moved or removed are named, the branch of HEAD and remote ones are not", () => {
  const before = {
    branch: "refs/heads/main",
    refs: refs({
      "refs/heads/main": one,
      "refs/heads/kept": one,
      "refs/heads/a/b": one,
      "refs/heads/gone": one,
      "refs/remotes/origin/x": one,
    }),
  };
  const now = {
    refs: refs({
      "refs/heads/main": two,
      "refs/heads/kept": one,
      "refs/heads/a/b": two,
      "refs/heads/new": two,
      "refs/remotes/origin/x": two,
    }),
  };
  expect(warnOfBranches(before, now)).toEqual([
    `the branch a/b was moved during the attempt; to put it back: git branch -f a/b ${one}`,
    `the branch gone was removed during the attempt; to put it back: git branch -f gone ${one}`,
    "the branch new was made during the attempt, and stays; to remove it: git branch -D new",
  ]);
  expect(warnOfBranches(before, before)).toEqual([]);
});
