import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { nodeFiles } from "../../system/files/files.js";
import { listCommands, readCommand, createSlashTool } from "./commands.js";

let root: string;
const place = () => ({ files: nodeFiles(), root });
const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
};
const context = { session: "s", callId: "c", agent: "looper", signal: new AbortController().signal };
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

test("a Markdown file is a command, its arguments go in as they are", async () => {
  write(
    ".looper/commands/review.md",
    "---\ndescription: Reviews a file\n---\nReview $ARGUMENTS well.\n$ARGUMENTS\n",
  );
  expect(await readCommand(place(), "/review src/a.ts $& $1\n two")).toEqual({
    prompt: "Review src/a.ts $& $1\n two well.\nsrc/a.ts $& $1\n two",
  });
  expect(await call({ command: "/review x" })).toBe("Do what the command says:\n\nReview x well.\nx");
  expect(await call({ command: "review x" })).toContain("Review x well.");
});

test("a file in a folder has the folder in its name; arguments without a place go to the end", async () => {
  write(".looper/commands/git/änder.md", "Commit.\n");
  expect(await readCommand(place(), "/git:änder now")).toEqual({ prompt: "Commit.\n\nArguments: now" });
  expect(await readCommand(place(), "/git/änder")).toEqual({ prompt: "Commit." });
});

test("what is built in takes effect, and cannot be replaced", async () => {
  write(".looper/commands/clear.md", "Do something else.\n");
  expect(await call({ command: "/clear" })).toBe("it will be: clear");
  expect(await call({ command: " /compact " })).toBe("it will be: compact");
  expect(told).toEqual(["clear", "compact"]);
});

test("an unknown command is an error that lists those there are", async () => {
  write(".looper/commands/review.md", "Review.\n");
  expect(await call({ command: "/reveiw a" })).toBe(
    "! there is no command /reveiw; did you mean /review? There are /clear, /compact, /review",
  );
  for (const command of ["/", "/__proto__", "/../../etc/passwd", "/constructor"])
    expect(await call({ command })).toMatch(/^! there is no command .* There are \/clear, /);
  expect(await call({})).toBe("! command: missing; it takes command");
});

test("broken files are told apart, and others work", async () => {
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
    "clear",
    "compact",
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
    empty: ".looper/commands/empty.md says nothing",
    large: ".looper/commands/large.md is larger than 64 KB",
  });
  expect(await call({ command: "/large" })).toBe("! .looper/commands/large.md is larger than 64 KB");
});

test("no folder, and one that leads out of the project, hold no commands", async () => {
  expect(await listCommands(place())).toHaveLength(2);
  const outside = mkdtempSync(path.join(tmpdir(), "chapo-outside-"));
  writeFileSync(path.join(outside, "x.md"), "secret");
  mkdirSync(path.join(root, ".looper"));
  symlinkSync(outside, path.join(root, ".looper/commands"));
  expect(await listCommands(place())).toHaveLength(2);
});
