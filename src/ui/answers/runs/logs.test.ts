import { expect, test } from "vitest";
import { LogAttempts } from "./logs.js";

test("output that was left out of the log is named with its file", () => {
  const attempts = new LogAttempts("T1", "looper-logs/runs/1");
  const job = { job: 1, task_id: "T1", agent: "a", attempt: 1, timestamp: "2026-01-02T03:04:05.000Z" };
  attempts.add("agent_started", { ...job, label: "iter-1" });
  attempts.add("error", { ...job, error: "more than 1 MiB of text", reason: "output-cut" });
  attempts.add("message", { ...job, role: "assistant", content: "hello" });
  expect(attempts.all()[0]?.messages.map(({ text }) => text)).toEqual([
    "(more than 1 MiB of text: looper-logs/runs/1/*-iter-1/output.jsonl)",
    "hello",
  ]);
});
