// The documents match the program: generated parts are in step, links lead somewhere, every command,
// flag and setting they name is there. Leaves what the commands do to docs.story.test.ts.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import PROOF from "../../docs/proof.json" with { type: "json" };
import { commonOptions } from "../../cmd/context/command.js";
import { COMMANDS } from "../../cmd/commands.js";
import { fillDocument, fillPart, PARTS } from "../../scripts/doc-parts.js";
import { EVENT_EXAMPLES } from "../../scripts/event-examples.js";
import { rowOf, ROWS } from "../../src/config/settings/settings.js";
import { KINDS } from "../../src/config/settings/setting-row.js";
import { PERMISSIONS } from "../../src/workflow/words.js";
import { ENDINGS, EventLine, StepEvent } from "../../src/logging/events/events.js";
import { ToldEvent } from "../../src/logging/events/told-events.js";
import { blocksOf, pages, readPage, ROOT, spansIn, stepsOf } from "../rig/documents.js";

/** Pages that tell of other programs' flags as well. */
const OF_OTHERS = ["docs/agents.md", "docs/from-looper-go.md"];

const texts = pages().map((page) => ({ page, text: readPage(page) }));
const common = commonOptions().flatMap(spellings);
const commands = new Map(
  await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const { options = [] } = (await load()).command;
      return [name, new Set([...options.flatMap(spellings), ...common])] as const;
    }),
  ),
);
const ownFlags = [...commands.values()].flatMap((flags) => [...flags]);
/** With the opposite of each switch, which the parser understands, and words of other programs that get a hint. */
const everyFlag = new Set([...ownFlags, ...ownFlags.map(oppositeOf)]);

function spellings({ flags }: { flags: string }): string[] {
  return flags.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? [];
}

function oppositeOf(flag: string): string {
  return flag.startsWith("--no-") ? `--${flag.slice(5)}` : flag.replace(/^--/, "--no-");
}

test.each([...new Set(PARTS.map(({ file }) => file))])(
  "%s: what is generated is in step (npm run docs)",
  (file) => {
    const text = readPage(file);
    expect(fillDocument(file, text)).toBe(text);
  },
);

test("a part is put between its own markers, and nothing else is touched", () => {
  const text =
    "a\n<!-- generated: x -->\nold\n<!-- /generated -->\nb\n<!-- generated: y -->\n<!-- /generated -->\n";
  const filled = fillPart(text, "x", "new", "page.md");
  expect(filled).toBe(text.replace("old", "\nnew\n"));
  expect(fillPart(filled, "x", "new", "page.md")).toBe(filled);
  expect(() => fillPart(text, "z", "new", "page.md")).toThrow("page.md has no <!-- generated: z -->");
});

test.each(texts)("$page: every link leads somewhere", ({ page, text }) => {
  const targets = [...text.replace(/^```[^]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = ""]) => target,
  );
  const lost = targets.filter((target) => !/^https?:/.test(target) && !leadsSomewhere(page, target));
  expect(lost).toEqual([]);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [file = "", heading] = target.split("#");
  const to = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
  if (to.startsWith("..") || !existsSync(path.join(ROOT, to))) return false;
  return heading === undefined || headings(to).includes(heading);
}

test("a test that a page names is in the file it links to", () => {
  const named = texts.flatMap(({ page, text }) =>
    [...text.matchAll(/\[([^\]]+)\]\(([^)]+\.test\.ts)\)/g)].map(([, name = "", file = ""]) => ({
      name: name.replace(/\s+/g, " "),
      file: path.posix.join(path.posix.dirname(page), file),
    })),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(({ name, file }) => !readPage(file).includes(name))).toEqual([]);
});

/** Decisions and the changelog name files as they were then. */
const isCurrent = (page: string) => !page.startsWith("docs/decisions/") && page !== "CHANGELOG.md";

test.each(texts.filter(({ page }) => isCurrent(page)))(
  "$page: every file and folder of the project that it names is there",
  ({ text }) => {
    const named = spansIn(text).filter((span) => /^(?:src|cmd|test|scripts)\/[\w./-]+$/.test(span));
    expect(named.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  },
);

test("a function that ARCHITECTURE names beside a file is in that file", () => {
  const text = readPage("docs/ARCHITECTURE.md");
  const named = [...text.matchAll(/`((?:src|cmd)\/[\w./-]+\.ts)`(?: \|)? `(\w+)`/g)];
  expect(named.length).toBeGreaterThan(20);
  const lost = named.filter(([, file = "", name = ""]) => !new RegExp(`\\b${name}\\b`).test(readPage(file)));
  expect(lost.map(([span]) => span)).toEqual([]);
});

test("every YAML that a page shows can be read", () => {
  const yaml = pages()
    .flatMap(blocksOf)
    .filter(({ language }) => language === "yaml");
  expect(yaml.length).toBeGreaterThan(0);
  const errors = yaml.flatMap(({ page, line, body }) =>
    parseDocument(body).errors.map(({ message }) => `${page}:${line}: ${message}`),
  );
  expect(errors).toEqual([]);
});

test("every target of make that a proof names is there", () => {
  const targets = new Set(readFileSync(path.join(ROOT, "Makefile"), "utf8").match(/^[a-z-]+(?=:)/gm));
  const named = PROOF.flatMap(({ command }) => /^make ([a-z-]+)/.exec(command)?.[1] ?? []);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((target) => !targets.has(target))).toEqual([]);
});

test("every event has a sentence, and its example is a valid line of a log", () => {
  const silent = [...StepEvent.options, ...ToldEvent.options].filter(
    ({ description }) => description === undefined,
  );
  expect(silent).toEqual([]);
  const wrong = Object.entries(EVENT_EXAMPLES).filter(
    ([type, example]) => example.type !== type || !EventLine.safeParse(example).success,
  );
  expect(wrong).toEqual([]);
});

test("a decision has a number of its own, a date, a status, and its four sections", () => {
  const decisions = pages().filter((page) => /^docs\/decisions\/\d/.test(page));
  const numbers = decisions.map((page) => Number(/\/(\d{4})-[a-z0-9-]+\.md$/.exec(page)?.[1]));
  // The number of a page that another one replaced is not given again.
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  const shape = /^# (\d+)\. [A-Z].*\n\nDate: \d{4}-\d\d-\d\d\. Status: [a-z ].*\.\n\n## Context\n/;
  const wrong = decisions.filter((page, index) => {
    const text = readPage(page);
    const sections = text.match(/^## .*$/gm)?.join(" ");
    return (
      shape.exec(text)?.[1] !== String(numbers[index]) ||
      sections !== "## Context ## Decision ## Consequences ## Rejected"
    );
  });
  expect(wrong).toEqual([]);
});

test("the glossary knows every ending, kind of agent and permission", () => {
  const glossary = readPage("docs/GLOSSARY.md");
  const rowOfWord = (word: string) =>
    glossary.split("\n").find((line) => line.startsWith(`| ${word} |`)) ?? "";
  const told = { ending: ENDINGS, kind: KINDS, permissions: PERMISSIONS };
  const missing = Object.entries(told).flatMap(([word, values]) =>
    values.filter((value) => !rowOfWord(word).includes(value)).map((value) => `${word}: ${value}`),
  );
  expect(missing).toEqual([]);
});

/** The names by which a page's headings are linked to. */
function headings(page: string): string[] {
  return [...readPage(page).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The list of parts that a page calls not built yet, if it has one. */
function announced(page: string): string {
  return /^\*\*Not built yet\*\*[^]*?\n\n/m.exec(readPage(page))?.[0] ?? "";
}

/** The words of code of a page, without the rows of tables that are about commands not built yet. */
function builtSpans(page: string): string[] {
  const rows = spansIn(announced(page)).map((name) => `| \`${name}`);
  const lines = readPage(page).split("\n");
  return spansIn(lines.filter((line) => !rows.some((row) => line.startsWith(row))).join("\n"));
}

test.each(texts)("$page: every command and flag of looper's that it names is there", ({ page }) => {
  const strange = [...builtSpans(page), ...blocksOf(page).flatMap(stepsOf).flat()]
    .flatMap((line) => [...line.matchAll(/(?<![\w./-])looper( +[^|;&`$()"']*)/g)])
    .flatMap(([, words = ""]) => unknownWords(words.trim().split(/\s+/)))
    .filter((word) => !announced(page).includes(word));
  expect(strange).toEqual([]);
});

/** Errors in the words after `looper`: an unknown command, flags that the command does not take. */
function unknownWords(words: readonly string[]): string[] {
  const [first = ""] = words;
  const command = commands.get(first);
  const flags = command ?? everyFlag;
  const wrongFlags = words
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .map((word) => word.replace(/[=,.:].*$/, ""))
    .filter((word) => !flags.has(word) && !["-h", "--help", "-V", "--version"].includes(word));
  const isCommand = command !== undefined || !/^[a-z][a-z-]*$/.test(first) || first === "help";
  return isCommand ? wrongFlags : [first];
}

test.each(texts.filter(({ page }) => !OF_OTHERS.includes(page)))(
  "$page: every flag that it names alone is there",
  ({ page }) => {
    const named = builtSpans(page).flatMap((span) => /^(--[a-z][\w-]*)/.exec(span)?.[1] ?? []);
    const strange = named.filter((flag) => !everyFlag.has(flag) && !["--help", "--version"].includes(flag));
    expect(strange.filter((flag) => !announced(page).includes(flag))).toEqual([]);
  },
);

test.each(texts)("$page: every setting that it names is there", ({ page }) => {
  const groups = new Set([...ROWS.keys()].map((key) => key.split(".")[0]));
  const named = builtSpans(page)
    .map((span) => span.replace(/[:=] ?.*$/, ""))
    .filter((span) => /^[a-z]+(\.([a-zA-Z_]+|<\w+>))+$/.test(span) && groups.has(span.split(".")[0]));
  expect(named.filter((key) => !isSetting(key))).toEqual([]);
});

/** Whether a key is in the table; a word in angle brackets is any name. */
function isSetting(key: string): boolean {
  const pattern = new RegExp(`^${key.replaceAll(".", "\\.").replace(/<\w+>/g, "[^.]+")}$`);
  return rowOf(key) !== undefined || [...ROWS.keys()].some((row) => pattern.test(row));
}
