import { expect, test } from "vitest";
import { readBashLine } from "../completion/bash-line.js";
import { COMMON_FLAGS, isShown, namesAndOpposite } from "../context/definition.js";
import { COMMANDS } from "./definitions.js";
import { OTHER_COMMANDS, OTHER_FLAGS } from "./other-names.js";
import { readCommandLine } from "../program.js";
import { USUAL_COLUMNS, usualHelp } from "./usual-help.js";

const shown = COMMANDS.filter(isShown);

test("every command that takes words or flags has two examples", () => {
  const poor = shown.filter(({ flags, operands, examples = [] }) => {
    return flags.length + operands.length > 0 && examples.length < 2;
  });
  expect(poor.map(({ name }) => name)).toEqual([]);
});

test("an example calls its own command, and one line describes it", () => {
  const strange = shown.flatMap(({ name, examples = [] }) =>
    examples.filter(
      ({ line, help }) => !line.includes(`looper ${name}`) || help === "" || /[\n.]$/.test(help),
    ),
  );
  expect(strange).toEqual([]);
});

test("one line describes each command, word and flag", () => {
  const texts = shown.flatMap(({ help, operands, flags }) => [
    help,
    ...[...operands, ...flags].map((one) => one.help),
  ]);
  expect(texts.filter((text) => text === "" || text.includes("\n") || text.endsWith("."))).toEqual([]);
});

test("a command is described in at most 60 characters", () => {
  expect(shown.map(({ help }) => help).filter((help) => help.length > 60)).toEqual([]);
});

/** Lines of the help of commands with many flags of their own. */
const LONGER: Readonly<Record<string, number>> = { run: 44, chapo: 34 };

test("the help of a command begins with an example and fits a screen; those of run and chapo are longer", () => {
  for (const { name } of shown) {
    const text = usualHelp(name);
    expect(text, name).toMatch(/^ {2}\S.*looper |^ {2}looper /);
    expect(text.split("\n").length - 1, name).toBeLessThanOrEqual(LONGER[name] ?? 24);
    expect(text.split("\n").filter((line) => line.length > USUAL_COLUMNS && !line.includes("mkdir"))).toEqual(
      [],
    );
  }
});

test("the help of the program shows every command under its heading", () => {
  const [, ...groups] = usualHelp(undefined).split(/^(?=\w+:$)/m);
  const names = groups.map((group) => [...group.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name));
  expect(groups.map((group) => group.split(":", 1)[0])).toEqual([
    "Work",
    "Backlog",
    "People",
    "Runs",
    "Project",
  ]);
  expect(names.flat()).toEqual([...shown.map(({ name }) => name), "help"]);
});

test("every command but the demo and the server can print JSON", () => {
  const without = shown.filter(({ flags }) => !flags.some(({ spelled }) => spelled.includes("--json")));
  expect(without.map(({ name }) => name)).toEqual(["demo", "mcp"]);
});

test("every example is read by the parser as its command", async () => {
  const facts = { version: "1.2.3", cwd: "/p", isFile: () => Promise.resolve(false) };
  const read: string[] = [];
  for (const { name, examples = [] } of shown) {
    for (const { line } of examples) {
      // An example may pipe to or follow another program.
      const own = line.split(/ (?:\||&&) /).find((part) => part.startsWith("looper "));
      const { words } = readBashLine(`${own ?? ""} `, "");
      const asked = await readCommandLine(words.slice(1), { ...facts, namesIn: () => Promise.resolve([]) });
      if (asked.kind === "command" && asked.name === name) read.push(line);
    }
  }
  expect(read).toEqual(shown.flatMap(({ examples = [] }) => examples.map(({ line }) => line)));
});

test("shells can complete every word but texts and numbers", () => {
  const typed = [...shown.flatMap(({ operands, flags }) => [...operands, ...flags]), ...COMMON_FLAGS];
  const free = typed
    .filter((one) => one.completes === undefined && /[<[]/.test(one.spelled))
    .map(({ spelled }) => /[<[](\w+)/.exec(spelled)?.[1]);
  const known = [
    "command",
    "dollars",
    "json",
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

test("a hint on a word of another program names a command or flag that exists", () => {
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
