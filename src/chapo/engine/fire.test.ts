import { expect, test } from "vitest";
import type { HookAnswer, HookEvent } from "../hooks/hook-answer.js";
import type { FireHooks } from "../hooks/hook-answer.js";
import { defineTool, done, type Tool } from "../tool.js";
import { z } from "zod";
import { applyVerdict, fireAfter, fireBefore, fireCompact, fireRequest, fireStop } from "./fire.js";
import { createConversation } from "./conversation.js";
import type { EngineWorld, GateCall, LiveConversation, Permit } from "./world.js";

type Fired = [HookEvent, readonly string[], Readonly<Record<string, unknown>>];

/** A world whose hooks give these answers. */
function worldOf(answers: Partial<Record<HookEvent, HookAnswer>>, more: Partial<EngineWorld> = {}) {
  const fired: Fired[] = [];
  const hooks: FireHooks = (event, names, input) => {
    fired.push([event, names, input]);
    return Promise.resolve(answers[event] ?? {});
  };
  return { world: { hooks, who: "looper", ...more } as EngineWorld, fired };
}

const edit: Tool = defineTool({
  name: "fs_edit",
  description: "edits",
  arguments: z.object({ path: z.string() }),
  changes: true,
  run: () => Promise.resolve(done("")),
});

function callOf(args: unknown): GateCall {
  const prepared = edit.prepare(args);
  if ("problem" in prepared) throw new Error(prepared.problem);
  return { id: "c1", agent: "developer", tool: edit, args, prepared };
}

const asks = (rule?: string): Permit => ({
  asks: {
    because: "b",
    preview: "p",
    digest: "d",
    may_remember: true,
    ...(rule === undefined ? {} : { rule }),
  },
});
const liveIn = (world: EngineWorld): LiveConversation => ({
  world,
  conversation: createConversation({
    id: "s",
    agent: "looper",
    created: "2026-01-01T00:00:00.000Z",
    skills: [],
  }),
});

test("PreToolUse gets a call in the words of Claude Code, and its changed arguments are read in these", async () => {
  const { world, fired } = worldOf({ PreToolUse: { input: { file_path: "b" } } });
  expect(await fireBefore(world, callOf({ path: "a" }))).toMatchObject({ input: { path: "b" } });
  expect(fired[0]).toMatchObject([
    "PreToolUse",
    ["fs_edit", "Edit"],
    { tool_name: "Edit", tool_input: { file_path: "a" }, tool_use_id: "c1" },
  ]);
});

test("PreToolUse: deny refuses, ask asks and its reason is shown, allow never beats a rule", async () => {
  const call = callOf({ path: "a" });
  expect(await applyVerdict(call, { allowed: true }, { verdict: "deny", reason: "r" })).toEqual({
    refused: "a hook refused it: r",
  });
  expect(await applyVerdict(call, { allowed: true }, { verdict: "ask" })).toHaveProperty("asks");
  expect(await applyVerdict(call, asks("Edit"), { verdict: "ask", reason: "look first" })).toMatchObject({
    asks: { because: "b; a hook asks: look first", preview: "p", rule: "Edit", may_remember: false },
  });
  expect(await applyVerdict(call, asks(), { verdict: "allow" })).toEqual({ allowed: true });
  expect(await applyVerdict(call, asks("Edit"), { verdict: "allow" })).toHaveProperty("asks");
  expect(await applyVerdict(call, { refused: "x" }, { verdict: "allow" })).toEqual({ refused: "x" });
});

test("PermissionRequest answers where a person would be asked, and a Notification tells that one is needed", async () => {
  const call = callOf({ path: "a" });
  const allows = worldOf({ PermissionRequest: { verdict: "allow" } });
  expect(await fireRequest(allows.world, call, { allowed: true })).toEqual({ allowed: true });
  expect(allows.fired).toEqual([]);
  expect(await fireRequest(allows.world, call, asks())).toEqual({ allowed: true });
  expect(await fireRequest(allows.world, call, asks("Edit"))).toHaveProperty("asks");
  const changes = worldOf({ PermissionRequest: { verdict: "allow", input: { file_path: "b" } } });
  expect(await fireRequest(changes.world, call, asks())).toEqual({ changed: { path: "b" } });
  expect(await fireRequest(changes.world, call, asks("Edit"))).toHaveProperty("asks");
  const denies = worldOf({ PermissionRequest: { verdict: "deny", reason: "r" } });
  expect(await fireRequest(denies.world, call, asks())).toEqual({ refused: "a hook refused it: r" });
  const silent = worldOf({});
  expect(await fireRequest(silent.world, call, asks())).toHaveProperty("asks");
  expect(silent.fired.map(([event]) => event)).toEqual(["PermissionRequest", "Notification"]);
});

test("PostToolUse adds its feedback to the result", async () => {
  const { world } = worldOf({ PostToolUse: { context: "lint it" } });
  expect(await fireAfter(world, callOf({ path: "a" }), "done")).toBe("\n\n[a hook said: lint it]");
});

test("Stop and SubagentStop ask for another turn, at most 8 in a row", async () => {
  const { world, fired } = worldOf({ Stop: { verdict: "deny", reason: "test first" } });
  const one = liveIn(world);
  expect(await fireStop(one, 0)).toBe(true);
  expect(one.conversation.messages.at(-1)).toMatchObject({ role: "user", own: true });
  expect(await fireStop(liveIn(world), 7)).toBe(true);
  expect(await fireStop(liveIn(world), 8)).toBe(false);
  expect(fired.map(([, , input]) => input["stop_hook_active"])).toEqual([false, true, true]);
  const child = worldOf({ SubagentStop: { verdict: "deny" } }, { limits: [] });
  expect(await fireStop(liveIn(child.world), 0)).toBe(true);
});

test("PreCompact is told who asked, and can refuse", async () => {
  const { world, fired } = worldOf({ PreCompact: { verdict: "deny", reason: "keep it" } });
  expect(await fireCompact(world, "auto")).toBe("keep it");
  expect(await fireCompact(world, "manual")).toBe("keep it");
  expect(await fireCompact(worldOf({}).world, "auto")).toBeUndefined();
  expect(fired.map(([, names]) => names)).toEqual([["auto"], ["manual"]]);
});
