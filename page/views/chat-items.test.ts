import { expect, test } from "vitest";
import { addEvent, fromMessages, type ChatItem } from "./chat-items.js";

const STORED = [
  { role: "user", content: "Make a file" },
  { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "fs_writeFile", arguments: {} }] },
  { role: "tool", results: [{ callId: "c1", output: "written", success: true }] },
  { role: "assistant", content: "It is **made**." },
];

function after(...events: [type: string, data: Record<string, unknown>][]): ChatItem[] {
  const start: readonly ChatItem[] = fromMessages(STORED);
  return [...events.reduce((items, [type, data], at) => addEvent(items, { type, seq: at + 1, data }), start)];
}

test("events that the stored messages told already add nothing", () => {
  const said = after(
    ["tool_call", { callId: "c1", tool: "fs_writeFile", args: {} }],
    ["tool_result", { callId: "c1", output: "written", success: true }],
    ["delta", { text: "It is " }],
    ["answer", { answer: "It is **made**.", confidence: 0.9 }],
  );
  expect(said).toEqual([...fromMessages(STORED).slice(0, -1), { ...said[2], confidence: 0.9 }]);
  expect(said.map(({ kind }) => kind)).toEqual(["user", "call", "answer"]);
});

test("another answer, another call and the same question after another answer are added", () => {
  const said = after(
    ["answer", { answer: "And another." }],
    ["tool_call", { callId: "c2", tool: "fs_readFile", args: {} }],
    ["clarify", { question: "It is **made**." }],
  );
  expect(said.slice(3).map((item) => ("text" in item ? [item.kind, item.text] : []))).toEqual([
    ["answer", "And another."],
    ["call", "{}"],
    ["question", "It is **made**."],
  ]);
  expect(said[3]).toMatchObject({ kind: "answer", text: "And another." });
});

test("a call that waits for an approval is shown once, also where it began to wait while the page was read", () => {
  const waits: [string, Record<string, unknown>] = ["action_pending", { actionId: "a1", toolName: "bash" }];
  expect(after(waits, waits).map(({ kind }) => kind)).toEqual(["user", "call", "answer", "approval"]);
});
