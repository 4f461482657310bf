import fc from "fast-check";
import { expect, test } from "vitest";
import { COMMON_FLAGS, flagNames } from "../context/definition.js";
import { COMMANDS } from "../line/definitions.js";
import { findPoint, type Point } from "./point.js";

const grammar = { commands: COMMANDS, common: COMMON_FLAGS };

/** The last word is the one that is typed. */
function at(...words: string[]): Point {
  return findPoint(words.slice(0, -1), words.at(-1) ?? "", grammar);
}

const common = COMMON_FLAGS.map((flag) => flagNames(flag).at(-1) ?? "");

const values = ({ words }: Point): string[] => words.map(({ value }) => value);

test("the first word is a command, help, or run's file; hidden commands are not offered", () => {
  const first = at("");
  const names = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  expect(values(first)).toEqual([...names, "help"]);
  expect(first.completes).toBe("file");
  expect(values(at("help", ""))).toEqual(names);
  expect(values(at("help", "ls", ""))).toEqual([]);
});

test("flags are those of the command at hand and the common ones, by their long names", () => {
  expect(values(at("fmt", "-"))).toEqual([
    "--write",
    "--fix",
    "--keep-order",
    "--check",
    "--diff",
    "--json",
    ...common,
    "--help",
  ]);
  expect(values(at("-"))).toEqual(expect.arrayContaining(["--max-iterations", "-C", "--version"]));
  expect(values(at("to-do.json", "--no"))).toContain("--no-review");
  expect(values(at("help", "-"))).toEqual([]);
});

test("a flag that was given is not offered again, unless it may be", () => {
  expect(values(at("fmt", "-w", "-dC", "x", "-"))).toEqual([
    ...["--fix", "--keep-order", "--check", "--json"],
    ...common.filter((flag) => flag !== "-C"),
    "--help",
  ]);
  expect(values(at("add", "--tag", "x", "--priority=1", "--"))).toEqual(
    expect.arrayContaining(["--tag", "--depends-on"]),
  );
  expect(values(at("add", "--priority=1", "--"))).not.toContain("--priority");
});

test.each<[string[], Partial<Point>]>([
  [["ls", "--status", "d"], { completes: "status", lead: "", typed: "d" }],
  [["ls", "--status=d"], { completes: "status", lead: "--status=", typed: "d" }],
  [["-C", "x", "--file=y", "why", ""], { completes: "task", folder: "x", file: "y" }],
  [["why", "-Cx"], { completes: "folder", lead: "-C", typed: "x" }],
  [["tail", "-fn", "5", ""], { completes: "run" }],
  [["tail", "-fn5", ""], { completes: "run" }],
  [["rm", "T1", "T2", ""], { completes: "task", used: ["T1", "T2"] }],
  [["--json", "rescue", ""], { completes: ["list", "show", "restore", "drop"] }],
  [["rescue", "show", ""], { completes: "rescue" }],
  [["run", "--task", "-"], { completes: "task", typed: "-", dashIsFlag: false }],
  [["why", "--", "-"], { completes: "task", typed: "-", dashIsFlag: false }],
  [["why", ""], { completes: "task", dashIsFlag: true }],
])("%j", (words, point) => {
  expect(at(...words)).toMatchObject(point);
});

test("where no more words are taken the flags are offered; behind -- nothing", () => {
  expect(values(at("why", "T1", ""))).toContain("--json");
  expect(values(at("why", "--json", "--", "T1", ""))).toEqual([]);
  // Only a person knows a title.
  expect(at("add", "")).toMatchObject({ words: [] });
  expect(at("add", "")).not.toHaveProperty("completes");
  // No command has it.
  expect(at("why", "--hook", "")).not.toHaveProperty("completes");
});

test("every line has an answer", () => {
  const word = fc.oneof(
    fc.constantFrom("-", "--", "--status", "--status=", "-n", "-C", "help", "why", "set", "T1", ""),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const point = at(...words);
      expect(point.lead + point.typed).toBe(words.at(-1));
    }),
  );
});
