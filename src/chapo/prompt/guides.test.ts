import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { readGuides } from "./guides.js";

const files = nodeFiles();
let top: string;
let home: string;
let warnings: string[];

const write = (file: string, content: string) => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
};
const read = (root: string, from = root) =>
  readGuides({
    ...{ files, root, from, user: { home, settings: path.join(home, ".config/looper") } },
    onWarning: (text) => warnings.push(text),
  });

beforeEach(() => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "chapo-guides-")));
  home = path.join(folder, "home");
  top = path.join(folder, "repo");
  warnings = [];
  write(path.join(top, ".git/HEAD"), "ref: refs/heads/main\n");
});

test("guides are read from the user's own down to the project's folder, nearest last", async () => {
  const root = path.join(top, "packages/shop");
  write(path.join(home, ".config/looper/AGENTS.md"), "mine");
  write(path.join(home, ".claude/CLAUDE.md"), "also mine");
  write(path.join(top, "AGENTS.md"), "top");
  write(path.join(top, "packages/CLAUDE.md"), "middle");
  write(path.join(root, "AGENTS.md"), "near");
  write(path.join(root, "CLAUDE.md"), "near");
  write(path.join(path.dirname(top), "AGENTS.md"), "outside");
  expect((await read(root)).map(({ file, text }) => `${file}: ${text}`)).toEqual([
    "~/.config/looper/AGENTS.md: mine",
    "~/.claude/CLAUDE.md: also mine",
    "../../AGENTS.md: top",
    "../CLAUDE.md: middle",
    "AGENTS.md: near",
  ]);
  expect(warnings).toEqual([]);
});

test("the folders inside the project down to the user's are read too, another folder is not", async () => {
  write(path.join(top, "AGENTS.md"), "top");
  write(path.join(top, "packages/shop/CLAUDE.md"), "shop");
  write(path.join(top, "packages/shop/src/AGENTS.md"), "source");
  write(path.join(path.dirname(top), "other/AGENTS.md"), "other");
  const names = async (from: string) => (await read(top, from)).map(({ file }) => file);
  expect(await names(path.join(top, "packages/shop/src"))).toEqual([
    "AGENTS.md",
    "packages/shop/CLAUDE.md",
    "packages/shop/src/AGENTS.md",
  ]);
  expect(await names(path.join(path.dirname(top), "other"))).toEqual(["AGENTS.md"]);
});

test("imports follow their file; names and code are not imports", async () => {
  write(
    path.join(top, "AGENTS.md"),
    "See @docs/a.md, @types/node and me@x.org.\n`@docs/no.md`\n```\n@docs/no.md\n```\n(@plain)",
  );
  write(path.join(top, "docs/a.md"), "A, then @b.md.");
  write(path.join(top, "docs/b.md"), "B");
  write(path.join(top, "docs/no.md"), "no");
  write(path.join(top, "plain"), "plain");
  expect((await read(top)).map(({ file }) => file)).toEqual(["AGENTS.md", "docs/a.md", "docs/b.md", "plain"]);
  expect(warnings).toEqual([]);
});

test("a circle, a file outside, a missing one, a binary one and a key are warnings that name both files", async () => {
  write(path.join(top, "AGENTS.md"), "@a.md @../../etc/x.md @~/secret.txt @gone.md @data.txt @./.env");
  write(path.join(top, "a.md"), "a @AGENTS.md");
  write(path.join(top, "data.txt"), "x\0y");
  write(path.join(top, ".env"), "KEY=1");
  write(path.join(home, "secret.txt"), "secret");
  expect((await read(top)).map(({ file }) => file)).toEqual(["AGENTS.md", "a.md"]);
  expect(warnings).toEqual([
    "a.md: @AGENTS.md imports itself in a circle; it is left out",
    "AGENTS.md: @../../etc/x.md is outside the project; it is left out",
    "AGENTS.md: @../home/secret.txt is outside the project; it is left out",
    "AGENTS.md: @gone.md is not there; it is left out",
    "AGENTS.md: @data.txt is not a text file; it is left out",
    "AGENTS.md: @.env may not be read; it is left out",
  ]);
});

test("a long guide is cut, and a guide of the user imports from its own folder", async () => {
  write(path.join(home, ".claude/CLAUDE.md"), "@more.md");
  write(path.join(home, ".claude/more.md"), "more");
  write(path.join(top, "CLAUDE.md"), "é".repeat(10_000));
  expect(await read(top)).toMatchObject([
    { file: "~/.claude/CLAUDE.md" },
    { file: "~/.claude/more.md", text: "more" },
    { file: "CLAUDE.md", text: "é".repeat(6 * 1024), cut: true },
  ]);
});

test("an import that the rules or its name keep from the model is left out", async () => {
  write(path.join(top, "AGENTS.md"), "@secret/a.txt @config/secrets.json @open.md");
  for (const name of ["secret/a.txt", "config/secrets.json", "open.md"]) write(path.join(top, name), name);
  const content = (file: string): boolean => file !== "open.md" && file !== "AGENTS.md";
  const hidden = { name: () => false, content, linked: () => Promise.resolve(new Set<string>()) };
  const onWarning = (text: string) => warnings.push(text);
  const guides = await readGuides({ files, root: top, hidden, onWarning });
  expect(guides.map(({ file }) => file)).toEqual(["AGENTS.md", "open.md"]);
  expect(warnings).toEqual([
    "AGENTS.md: @secret/a.txt may not be read; it is left out",
    "AGENTS.md: @config/secrets.json may not be read; it is left out",
  ]);
});
