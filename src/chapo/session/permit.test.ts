import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { GateCall } from "../engine/world.js";
import { openPermit } from "./permit.js";
import { readRules, type TrustMode } from "../rules/decide.js";
import type { UserQuestion, Reply } from "./session-request.js";
import { defineTool, done } from "../tool.js";

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

function callOf(tool: GateCall["tool"], args: unknown): GateCall {
  const prepared = tool.prepare(args);
  if ("problem" in prepared) throw new Error(prepared.problem);
  return { callId: "c1", agent: "commander", tool, args, prepared };
}

interface Given {
  lists?: Parameters<typeof readRules>[0];
  mode?: TrustMode;
  replies?: Reply[];
}

function permitWith({ lists = {}, mode = "default", replies }: Given) {
  const asked: UserQuestion[] = [];
  const pending: string[] = [];
  const { rules } = readRules(lists, { root, tools: [bash.name, edit.name] });
  const permit = openPermit({
    rules,
    mode,
    root,
    files: nodePorts().files,
    ...(replies === undefined
      ? {}
      : {
          ask: (question: UserQuestion) => {
            asked.push(question);
            const reply = replies.shift();
            return reply === undefined ? Promise.reject(new Error("closed")) : Promise.resolve(reply);
          },
        }),
  });
  const judge = (tool: GateCall["tool"], args: unknown) =>
    permit(callOf(tool, args), (preview) => pending.push(preview));
  return { judge, asked, pending };
}

test("yes allows one call, always allows equal calls, and no and a closed terminal refuse", async () => {
  const { judge, asked, pending } = permitWith({ replies: ["yes", "no", "always", "yes"] });
  expect(await judge(bash, { command: "npm test" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "npm test" })).toHaveProperty("refused");
  expect(await judge(bash, { command: "npm test" })).toEqual({ allowed: true });
  expect(await judge(bash, { command: "npm test" })).toEqual({ allowed: true });
  expect(asked).toHaveLength(3);
  expect(await judge(bash, { command: "npm test x" })).toEqual({ allowed: true });
  expect(asked).toHaveLength(4);
  expect(await judge(bash, { command: "npm test x" })).toHaveProperty("refused");
  expect(asked[0]).toMatchObject({
    tool: "bash_execute",
    agent: "commander",
    preview: "npm test",
    mayRemember: true,
  });
  expect(pending).toHaveLength(5);
});

test("always for an edit applies to every change of that file, and to no other file", async () => {
  const { judge, asked } = permitWith({ replies: ["always", "yes"] });
  await judge(edit, { path: "a", text: "1" });
  expect(await judge(edit, { path: "a", text: "2" })).toEqual({ allowed: true });
  expect(asked).toHaveLength(1);
  await judge(edit, { path: "b", text: "2" });
  expect(asked).toHaveLength(2);
});

test("an ask rule asks again after always", async () => {
  const { judge, asked } = permitWith({
    lists: { ask: ["Bash"] },
    mode: "trusted",
    replies: ["always", "yes"],
  });
  await judge(bash, { command: "ls" });
  await judge(bash, { command: "ls" });
  expect(asked.map(({ mayRemember }) => mayRemember)).toEqual([false, false]);
});

test("a call that needs a person is reported and refused with the reason if no person can be asked", async () => {
  const { judge, pending } = permitWith({});
  const answer = await judge(bash, { command: "git push" });
  expect(answer).toHaveProperty("refused", expect.stringContaining("none can be asked here"));
  expect(answer).toHaveProperty("refused", expect.stringContaining("rules.allow"));
  expect(pending).toEqual(["git push"]);
  const asks = permitWith({ lists: { ask: ["Bash"] }, mode: "trusted" });
  const ruled = await asks.judge(bash, { command: "git push" });
  expect(ruled).toHaveProperty("refused", expect.stringContaining("the rule ask Bash"));
  expect(ruled).toHaveProperty("refused", expect.not.stringContaining("rules.allow"));
});

test("a denied call is refused without a question, with the rule's name", async () => {
  const { judge, asked, pending } = permitWith({ lists: { deny: ["Bash(git push *)"] }, replies: [] });
  const answer = await judge(bash, { command: "true && git push" });
  expect(answer).toHaveProperty("refused", expect.stringContaining("deny Bash(git push *)"));
  expect([asked, pending]).toEqual([[], []]);
});

test("a link is judged by its target, and a failed preview is replaced by the arguments", async () => {
  mkdirSync(path.join(root, "src"));
  writeFileSync(path.join(root, "kept"), "");
  symlinkSync("../kept", path.join(root, "src", "link"));
  const lists = { allow: ["Edit(src/**)"], deny: ["Edit(kept)"] };
  expect(await permitWith({ lists }).judge(edit, { path: "src/x", text: "" })).toEqual({ allowed: true });
  expect(await permitWith({ lists }).judge(edit, { path: "src/link", text: "" })).toHaveProperty("refused");
  const { judge, pending } = permitWith({ lists: { allow: lists.allow } });
  await judge(edit, { path: "src/link", text: "" });
  expect(pending).toEqual(['fs_edit {"path":"src/link","text":""}']);
});
