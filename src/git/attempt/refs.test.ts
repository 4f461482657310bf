import { expect, test } from "vitest";
import { warnOfRefs } from "./refs.js";

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
  expect(warnOfRefs(before, now)).toEqual([
    `the branch a/b was moved during the attempt; to put it back: git branch -f a/b ${one}`,
    `the branch gone was removed during the attempt; to put it back: git branch -f gone ${one}`,
    "the branch new was made during the attempt, and stays; to remove it: git branch -D new",
  ]);
  expect(warnOfRefs(before, before)).toEqual([]);
});

test("tags that were made, moved or removed are named with the command that takes it back", () => {
  const before = { branch: "refs/heads/main", refs: refs({ "refs/tags/v1": one, "refs/tags/v2": one }) };
  const now = { refs: refs({ "refs/tags/v1": two, "refs/tags/v3": one, "refs/heads/v3": one }) };
  expect(warnOfRefs(before, now)).toEqual([
    "the branch v3 was made during the attempt, and stays; to remove it: git branch -D v3",
    `the tag v1 was moved during the attempt; to put it back: git tag -f v1 ${one}`,
    `the tag v2 was removed during the attempt; to put it back: git tag -f v2 ${one}`,
    "the tag v3 was made during the attempt, and stays; to remove it: git tag -d v3",
  ]);
});
