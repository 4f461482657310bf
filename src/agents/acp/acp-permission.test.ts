import { expect, test } from "vitest";
import { chooseAnswer, isAllowed } from "./acp-host.js";
import { mergeTool } from "./acp-tools.js";

const ROOTS = ["/p", "/real/p"];
const edit = (path: string): object => ({ kind: "edit", locations: [{ path }] });

test.each<[string, object, string]>([
  ["a read", { kind: "read", locations: [{ path: "/etc/hosts" }] }, "read-only workspace full"],
  ["a search", { kind: "search" }, "read-only workspace full"],
  ["a thought", { kind: "think" }, "read-only workspace full"],
  ["a command", { kind: "execute", rawInput: { command: "ls /" } }, "workspace full"],
  ["a fetch", { kind: "fetch" }, "workspace full"],
  ["another mode", { kind: "switch_mode" }, "workspace full"],
  ["what says nothing of itself", { title: "?" }, "workspace full"],
  ["an edit inside", edit("src/a"), "workspace full"],
  ["an edit by the whole path", edit("/p/src/a"), "workspace full"],
  ["an edit by the folder's other name", edit("/real/p/a"), "workspace full"],
  ["an edit of a file named ..", edit("..a"), "workspace full"],
  ["an edit outside", edit("/etc/passwd"), "full"],
  ["an edit beside", edit("/pp/a"), "full"],
  ["an edit that climbs out", edit("src/../../x"), "full"],
  ["the folder above", edit(".."), "full"],
  ["a removal outside", { kind: "delete", rawInput: { file_path: "../x" } }, "full"],
  ["one of two outside", { kind: "move", locations: [{ path: "a" }, { path: "/b" }] }, "full"],
  ["a change outside", { kind: "other", content: [{ type: "diff", path: "/x", newText: "" }] }, "full"],
])("%s", (_what, call, levels) => {
  const tool = mergeTool(undefined, call);
  const allowing = (["read-only", "workspace", "full"] as const).filter((level) =>
    isAllowed(tool, level, ROOTS),
  );
  expect(allowing.join(" ")).toBe(levels);
});

test("what is allowed is allowed once where that is offered, what is refused is refused once", () => {
  const options = ["allow_always", "allow_once", "reject_always", "reject_once"].map((kind) => ({
    optionId: `my ${kind}`,
    kind,
  }));
  expect(chooseAnswer(true, options)).toEqual({ outcome: "selected", optionId: "my allow_once" });
  expect(chooseAnswer(false, options)).toEqual({ outcome: "selected", optionId: "my reject_once" });
  expect(chooseAnswer(true, options.slice(0, 1))).toMatchObject({ optionId: "my allow_always" });
  expect(chooseAnswer(false, options.slice(2, 3))).toMatchObject({ optionId: "my reject_always" });
  expect(chooseAnswer(false, options.slice(0, 2))).toEqual({ outcome: "cancelled" });
  expect(chooseAnswer(true, [])).toEqual({ outcome: "cancelled" });
});

test("what is known of a call grows, and nothing known is unsaid", () => {
  const first = mergeTool(undefined, {
    kind: "edit",
    title: "Write",
    rawInput: {},
    locations: [{ path: "a" }],
  });
  expect(first).toEqual({ kind: "edit", title: "Write", paths: ["a"] });
  const second = mergeTool(first, {
    rawInput: { filePath: "b" },
    _meta: { claudeCode: { toolName: "Write" } },
  });
  expect(second).toEqual({
    kind: "edit",
    name: "Write",
    title: "Write",
    input: { filePath: "b" },
    paths: ["a", "b"],
  });
  expect(mergeTool(second, null)).toEqual(second);
});
