import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { nodePorts } from "../../system/processes/node-ports.js";
import type { GateCall } from "../engine/world.js";
import { openPermit } from "./permit.js";
import { readRules, type TrustMode } from "../rules/decide.js";
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
}

function permitWith({ lists = {}, mode = "default" }: Given) {
  const { rules } = readRules(lists, { root, tools: [bash.name, edit.name] });
  const { permit, remember } = openPermit({ rules, mode, root, files: nodePorts().files });
  return {
    judge: (tool: GateCall["tool"], args: unknown) => permit(callOf(tool, args)),
    always: (tool: GateCall["tool"], args: unknown) => {
      remember(callOf(tool, args));
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

test("always for an edit applies to every change of that file, and to no other file", async () => {
  const { judge, always } = permitWith({});
  always(edit, { path: "a", text: "1" });
  expect(await judge(edit, { path: "a", text: "2" })).toEqual({ allowed: true });
  expect(await judge(edit, { path: "b", text: "2" })).toHaveProperty("asks");
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
