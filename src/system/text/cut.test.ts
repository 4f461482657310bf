import { expect, test } from "vitest";
import { keepEnd, keepStart, listSome, shorten } from "./cut.js";
import { characterEnd, characterStart } from "./utf8.js";

test("a text that is cut has at most so many characters, and no half of one", () => {
  expect([shorten("abcd", 4), shorten("abcde", 4), shorten("ab😀cd", 4)]).toEqual(["abcd", "abc…", "ab…"]);
  expect([keepStart("ab😀", 3), keepStart("ab😀", 4), keepStart("ab", -1)]).toEqual(["ab", "ab😀", ""]);
  expect([keepEnd("😀ab", 3), keepEnd("😀ab", 4), keepEnd("ab", 0)]).toEqual(["ab", "😀ab", ""]);
});

test("a list names its first items and counts the others", () => {
  expect([listSome([]), listSome(["a", "b"], 2), listSome(["a", "b", "c"], 2)]).toEqual([
    "",
    "a, b",
    "a, b and 1 more",
  ]);
});

test("an offset inside of a character moves to its start or behind it", () => {
  const bytes = Buffer.from("a😀b");
  expect([0, 1, 2, 3, 4, 5, 6].map((at) => characterEnd(bytes, at))).toEqual([0, 1, 1, 1, 1, 5, 6]);
  expect([0, 1, 2, 3, 4, 5, 6].map((at) => characterStart(bytes, at))).toEqual([0, 1, 5, 5, 5, 5, 6]);
});
