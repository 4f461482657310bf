import fc from "fast-check";
import { expect, test } from "vitest";
import { sortArguments, type CommandLine, type SortedWords } from "./arguments.js";

const line: CommandLine = {
  commands: ["run", "ls", "tail", "agent-host"],
  hidden: ["agent-host"],
  flags: new Map([
    ["--json", { takesValue: false }],
    ["--task", { takesValue: true }],
    ["--prompt", { takesValue: true }],
    ["-n", { takesValue: true }],
    ["-f", { takesValue: false }],
    ["-C", { takesValue: true }],
  ]),
};

const FILES = ["to-do.json", "ls", "-odd"];

function sort(words: string): Promise<SortedWords> {
  const argv = words === "" ? [] : words.split(" ");
  return sortArguments(argv, line, {
    isFile: (word) => Promise.resolve(FILES.includes(word)),
    namesBeside: () => Promise.resolve(FILES),
  });
}

test.each<[string, string, string]>([
  ["", "run", ""],
  ["--json", "run", "--json"],
  ["ls", "ls", ""],
  ["--json ls", "ls", "--json"],
  ["ls --json done to-do.json", "ls", "--json -- done to-do.json"],
  ["done --json ls", "", ""],
  ["--task ls", "run", "--task ls"],
  ["--task ls tail", "tail", "--task ls"],
  ["--task=T1 tail", "tail", "--task=T1"],
  ["-n 5 tail -f last", "tail", "-n 5 -f -- last"],
  ["--json=false tail -f=0", "tail", "--json=false -f=0"],
  ["-fn5 tail", "tail", "-f -n 5"],
  ["tail -fn 5", "tail", "-f -n 5"],
  ["to-do.json --json", "run", "--json -- to-do.json"],
  ["run --prompt -", "run", "--prompt -"],
  ["run -- --json", "run", "-- --json"],
  ["--json -- -odd", "run", "--json -- -odd"],
  ["agent-host x", "agent-host", "-- x"],
])("%s is %s", async (words, command, rest) => {
  if (command === "") {
    await expect(sort(words)).rejects.toThrow("unknown command done");
    return;
  }
  const sorted = { kind: "command", command, words: rest === "" ? [] : rest.split(" ") };
  expect(await sort(words)).toEqual(sorted);
});

test.each<[string, SortedWords]>([
  ["--version", { kind: "version" }],
  ["ls -V", { kind: "version" }],
  ["-h", { kind: "help" }],
  ["help", { kind: "help" }],
  ["help ls", { kind: "help", command: "ls" }],
  ["ls --help", { kind: "help", command: "ls" }],
  ["--help ls", { kind: "help", command: "ls" }],
  ["to-do.json -h", { kind: "help", command: "run" }],
])("%s asks for words, not for work", async (words, asked) => {
  expect(await sort(words)).toEqual(asked);
});

test.each([
  ["lss", "unknown command lss", "did you mean ls?"],
  ["help tial", "unknown command tial", "did you mean tail?"],
  ["agent-hos", "unknown command agent-hos", "list them with `looper help`"],
  ["todo.json", "there is no file todo.json, and no such command", "did you mean to-do.json?"],
  ["x/y", "there is no file x/y, and no such command", "list them with `looper help`"],
  ["--jsno", "unknown flag --jsno", "did you mean --json?"],
  ["--verison", "unknown flag --verison", "did you mean --version?"],
  ["-x", "unknown flag -x", "list them with `looper help`"],
  ["tail -n", "-n needs a value", "see `looper help`"],
  ["ls --json=maybe", '--json is a switch: it cannot be "maybe"', "use --json, --json=true or --json=false"],
  ["tail -f=maybe", '-f is a switch: it cannot be "maybe"', "use -f, -f=true or -f=false"],
  ["list", "unknown command list", "did you mean ls?"],
  ["help List", "unknown command List", "did you mean ls?"],
  ["delete T1", "unknown command delete", "did you mean rm?"],
  ["export > TODO.md", "unknown command export", "did you mean ls --json?"],
])("%s is refused", async (words, message, hint) => {
  await expect(sort(words)).rejects.toMatchObject({ kind: "usage", message, hint });
});

test("-C is where files are looked for, wherever it stands", async () => {
  const seen: (string | undefined)[] = [];
  const isFile = (_word: string, folder: string | undefined): Promise<boolean> => {
    seen.push(folder);
    return Promise.resolve(true);
  };
  const files = { isFile, namesBeside: () => Promise.resolve([]) };
  const before = await sortArguments(["-C", "/p", "x"], line, files);
  const after = await sortArguments(["x", "-C/p"], line, files);
  expect(seen).toEqual(["/p", "/p"]);
  expect(before).toEqual({ kind: "command", command: "run", words: ["-C", "/p", "--", "x"], folder: "/p" });
  expect(after).toEqual(before);
});

test("flags may stand anywhere: the order of words and flags among each other does not matter", async () => {
  const flags = [["--json"], ["--task", "ls"], ["-n", "3"], ["-f"], ["--task=run"]];
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(flags),
      fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 }),
      async (chosen, places) => {
        const operands = ["tail", "last"];
        const slots: string[][] = [[], [], []];
        chosen.forEach((flag, at) => slots[places[at] ?? 0]?.push(...flag));
        const argv = slots.flatMap((slot, at) => [...slot, ...operands.slice(at, at + 1)]);
        const sorted = await sortArguments(argv, line, {
          isFile: () => Promise.resolve(false),
          namesBeside: () => Promise.resolve([]),
        });
        expect(sorted).toEqual({ kind: "command", command: "tail", words: [...slots.flat(), "--", "last"] });
      },
    ),
  );
});
