// Every flag and every operand of every command has a test that types it. A static walk: it reads the tests, and runs none.
// Leaves what the flag is to do to that test, and the order of words to cmd/line.test.ts.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import { Option } from "commander";
import { commonOptions } from "../../cmd/context/command.js";
import { COMMANDS } from "../../cmd/commands.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** It types what is refused: no story of what a flag does. */
const NO_STORIES = ["test/stories/mistakes.story.test.ts"];

/** A command line of a test, and the names it uses. */
interface Block {
  where: string;
  words: ReadonlySet<string>;
  names: ReadonlySet<string>;
}

const files = ["test", "cmd"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => (folder === "test" ? /^stories\/[^/]+\.story\.test\.ts$/ : /\.test\.ts$/).test(name))
    .map((name) => `${folder}/${name}`),
);

/** The tests of a file; what a test takes from the top of its file is counted to it. */
function blocksOf(file: string, text: string): Block[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const tops = new Map<string, ts.Node>();
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined)
      tops.set(statement.name.text, statement);
    if (ts.isVariableStatement(statement))
      for (const { name, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(name) && initializer !== undefined) tops.set(name.text, initializer);
  }
  return source.statements
    .filter((node) => ts.isExpressionStatement(node) && isTest(node.expression))
    .map((node) => readBlock(node, tops, file));
}

/** `test(…)`, `test.each(…)(…)`, `describe(…)` and their kin. */
function isTest(node: ts.Expression): boolean {
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return isTest(node.expression);
  return ts.isIdentifier(node) && ["test", "describe"].includes(node.text);
}

function readBlock(block: ts.Node, tops: ReadonlyMap<string, ts.Node>, where: string): Block {
  const words = new Set<string>();
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) words.add(node.text);
    if (ts.isTemplateHead(node)) words.add(node.text);
    if (ts.isIdentifier(node) && !names.has(node.text)) {
      names.add(node.text);
      const top = tops.get(node.text);
      if (top !== undefined) visit(top);
    }
    ts.forEachChild(node, visit);
  };
  visit(block);
  return { where, words, names };
}

interface Typeable {
  name: string;
  options: readonly Option[];
}

function flagNames({ short, long }: Option): string[] {
  return [short, long].filter((one) => one !== undefined);
}

/** Whether a test types a command: its name, the function it is, or, of `run`, nothing that is another's name. */
function types({ words, names }: Block, { name }: Typeable): boolean {
  return words.has(name) || names.has(name);
}

function typesFlag({ words }: Block, flag: string): boolean {
  return words.has(flag) || [...words].some((word) => word.startsWith(`${flag}=`));
}

/** `command --flag`, of every flag no test types. */
function untold(commands: readonly Typeable[], blocks: readonly Block[]): string[] {
  return commands.flatMap((command) => {
    const own = blocks.filter((block) => types(block, command));
    if (own.length === 0) return [command.name];
    return command.options
      .filter(({ hidden }) => !hidden)
      .map(flagNames)
      .filter((spellings) => !own.some((block) => spellings.some((flag) => typesFlag(block, flag))))
      .map((spellings) => `${command.name} ${spellings.at(-1) ?? ""}`);
  });
}

const blocks = files
  .filter((file) => !NO_STORIES.includes(file))
  .flatMap((file) => blocksOf(file, readFileSync(path.join(root, file), "utf8")));

test("every command, and every flag of it, has a test that types it", async () => {
  expect(blocks.length).toBeGreaterThan(100);
  // Flags that are not in the help are for the program itself.
  const shown = COMMANDS.filter(({ hidden }) => hidden !== true);
  const commands = await Promise.all(
    shown.map(async ({ name, load }) => ({ name, options: (await load()).command.options ?? [] })),
  );
  expect(untold(commands, blocks)).toEqual([]);
});

test("every flag that all commands take has a test that types it", () => {
  const flags = commonOptions().flatMap(flagNames);
  expect(flags.filter((flag) => !blocks.some((block) => typesFlag(block, flag)))).toEqual([]);
});

test("a flag that is new, and one that only another test types, are seen", () => {
  const told = blocksOf(
    "x.test.ts",
    `const ARGS = ["runs", "-n"];
     test("a", () => { run(ARGS); });
     test.each([["tail", "--raw=1"]])("b", () => undefined);`,
  );
  const define = (name: string, ...flags: string[]): Typeable => ({
    name,
    options: flags.map((spelled) => new Option(spelled)),
  });
  const commands = [define("runs", "-n <n>", "--raw"), define("tail", "-r, --raw"), define("ls")];
  expect(untold(commands, told)).toEqual(["runs --raw", "ls"]);
});
