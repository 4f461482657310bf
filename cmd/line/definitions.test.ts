import { expect, test } from "vitest";
import { readBashLine } from "../completion/bash-line.js";
import { COMMON_FLAGS, namesAndOpposite } from "../context/definition.js";
import { COMMANDS } from "./definitions.js";
import { OTHER_COMMANDS, OTHER_FLAGS } from "./other-names.js";
import { readCommandLine } from "../program.js";

const shown = COMMANDS.filter(({ hidden }) => hidden !== true);

test("help has two examples of each command that takes words or flags", () => {
  const poor = shown.filter(({ flags, operands, examples = [] }) => {
    return flags.length + operands.length > 0 && examples.length < 2;
  });
  expect(poor.map(({ name }) => name)).toEqual([]);
});

test("an example is of its own command, and says what it does in a line", () => {
  const strange = shown.flatMap(({ name, examples = [] }) =>
    examples.filter(
      ({ line, says }) => !line.includes(`looper ${name}`) || says === "" || /[\n.]$/.test(says),
    ),
  );
  expect(strange).toEqual([]);
});

test("each command says in one line what it does, and what its words and flags are", () => {
  const texts = shown.flatMap(({ says, operands, flags }) => [
    says,
    ...[...operands, ...flags].map((one) => one.says),
  ]);
  expect(texts.filter((text) => text === "" || text.includes("\n") || text.endsWith("."))).toEqual([]);
});

test("what a command says can be had as JSON", () => {
  const without = shown.filter(({ flags }) => !flags.some(({ spelled }) => spelled.includes("--json")));
  // A demo is watched.
  expect(without.map(({ name }) => name)).toEqual(["demo"]);
});

test("every example is read by the parser as its command", async () => {
  const facts = { version: "1.2.3", cwd: "/p", isFile: () => Promise.resolve(false) };
  const read: string[] = [];
  for (const { name, examples = [] } of shown) {
    for (const { line } of examples) {
      // Other programs stand beside it, what goes where behind it.
      const own = line.split(/ (?:\||&&) /).find((part) => part.startsWith("looper "));
      const { words } = readBashLine(`${own ?? ""} `, "");
      const asked = await readCommandLine(words.slice(1), { ...facts, namesIn: () => Promise.resolve([]) });
      if (asked.kind === "command" && asked.name === name) read.push(line);
    }
  }
  expect(read).toEqual(shown.flatMap(({ examples = [] }) => examples.map(({ line }) => line)));
});

test("a word says what it stands for, so that shells can complete it; only a person knows a text or a number", () => {
  const typed = [...shown.flatMap(({ operands, flags }) => [...operands, ...flags]), ...COMMON_FLAGS];
  const free = typed
    .filter((one) => one.completes === undefined && /[<[]/.test(one.spelled))
    .map(({ spelled }) => /[<[](\w+)/.exec(spelled)?.[1]);
  const known = [
    "command",
    "dollars",
    "model",
    "n",
    "seconds",
    "seq",
    "text",
    "time",
    "title",
    "values",
    "why",
  ];
  expect([...new Set(free)].sort()).toEqual(known);
});

test("a word of another program is no name here, and its hint is read as a command line of a real one", () => {
  const names = COMMANDS.map(({ name }) => name);
  const flags = [...COMMANDS.flatMap((command) => command.flags), ...COMMON_FLAGS].flatMap(namesAndOpposite);
  expect([...OTHER_COMMANDS.keys()].filter((word) => names.includes(word))).toEqual([]);
  expect([...OTHER_FLAGS.keys()].filter((word) => flags.includes(word))).toEqual([]);
  const typed = [...OTHER_COMMANDS.values(), ...OTHER_FLAGS.values()].flatMap(
    (hint) => /^did you mean (.*)\?$/.exec(hint)?.[1] ?? [],
  );
  for (const line of new Set(typed)) {
    const [first = ""] = line.split(" ");
    expect([...names, ...flags], line).toContain(first);
  }
});
