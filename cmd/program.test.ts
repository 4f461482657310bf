import { expect, test } from "vitest";
import { COMMANDS } from "./line/definitions.js";
import { SETTING_FLAGS } from "./line/setting-flags.js";
import { readCommandLine, type ParsedLine } from "./program.js";

function read(...argv: string[]): Promise<ParsedLine> {
  return readCommandLine(argv, {
    version: "1.2.3",
    cwd: "/project",
    isFile: (file) => Promise.resolve(file === "/project/to-do.json"),
    namesIn: (folder) => Promise.resolve(folder === "/project" ? ["to-do.json"] : []),
  });
}

async function flags(...argv: string[]): Promise<unknown> {
  const asked = await read(...argv);
  return asked.kind === "command" ? asked.typed.flags : asked;
}

test("flags go by their long names, a negation among them", async () => {
  expect(await flags("--no-review", "--task", "T1", "-y", "--hook", "a b", "--hook", "c")).toEqual({
    "--no-review": true,
    "--task": "T1",
    "-y": true,
    "--hook": ["a b", "c"],
  });
  expect(await flags("run")).toEqual({});
});

test("a switch takes a truth value, and the switches of settings have an opposite; the last one typed counts", async () => {
  expect(await flags("--git-init=false", "--no-review=no", "-y=0", "--json=true")).toEqual({
    "--git-init": false,
    "--no-review": false,
    "-y": false,
    "--json": true,
  });
  expect(await flags("--no-git-init", "--review", "--apply-summary=false")).toEqual({
    "--git-init": false,
    "--no-review": false,
    "--no-apply-summary": true,
  });
  expect(await flags("--no-git-init=false", "--quiet", "--quiet=F")).toEqual({
    "--git-init": true,
    "--quiet": false,
  });
});

test("the first existing file is run's; -C is told apart from the command's own flags", async () => {
  expect(await read("-C", ".", "to-do.json", "--dry-run")).toMatchObject({
    kind: "command",
    name: "run",
    folder: ".",
    typed: { operands: ["to-do.json"], flags: { "--dry-run": true } },
  });
});

test("every flag of a setting is a flag of run", async () => {
  const run = COMMANDS.find(({ name }) => name === "run")?.flags ?? [];
  expect(SETTING_FLAGS.length).toBeGreaterThan(10);
  expect(SETTING_FLAGS.filter((flag) => !run.includes(flag))).toEqual([]);
  expect(await flags("--git-init")).toEqual({ "--git-init": true });
});

test("a flag takes a value in every command or in none: words can be sorted before the command is known", () => {
  const takes = new Map<string, boolean>();
  for (const { spelled } of COMMANDS.flatMap((command) => command.flags)) {
    const [name = ""] = spelled.split(" ");
    expect(takes.get(name) ?? spelled.includes("<"), name).toBe(spelled.includes("<"));
    takes.set(name, spelled.includes("<"));
  }
  expect(takes.size).toBeGreaterThan(20);
});

test.each(COMMANDS.map(({ name }) => name))(
  "%s can be loaded, and has a help that names it",
  async (name) => {
    const asked = await read(name, "--help");
    expect(asked.kind === "text" && asked.text).toContain(`looper ${name}`);
    const definition = COMMANDS.find((command) => command.name === name);
    expect(await definition?.load()).toBeTypeOf("function");
  },
);

test("the help lists what may be typed, the hidden command left out", async () => {
  const asked = await read("help");
  const text = asked.kind === "text" ? asked.text : "";
  for (const { name, hidden } of COMMANDS) expect(text.includes(`\n  ${name} `), name).toBe(hidden !== true);
});

test("the version is the version", async () => {
  expect(await read("--version")).toEqual({ kind: "text", text: "1.2.3\n" });
});

test.each([
  [["ls", "--hook", "x"], "looper ls has no flag --hook", "looper run has; see `looper help ls`"],
  [["todo.json"], "there is no file todo.json, and no such command", "did you mean to-do.json?"],
  [["doctor", "x", "y"], "looper doctor: too many words: x y", "see `looper help doctor`"],
  [["agent-host"], "looper agent-host: missing argument <file>", "see `looper help agent-host`"],
  [["block"], "looper block: missing arguments <id> <why>", "see `looper help block`"],
  [["block", "T1"], "looper block: missing argument <why>", "see `looper help block`"],
  [["rm"], "looper rm: missing argument <ids...>", "see `looper help rm`"],
  [["add", "Do", "X"], "looper add: too many words: Do X", 'put the title in quotes: looper add "Do X"'],
  [
    ["add", "Say", '"hi"', "-p", "1", "don't"],
    'looper add: too many words: Say "hi" don\'t',
    `put the title in quotes: looper add 'Say "hi" don'\\''t'`,
  ],
  [
    ["block", "T3", "no", "key"],
    "looper block: too many words: T3 no key",
    'put the reason in quotes: looper block T3 "no key"',
  ],
])("%j is refused", async (argv, message, hint) => {
  await expect(read(...argv)).rejects.toMatchObject({ kind: "usage", message, hint });
});
