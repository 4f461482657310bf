import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { nodePorts } from "../../../system/processes/node-ports.js";
import type { GateCall } from "../../engine/world.js";
import { openPermit } from "./permit.js";
import { createPrintedFinder } from "./tracked-files.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { readRules } from "../../rules/read-rules.js";
import { defineTool, done } from "../../tool.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "permit-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const bash = defineTool({
  name: "bash_execute",
  description: "runs",
  arguments: z.object({ command: z.string() }),
  changes: true,
  subjects: ({ command }) => [{ kind: "command", text: command }],
  preview: ({ command }) => Promise.resolve(command),
  run: () => Promise.resolve(done("")),
});

const edit = defineTool({
  name: "fs_edit",
  description: "edits",
  arguments: z.object({ path: z.string(), text: z.string() }),
  changes: true,
  subjects: (args) => [{ kind: "path", path: args.path, use: "write" }],
  preview: () => Promise.reject(new Error("no such file")),
  run: () => Promise.resolve(done("")),
});

const foreign = defineTool({
  name: "mcp_srv_do",
  description: "does",
  arguments: z.object({ ref: z.string() }),
  changes: true,
  subjects: () => [{ kind: "name", name: "do" }],
  run: () => Promise.resolve(done("")),
});

const fetch = defineTool({
  name: "web_fetch",
  description: "fetches",
  arguments: z.object({ url: z.string() }),
  changes: false,
  subjects: ({ url }) => [{ kind: "url", url }],
  run: () => Promise.resolve(done("")),
});

function callOf(tool: GateCall["tool"], args: unknown): GateCall {
  const prepared = tool.prepare(args);
  if ("problem" in prepared) throw new Error(prepared.problem);
  return { id: "c1", agent: "commander", tool, args, prepared };
}

interface Given {
  lists?: Parameters<typeof readRules>[0];
  mode?: PermissionMode;
  said?: string[];
}

function permitWith({ lists = {}, mode = "default", said = [] }: Given) {
  const { rules } = readRules(lists, root);
  const { permit, remember } = openPermit({
    ...{ rules, root, files: nodePorts().files },
    mode: () => mode,
    said: () => said,
    findPrinted: createPrintedFinder({
      ...{ rules, root, ports: nodePorts(), env: { PATH: process.env["PATH"] ?? "", HOME: root } },
      guardsSecrets: () => mode === "auto",
    }),
  });
  return {
    judge: (tool: GateCall["tool"], args: unknown) => permit(callOf(tool, args)),
    always: (tool: GateCall["tool"], args: unknown, scope: "call" | "edits" = "call") => {
      remember(callOf(tool, args), scope);
    },
  };
}

test("a call that may change something is asked about with its preview, until it is allowed for the session", async () => {
  const { judge, always } = permitWith({});
  const asks = { because: "it may change something", preview: "npm test" };
  expect(await judge(bash, { command: "npm test" })).toMatchObject({ asks });
  always(bash, { command: "npm test" });
  expect(await judge(bash, { command: "npm test" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "npm test x" })).toHaveProperty("asks");
});

test("always applies to the tool with all its arguments, edits to every edit of that file and no other", async () => {
  const { judge, always } = permitWith({});
  always(edit, { path: "a", text: "1" });
  expect(await judge(edit, { path: "a", text: "1" })).toEqual({ allowed: true });
  expect(await judge(edit, { path: "a", text: "2" })).toMatchObject({
    asks: { edits: "a", may_remember: true },
  });
  always(edit, { path: "a", text: "2" }, "edits");
  expect(await judge(edit, { path: "./a", text: "3" })).toEqual({ allowed: true });
  expect(await judge(edit, { path: "b", text: "2" })).toHaveProperty("asks");
  always(foreign, { ref: "a" });
  expect(await judge(foreign, { ref: "b" })).toHaveProperty("asks");
  expect(await judge(foreign, { ref: "a" })).toEqual({ allowed: true });
});

test("a page is asked about by its host, unless a person gave the address or the session is trusted", async () => {
  const { judge, always } = permitWith({ said: ["Read https://given.example/a."] });
  expect(await judge(fetch, { url: "https://given.example/a" })).toEqual({ allowed: true });
  const page = { url: "https://evil.example/?k=1" };
  expect(await judge(fetch, page)).toMatchObject({ asks: { host: "evil.example", may_remember: true } });
  always(fetch, page);
  expect(await judge(fetch, { url: "https://evil.example/other" })).toEqual({ allowed: true });
  expect(await judge(fetch, { url: "https://other.example/" })).toHaveProperty("asks");
  expect(await permitWith({ mode: "trusted" }).judge(fetch, page)).toEqual({ allowed: true });
});

test("a dangerous command is asked about each time, also in trusted mode", async () => {
  const { judge, always } = permitWith({ mode: "trusted" });
  const asks = { because: expect.stringContaining("never run unasked") as string, may_remember: false };
  expect(await judge(bash, { command: "rm -rf ~/x" })).toMatchObject({ asks });
  always(bash, { command: "rm -rf ~/x" });
  expect(await judge(bash, { command: "rm -rf ~/x" })).toMatchObject({ asks });
});

test("after a command that left the project a relative path counts as outside", async () => {
  const { judge } = permitWith({ mode: "trusted" });
  expect(await judge(bash, { command: "rm -rf build" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "cd /" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "rm -rf build" })).toHaveProperty("asks");
});

test("a command that a person refuses does not move the shell, and one that runs does", async () => {
  const { permit } = openPermit({
    ...{ rules: readRules({}, root).rules, root, files: nodePorts().files },
    ...{ mode: () => "auto", said: () => [], findPrinted: () => Promise.resolve([]) },
  });
  const asked = callOf(bash, { command: "$(x)" });
  expect(await permit(asked)).toHaveProperty("asks");
  expect(await permit(callOf(bash, { command: "ls" }))).toEqual({ allowed: true });
  await asked.prepared.run({ callId: "c", signal: new AbortController().signal });
  expect(await permit(callOf(bash, { command: "ls" }))).toHaveProperty("asks");
});

test("an edit of a shell is asked about where a link leads to git's files, also to a file that is not there", async () => {
  mkdirSync(path.join(root, ".git/hooks"), { recursive: true });
  mkdirSync(path.join(root, "sub"));
  writeFileSync(path.join(root, ".git/HEAD"), "x");
  symlinkSync(".git", path.join(root, "g"));
  symlinkSync(".git/hooks", path.join(root, "hk"));
  symlinkSync("../.git", path.join(root, "sub/h"));
  symlinkSync(".git/made", path.join(root, "dangling"));
  const { judge } = permitWith({ mode: "acceptEdits" });
  for (const command of [
    ...["cp cfg g/config", "cp evil.sh hk/pre-push", "mv g/HEAD g/HEAD2", "touch g/x", "mkdir -p hk/sub"],
    ...["cp a dangling", "cd g && touch x", "cd sub && cp a h/config", `cp a ${root}/hk/pre-push`],
  ])
    expect(await judge(bash, { command }), command).toHaveProperty("asks");
  for (const command of ["cp cfg sub/config", "cd sub && touch x", "mkdir -p sub/a/b"])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
  const auto = permitWith({ mode: "auto" });
  expect(await auto.judge(bash, { command: "cd sub" })).toEqual({ allowed: true });
  expect(await auto.judge(bash, { command: "cp a h/config" })).toHaveProperty("asks");
});

test("a rule against editing holds for the files that a shell changes behind links and patterns", async () => {
  mkdirSync(path.join(root, "secret"));
  writeFileSync(path.join(root, "secret/s"), "x");
  symlinkSync("secret", path.join(root, "link"));
  const { judge } = permitWith({ lists: { deny: ["Edit(secret/**)"] }, mode: "trusted" });
  for (const command of ["touch link/z", "rm */s", "rm -rf link/", "cp a link/s", "echo x > link/s"])
    expect(await judge(bash, { command }), command).toHaveProperty("refused");
  for (const command of ["rm link", "cat secret/s", "cat link/s", "cp secret/s other", "ls */"])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
  expect(await judge(bash, { command: "cd secret" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "rm s" })).toHaveProperty("refused");
});

test("a pattern for names is judged by the files that it names now", async () => {
  for (const folder of ["secret", "src"]) mkdirSync(path.join(root, folder));
  writeFileSync(path.join(root, "secret/a.txt"), "x");
  writeFileSync(path.join(root, "src/a.ts"), "x");
  mkdirSync(path.join(root, "links"));
  symlinkSync("../secret/a.txt", path.join(root, "links/l1"));
  const { judge } = permitWith({ lists: { deny: ["Read(secret/**)"] }, mode: "trusted" });
  for (const command of [
    ...["rev */a.txt", "rev */*", "cd */ && rev a.txt", "for f in */a.txt; do rev $f; done"],
    ...["rev links/l*", "rev links/?1", "rev [l]*/[l]1", "rev [s]*/[a]*", "tac < links/l?"],
  ])
    expect(await judge(bash, { command }), command).not.toEqual({ allowed: true });
  for (const command of [
    "rev */*.ts",
    "npx eslint */*.ts",
    "echo *",
    "ls */*",
    "for f in *; do echo $f; done",
    "[ -f src/a.ts ] && rev [s]rc/*.ts",
  ])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
});

test("a deletion that follows a link out of the project is asked about", async () => {
  const other = mkdtempSync(path.join(tmpdir(), "other-"));
  symlinkSync(other, path.join(root, "lnk"));
  const { judge } = permitWith({ mode: "trusted" });
  for (const command of ["rm -rf lnk/", "rm -rf lnk/*", "rm -f lnk/x"])
    expect(await judge(bash, { command }), command).toMatchObject({
      asks: { because: expect.stringContaining("behind a link") as string },
    });
  for (const command of ["rm lnk", "rm -rf lnk", "touch lnk/x", "rm -f /tmp/x*.o", "rm -rf src/*"])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
  rmSync(other, { recursive: true });
});

test("an ask rule asks again after always", async () => {
  const { judge, always } = permitWith({ lists: { ask: ["Bash"] }, mode: "trusted" });
  always(bash, { command: "ls" });
  expect(await judge(bash, { command: "ls" })).toMatchObject({ asks: { rule: "Bash" } });
});

test("a denied call is refused without a question, with the rule's name", async () => {
  const { judge } = permitWith({ lists: { deny: ["Bash(git push *)"] } });
  const answer = await judge(bash, { command: "true && git push" });
  expect(answer).toHaveProperty("refused", expect.stringContaining("deny Bash(git push *)"));
});

test("a link is judged by its target, and a failed preview is replaced by the arguments", async () => {
  mkdirSync(path.join(root, "src"));
  writeFileSync(path.join(root, "kept"), "");
  symlinkSync("../kept", path.join(root, "src", "link"));
  const lists = { allow: ["Edit(src/**)"], deny: ["Edit(kept)"] };
  expect(await permitWith({ lists }).judge(edit, { path: "src/x", text: "" })).toEqual({ allowed: true });
  expect(await permitWith({ lists }).judge(edit, { path: "src/link", text: "" })).toHaveProperty("refused");
  const { judge } = permitWith({ lists: { allow: lists.allow } });
  const preview = 'fs_edit {"path":"src/link","text":""}';
  expect(await judge(edit, { path: "src/link", text: "" })).toMatchObject({ asks: { preview } });
});

test("a shell text that names a link to a file that a rule denies is denied", async () => {
  mkdirSync(path.join(root, "secret"));
  writeFileSync(path.join(root, "secret/a"), "x");
  symlinkSync("secret/a", path.join(root, "link"));
  symlinkSync("secret", path.join(root, "folder"));
  const { judge } = permitWith({ lists: { deny: ["Read(secret/**)"] }, mode: "trusted" });
  for (const command of ["cat link", "cat folder/a", "(cd folder; cat a)", `perl -e 'print <>' link`])
    expect(await judge(bash, { command }), command).toHaveProperty("refused");
  for (const command of ["ls link", "rm link", "cat other"])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
});

test("a command that only looks is asked about where a link leads to a secret or out of the project", async () => {
  writeFileSync(path.join(root, ".env"), "x");
  writeFileSync(path.join(root, "a.txt"), "x");
  symlinkSync(".env", path.join(root, "plain"));
  symlinkSync("/etc/hostname", path.join(root, "out"));
  symlinkSync("a.txt", path.join(root, "same"));
  const { judge } = permitWith({ mode: "auto" });
  for (const command of ["cat plain", "cat out", "wc plain a.txt", "cp plain b.txt"])
    expect(await judge(bash, { command }), command).toHaveProperty("asks");
  for (const command of ["cat same", "cat a.txt"])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
});

test("another name of a denied file is denied: a hard link is the same file", async () => {
  for (const name of [".env", "free.txt"]) writeFileSync(path.join(root, name), "TOKEN=1\n");
  linkSync(path.join(root, ".env"), path.join(root, "notes.txt"));
  linkSync(path.join(root, "free.txt"), path.join(root, "free-too.txt"));
  const { judge } = permitWith({ lists: { deny: ["Read(.env)"] }, mode: "trusted" });
  const refused = { refused: expect.stringContaining("Read(.env)") as string };
  expect(await judge(edit, { path: "notes.txt", text: "x" })).toMatchObject(refused);
  expect(await judge(bash, { command: "cat notes.txt" })).toMatchObject(refused);
  expect(await judge(bash, { command: "cat free-too.txt" })).toEqual({ allowed: true });
  const asking = permitWith({ mode: "auto" });
  expect(await asking.judge(bash, { command: "cat notes.txt" })).toHaveProperty("asks");
  expect(await asking.judge(bash, { command: "cat free-too.txt" })).toEqual({ allowed: true });
});

test("a git command that may print a denied file that git has is asked about, also in the modes that look unasked", async () => {
  writeFileSync(path.join(root, ".env"), "TOKEN=1\n");
  const auto = permitWith({ mode: "auto" });
  const denied = permitWith({ lists: { deny: ["Read(.env)"] }, mode: "trusted" });
  execFileSync("git", ["init", "-q"], { cwd: root });
  expect(await auto.judge(bash, { command: "git diff" })).toEqual({ allowed: true });
  expect(await denied.judge(bash, { command: "git diff" })).toEqual({ allowed: true });
  execFileSync("git", ["add", "-f", ".env"], { cwd: root });
  for (const command of ["git diff", "git show", "git grep TOKEN"])
    expect(await auto.judge(bash, { command })).toHaveProperty("asks");
  expect(await denied.judge(bash, { command: "git diff" })).toMatchObject({
    asks: { because: expect.stringContaining("may print .env") as string, rule: "Read(.env)" },
  });
});

const move = defineTool({
  name: "fs_move",
  description: "moves",
  arguments: z.object({ from: z.string(), to: z.string() }),
  changes: true,
  subjects: ({ from, to }) => [from, to].map((one) => ({ kind: "path", path: one, use: "write" }) as const),
  run: () => Promise.resolve(done("")),
});

test("a copy or a move of a folder with files that steer programs, or of such a file into a folder, is asked about", async () => {
  for (const one of ["vendor/.husky", "vendor/deep", "plain", "src"])
    mkdirSync(path.join(root, one), { recursive: true });
  for (const one of ["vendor/AGENTS.md", "vendor/deep/CLAUDE.md", "plain/a.ts", ".env.example"])
    writeFileSync(path.join(root, one), "");
  const { judge } = permitWith({ mode: "acceptEdits" });
  const asked = ["cp -r vendor/. src", "mv vendor src", "cp -r vendor/deep src", "cp vendor/AGENTS.md src"];
  for (const command of [...asked, "mkdir new && cp vendor/AGENTS.md new", "cd src && cp -r ../vendor ."])
    expect(await judge(bash, { command }), command).toHaveProperty("asks");
  for (const command of [
    "cp -r plain src",
    "mv plain src/a",
    "cp vendor/AGENTS.md notes.txt",
    "cp .env.example env.txt",
  ])
    expect(await judge(bash, { command }), command).toEqual({ allowed: true });
  expect(await judge(move, { from: "vendor", to: "lib" })).toHaveProperty("asks");
  expect(await judge(move, { from: "plain", to: "lib" })).toEqual({ allowed: true });
});

test("a tool of a server that says it only reads is asked about where it may send something out", async () => {
  const looks = (more: object): GateCall["tool"] => ({
    ...defineTool({
      name: "mcp_srv_look",
      description: "looks",
      arguments: z.object({ ref: z.string() }),
      changes: false,
      subjects: ({ ref }) => [{ kind: "path", path: ref, use: "mention" }],
      run: () => Promise.resolve(done("")),
    }),
    ...more,
  });
  const { judge } = permitWith({ said: ["see https://docs.example/a"] });
  const foreign = ["https://evil.example/?k=text", "open HTTP://evil.example/x now"];
  for (const ref of foreign) expect(await judge(looks({}), { ref }), ref).toHaveProperty("asks");
  for (const ref of ["https://docs.example/a", "src/a.ts"])
    expect(await judge(looks({}), { ref }), ref).toEqual({ allowed: true });
  expect(await judge(looks({ reachesOut: true }), { ref: "a" })).toHaveProperty("asks");
  const { judge: strict } = permitWith({ mode: "dontAsk" });
  expect(await strict(looks({ reachesOut: true }), { ref: "a" })).toHaveProperty("refused");
});
