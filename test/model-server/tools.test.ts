// Every client we know is offered other tools for the same deed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Offered } from "./dialect.js";
import { responses } from "./responses.js";
import { moveFor } from "./tools.js";

const tool = (name: string, takes: readonly string[] | "text" = ["command"]): Offered => ({ name, takes });

test("a shell command, in each client's way", () => {
  const inputs = ["Bash", "exec_command", "shell_command", "shell", "run_shell_command"].map((name) => {
    const move = moveFor({ do: "shell", command: "ls" }, [tool("other"), tool(name)]);
    return "call" in move ? [move.call.name, move.input] : [];
  });
  expect(inputs).toEqual([
    ["Bash", { command: "ls", description: "A step of the test" }],
    ["exec_command", { cmd: "ls" }],
    ["shell_command", { command: "ls" }],
    ["shell", { command: ["bash", "-lc", "ls"] }],
    ["run_shell_command", { command: "ls", description: "A step of the test" }],
  ]);
});

test("codex's code mode: tools that come as an item of the input, one of which takes a program", () => {
  const { tools, fresh, last } = responses.read("/v1/responses", {
    model: "m",
    input: [
      {
        type: "additional_tools",
        role: "developer",
        tools: [
          { type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] },
          { type: "web_search" },
        ],
      },
      { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
      { type: "custom_tool_call", name: "exec", input: "1" },
      { type: "custom_tool_call_output", output: [{ type: "input_text", text: "out" }] },
    ],
  });
  expect({ fresh, last }).toEqual({ fresh: false, last: "out" });
  expect(tools).toEqual([{ name: "exec", takes: "text", group: "functions" }]);
  expect(moveFor({ do: "shell", command: `echo "x"` }, tools)).toEqual({
    call: tools[0],
    input: String.raw`text(await tools.exec_command({"cmd":"echo \"x\""}));`,
  });
  expect(moveFor({ do: "write", path: "a.txt", content: "1\n2\n" }, tools)).toMatchObject({
    input: expect.stringContaining(String.raw`*** Add File: a.txt\n+1\n+2\n*** End Patch`) as string,
  });
});

test("a tool of the same name that takes something else is not taken for it", () => {
  expect(() => moveFor({ do: "shell", command: "ls" }, [tool("exec", ["code"])])).toThrow("among: exec");
  const patch = { do: "write", path: "a", content: "x" } as const;
  expect(moveFor(patch, [tool("apply_patch", ["input"]), tool("bash")])).toMatchObject({
    call: { name: "bash" },
  });
});

test("a value goes through the tool for it where one is offered, else it is text", () => {
  const value = { task_id: null, status: "done" };
  expect(moveFor({ do: "structured", value }, [tool("Bash")])).toEqual({ say: JSON.stringify(value) });
  const handed = moveFor({ do: "structured", value }, [tool("Bash"), tool("StructuredOutput", [])]);
  expect(handed).toMatchObject({ call: { name: "StructuredOutput" }, input: value });
  expect(moveFor({ do: "structured", value: [1] }, [tool("StructuredOutput", [])])).toEqual({ say: "[1]" });
});

test("law: where no tool writes, the shell does, whatever the text; where none reads, it is cat", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "moves-"));
  const run = (step: Parameters<typeof moveFor>[0]): string => {
    const move = moveFor(step, [tool("shell_command")]);
    const command = "call" in move && typeof move.input === "object" ? String(move.input["command"]) : "";
    return execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  };
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), (content) => {
      run({ do: "write", path: "it's a file", content });
      expect(readFileSync(path.join(folder, "it's a file"), "utf8")).toBe(content);
      expect(run({ do: "read", path: "it's a file" })).toBe(content);
    }),
    { numRuns: 20 },
  );
  rmSync(folder, { recursive: true });
});
