import { expect, test } from "vitest";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { decide } from "../../rules/decide.js";
import { readRules } from "../../rules/read-rules.js";
import { callTool, getText } from "../../testing/call-tool.js";
import type { Subject } from "../../tool.js";
import { openPermissions } from "./guard.js";

type Own = Parameters<typeof openPermissions>[0];

function storeOf(value?: unknown) {
  const store = {
    value,
    read: () => Promise.resolve(store.value),
    write: (next: unknown) => Promise.resolve(void (store.value = next)),
  };
  return store;
}

async function opened(own: Partial<Own>, store = storeOf(), usual: PermissionMode = "default") {
  const rules = { allow: [], ask: [], deny: [] };
  const permissions = await openPermissions({ rules, ...own }, { usual, store });
  const verdict = (tool: string, ...subjects: Subject[]) => {
    const { rules: read, problems } = readRules(permissions.rules, "/project");
    expect(problems).toEqual([]);
    const changes = !/read|list|fetch|search/i.test(tool);
    return decide(read, permissions.mode(), { tool, changes, subjects }).verdict;
  };
  return { permissions, verdict, store };
}

const shell = (text: string): Subject => ({ kind: "command", text });
const file = (name: string, use: "read" | "write"): Subject => ({ kind: "path", path: name, use });

test("the mode claude asks about changes, risky commands and pages, and not about reading", async () => {
  const { verdict } = await opened({ mode: "claude" });
  expect(verdict("fs_writeFile", file("a", "write"))).toBe("ask");
  expect(verdict("bash_execute", shell("rm -rf dist"))).toBe("ask");
  expect(verdict("web_fetch", { kind: "url", url: "https://x.example/" })).toBe("ask");
  expect(verdict("fs_readFile", file("a", "read"))).toBe("allow");
  expect(verdict("fs_listFiles", file(".", "read"))).toBe("allow");
  expect(verdict("bash_execute", shell("git status --short"))).toBe("allow");
});

test("the mode anvil asks about shell commands only", async () => {
  const { verdict } = await opened({ mode: "anvil" });
  expect(verdict("fs_writeFile", file("a", "write"))).toBe("allow");
  expect(verdict("web_fetch", { kind: "url", url: "https://x.example/" })).toBe("allow");
  for (const tool of ["bash_execute", "run_command"]) expect(verdict(tool, shell("ls"))).toBe("ask");
});

test("the mode dangerous asks about dangerous calls only, and rules of the settings hold in every mode", async () => {
  const { verdict } = await opened({ mode: "dangerous" });
  for (const text of [
    "true && git push",
    "git commit -m x",
    "sh -c 'rm -rf dist'",
    "FOO=1 chmod +x a",
    "rm -rf /",
    "find . -name x -delete",
    "find src -delete -print",
    "find . -name x -exec rm {} +",
    "unlink a",
    "git clean -fd",
    "git rm -r src",
  ])
    expect(verdict("bash_execute", shell(text)), text).toBe("ask");
  expect(verdict("bash_execute", shell("find . -name x"))).toBe("allow");
  expect(verdict("run_command", shell("ls"))).toBe("ask");
  for (const tool of ["git_commit", "git_push", "fs_delete"]) expect(verdict(tool), tool).toBe("ask");
  expect(verdict("bash_execute", shell("npm test"))).toBe("allow");
  expect(verdict("fs_writeFile", file("a", "write"))).toBe("allow");
  expect(verdict("fs_readFile", file("a", "read"))).toBe("allow");
  const denied = await opened({
    mode: "dangerous",
    rules: { allow: [], ask: [], deny: ["Bash(rm *)"] },
  });
  expect(denied.verdict("bash_execute", shell("rm -rf /"))).toBe("deny");
});

test("a session has the mode of the settings, else the usual one; one of a task is trusted", async () => {
  const modeOf = async (own: Partial<Own>, usual?: PermissionMode) =>
    (await opened(own, storeOf(), usual)).permissions.mode();
  expect(await modeOf({})).toBe("default");
  expect(await modeOf({}, "trusted")).toBe("trusted");
  expect(await modeOf({ mode: "claude" }, "trusted")).toBe("claude");
});

test("plan mode refuses changes until its tool is allowed to run, in any process, and stays over after that", async () => {
  const store = storeOf();
  const first = await opened({ mode: "plan" }, store, "trusted");
  expect(first.verdict("fs_edit", file("a", "write"))).toBe("deny");
  expect(first.verdict("exit_plan_mode")).toBe("ask");
  // A process that only answers is not told the mode.
  const second = await opened({}, store);
  expect(second.verdict("fs_edit", file("a", "write"))).toBe("deny");
  const left = await callTool(second.permissions.tools(), "exit_plan_mode", { plan: "1. x" });
  expect(getText(left)).toContain("approved");
  expect(second.verdict("fs_edit", file("a", "write"))).toBe("ask");
  expect(second.permissions.tools()).toEqual([]);
  const third = await opened({ mode: "plan" }, store, "trusted");
  expect(third.permissions.mode()).toBe("trusted");
});

test("a person changes to modes without rules; only plan mode is stored, and leaving it by hand is not an approval", async () => {
  const { permissions, verdict, store } = await opened({});
  expect(permissions.modes).toEqual(["default", "acceptEdits", "auto", "plan"]);
  await permissions.setMode("acceptEdits");
  expect(verdict("fs_writeFile", file("a", "write"))).toBe("allow");
  expect(store.value).toBeUndefined();
  expect((await opened({ mode: "plan" }, store)).permissions.mode()).toBe("plan");
  await permissions.setMode("plan");
  expect(verdict("fs_writeFile", file("a", "write"))).toBe("deny");
  expect((await opened({}, store)).permissions.mode()).toBe("plan");
  await permissions.setMode("default");
  expect((await opened({}, store)).permissions.mode()).toBe("default");
  expect((await opened({ mode: "plan" }, store)).permissions.mode()).toBe("plan");
  expect((await opened({ mode: "anvil" })).permissions.modes).toEqual(["anvil", "plan"]);
  expect((await opened({ mode: "trusted" })).permissions.modes[0]).toBe("trusted");
});
