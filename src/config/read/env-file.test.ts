import { expect, test } from "vitest";
import { parseEnvFile } from "./env-file.js";

test("values, quotes, comments, export", () => {
  const text = [
    "\uFEFF# a comment",
    "",
    "A=1",
    "export B = two words # a comment",
    "C='a $b \\n # c'",
    'D="a\\n\\"b\\" \\$c" # a comment',
    "E=",
    "F=a#b",
    "A=again",
    "G=x=y\r",
    "H=# nothing",
  ].join("\n");
  expect(parseEnvFile("e", text)).toEqual({
    A: "again",
    B: "two words",
    C: "a $b \\n # c",
    D: 'a\n"b" $c',
    E: "",
    F: "a#b",
    G: "x=y",
    H: "",
  });
});

test.each([
  ["A=1\nhush", ".env:2: not KEY=VALUE"],
  ["A=1\n\n1A=hush", ".env:3: not KEY=VALUE"],
  ["A='hush", ".env:1: the quotes of A do not match"],
  ['A="hush" more', ".env:1: the quotes of A do not match"],
])("%j is refused with its line and without its value", (text, message) => {
  expect(() => parseEnvFile(".env", text)).toThrow(message);
  expect(() => parseEnvFile(".env", text)).not.toThrow("hush");
});
