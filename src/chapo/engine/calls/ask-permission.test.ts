import { describe, expect, test } from "vitest";
import {
  createTestConversation,
  createTestWorld,
  getNews,
  getSentText,
  playModel,
  type Played,
  type TestWorld,
} from "../../testing/engine-world.js";
import { type Conversation, recordAnswer } from "../conversation.js";
import { converse } from "../converse.js";
import { type CallAnswer, type Reply } from "./pending.js";
import type { EngineWorld, GateCall, Permit } from "../world.js";

const write = { call: "fs_writeFile", args: { path: "a.txt" }, id: "w1" };
const read = { call: "fs_readFile", args: { path: "b.txt" }, id: "r1" };

/** The digest of what the call would do; a test changes it as another program changes the file. */
let shown = "d1";

function permit(call: GateCall): Promise<Permit> {
  if (!call.tool.changes) return Promise.resolve({ allowed: true });
  return Promise.resolve({
    asks: { because: "it may change something", preview: `+ ${shown}`, digest: shown, may_remember: true },
  });
}

function play(replies: readonly Played[], changes: Partial<EngineWorld["gate"]> = {}, mayWait = true) {
  shown = "d1";
  const model = playModel({ looper: replies });
  const world = createTestWorld(model, { mayWait });
  world.settings = { ...world.settings, selfValidationEnabled: false };
  Object.assign(world.gate, { permit, ...changes });
  return { model, world };
}

function answer(conversation: Conversation, more: Partial<CallAnswer> = {}): Conversation {
  const at = "2026-01-02T00:00:00.000Z";
  return recordAnswer(conversation, { verdict: "approve", by: "ann", via: "cli", at, ...more });
}

/** The conversation as another process reads it. */
function stored(world: TestWorld): Conversation {
  return JSON.parse(JSON.stringify(world.saved.at(-1))) as Conversation;
}

async function ask(replies: readonly Played[]) {
  const played = play(replies);
  const { outcome } = await converse(played.world, createTestConversation(), "go");
  return { ...played, outcome };
}

test("PreToolUse judges a call once: after the approval, what it changed runs as it was shown", async () => {
  const { world } = play([{ calls: [write] }, "Done."]);
  const fired: string[] = [];
  world.hooks = (event) => {
    if (event !== "PreToolUse") return Promise.resolve({});
    fired.push(event);
    return Promise.resolve({ verdict: "ask", input: { file_path: "b.txt" } });
  };
  await converse(world, createTestConversation(), "go");
  const before = fired.length;
  expect(stored(world).pending).toMatchObject({ args: { path: "b.txt" } });
  const { outcome } = await converse(world, answer(stored(world)));
  expect(outcome).toMatchObject({ how: "answer", answer: "Done." });
  expect([before > 0, fired.length]).toEqual([true, before]);
  expect(JSON.stringify(world.ran)).toContain("b.txt");
});

describe("a call that needs a person", () => {
  test("ends the turn where no person can be asked, with the call in the session file", async () => {
    const { world, outcome } = await ask([{ calls: [write, read] }, "Done."]);
    expect(outcome).toMatchObject({
      how: "pending",
      pending: { tool: "fs_writeFile", args: { path: "a.txt" } },
    });
    expect(world.ran).toEqual([]);
    expect(stored(world)).toMatchObject({
      state: "waiting_for_user",
      pending: {
        call: "w1",
        agent: "developer",
        preview: "+ d1",
        digest: "d1",
        asked_at: "2026-01-01T00:00:00.000Z",
      },
    });
    expect(world.news.slice(-2).map(({ type }) => type)).toEqual(["action_pending", "clarify"]);
    expect(getNews(world, "clarify")[0]).toMatchObject({ callId: "w1", status: "waiting_for_user" });
  });

  test("runs once it is approved, and the other calls of its turn after it", async () => {
    const { world, outcome } = await ask([{ calls: [write, read] }, "Done."]);
    expect(outcome.how).toBe("pending");
    const { outcome: end } = await converse(world, answer(stored(world)));
    expect(end).toMatchObject({ how: "answer", answer: "Done." });
    expect(world.ran).toEqual(["fs_writeFile a.txt", "fs_readFile b.txt"]);
    expect(stored(world).pending).toBeUndefined();
    expect(stored(world).answered).toMatchObject([{ call: "w1", verdict: "approve", by: "ann" }]);
  });

  test("is marked before it runs, and its result removes the mark in the same save", async () => {
    const { world } = await ask([write, "Done."]);
    const before = world.saved.length;
    await converse(world, answer(stored(world)));
    const marks = world.saved.slice(before).map(({ pending, messages }) => ({
      begun: pending?.begun !== undefined,
      result: messages.at(-1)?.role === "tool",
    }));
    expect(marks.filter(({ begun, result }) => begun && result)).toEqual([]);
    expect(marks.some(({ begun }) => begun)).toBe(true);
  });

  test("is asked about again when its process was killed while it ran", async () => {
    const { world } = await ask([write, "Done."]);
    const killed = answer(stored(world));
    if (killed.pending !== undefined) killed.pending.begun = "2026-01-02T00:00:01.000Z";
    const { outcome } = await converse(world, { ...killed, state: "running" });
    expect(outcome).toMatchObject({ how: "pending", pending: { again: "may_have_run" } });
    expect(world.ran).toEqual([]);
    expect(stored(world).pending?.answer).toBeUndefined();
    expect(getNews(world, "action_pending").at(-1)).toMatchObject({ again: "may_have_run" });
  });

  test("is asked about again when it would change something else than was shown", async () => {
    const { world } = await ask([write, "Done."]);
    shown = "d2";
    const { outcome } = await converse(world, answer(stored(world)));
    expect(outcome).toMatchObject({ how: "pending", pending: { again: "changed", preview: "+ d2" } });
    expect(world.ran).toEqual([]);
    await converse(world, answer(stored(world)));
    expect(world.ran).toEqual(["fs_writeFile a.txt"]);
  });

  test("is refused with the person's remark when it is rejected", async () => {
    const { world, model } = await ask([write, "Done."]);
    await converse(world, answer(stored(world), { verdict: "reject", remark: "not on a Friday" }));
    expect(world.ran).toEqual([]);
    expect(getSentText(model.requests.at(-1))).toContain("said no: not on a Friday");
  });

  test("runs with the arguments that the person changed, and the model is told", async () => {
    const { world, model } = await ask([write, "Done."]);
    shown = "d2";
    await converse(world, answer(stored(world), { args: { path: "c.txt" } }));
    expect(world.ran).toEqual(["fs_writeFile c.txt"]);
    expect(getSentText(model.requests.at(-1))).toContain('changed the arguments to {"path":"c.txt"}');
  });

  test("stays prohibited by a rule in spite of an approval", async () => {
    const { world } = await ask([write, "Done."]);
    world.gate.permit = () => Promise.resolve({ refused: "a rule forbids it" });
    await converse(world, answer(stored(world)));
    expect(world.ran).toEqual([]);
    expect(stored(world).pending).toBeUndefined();
  });

  test("is not run when the user writes a message instead, unless it was approved before", async () => {
    const first = await ask([write, "Done."]);
    await converse(first.world, stored(first.world), "Stop that");
    expect(first.world.ran).toEqual([]);
    expect(getSentText(first.model.requests.at(-1))).toMatch(/wrote a message instead[^]*Stop that/);
    const second = await ask([write, "Done."]);
    await converse(second.world, answer(stored(second.world)), "And then rest");
    expect(second.world.ran).toEqual(["fs_writeFile a.txt"]);
    expect(getSentText(second.model.requests.at(-1))).toContain("And then rest");
  });

  test("is refused where it cannot wait, or where its arguments hold a secret", async () => {
    for (const [changes, mayWait, says] of [
      [{}, false, "none can be asked here"],
      [{ canStore: () => false }, true, "hold a secret"],
    ] as const) {
      const { world, model } = play([write, "Done."], changes, mayWait);
      const { outcome } = await converse(world, createTestConversation(), "go");
      expect(outcome).toMatchObject({ how: "answer" });
      expect(getSentText(model.requests.at(-1))).toContain(says);
      expect(world.ran).toEqual([]);
    }
  });
});

describe("a person who can be asked", () => {
  function playAt(replies: Reply[]) {
    const remembered: GateCall[] = [];
    const seen: (Conversation | undefined)[] = [];
    const played = play([write, "Done."], {
      remember: (call) => remembered.push(call),
      ask: () => {
        seen.push(played.world.saved.at(-1));
        const reply = replies.shift();
        return reply === undefined ? Promise.reject(new Error("closed")) : Promise.resolve(reply);
      },
    });
    return { ...played, remembered, seen };
  }

  test("is asked after the question is stored, and the answer is stored before the call runs", async () => {
    const { world, seen, remembered } = playAt([{ verdict: "approve", always: true, by: "ann" }]);
    await converse(world, createTestConversation(), "go");
    expect(seen[0]).toMatchObject({ pending: { call: "w1" } });
    expect(world.ran).toEqual(["fs_writeFile a.txt"]);
    expect(remembered).toHaveLength(1);
    expect(stored(world).answered).toMatchObject([{ by: "ann", via: "terminal" }]);
  });

  test("refuses by a no and by a closed terminal", async () => {
    for (const replies of [[{ verdict: "reject" as const, remark: "why?" }], []]) {
      const { world } = playAt(replies);
      await converse(world, createTestConversation(), "go");
      expect(world.ran).toEqual([]);
      expect(getNews(world, "tool_result")).toMatchObject([{ code: "denied" }]);
    }
  });
});
