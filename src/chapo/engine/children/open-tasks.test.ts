import { expect, test } from "vitest";
import { type Conversation, recordAnswer } from "../conversation.js";
import { converse } from "../converse.js";
import { giveUpTasks } from "../resume.js";
import type { EngineWorld, Gatekeepers } from "../world.js";
import { type Reply, type UserQuestion } from "../calls/pending.js";
import { createTaskTool, createTogether, type Delegation } from "./delegate.js";
import { createTypes } from "./sub-agents.js";
import {
  createTestConversation,
  createTestWorld,
  getNews,
  getSentText,
  playModel,
  USUAL_SETTINGS,
  type Played,
  type TestWorld,
} from "../../testing/engine-world.js";

const delegation: Delegation = {
  types: new Map(createTypes().map((type) => [type.name, type])),
  lead: (prompt) => prompt,
  openModel: () => Promise.resolve({ problem: "none here" }),
};

/** Asks about every call that changes something, and about reading `secret`. */
const permit: Gatekeepers["permit"] = ({ tool, args }) =>
  Promise.resolve(
    tool.changes || JSON.stringify(args).includes("secret")
      ? { asks: { because: "it asks", preview: JSON.stringify(args), digest: "d", may_remember: true } }
      : { allowed: true },
  );

interface Setup {
  most?: number;
  ask?: (question: UserQuestion) => Promise<Reply>;
  saved?: readonly Conversation[];
  more?: Partial<EngineWorld>;
}

function open(
  lists: Readonly<Record<string, readonly Played[]>>,
  { most = 1, ask, saved = [], more }: Setup = {},
) {
  const model = playModel(lists);
  let drawn = saved.length;
  const world = createTestWorld(model, {
    random: { hex: (bytes) => (drawn += 1).toString(16).padStart(2 * bytes, "8") },
    settings: { ...USUAL_SETTINGS, selfValidationEnabled: false },
    together: createTogether(delegation.types, most),
    ...more,
  });
  world.gate.permit = permit;
  if (ask !== undefined) world.gate.ask = ask;
  world.saved.push(...saved);
  const base = world.tools({ world, conversation: createTestConversation() });
  world.tools = (live) => [...base, createTaskTool(live, delegation)];
  return { model, world };
}

const task = (agent_type: string, prompt = "Do it") => ({ call: "agent_task", args: { agent_type, prompt } });
const write = { call: "fs_writeFile", args: { path: "a" } };
const yes = { verdict: "approve", by: "ann", via: "cli", at: "2026-01-01T00:00:00.000Z" } as const;

/** The session as another process reads it: its own file, and those of its sub-agents. */
function stored({ saved }: TestWorld): { own: Conversation; saved: readonly Conversation[] } {
  const own = saved.findLast(({ id }) => id === "s1");
  if (own === undefined) throw new Error("not saved");
  return { own: structuredClone(own), saved };
}

test("the call of a sub-agent waits in the session, is approved by another process, and runs once", async () => {
  const first = open({
    looper: [task("code"), "Fine."],
    code: [{ call: "fs_readFile", args: { path: "x" } }, write],
  });
  const paused = await converse(first.world, createTestConversation(), "Go");
  expect(paused.outcome).toMatchObject({ how: "pending", pending: { agent: "code", tool: "fs_writeFile" } });
  expect(first.world.ran).toEqual(["fs_readFile x"]);
  const { own, saved } = stored(first.world);
  const [child] = own.children;
  expect(own).toMatchObject({ state: "waiting_for_user", pending: { child }, tasks: [{ child }] });
  expect(saved.findLast(({ id }) => id === child)?.pending).toBeUndefined();

  const second = open({ looper: ["Fine."], code: ["Written."] }, { saved });
  const over = await converse(second.world, recordAnswer(own, yes));
  expect(over.outcome).toMatchObject({ how: "answer", answer: "Fine." });
  expect(second.world.ran).toEqual(["fs_writeFile a"]);
  expect(getSentText(second.model.requests.find(({ who }) => who === "looper"))).toContain("Written.");
  expect(over.conversation.pending).toBeUndefined();
  expect(over.conversation.tasks).toBeUndefined();
  expect(over.conversation.calls).toEqual({ fs_readFile: 1, fs_writeFile: 1, agent_task: 1 });
  expect(over.conversation.turns).toEqual({ looper: 2, code: 3 });
  const all = [...getNews(first.world, "usage"), ...getNews(second.world, "usage")];
  expect(over.conversation.usage.input_tokens).toBe(all.reduce((sum, one) => sum + one.input_tokens, 0));
});

test("a call of a sub-agent that was begun when its process was killed is asked about again", async () => {
  const first = open({ looper: [task("code")], code: [write] });
  await converse(first.world, createTestConversation(), "Go");
  const { own, saved } = stored(first.world);
  const { pending } = recordAnswer(own, yes);
  if (pending === undefined) throw new Error("no call waits");
  const killed = { ...own, state: "running" as const, pending: { ...pending, begun: yes.at } };
  const second = open({ looper: ["Fine."], code: ["Written."] }, { saved });
  const again = await converse(second.world, killed);
  expect(again.outcome).toMatchObject({ how: "pending", pending: { again: "may_have_run" } });
  expect(second.world.ran).toEqual([]);
});

test("a call whose result a killed sub-agent had stored is not asked about or run again", async () => {
  const first = open({ looper: [task("code")], code: [write] });
  await converse(first.world, createTestConversation(), "Go");
  const { own, saved } = stored(first.world);
  const { pending } = recordAnswer(own, yes);
  const child = saved.findLast(({ id }) => id === own.children[0]);
  if (pending === undefined || child === undefined) throw new Error("no call waits");
  const results = [{ callId: pending.call, name: "fs_writeFile", success: true, output: "written" }];
  const done: Conversation = {
    ...child,
    state: "running",
    messages: [...child.messages, { role: "tool", results }],
  };
  const killed = { ...own, state: "running" as const, pending: { ...pending, begun: yes.at } };
  const second = open({ looper: ["Fine."], code: ["All done."] }, { saved: [...saved, done] });
  const over = await converse(second.world, killed);
  expect(over.outcome).toMatchObject({ how: "answer", answer: "Fine." });
  expect(second.world.ran).toEqual([]);
  expect(over.conversation.pending).toBeUndefined();
});

test("a killed sub-agent resumes where it was, and a message is delivered after it", async () => {
  const first = open({ looper: [task("code")], code: [{ call: "fs_readFile", args: { path: "x" } }, write] });
  await converse(first.world, createTestConversation(), "Go");
  const { saved } = stored(first.world);
  // As a kill after the sub-agent's first call leaves it.
  const own = saved.findLast(
    ({ id, tasks, pending }) => id === "s1" && tasks !== undefined && pending === undefined,
  );
  const child = saved.find(({ id, messages }) => id !== "s1" && messages.at(-1)?.role === "tool");
  if (own === undefined || child === undefined) throw new Error("not saved");
  const second = open({ looper: ["Fine."], code: ["Read it."] }, { saved: [own, child] });
  const over = await converse(second.world, own, "And hurry");
  expect(second.world.ran).toEqual([]);
  const [childs, parents] = second.model.requests;
  expect([childs?.who, parents?.who]).toEqual(["code", "looper"]);
  expect(getSentText(childs)).toContain("fs_readFile of x");
  expect(getSentText(childs)).not.toContain("And hurry");
  expect(getSentText(parents)).toMatch(/Read it\.[^]*And hurry/u);
  expect(over.outcome).toMatchObject({ how: "answer" });
});

test("a message instead of an answer is a no to the sub-agent's call, and reaches both", async () => {
  const first = open({ looper: [task("code")], code: [write] });
  await converse(first.world, createTestConversation(), "Go");
  const { own, saved } = stored(first.world);
  const second = open({ looper: ["Fine."], code: ["Left it."] }, { saved });
  await converse(second.world, own, "Use b");
  expect(second.world.ran).toEqual([]);
  expect(second.model.requests.map((one) => [one.who, getSentText(one).includes("Use b")])).toEqual([
    ["code", true],
    ["looper", true],
  ]);
});

test("a sub-agent asks the user, and the answer is the result of its question", async () => {
  const first = open({
    looper: [task("plan")],
    plan: [{ call: "ask_user", args: { question: "Which one?" } }],
  });
  const paused = await converse(first.world, createTestConversation(), "Go");
  expect(paused.outcome).toMatchObject({ how: "clarify", question: "Which one?" });
  const { own, saved } = stored(first.world);
  expect(own.question).toMatchObject({ text: "Which one?", child: own.children[0] });
  const unanswered = open({ looper: ["Fine."], plan: ["Planned."] }, { saved });
  expect((await converse(unanswered.world, own)).outcome).toMatchObject({
    how: "clarify",
    question: "Which one?",
  });
  expect(unanswered.model.requests).toEqual([]);

  const second = open({ looper: ["Fine."], plan: ["Planned."] }, { saved });
  const over = await converse(second.world, own, "The second");
  expect(getSentText(second.model.requests[0])).toContain("The user answered: The second");
  expect(getSentText(second.model.requests[1])).not.toContain("The second");
  expect(over.outcome).toMatchObject({ how: "answer", answer: "Fine." });
  expect(over.conversation.question).toBeUndefined();
});

/** A model whose requests wait until as many run together as are expected. */
function gather(world: TestWorld, expected: number): { most: () => number } {
  let running = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const { model } = world;
  world.model = {
    ...model,
    ask: async (request) => {
      if (request.who === "looper") return model.ask(request);
      running += 1;
      most = Math.max(most, running);
      if (running < expected) await new Promise<void>((go) => waiting.push(go));
      else for (const go of waiting.splice(0)) go();
      const answer = await model.ask(request);
      running -= 1;
      return answer;
    },
  };
  return { most: () => most };
}

test("sub-agents that only read work at the same time, as many as the setting says; others one after the other", async () => {
  const three = { calls: [task("explore", "A"), task("explore", "B"), task("plan", "C")] };
  const many = open({ looper: [three, "Fine."], explore: ["1", "2"], plan: ["3"] }, { most: 3 });
  const seen = gather(many.world, 3);
  const over = await converse(many.world, createTestConversation(), "Go");
  expect(seen.most()).toBe(3);
  const results = over.conversation.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  expect(results.map(({ callId }) => callId)).toEqual(["looper0-0", "looper0-1", "looper0-2"]);
  expect(over.conversation.turns).toEqual({ looper: 2, explore: 2, plan: 1 });

  for (const [list, most] of [
    [three, 1],
    [{ calls: [task("code", "A"), task("code", "B")] }, 3],
  ] as const) {
    const one = open({ looper: [list, "Fine."], explore: ["1"], plan: ["2"], code: ["3"] }, { most });
    const alone = gather(one.world, 1);
    await converse(one.world, createTestConversation(), "Go");
    expect(alone.most()).toBe(1);
  }
});

test("questions of sub-agents that work at the same time reach the person one at a time", async () => {
  const read = { call: "fs_readFile", args: { path: "secret" } };
  const two = { calls: [task("explore", "A"), task("plan", "B")] };
  const lists = { looper: [two, "Fine."], explore: [read, "1"], plan: [read, "2"] };
  let asked = 0;
  let most = 0;
  const ask = async (): Promise<Reply> => {
    asked += 1;
    most = Math.max(most, asked);
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
    asked -= 1;
    return { verdict: "approve" };
  };
  const there = open(lists, { most: 2, ask });
  await converse(there.world, createTestConversation(), "Go");
  expect(most).toBe(1);
  expect(there.world.ran).toEqual(["fs_readFile secret", "fs_readFile secret"]);

  const away = open(lists, { most: 2 });
  await converse(away.world, createTestConversation(), "Go");
  let { own, saved } = stored(away.world);
  const ran: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    expect(own.pending?.answer).toBeUndefined();
    const next = open(
      { looper: ["Fine."], explore: ["1"], plan: [n === 0 ? read : "2"] },
      { most: 1, saved },
    );
    const { outcome } = await converse(next.world, recordAnswer(own, yes));
    expect(outcome.how).toBe(n === 0 ? "pending" : "answer");
    ran.push(...next.world.ran);
    ({ own, saved } = stored(next.world));
  }
  expect(ran).toEqual(["fs_readFile secret", "fs_readFile secret"]);
});

test("a sub-agent that is stopped stays resumable, or is given up for another message", async () => {
  const stop = new AbortController();
  const first = open({ looper: [task("explore")], explore: ["x"] }, { more: { signal: stop.signal } });
  const { model } = first.world;
  first.world.model = {
    ...model,
    ask: (request) => {
      if (request.who === "explore") {
        stop.abort();
        return Promise.resolve({ failure: { reason: "interrupted", message: "stopped" } });
      }
      return model.ask(request);
    },
  };
  const stopped = await converse(first.world, createTestConversation(), "Go");
  expect(stopped.outcome).toMatchObject({ how: "error", reason: "interrupted" });
  expect(stopped.conversation.tasks).toHaveLength(1);
  const given = giveUpTasks(stopped.conversation);
  expect(given.tasks).toBeUndefined();
  expect(given.messages.at(-1)).toMatchObject({ role: "tool", results: [{ success: false }] });
  const second = open({ looper: ["Fine."], explore: ["Found."] }, { saved: first.world.saved });
  expect((await converse(second.world, stopped.conversation)).outcome).toMatchObject({ how: "answer" });
});
