import { describe, expect, test } from "vitest";
import { z } from "zod";
import { never } from "../../../system/never.js";
import { defineTool, done, failed, type ToolResult } from "../../tool.js";
import { callTool } from "./call-tool.js";
import { decide } from "./decision.js";
import { createTypes, getOwner, listRouted } from "../children/sub-agents.js";
import {
  createTestConversation,
  playModel,
  createTestWorld,
  USUAL_SETTINGS,
  type TestWorld,
} from "../../testing/engine-world.js";
import type { LiveConversation, EngineWorld } from "../world.js";

function gate(changes: Partial<EngineWorld> = {}) {
  const world = createTestWorld(playModel({}), changes);
  const live: LiveConversation = { world, conversation: createTestConversation() };
  const call = (name: string, args: unknown) => callAs(world, live, name, args);
  return { world, live, call };
}

async function callAs(world: TestWorld, live: LiveConversation, name: string, args: unknown) {
  const reply = { text: "", calls: [{ id: "c1", name, args }], finish: "calls" as const, model: "m" };
  const [step] = decide(reply, world, world.tools(live));
  if (step?.do !== "call") throw new Error("no call");
  const made = await callTool(live, step.read);
  if ("pending" in made || "paused" in made) throw new Error("it waits");
  return made;
}

/** Creates a tool that runs the given function. */
function odd(
  run: (signal: AbortSignal) => Promise<ToolResult>,
  more: { changes?: boolean; maxOutput?: number } = {},
) {
  return defineTool({
    name: "odd_tool",
    description: "Odd.",
    arguments: z.strictObject({ n: z.number().optional() }),
    changes: true,
    timeoutMs: 5000,
    ...more,
    run: (_args, { signal }) => run(signal),
  });
}

const flaky = (failures: number) => {
  let times = 0;
  const tool = odd(() => {
    times += 1;
    return Promise.resolve<ToolResult>(
      times <= failures ? { success: false, error: "503", transient: true } : done(`after ${times}`),
    );
  });
  return { tool, times: () => times };
};

describe("the gate", () => {
  test("the project's files are kept before a call that may change something, and for no other", async () => {
    let keep = (): void => undefined;
    const kept = new Promise<void>((resolve) => (keep = resolve));
    const { world, call } = gate({ keepFiles: () => kept });
    expect(await call("fs_readFile", { path: "a" })).toMatchObject({ success: true });
    const made = call("fs_writeFile", { path: "b" });
    for (let n = 0; n < 50; n += 1) await Promise.resolve();
    expect(world.ran).toEqual(["fs_readFile a"]);
    keep();
    expect(await made).toMatchObject({ success: true });
  });

  test("a call of an unknown tool is refused with the names that were offered", async () => {
    const { call } = gate({
      offer: (tools) =>
        tools.map(({ name, description, parameters }) => ({ name: `X${name}`, description, parameters })),
    });
    expect((await call("nope", {})).output).toMatch(/Available tools: X\w+(?:, X\w+)*\.$/);
  });

  test("a refused call gets a reason, is not run and is not counted", async () => {
    const { world, live, call } = gate();
    const cases: [name: string, args: unknown, code: string, says: string][] = [
      ["delegateToScout", {}, "not_whitelisted", "is not whitelisted"],
      ["__proto__", {}, "not_whitelisted", "is not whitelisted"],
      ["fs_readFile", { paths: "a" }, "bad_arguments", "paths: no such argument"],
      ["fs_readFile", {}, "bad_arguments", "path"],
      ["fs_readFile", '{"path": "a', "bad_arguments", "not a JSON object"],
      ["fs_readFile", [1], "bad_arguments", "object"],
      [
        "fs_readFile",
        { path: "a", agent: "stranger" },
        "bad_arguments",
        "available: looper, developer, searcher",
      ],
      ["fs_readFile", { path: "a", agent: { a: 1 } }, "bad_arguments", "agent"],
      [
        "bash_execute",
        { command: "ls", agent: "searcher" },
        "not_allowed",
        "searcher may not call bash_execute",
      ],
      ["web_search", { query: "x", agent: "developer" }, "not_allowed", "it has fs_*, git_*"],
    ];
    for (const [name, args, code, says] of cases) {
      const made = await call(name, args);
      expect(made, name).toMatchObject({ success: false, code, tries: 0 });
      expect(made.output, name).toContain(says);
    }
    expect(world.ran).toEqual([]);
    expect(world.audited.map(({ success, tries, code }) => [success, tries, code])).toEqual(
      cases.map(([, , code]) => [false, 0, code]),
    );
    expect(live.conversation.calls).toEqual({});
  });

  test("a call is refused by a path, by a rule, and by a check that throws", async () => {
    const { world, call } = gate();
    world.gate.checkSubjects = () => Promise.resolve("../x: outside the project");
    expect(await call("fs_readFile", { path: "../x" })).toMatchObject({
      code: "outside",
      output: "../x: outside the project",
    });
    world.gate.checkSubjects = () => Promise.reject(new Error("a NUL in it"));
    expect(await call("fs_readFile", { path: "\0" })).toMatchObject({ code: "exception", tries: 0 });
    world.gate.checkSubjects = () => Promise.resolve(undefined);
    world.gate.permit = () => Promise.resolve({ refused: "a rule denies it" });
    expect(await call("bash_execute", { command: "rm -rf x" })).toMatchObject({
      code: "denied",
      output: "a rule denies it",
    });
    expect(world.ran).toEqual([]);
  });

  test("a call over the budget of its tool or of the session is refused, and a refused call does not count", async () => {
    const budgets = { total: 3, tools: { fs_readFile: 2 } };
    const { world, live, call } = gate({ settings: { ...USUAL_SETTINGS, budgets } });
    for (const path of ["a", "b"]) await call("fs_readFile", { path });
    expect(await call("fs_readFile", { path: "c" })).toMatchObject({ code: "over_budget", tries: 0 });
    await call("bash_execute", { command: "ls" });
    expect(await call("bash_execute", { command: "ls" })).toMatchObject({ code: "over_budget" });
    expect(live.conversation.calls).toEqual({ fs_readFile: 2, bash_execute: 1 });
    expect(world.ran).toHaveLength(3);
  });
});

describe("the agent of a call", () => {
  test("calls of memory tools, and of tools that no sub-agent has, belong to the looper whichever agent is named", async () => {
    const { world, call } = gate();
    await call("memory_search", { query: "x", agent: "developer" });
    await call("todo_read", { what: "all", agent: "developer" });
    await call("fs_readFile", { path: "a", agent: "document_manager" });
    await call("fs.readFile", { path: "a" });
    expect(world.audited.map(({ tool, agent }) => [tool, agent])).toEqual([
      ["memory_search", "looper"],
      ["todo_read", "looper"],
      ["fs_readFile", "document_manager"],
      ["fs_readFile", "developer"],
    ]);
    expect(getOwner("git_status")).toBe("commander");
  });

  test("an added sub-agent makes the calls of its own tools", async () => {
    const mine = { name: "mine", description: "Mine.", tools: ["web_*", "memory_*"] };
    const { world, call } = gate({ agents: [...listRouted(createTypes()), mine] });
    await call("web_search", { query: "x", agent: "mine" });
    await call("memory_search", { query: "x", agent: "mine" });
    expect(world.audited.map(({ agent }) => agent)).toEqual(["mine", "looper"]);
    expect(await call("fs_readFile", { path: "a", agent: "mine" })).toMatchObject({ code: "not_allowed" });
  });
});

describe("a call that is run", () => {
  const withTool = (tool: ReturnType<typeof odd>, changes: Partial<EngineWorld> = {}) =>
    gate({ ...changes, tools: () => [tool] });

  test("a call that fails temporarily is run up to four times, with growing waits", async () => {
    const third = flaky(3);
    const lucky = withTool(third.tool);
    expect(await lucky.call("odd_tool", {})).toEqual({ success: true, output: "after 4", tries: 4 });
    expect(lucky.world.clock.waits).toHaveLength(3);
    expect(lucky.world.clock.waits[2]).toBeGreaterThan(lucky.world.clock.waits[0] ?? Infinity);
    expect(lucky.world.audited).toMatchObject([{ tries: 4, success: true }]);

    const always = flaky(99);
    const unlucky = withTool(always.tool);
    const made = await unlucky.call("odd_tool", {});
    expect(made).toMatchObject({ success: false, code: "transient", tries: 4 });
    expect(made.output).toMatch(/503[^]*failed 4 times[^]*another approach/u);
    expect(always.times()).toBe(4);
  });

  test("a call that fails permanently is not retried", async () => {
    let times = 0;
    const { call } = withTool(
      odd(() => {
        times += 1;
        return Promise.resolve(failed("no such file"));
      }),
    );
    await call("odd_tool", {});
    expect(await call("odd_tool", {})).toMatchObject({ code: "failed", output: "no such file", tries: 1 });
    expect(times).toBe(2);
  });

  test("a call that hangs is abandoned at its timeout, and is retried only if it changes nothing", async () => {
    let times = 0;
    const hang = (): Promise<ToolResult> => {
      times += 1;
      return new Promise(() => undefined);
    };
    const changing = withTool(odd(hang));
    expect(await changing.call("odd_tool", {})).toMatchObject({
      success: false,
      code: "timeout",
      tries: 1,
      output: expect.stringContaining("within 5 s") as string,
    });
    times = 0;
    const reading = withTool(odd(hang, { changes: false }));
    expect(await reading.call("odd_tool", {})).toMatchObject({ code: "timeout", tries: 4 });
    expect(times).toBe(4);
  });

  test("a call that ends when it is aborted reports what it has", async () => {
    const polite = (signal: AbortSignal): Promise<ToolResult> =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          resolve(failed("stopped at line 7"));
        });
      });
    const { call } = withTool(odd(polite));
    expect((await call("odd_tool", {})).output).toMatch(/within 5 s[^]*stopped at line 7/u);
  });

  test("an exception in a tool becomes a failed result", async () => {
    const { call } = withTool(odd(() => Promise.reject(new TypeError("x is undefined"))));
    expect(await call("odd_tool", {})).toMatchObject({
      code: "exception",
      output: "odd_tool failed: x is undefined",
    });
    const { call: other } = withTool(
      odd(() => {
        throw new Error("at once");
      }),
    );
    expect(await other("odd_tool", {})).toMatchObject({ code: "exception" });
  });

  test("a long result is truncated at 30,000 characters with a note, and is stored whole", async () => {
    const text = `begin ${"x".repeat(100_000)} end`;
    const { world, call } = withTool(odd(() => Promise.resolve(done(text))));
    const { output } = await call("odd_tool", {});
    expect(output.length).toBeLessThan(30_300);
    expect(output).toMatch(
      /^begin x+\n\[… \d+ of 100010 characters are left out here; all of it is in \/kept\/c1\.txt …\]\nx+ end$/u,
    );
    expect(world.kept).toEqual([text]);
    const own = withTool(odd(() => Promise.resolve(done(text)), { maxOutput: 200_000 }));
    expect((await own.call("odd_tool", {})).output).toBe(text);
    const failing = withTool(odd(() => Promise.resolve(failed(text))));
    expect((await failing.call("odd_tool", {})).output.length).toBeLessThan(30_300);
  });

  test("a running call ends when the session ends", async () => {
    const stop = new AbortController();
    const { call } = withTool(
      odd(
        () => {
          stop.abort();
          return new Promise(() => undefined);
        },
        { changes: false },
      ),
      { signal: stop.signal },
    );
    expect(await call("odd_tool", {})).toMatchObject({ code: "interrupted", tries: 1 });
  });

  test("an audit record is written for a call", async () => {
    const { world, call } = gate();
    await call("bash_execute", { command: "bad" });
    expect(world.audited).toEqual([
      {
        at: "2026-01-01T00:00:00.000Z",
        session: "s1",
        call_id: "c1",
        agent: "commander",
        tool: "bash_execute",
        args: { command: "bad" },
        success: false,
        code: "failed",
        via: "setting",
        tries: 1,
        duration_ms: 0,
        output_chars: 11,
      },
    ]);
  });
});

test("a tool with an argument `agent` of its own gets it", () => {
  const tool = defineTool({
    name: "mcp_a_b",
    description: "x",
    arguments: z.strictObject({ agent: z.string() }),
    changes: false,
    run: () => never(undefined as never),
  });
  const { world } = gate();
  const reply = {
    text: "",
    calls: [{ id: "1", name: "mcp_a_b", args: { agent: "007" } }],
    finish: "calls" as const,
    model: "m",
  };
  expect(decide(reply, world, [tool])).toMatchObject([{ read: { agent: "looper", args: { agent: "007" } } }]);
});
