import { expect, test } from "vitest";
import { Conversation } from "../conversation.js";
import { converse } from "../converse.js";
import { createTaskTool, type Delegation } from "./delegate.js";
import { createTypes } from "./sub-agents.js";
import {
  createTestConversation,
  playModel,
  createTestWorld,
  getNews,
  USUAL_SETTINGS,
  getSentText,
  type Played,
} from "../../testing/engine-world.js";

const delegation: Delegation = {
  types: new Map(createTypes().map((type) => [type.name, type])),
  lead: (prompt) => `LED: ${prompt}`,
  openModel: () => Promise.resolve({ problem: "none here" }),
};

async function play(lists: Readonly<Record<string, readonly Played[]>>, budget?: number) {
  const model = playModel(lists);
  const world = createTestWorld(model, {
    settings: {
      ...USUAL_SETTINGS,
      selfValidationEnabled: false,
      budgets: budget === undefined ? { tools: {} } : { total: budget, tools: {} },
    },
  });
  const base = world.tools({ world, conversation: createTestConversation() });
  world.tools = (chat) => [...base, createTaskTool(chat, delegation)];
  const { outcome, conversation } = await converse(world, createTestConversation(), "Find the bug");
  return { model, world, outcome, conversation };
}

const task = (agent_type: string, prompt = "Where is login?") => ({
  call: "agent_task",
  args: { agent_type, prompt },
});

test("a sub-agent works in a conversation of its own and returns only its final text", async () => {
  const { model, world, conversation } = await play({
    looper: [{ calls: [task("explore"), task("explore", "And logout?")] }, "Thanks."],
    explore: [{ call: "fs_readFile", args: { path: "secret.ts" } }, "In auth.ts:3.", "In out.ts."],
    summary: ["x"],
  });
  const [, , , , second] = model.requests;
  expect(second?.who).toBe("looper");
  const results = second?.messages.at(-1);
  expect(results).toMatchObject({
    role: "tool",
    results: [{ output: "In auth.ts:3." }, { output: expect.stringContaining("In out.ts.") as string }],
  });
  expect(getSentText(second)).not.toContain("secret.ts");
  const childs = model.requests.filter(({ who }) => who === "explore");
  expect(childs.map(({ turn }) => turn)).toEqual([0, 1, 2]);
  expect(getSentText(childs[0])).toMatch(/LED: .*explore[^]*Where is login\?/u);
  expect(getSentText(childs[0])).not.toContain("Find the bug");
  expect(childs[0]?.tools.map(({ name }) => name)).toEqual(["fs_readFile", "ask_user"]);
  const children = new Set(world.saved.filter(({ parent }) => parent === "s1").map(({ id }) => id));
  expect(conversation.children).toHaveLength(2);
  expect(children).toEqual(new Set(conversation.children));
  expect(conversation.calls).toEqual({ fs_readFile: 1, agent_task: 2 });
  expect(Conversation.parse(JSON.parse(JSON.stringify(conversation)))).toEqual(conversation);
  const types = world.news.map(({ type }) => type);
  for (const once of ["status", "answer"] as const)
    expect(types.filter((type) => type === once)).toHaveLength(1);
  expect(world.news.filter(({ child }) => child !== undefined).map(({ type }) => type)).toContain(
    "tool_result",
  );
});

test("a sub-agent cannot call tools outside its type, and cannot start another sub-agent", async () => {
  const { world, model } = await play({
    looper: [task("explore"), "Fine."],
    explore: [{ calls: [{ call: "fs_writeFile", args: { path: "a" } }, task("code")] }, "I could not write."],
  });
  expect(world.ran).toEqual([]);
  const [written, started] = getNews(world, "tool_result");
  expect(written).toMatchObject({ agent: "explore", success: false, code: "not_allowed", tries: 0 });
  expect(started).toMatchObject({
    code: "not_allowed",
    output: expect.stringContaining("cannot start another") as string,
  });
  expect(model.requests.some(({ who }) => who === "code")).toBe(false);
});

test("a sub-agent without an end stops at its turn limit, and an unknown type is refused with the known ones", async () => {
  const { model, outcome } = await play({
    looper: [task("stranger"), task("test"), "Fine."],
    test: [{ call: "bash_execute", args: { command: "npm test" } }],
    summary: ["Two of four ran."],
  });
  expect(outcome).toMatchObject({ how: "answer", answer: "Fine." });
  const parents = model.requests.filter(({ who }) => who === "looper");
  expect(getSentText(parents[1])).toMatch(
    /unknown sub-agent "stranger"; available: explore, plan, code, test, developer/u,
  );
  expect(model.requests.filter(({ who }) => who === "test")).toHaveLength(25);
  expect(getSentText(parents[2])).toMatch(/test reached its limit[^]*Two of four ran\./u);
});

test("a sub-agent's usage counts for the session, and its compaction is not stored in the memory", async () => {
  const read = { call: "fs_readFile", args: { path: "a" } };
  const { world, conversation } = await play({
    looper: [task("explore"), "Fine."],
    explore: [read, read, { fail: "context-full" }, "Done."],
    compaction: ["Short."],
  });
  const all = getNews(world, "usage").map(({ input_tokens }) => input_tokens);
  expect(all).toHaveLength(6);
  expect(conversation.usage.input_tokens).toBe(all.reduce((sum, one) => sum + one, 0));
  expect(world.remembered).toEqual([]);
});

test("a sub-agent whose model fails returns a failed result, and the session continues", async () => {
  const { model, outcome } = await play({ looper: [task("plan"), "Fine."], plan: [{ fail: "network" }] });
  expect(outcome).toMatchObject({ how: "answer" });
  expect(getSentText(model.requests.at(-1))).toContain("the sub-agent plan failed (network)");
});

test("a budget applies to a session and its sub-agents together", async () => {
  const read = { call: "fs_readFile", args: { path: "a" } };
  const { world } = await play(
    { looper: [read, task("explore"), read, "Fine."], explore: [read, "Done."] },
    2,
  );
  expect(world.ran).toEqual(["fs_readFile a", "fs_readFile a"]);
});

test("a call of agent_task has the type as its subject, so that a rule can name it", () => {
  const prepared = createTaskTool(undefined, delegation).prepare({ agent_type: "explore", prompt: "x" });
  expect(prepared).toMatchObject({ subjects: [{ kind: "name", name: "explore" }] });
});
