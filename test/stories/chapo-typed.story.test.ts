// Input around a conversation with the built-in engine: its lists, its commands, its flags, its settings.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { call, dataOf, eventsOf, playScript } from "../rig/chapo.js";
import { story } from "../rig/rig.js";

const SKILL = JSON.stringify({
  id: "reader",
  name: "Reader",
  description: "Only reads",
  systemPrompt: "Read, and do nothing else.",
  toolAllowList: ["fs_readFile", "fs_listFiles"],
});
test(
  "the lists say what there is",
  story(async (rig) => {
    const tools = await rig.run(["chapo", "tools", "--json", "--tools", "claude"]);
    expect(tools.code).toBe(0);
    const { tools: listed } = JSON.parse(tools.stdout) as {
      tools: { name: string; offered_as: string[]; agent: string; asks_first: boolean }[];
    };
    expect(listed.flatMap((tool) => tool.offered_as).filter((name) => /^[A-Z]/.test(name))).toHaveLength(19);
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "fs_readFile", agent: "developer", asks_first: false }),
    );
    expect(listed).toContainEqual(
      expect.objectContaining({ name: "bash_execute", agent: "commander", asks_first: true }),
    );
    const prompts = JSON.parse((await rig.run(["chapo", "prompts", "--json"])).stdout) as Record<
      string,
      string
    >;
    expect(Object.keys(prompts)).toEqual(expect.arrayContaining(["looper.core", "looper.agent.developer"]));
    const none = await rig.run(["chapo", "sessions"]);
    expect(none).toMatchObject({ code: 0, stdout: "no sessions yet\n" });
  }),
);

test(
  "commands a person types: what the project defines, /init, /clear; a path is not a command",
  story(async (rig) => {
    rig.write("package.json", '{"name":"shop","scripts":{"test":"node --test"}}\n');
    rig.write(".looper/commands/greet.md", "Say hello to $ARGUMENTS.\n");
    playScript(rig, { turns: [{ say: "Hello Ann." }, { say: "Yes." }, { say: "Fresh." }] });
    const greeted = await rig.run(["chapo", "--json", "/greet Ann"]);
    expect(dataOf(eventsOf(greeted), "answer")).toMatchObject([{ answer: "Hello Ann." }]);
    const session = dataOf(eventsOf(greeted), "status")[0]?.session ?? "";
    const file = path.join(rig.project, ".looper/sessions", session, "session.json");
    expect(readFileSync(file, "utf8")).toContain("Say hello to Ann.");
    const asked = await rig.run(["chapo", "--json", "--session", session, "/etc/hosts is empty?"]);
    expect(dataOf(eventsOf(asked), "answer")).toMatchObject([{ answer: "Yes." }]);

    const summed = await rig.run(["chapo", "--json", "--session", session, "/compact"]);
    expect(eventsOf(summed).map(({ type }) => type)).toEqual(["status", "usage", "compaction", "answer"]);

    const made = await rig.run(["chapo", "--session", "last", "/init"]);
    expect(made.stdout).toMatch(/^Wrote AGENTS\.md/);
    expect(rig.read("AGENTS.md")).toContain("npm test");
    rig.write("AGENTS.md", "mine\n");
    expect((await rig.run(["chapo", "/init"])).stdout).toMatch(/already exists/);
    expect(rig.read("AGENTS.md")).toBe("mine\n");

    expect((await rig.run(["chapo", "--session", session, "/clear"])).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain("Say hello to Ann.");
    const unknown = await rig.run(["chapo", "--session", session, "/gret Bob"]);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/greet/);
  }),
);

test(
  "a rule that cannot be read, and an unknown skill, are errors that leave no session behind",
  story(async (rig) => {
    playScript(rig, { turns: [{ say: "Hello." }] }, { rules: { deny: ["Bash(git push"] } });
    const ruled = await rig.run(["chapo", "Hello"]);
    expect(ruled).toMatchObject({ code: 2, stdout: "" });
    expect(ruled.stderr).toContain("Bash(git push");
    playScript(rig, { turns: [{ say: "Hello." }] });
    expect((await rig.run(["chapo", "--skill", "nope", "Hello"])).code).toBe(2);
    expect((await rig.run(["chapo", "sessions"])).stdout).toBe("no sessions yet\n");
  }),
);

test(
  "a model without tool calls decides in JSON: what cannot be read is an error in the end, and never shown",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    const decision = (of: object) => ({
      say: JSON.stringify({
        agent: null,
        toolName: null,
        toolArgs: null,
        answerText: null,
        clarificationQuestion: null,
        ...of,
      }),
    });
    playScript(
      rig,
      {
        turns: [
          decision({ intent: "tool_call", toolName: "fs_readFile", toolArgs: { path: "a.txt" } }),
          decision({ intent: "answer", answerText: "It says alpha." }),
        ],
      },
      { tool_calls: "json" },
    );
    const ran = await rig.run(["chapo", "--json", "What is in a.txt?"]);
    expect(dataOf(eventsOf(ran), "answer")).toMatchObject([{ answer: "It says alpha." }]);
    expect(dataOf(eventsOf(ran), "tool_result")).toMatchObject([{ tool: "fs_readFile", success: true }]);
    playScript(
      rig,
      { turns: [{ say: '{"intent": "tool_call", "toolNa', times: 9 }] },
      { tool_calls: "json" },
    );
    const torn = await rig.run(["chapo", "--json", "What is in a.txt?"]);
    expect(torn.code).not.toBe(0);
    expect(eventsOf(torn).at(-1)?.type).toBe("error");
    expect(torn.stdout).not.toContain("toolNa");
  }),
);

test(
  "flags take precedence over settings; a project that names servers is trusted first",
  story(async (rig) => {
    rig.write("a.txt", "alpha\n");
    rig.write(".looper/skills/reader/skill.json", SKILL);
    const turns = [
      call("Read", { file_path: "a.txt" }),
      call("Bash", { command: "true" }),
      { say: "Alpha." },
    ];
    playScript(rig, { turns });
    const words = ["chapo", "--json", "--tools", "claude", "--skill", "reader", "--model", "scripted"];
    const ran = await rig.run([...words, "--max-iterations", "5", "What is in it?"]);
    expect(dataOf(eventsOf(ran), "tool_result").map(({ tool, success }) => [tool, success])).toEqual([
      ["fs_readFile", true],
      ["bash_execute", false],
    ]);
    const short = await rig.run(["chapo", "--json", "--tools", "claude", "--max-iterations", "1", "Again"]);
    expect(short.code).toBe(1);
    expect(dataOf(eventsOf(short), "step")).toHaveLength(1);
    for (const [flag, value] of [
      ["--max-iterations", "0"],
      ["--session", "nope"],
    ])
      expect((await rig.run(["chapo", flag ?? "", value ?? "", "Hello"])).code).toBe(2);

    const server = { command: "touch", args: ["started"] };
    rig.write(
      ".looper/config.json",
      JSON.stringify({ agents: { chapo: { chapo: { mcp: { servers: { own: server } } } } } }),
    );
    const asked = await rig.run(["chapo", "Hello"]);
    expect(asked.code).toBe(3);
    expect(asked.stderr).toContain("touch");
    expect(existsSync(path.join(rig.project, "started"))).toBe(false);
    expect((await rig.run(["chapo", "--trust", "Hello"])).code).not.toBe(3);
  }),
);
