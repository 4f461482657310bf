import fc from "fast-check";
import { expect, test } from "vitest";
import { commonOptions, type CommandFile } from "./context/command.js";
import { COMMANDS } from "./commands.js";
import { USUAL_COLUMNS } from "./context/commander.js";
import { readCommandLine, type ParsedLine } from "./line.js";
import { OLD_COMMANDS } from "./old-names.js";

const FILES = ["/project/to-do.json", "/project/ls", "/project/odd", "/elsewhere/tasks"];

function read(...argv: string[]): Promise<ParsedLine> {
  return readCommandLine(argv, {
    version: "1.2.3",
    cwd: "/project",
    isFile: (file) => Promise.resolve(FILES.includes(file)),
    namesIn: (folder) => Promise.resolve(folder === "/project" ? ["to-do.json", "odd"] : []),
  });
}

const typed = (line: string): Promise<ParsedLine> => read(...(line === "" ? [] : line.split(" ")));

async function helpOf(...argv: string[]): Promise<string> {
  const asked = await read(...argv);
  return asked.kind === "text" ? asked.text : "";
}

const loaded: (CommandFile & { name: string; summary: string })[] = [];
for (const { name, summary, hidden, load } of COMMANDS)
  if (hidden !== true) loaded.push({ ...(await load()).command, name, summary });

test.each<[string, string, object]>([
  ["", "run", { words: [] }],
  ["--json", "run", { words: [], json: true }],
  ["ls", "ls", { words: [] }],
  ["ls --json done to-do.json", "ls", { words: ["done", "to-do.json"], json: true, file: "to-do.json" }],
  ["--task ls", "run", { words: [], task: "ls" }],
  ["tail --task=T1", "tail", { words: [], task: "T1" }],
  ["tail -fn5", "tail", { words: [], follow: true, n: "5" }],
  ["tail -n 5 last -f", "tail", { words: ["last"], run: "last", follow: true, n: "5" }],
  ["to-do.json --dry-run", "run", { words: ["to-do.json"], dryRun: true }],
  ["--dry-run odd", "run", { words: ["odd"], dryRun: true }],
  ["missing.json", "run", { words: ["missing.json"] }],
  ["run --prompt -", "run", { words: [], prompt: "-" }],
  ["run -- --json", "run", { words: ["--json"] }],
  ["add --details -C x", "add", { words: ["x"], title: "x", details: "-C" }],
  ["rm T1 --force T2", "rm", { words: ["T1", "T2"], ids: ["T1", "T2"], force: true }],
  ["add x --tag a --tag b", "add", { words: ["x"], tag: ["a", "b"] }],
  ["run --hook a --hook b", "run", { words: [], hook: ["a", "b"] }],
  ["agent-host x", "agent-host", { words: ["x"], file: "x" }],
])("%s is %s", async (line, name, request) => {
  expect(await typed(line)).toMatchObject({ kind: "command", name, request });
});

test("a word is not taken for the option of its name", async () => {
  const one = await typed("ls to-do.json");
  expect(one.kind === "command" && one.request).toEqual({ words: ["to-do.json"] });
  const two = await typed("ls done --status todo");
  expect(two.kind === "command" && two.request).toEqual({ words: ["done"], status: "todo" });
});

test("a switch of a setting has an opposite, and the last one typed counts", async () => {
  expect(await typed("run --no-review -y")).toMatchObject({ request: { review: false, y: true } });
  expect(await typed("run --no-git-init --no-review --review")).toMatchObject({
    request: { gitInit: false, review: true },
  });
  const plain = await typed("run");
  expect(plain.kind === "command" && plain.request).toEqual({ words: [] });
});

test.each([
  ["-V", "looper 1.2.3\n"],
  ["-v", "looper 1.2.3\n"],
  ["version", "1.2.3\n"],
  ["ls -V", "looper 1.2.3\n"],
  ["-C / --version", "looper 1.2.3\n"],
])("%s is the version", async (line, text) => {
  expect(await typed(line)).toEqual({ kind: "text", text });
});

test.each([
  ["help", "-h"],
  ["help help", "--help"],
  ["help ls", "ls --help"],
  ["--help ls", "ls -h x y z"],
  ["to-do.json -h", "run --help"],
])("%s prints the help that %s prints", async (line, same) => {
  const text = await helpOf(...line.split(" "));
  expect(text).toContain("looper");
  expect(text).toBe(await helpOf(...same.split(" ")));
});

test.each([
  ["lss", "unknown command lss", "did you mean ls?"],
  ["done-it --json", "unknown command done-it", "list them with `looper help`"],
  ["help tial", "unknown command tial", "did you mean tail?"],
  ["agent-hos", "unknown command agent-hos", "list them with `looper help`"],
  ["./od", "there is no file ./od, and no such command", "did you mean odd?"],
  ["x/y", "there is no file x/y, and no such command", "list them with `looper help`"],
  ["--jsno", "unknown flag --jsno", "did you mean --json?"],
  ["run --verison", "unknown flag --verison", "did you mean --version?"],
  ["-x", "unknown flag -x", "list them with `looper help`"],
  ["tail -n", "-n needs a value", "see `looper help`"],
  ["-C", "-C needs a value", "see `looper help`"],
  ["ls --json=false", "--json takes no value", "use --json alone"],
  ["--json ls -C /", "the flags of ls stand before it", "begin with looper ls"],
  ["list", "unknown command list", "did you mean ls?"],
  ["help List", "unknown command List", "did you mean ls?"],
  ["delete T1", "unknown command delete", "did you mean rm?"],
  ["ls --hook x", "looper ls has no flag --hook", "looper run has; see `looper help ls`"],
  ["doctor x y", "looper doctor: too many words: x y", "see `looper help doctor`"],
  ["agent-host", "looper agent-host: missing argument <file>", "see `looper help agent-host`"],
  ["block", "looper block: missing arguments <id> <why>", "see `looper help block`"],
  ["block T1", "looper block: missing argument <why>", "see `looper help block`"],
  ["rm", "looper rm: missing argument <ids...>", "see `looper help rm`"],
  ["add Do X", "looper add: too many words: Do X", 'put the title in quotes: looper add "Do X"'],
  [
    'add Say "hi" -p 1 don\'t',
    'looper add: too many words: Say "hi" don\'t',
    `put the title in quotes: looper add 'Say "hi" don'\\''t'`,
  ],
  [
    "block T3 no key",
    "looper block: too many words: T3 no key",
    'put the reason in quotes: looper block T3 "no key"',
  ],
])("%s is refused", async (line, message, hint) => {
  const refused = typed(line === "--json ls -C /" ? "--json ls -C /elsewhere" : line);
  await expect(refused).rejects.toMatchObject({ kind: "usage", message, hint });
});

test("-C is where a task file is looked for, on either side of it", async () => {
  for (const line of ["-C /elsewhere tasks", "tasks -C /elsewhere", "tasks -C/elsewhere"])
    expect(await typed(line)).toMatchObject({ name: "run", options: { C: "/elsewhere" } });
  await expect(typed("tasks")).rejects.toThrow("unknown command tasks");
});

test("a sentence where a command is wanted leads to add and to a draft", async () => {
  await expect(read("Fix the bug")).rejects.toMatchObject({
    message: "unknown command Fix the bug",
    hint: "a task: looper add 'Fix the bug'; a whole backlog: looper run --prompt 'Fix the bug'",
  });
});

test("the options of every command may stand before it as well", async () => {
  const given = ["-C", "/x", "--log-level", "warn", "--log-format=json", "--no-color"];
  const options = { C: "/x", logLevel: "warn", logFormat: "json", color: false };
  expect(await read(...given, "ls")).toMatchObject({ name: "ls", options });
  expect(await read("ls", ...given)).toMatchObject({ name: "ls", options });
});

test("behind the name of a command its flags and words may stand in any order", async () => {
  const flags = [["--json"], ["--task", "ls"], ["-n", "3"], ["-f"], ["--type=run"]];
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(flags),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      async (chosen, before) => {
        const [first, last] = [true, false].map((side) => chosen.filter((_, at) => before[at] === side));
        const asked = await read("tail", ...(first ?? []).flat(), "newest", ...(last ?? []).flat());
        const plain = await read("tail", "newest", ...chosen.flat());
        expect(asked.kind === "command" && asked.request).toEqual(plain.kind === "command" && plain.request);
      },
    ),
  );
});

test("every command that takes words or flags has an example", () => {
  const poor = loaded.filter(({ options = [], arguments: words = [], examples = [] }) => {
    return options.length + words.length > 0 && examples.length === 0;
  });
  expect(poor.map(({ name }) => name)).toEqual([]);
});

test("an example calls its own command, and one line describes it", () => {
  const strange = loaded.flatMap(({ name, examples = [] }) =>
    examples.filter(([line, does]) => !line.includes(`looper ${name}`) || does === "" || /[\n.]$/.test(does)),
  );
  expect(strange).toEqual([]);
});

test("one line describes each command, word and flag; a command in at most 60 characters", () => {
  const texts = loaded.flatMap(({ summary, arguments: words = [], options = [] }) => [
    summary,
    ...[...words, ...options.filter(({ hidden }) => !hidden)].map((one) => one.description),
  ]);
  expect(texts.filter((text) => text === "" || text.includes("\n") || text.endsWith("."))).toEqual([]);
  expect(loaded.filter(({ summary }) => summary.length > 60)).toEqual([]);
});

/** Lines of the help of commands with many flags of their own. */
const LONGER: Readonly<Record<string, number>> = { run: 46, chapo: 34 };

test("the help of a command begins with an example and fits a screen; those of run and chapo are longer", async () => {
  for (const { name } of loaded) {
    const text = await helpOf("help", name);
    expect(text, name).toMatch(/^ {2}\S.*looper |^ {2}looper /);
    expect(text.split("\n").length - 1, name).toBeLessThanOrEqual(LONGER[name] ?? 24);
    expect(text.split("\n").filter((line) => line.length > USUAL_COLUMNS && !line.includes("mkdir"))).toEqual(
      [],
    );
  }
});

test("the help of the program shows every command under its heading", async () => {
  const [commands = "", flags = ""] = (await helpOf("help")).split("Flags of every command:");
  // A terminal shows the end of it.
  expect(flags).toMatch(/\n\nFirst steps:\n {2}looper init .*\n.*\n {2}looper run .*\n$/);
  const [, ...groups] = commands.split(/^(?=\w+:$)/m);
  const names = groups.map((group) => [...group.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name));
  const headings = groups.map((group) => group.split(":", 1)[0]);
  expect(headings).toEqual(["Work", "Backlog", "People", "Runs", "Project"]);
  expect(names.flat()).toEqual([...loaded.map(({ name }) => name), "help"]);
});

test("every command but the demo and the servers can print JSON", () => {
  const without = loaded.filter(({ options = [] }) => !options.some(({ long }) => long === "--json"));
  expect(without.map(({ name }) => name)).toEqual(["serve", "demo", "mcp"]);
});

test("every example is read by the parser as its command", async () => {
  const lines: string[] = [];
  for (const { name, examples = [] } of loaded) {
    for (const [line] of examples) {
      // An example may pipe to or follow another program.
      const own = line.split(/ (?:\||&&|[<>]{1,2}) /).find((part) => part.startsWith("looper "));
      const words = (own ?? "").match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
      const asked = await read(...words.slice(1).map((word) => word.replace(/["']/g, "")));
      if (asked.kind === "command" && asked.name === name) lines.push(line);
    }
  }
  expect(lines).toEqual(loaded.flatMap(({ examples = [] }) => examples.map(([line]) => line)));
});

test("a hint on a word of another program names a command or flag that exists", () => {
  const names = COMMANDS.map(({ name }) => name);
  const options = [...loaded.flatMap((command) => command.options ?? []), ...commonOptions()];
  const flags = options.flatMap(({ short, long }) => [short, long]);
  expect([...OLD_COMMANDS.keys()].filter((word) => names.includes(word))).toEqual([]);
  const typed = [...OLD_COMMANDS.values()].flatMap((hint) => /^did you mean (.*)\?$/.exec(hint)?.[1] ?? []);
  for (const line of new Set(typed)) {
    const [first = ""] = line.split(" ");
    expect([...names, ...flags], line).toContain(first);
  }
});
