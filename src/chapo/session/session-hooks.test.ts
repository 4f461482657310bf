import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeNetwork, type Network } from "../../system/network.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { combineAnswers, matchesHook, readAnswer, type HookEvent } from "../hooks/hook-answer.js";
import { createHooks, type HookLists } from "./session-hooks.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "hooks-"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function open(hooks: HookLists, network: Network = nodeNetwork()) {
  const warnings: string[] = [];
  const program = { ports: nodePorts(), root, env: { PATH: process.env["PATH"] ?? "" } };
  const common = () => ({ session_id: "s1", cwd: root });
  const fire = createHooks({
    program,
    network,
    hooks,
    common,
    onWarning: (text) => warnings.push(text),
  });
  return { fire, warnings };
}

const answered = (event: HookEvent, code: number, stdout: string, stderr = "") =>
  readAnswer(event, { code, stdout, stderr });

test("deny beats ask, and ask beats allow, and the reasons are those of the winner", () => {
  const all = [
    { verdict: "allow", reason: "a" },
    { verdict: "deny", reason: "b", context: "x" },
    { verdict: "ask", reason: "c", input: { k: 1 } },
  ] as const;
  expect(combineAnswers(all)).toEqual({ verdict: "deny", reason: "b", context: "x", input: { k: 1 } });
  expect(combineAnswers([all[0], all[2]])).toMatchObject({ verdict: "ask", reason: "c" });
  expect(combineAnswers([])).toEqual({});
});

test.each([
  ["Edit", ["notebook_edit", "NotebookEdit"], false],
  ["Edit|Write", ["fs_writeFile", "Write"], true],
  ["fs_edit", ["fs_edit", "Edit"], true],
  ["mcp_.*", ["mcp_a_b"], true],
  ["mcp__a__.*", ["mcp_a_b"], true],
  ["(", ["x"], false],
  ["*", ["x"], true],
  [undefined, ["x"], true],
])("the matcher %s and the names %j: %s", (matcher, names, matches) => {
  expect(matchesHook(matcher, names)).toBe(matches);
});

describe("an answer", () => {
  test("exit 2 denies with stderr, of PreToolUse as of PermissionRequest; after a tool it is feedback", () => {
    expect(answered("PreToolUse", 2, "", "no\n")).toEqual({ verdict: "deny", reason: "no" });
    expect(answered("PermissionRequest", 2, "", "no")).toEqual({ verdict: "deny", reason: "no" });
    expect(answered("PostToolUse", 2, "", "run the linter")).toEqual({ context: "run the linter" });
    expect(answered("SessionEnd", 2, "", "no")).toEqual({ problem: "no" });
  });

  test("other failures are problems that do not block", () => {
    expect(answered("PreToolUse", 1, "", "oops")).toEqual({ problem: "exit code 1: oops" });
    expect(answered("PreToolUse", 139, "")).toEqual({ problem: "exit code 139" });
    expect(readAnswer("Stop", { stdout: "", stderr: "" })).toEqual({ problem: "it was ended by a signal" });
    expect(answered("PreToolUse", 0, "{oops")).toHaveProperty("problem");
  });

  test("JSON in the shapes of Claude Code", () => {
    const pre = { permissionDecision: "deny", permissionDecisionReason: "r", updatedInput: { a: 1 } };
    expect(answered("PreToolUse", 0, JSON.stringify({ hookSpecificOutput: pre }))).toEqual({
      verdict: "deny",
      reason: "r",
      input: { a: 1 },
    });
    const decision = { behavior: "allow" };
    expect(answered("PermissionRequest", 0, JSON.stringify({ hookSpecificOutput: { decision } }))).toEqual({
      verdict: "allow",
    });
    expect(answered("Stop", 0, '{"decision":"block","reason":"test first"}')).toEqual({
      verdict: "deny",
      reason: "test first",
    });
    expect(answered("PostToolUse", 0, '{"decision":"block","reason":"lint"}')).toMatchObject({
      context: "lint",
    });
    expect(answered("UserPromptSubmit", 0, "the branch is main\n")).toEqual({
      context: "the branch is main",
    });
    expect(answered("PreToolUse", 0, "any text")).toEqual({});
  });
});

describe("running", () => {
  test("all that match run with the event on stdin, and the most restrictive answer wins", async () => {
    const { fire, warnings } = open({
      PreToolUse: [
        { command: `cat > in.json; echo '{"decision":"allow"}'` },
        { command: "echo not this one >&2; exit 2", matcher: "Write" },
        { command: "echo refused >&2; exit 2", matcher: "Bash" },
      ],
    });
    const answer = await fire("PreToolUse", ["bash_execute", "Bash"], { tool_name: "Bash" });
    expect(answer).toEqual({ verdict: "deny", reason: "refused" });
    const given: unknown = JSON.parse(
      new TextDecoder().decode(await nodePorts().files.read(path.join(root, "in.json"))),
    );
    expect(given).toMatchObject({ session_id: "s1", hook_event_name: "PreToolUse", tool_name: "Bash" });
    expect(warnings).toEqual([]);
  });

  test("a hook that hangs is ended, and PreToolUse is closed unless on_timeout allows", async () => {
    const hang = { command: "sleep 60", timeout: 0.2 };
    const closed = open({ PreToolUse: [hang], Stop: [hang] });
    expect(await closed.fire("PreToolUse", ["Bash"], {})).toMatchObject({ verdict: "deny" });
    expect(await closed.fire("Stop", [], {})).toEqual({});
    expect(closed.warnings).toHaveLength(2);
    const open_ = open({ PreToolUse: [{ ...hang, on_timeout: "allow" }] });
    expect(await open_.fire("PreToolUse", ["Bash"], {})).toEqual({});
  });

  test("an address that hangs is closed like a command, and its path is not told", async () => {
    const network: Network = {
      request: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            resolve({ failed: "aborted", message: "ended" });
          });
        }),
    };
    const { fire, warnings } = open(
      { PreToolUse: [{ url: "https://hooks.example/secret", timeout: 0.1 }] },
      network,
    );
    expect(await fire("PreToolUse", ["Bash"], {})).toMatchObject({ verdict: "deny" });
    expect(warnings).toEqual([
      "hook PreToolUse (https://hooks.example/…): it did not end within 0.1 s and was ended",
    ]);
  });

  test("an answer that is too large to read refuses where it could refuse, and is reported elsewhere", async () => {
    const large = `printf '{"decision":"deny","reason":"'; head -c 300000 /dev/zero | tr '\\0' x; printf '"}'`;
    const hooks = [{ command: large }];
    const { fire, warnings } = open({ PreToolUse: hooks, UserPromptSubmit: hooks, PostToolUse: hooks });
    const refused = { verdict: "deny", reason: expect.stringContaining("larger than 256 KiB") as string };
    expect(await fire("PreToolUse", ["Bash"], {})).toEqual(refused);
    expect(await fire("UserPromptSubmit", [], {})).toEqual(refused);
    expect(await fire("PostToolUse", ["Bash"], {})).toEqual({});
    expect(warnings).toEqual([expect.stringContaining("larger than 256 KiB")]);
  });

  test("an address whose answer is too large refuses", async () => {
    const body = new TextEncoder().encode('{"decision":"deny"');
    const answer = { status: 200, headers: new Map<string, string>(), body, cut: true };
    const { fire } = open(
      { PreToolUse: [{ url: "https://hooks.example/" }] },
      { request: () => Promise.resolve(answer) },
    );
    expect(await fire("PreToolUse", ["Bash"], {})).toMatchObject({ verdict: "deny" });
  });

  test("a crash, 1 MB of output and a missing program are reported and do not block", async () => {
    const { fire, warnings } = open({
      PreToolUse: [
        { command: "kill -SEGV $$" },
        { command: "head -c 1000000 /dev/zero | tr '\\0' x" },
        { command: "no-such-program-here" },
        { command: "exit 139" },
      ],
    });
    expect(await fire("PreToolUse", ["Bash"], {})).toEqual({});
    expect(warnings).toHaveLength(3);
    expect(warnings.join()).toContain("exit code 127");
  });
});
