import fc from "fast-check";
import { expect, test } from "vitest";
import { nearest, nearestId } from "./nearest.js";

test.each([
  ["priorty", ["title", "priority"], "priority"],
  ["stauts", ["status", "steps"], "status"],
  ["Status", ["status"], "status"],
  ["depends", ["details", "depends_on"], "depends_on"],
  ["T100", ["T1", "T10", "T10O"], "T10"],
  ["T9", ["T1", "T2"], "T1"],
  ["validte", ["run", "validate"], "validate"],
])("%s of %j means %s", (word, candidates, meant) => {
  expect(nearest(word, candidates)).toBe(meant);
});

test.each([
  ["banana", ["title", "status"]],
  ["", ["title"]],
  ["x", ["y"]],
  ["status", ["status"]],
  ["a".repeat(65), ["a".repeat(66)]],
])("%s of %j means none of them", (word, candidates) => {
  expect(nearest(word, candidates)).toBeUndefined();
});

test("one slip in a word of four letters or more is always mended", () => {
  const slips = fc.record({
    word: fc.stringMatching(/^[a-z]{4,20}$/),
    at: fc.nat(),
    how: fc.constantFrom("swap", "drop", "add"),
  });
  fc.assert(
    fc.property(slips, ({ word, at, how }) => {
      const place = at % (word.length - 1);
      const [a = "", b = ""] = [word[place], word[place + 1]];
      const rest = word.slice(place + 2);
      const middle = how === "swap" ? b + a : how === "drop" ? b : a + "_" + b;
      const slipped = word.slice(0, place) + middle + rest;
      fc.pre(slipped !== word);
      expect(nearest(slipped, ["0123456789", word])).toBe(word);
    }),
  );
});

test.each<[string, string[], string | undefined]>([
  ["T42", ["T1", "T2", "T3"], undefined],
  ["T9", ["T1", "T2"], "T1"],
  ["t2", ["T1", "T2"], "T2"],
  ["T22", ["T1", "T2"], "T2"],
  ["task-11", ["task-1", "task-2"], "task-1"],
  ["task1", ["task-1", "task-2"], "task-1"],
  ["auth-logn", ["auth-login", "auth-logout"], "auth-login"],
  ["auht-login", ["auth-login"], "auth-login"],
  ["T-1", ["T1"], "T1"],
  ["log", ["login-page"], undefined],
  ["", ["T1"], undefined],
])("the id %s among %j means %s", (typed, ids, meant) => {
  expect(nearestId(typed, ids)).toBe(meant);
});
