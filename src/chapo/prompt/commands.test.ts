import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { BUILT_IN, listCommands, readCommand, createSlashTool } from "./commands.js";

let root: string;
const place = () => ({ files: nodeFiles(), root });
const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
};
const context = { callId: "c", signal: new AbortController().signal };
const told: string[] = [];
async function call(args: unknown): Promise<string> {
  const prepared = createSlashTool(place(), (name) => {
    told.push(name);
    return `it will be: ${name}`;
  }).prepare(args);
  if ("problem" in prepared) return `! ${prepared.problem}`;
  const result = await prepared.run(context);
  return result.success ? result.output : `! ${result.error}`;
}

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "chapo-commands-"));
  told.length = 0;
});

test("a Markdown file is a command, and its arguments are inserted unchanged", async () => {
  write(
    ".looper/commands/review.md",
    "---\ndescription: Reviews a file\n---\nReview $ARGUMENTS well.\n$ARGUMENTS\n",
  );
  expect(await readCommand(place(), "/review src/a.ts $& $1\n two")).toEqual({
    prompt: "Review src/a.ts $& $1\n two well.\nsrc/a.ts $& $1\n two",
  });
  expect(await call({ command: "/review x" })).toBe(
    "Follow the command's instructions:\n\nReview x well.\nx",
  );
  expect(await call({ command: "review x" })).toContain("Review x well.");
});

test("a command's name includes its folder, and arguments without a placeholder are appended", async () => {
  write(".looper/commands/git/änder.md", "Commit.\n");
  expect(await readCommand(place(), "/git:änder now")).toEqual({ prompt: "Commit.\n\nArguments: now" });
  expect(await readCommand(place(), "/git/änder")).toEqual({ prompt: "Commit." });
});

test("a built-in command takes effect and cannot be replaced", async () => {
  write(".looper/commands/clear.md", "Do something else.\n");
  expect(await call({ command: "/clear" })).toBe("it will be: clear");
  expect(await call({ command: " /compact " })).toBe("it will be: compact");
  expect(told).toEqual(["clear", "compact"]);
});

test("an unknown command is an error that lists the known ones", async () => {
  write(".looper/commands/review.md", "Review.\n");
  expect(await call({ command: "/reveiw a" })).toBe(
    `! unknown command /reveiw; did you mean /review? available: ${[...Object.keys(BUILT_IN), "review"].map((name) => `/${name}`).join(", ")}`,
  );
  for (const command of ["/", "/__proto__", "/../../etc/passwd", "/constructor"])
    expect(await call({ command })).toMatch(/^! unknown command .*; available: \/clear, /);
  expect(await call({})).toBe("! command: missing; it takes command");
});

test("each broken file has its own problem, and the others work", async () => {
  const outside = path.join(mkdtempSync(path.join(tmpdir(), "chapo-outside-")), "x.md");
  writeFileSync(outside, "secret");
  write(".looper/commands/good.md", "\n# Good\nDo it.");
  write(".looper/commands/bad.md", "---\na: [\n---\nText");
  write(".looper/commands/bomb.md", "---\na: &a [x]\nb: [*a, *a]\n---\nText");
  write(".looper/commands/empty.md", "---\n---\n");
  write(".looper/commands/large.md", "x".repeat(70_000));
  write(".looper/commands/no.txt", "no");
  symlinkSync(outside, path.join(root, ".looper/commands/link.md"));
  const listed = await listCommands(place());
  expect(listed.map(({ name }) => name)).toEqual([
    ...Object.keys(BUILT_IN),
    "bad",
    "bomb",
    "empty",
    "good",
    "large",
  ]);
  expect(Object.fromEntries(listed.map(({ name, description }) => [name, description]))).toMatchObject({
    good: "# Good",
    bad: expect.stringContaining("not YAML") as string,
    bomb: expect.stringContaining("not YAML") as string,
    empty: ".looper/commands/empty.md is empty",
    large: ".looper/commands/large.md is larger than 64 KB",
  });
  expect(await call({ command: "/large" })).toBe("! .looper/commands/large.md is larger than 64 KB");
});

test("a project without a folder of commands, or with one outside the project, has no commands of its own", async () => {
  expect(await listCommands(place())).toHaveLength(Object.keys(BUILT_IN).length);
  const outside = mkdtempSync(path.join(tmpdir(), "chapo-outside-"));
  writeFileSync(path.join(outside, "x.md"), "secret");
  mkdirSync(path.join(root, ".looper"));
  symlinkSync(outside, path.join(root, ".looper/commands"));
  expect(await listCommands(place())).toHaveLength(Object.keys(BUILT_IN).length);
});
