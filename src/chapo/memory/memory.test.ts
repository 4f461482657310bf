import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import type { CallContext } from "../tool.js";
import { openMemory, type ProjectMemory, createMemoryTools } from "./memory.js";

const ports = nodePorts();
let at: number;
const clock = { ...ports.clock, now: () => at };
let root: string;
let memory: ProjectMemory;
const redact = createRedact(["a-secret-value"]);
/** An hour ahead of UTC. */
const berlin = () => 60;
const open = (readOnly = false) =>
  openMemory({ files: ports.files, clock }, { root, offset: berlin, readOnly, redact });
const text = (file: string) => readFileSync(path.join(root, file), "utf8");
const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
};

const context: CallContext = { callId: "c1", signal: new AbortController().signal };
/** Returns the model's result: the output, or `! ` and the error. */
async function call(name: string, args: unknown, of = memory): Promise<string> {
  const prepared = createMemoryTools(of)
    .find((tool) => tool.name === name)
    ?.prepare(args);
  if (prepared === undefined) throw new Error(`no tool ${name}`);
  if ("problem" in prepared) return `! ${prepared.problem}`;
  const result = await prepared.run(context);
  return result.success ? result.output : `! ${result.error}`;
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "chapo-memory-"));
  at = Date.parse("2026-03-04T23:05:00Z");
  memory = open();
});

test("a note is stored in the file of the local day, not of the UTC day", async () => {
  expect(await call("memory_remember", { content: "The port is 4711.\nSince March." })).toBe(
    "memory_remember: saved to .looper/memory/2026-03-05.md",
  );
  await call("memory_remember", { content: "Second" });
  expect(text(".looper/memory/2026-03-05.md")).toBe(
    "# 2026-03-05\n\n- 00:05 The port is 4711.\n  Since March.\n- 00:05 Second\n",
  );
  expect(await call("memory_readToday", {})).toContain("- 00:05 Second");
  expect(readdirSync(root)).toEqual([".looper"]);
});

test("a promoted note is also stored in MEMORY.md, in a section of its own", async () => {
  write("MEMORY.md", "# Ours\n\nBe kind.\n");
  expect(
    await call("memory_remember", { content: "We use pnpm <!-- /looper:notes -->", promote: true }),
  ).toBe("memory_remember: saved to .looper/memory/2026-03-05.md and MEMORY.md");
  await call("memory_remember", { content: "Deploys on Fridays: never", promote: true });
  write("MEMORY.md", `${text("MEMORY.md")}\nA person's line below.\n`);
  await call("memory_remember", { content: "Third", promote: true });
  expect(text("MEMORY.md")).toBe(
    [
      "# Ours\n\nBe kind.\n",
      "<!-- looper:notes -->\n## Notes\n",
      "- 2026-03-05: We use pnpm <! -- /looper:notes -->",
      "- 2026-03-05: Deploys on Fridays: never",
      "- 2026-03-05: Third",
      "<!-- /looper:notes -->\n\nA person's line below.\n",
    ].join("\n"),
  );
});

test("notes and summaries are redacted", async () => {
  await memory.remember("the key is a-secret-value", true);
  await memory.rememberSummary("s1", "they used a-secret-value");
  const { today, longTerm } = await memory.forPrompt();
  expect(today).toContain("the key is [redacted]");
  expect(longTerm).toContain("the key is [redacted]");
  expect(longTerm).toContain("they used [redacted]");
  expect(today + longTerm).not.toContain("a-secret-value");
});

test("a note may have 4,000 characters, but not 4,001 or none", async () => {
  expect(await call("memory_remember", { content: "x".repeat(4_000) })).toContain("saved");
  expect(await call("memory_remember", { content: "x".repeat(4_001) })).toContain(
    "! content: at most 4000 characters",
  );
  expect(await call("memory_remember", { content: " \n" })).toBe("! content: must not be empty");
});

test("a search ignores case and returns file, line and text, newest first", async () => {
  write(".looper/memory/2026-01-01.md", "# 2026-01-01\n\n- old: ÄPFEL and Login\n");
  write(".looper/memory/2026-02-01.md", "- login one\n- nothing\n- LOGIN two\n");
  write(".looper/memory/notes.md", "login, but not a day's\n");
  write("MEMORY.md", "\nthe login page\n");
  expect(await call("memory_search", { query: "Login" })).toBe(
    [
      "memory_search: 4 found, newest first",
      ".looper/memory/2026-02-01.md:3: - LOGIN two",
      ".looper/memory/2026-02-01.md:1: - login one",
      ".looper/memory/2026-01-01.md:3: - old: ÄPFEL and Login",
      "MEMORY.md:2: the login page",
    ].join("\n"),
  );
  expect(await call("memory_search", { query: "login äpfel" })).toContain("1 found");
  expect((await call("memory_search", { query: "login", limit: 2 })).split("\n")).toEqual([
    "memory_search: 2 of 4 found, newest first",
    expect.stringContaining(":3: - LOGIN two"),
    expect.stringContaining(":1: - login one"),
  ]);
  expect(await call("memory_search", { query: "(a+)+$" })).toContain("no note contains");
  expect(await call("memory_search", { query: "login", limit: 0 })).toMatch(/^! limit: /);
});

test("a long line is truncated around the hit", async () => {
  write("MEMORY.md", `${"a ".repeat(5_000)}needle${" b".repeat(5_000)}`);
  const [, hit = ""] = (await call("memory_search", { query: "needle" })).split("\n");
  expect(hit).toContain("needle");
  expect(hit.length).toBeLessThan(300);
});

test("a search and a read without notes succeed", async () => {
  expect(await call("memory_readToday", {})).toBe(
    "memory_readToday: no notes today (.looper/memory/2026-03-05.md is empty)",
  );
  expect(await memory.forPrompt()).toEqual({ today: "", longTerm: "" });
  expect(await memory.search("x", 5)).toEqual({ hits: [], all: 0 });
});

test("a prompt contains at most 3,000 characters of each file, with a mark", async () => {
  write(".looper/memory/2026-03-05.md", `first\n${"é😀".repeat(3_500)}\nlast`);
  write("MEMORY.md", `first\n${"é😀".repeat(3_500)}\nlast`);
  const { today, longTerm } = await memory.forPrompt();
  for (const part of [today, longTerm]) {
    expect(part.length).toBeLessThanOrEqual(3_000);
    expect(part.length).toBeGreaterThan(2_900);
    expect(part).toMatch(/\[… truncated: 75\d\d characters\]/);
    expect(part.endsWith("last")).toBe(true);
    expect(part).not.toMatch(/(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  }
  expect(longTerm.startsWith("first")).toBe(true);
});

test("in a backlog run the memory can be read but not changed", async () => {
  await memory.remember("kept", true);
  const before = text("MEMORY.md");
  const readOnly = open(true);
  expect(await call("memory_remember", { content: "new", promote: true }, readOnly)).toBe(
    "! memory_remember: memory is read-only here; nothing was stored. Put lasting facts into your report instead",
  );
  expect(await readOnly.rememberSummary("s1", "summary")).toBeDefined();
  expect(text("MEMORY.md")).toBe(before);
  expect(await call("memory_search", { query: "kept" }, readOnly)).toContain("2 found");
});

test("the last five summaries are kept with day and session, and are in the next session's prompt", async () => {
  await memory.remember("a fact", true);
  for (let index = 1; index <= 7; index++)
    expect(await memory.rememberSummary(`s${index}`, `Goal ${index}.\n- step`)).toBeUndefined();
  const { longTerm } = await open().forPrompt();
  expect(longTerm).toContain("- 2026-03-05, session s7: Goal 7.\n  - step");
  expect(longTerm.match(/session s/g)).toHaveLength(5);
  expect(longTerm).toContain("- 2026-03-05: a fact");
  await memory.rememberSummary("s8", `${"word ".repeat(1_000)}end`);
  expect((await open().forPrompt()).longTerm).toContain("session s8: word word");
});

test.each([
  ["MEMORY.md", (outside: string) => outside],
  ["MEMORY.md", () => "/nonexistent-place/MEMORY.md"],
  ["MEMORY.md", () => ".git/hooks/post-commit"],
  [".looper", (outside: string) => path.dirname(outside)],
  [".looper", () => "/nonexistent-place"],
  [".looper/memory", (outside: string) => path.dirname(outside)],
])("a link at %s that leads astray is not followed (%#)", async (link, target) => {
  const outside = path.join(mkdtempSync(path.join(tmpdir(), "chapo-outside-")), "2026-03-05.md");
  writeFileSync(outside, "theirs\n");
  write(".git/hooks/post-commit", "theirs\n");
  mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
  symlinkSync(target(outside), path.join(root, link));
  expect(await call("memory_remember", { content: "mine", promote: true })).toMatch(/^! memory_remember: /);
  expect(readFileSync(outside, "utf8")).toBe("theirs\n");
  expect(text(".git/hooks/post-commit")).toBe("theirs\n");
  expect(readdirSync(path.dirname(outside))).toEqual(["2026-03-05.md"]);
  expect(await memory.forPrompt()).not.toMatchObject({ today: expect.stringContaining("theirs") as string });
  expect((await memory.forPrompt()).longTerm).toBe("");
});

test("a link to another Markdown file of the project is followed", async () => {
  write("docs/notes.md", "# Notes\n");
  symlinkSync("docs/notes.md", path.join(root, "MEMORY.md"));
  await memory.remember("kept", true);
  expect(text("docs/notes.md")).toContain("kept");
});

test("a folder in place of a file, and a file that is too large, are reported", async () => {
  mkdirSync(path.join(root, "MEMORY.md"));
  expect(await call("memory_remember", { content: "x", promote: true })).toBe(
    "! memory_remember: stored in .looper/memory/2026-03-05.md, but MEMORY.md is not a file",
  );
  write(".looper/memory/2026-03-05.md", "x".repeat(1024 * 1024 + 1));
  expect(await call("memory_remember", { content: "x" })).toContain("is full");
});

test("a day's file that is a link to a file which the rules keep from the model is empty", async () => {
  write("secret/a.md", "the plan\n");
  mkdirSync(path.join(root, ".looper/memory"), { recursive: true });
  symlinkSync("../../secret/a.md", path.join(root, ".looper/memory/2026-03-05.md"));
  expect((await memory.readDay()).text).toBe("the plan\n");
  const content = (file: string): boolean => file === "secret/a.md";
  const hidden = { name: () => false, content, linked: () => Promise.resolve(new Set<string>()) };
  const place = { root, offset: berlin, readOnly: false, redact, hidden };
  const screened = openMemory({ files: ports.files, clock }, place);
  expect(await screened.readDay()).toMatchObject({ text: "" });
  expect(await screened.search("plan", 10)).toEqual({ hits: [], all: 0 });
  expect(await screened.forPrompt()).toEqual({ today: "", longTerm: "" });
});
