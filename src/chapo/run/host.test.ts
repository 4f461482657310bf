// Tests the host with a scripted session: a request on stdin, lines on stdout, an exit code.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agentSettings } from "../../config/read/agent-settings.js";
import { resolveSettings } from "../../config/read/resolve.js";
import type { ChapoSettings } from "../../config/read/chapo-settings.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createConversation } from "../engine/conversation.js";
import type { ConversationOutcome, UsedUpLimit } from "../engine/world.js";
import { hostChapo } from "./host.js";
import type { SessionRequest } from "../session/session-request.js";

let root = "";
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "looper-chapo-host-"));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

interface Seen {
  code: number;
  lines: Record<string, unknown>[];
  stderr: string;
  opened: SessionRequest | undefined;
  sent: string | undefined;
  closed: boolean;
}

interface Told {
  request?: object;
  chapo?: Partial<ChapoSettings>;
  stop?: AbortController;
}

async function run(
  act: (request: SessionRequest) => Promise<ConversationOutcome> | ConversationOutcome,
  told: Told = {},
): Promise<Seen> {
  const seen: Seen = { code: -1, lines: [], stderr: "", opened: undefined, sent: undefined, closed: false };
  const { settings } = resolveSettings({ env: {}, flags: {} });
  const chapo = agentSettings(settings, "chapo", { project: root, home: root }).chapo;
  const request = {
    ...{ phase: "iteration", taskId: "T1", iteration: 1, attempt: 1, prompt: "Do it." },
    ...{ promptFile: path.join(root, "001-T1", "prompt.md"), cwd: root, permissions: "workspace" },
    ...{ model: "scripted", maxTurns: 0, chapo: { ...chapo, ...told.chapo } },
    ...told.request,
  };
  const io = {
    ports: nodePorts(),
    ...{ env: {}, node: process.execPath, home: root, promptsFolder: root },
    readInput: () => Promise.resolve(JSON.stringify(request)),
    write: (text: string) => {
      seen.lines.push(JSON.parse(text) as Record<string, unknown>);
      return Promise.resolve();
    },
    writeError: (text: string) => {
      seen.stderr += text;
      return Promise.resolve();
    },
    stop: (told.stop ?? new AbortController()).signal,
  };
  seen.code = await hostChapo(io, (opened) => {
    seen.opened = opened;
    return Promise.resolve({
      id: "s-1",
      send: async (message) => {
        seen.sent = message;
        return act(opened);
      },
      proceed: async () => act(opened),
      conversation: createConversation({ id: "s", agent: "looper", created: "" }),
      answer: () => Promise.resolve(),
      close: () => {
        seen.closed = true;
        return Promise.resolve();
      },
    });
  });
  return seen;
}

const finished: ConversationOutcome = {
  how: "finished",
  value: { task_id: "T1", status: "done", summary: "Made." },
};

test("a report becomes the summary line, and the end line has the session's id", async () => {
  const seen = await run((session) => {
    session.onWarning("a skill was left out");
    const data = { iteration: 1, text: "Hello." };
    session.onEvent({ type: "message", data, timestamp: "2026-01-01T00:00:00.000Z", seq: 1 });
    return finished;
  });
  expect(seen).toMatchObject({ code: 0, closed: true, stderr: "" });
  expect(seen.lines).toEqual([
    { type: "message", role: "system", content: "a skill was left out" },
    { type: "message", role: "assistant", content: "Hello." },
    { type: "summary", task_id: "T1", status: "done", summary: "Made." },
    { type: "end", ok: true, session: "s-1" },
  ]);
  expect(seen.sent).toMatch(/^Do it\.\n\n.*report_summary/);
});

test("a session in a run may fetch only mentioned pages and is stored in the log", async () => {
  const { opened } = await run(() => finished);
  expect(opened).toMatchObject({
    ...{ root, model: "scripted", permissions: "workspace", skills: [] },
    sessionsFolder: path.join(root, "001-T1", "chapo"),
    settings: { webFetch: { onlyMentioned: true } },
  });
  expect(opened?.task?.finish.tool.name).toBe("report_summary");
  expect(opened?.ask).toBeUndefined();
  expect(opened?.resume).toBeUndefined();
  const chapo = { mode: "default", webFetch: { onlyMentioned: false } } as const;
  const told = await run(() => finished, { chapo, request: { maxTurns: 7, resume: "s-0" } });
  expect(told.opened).toMatchObject({
    ...{ resume: "s-0", settings: chapo },
    task: { finish: { maxTurns: 7 } },
  });
});

test("a question blocks its task, and in a review it counts as a missing report", async () => {
  const asks: ConversationOutcome = { how: "clarify", question: "Which one?", exhausted: false };
  const { lines, code } = await run(() => asks);
  expect(code).toBe(0);
  expect(lines.at(-2)).toEqual({
    ...{ type: "summary", task_id: "T1", status: "blocked" },
    ...{ summary: "Which one?", blockers: ["Which one?"] },
  });
  const review = await run(() => asks, { request: { phase: "review", taskId: undefined } });
  expect(review.lines.at(-1)).toMatchObject({
    ok: false,
    reason: "no-summary",
    evidence: "it asked: Which one?",
  });
});

test("a session out of turns fails the attempt with the limit, its setting and the summary", async () => {
  const out = (limit: UsedUpLimit) => (): ConversationOutcome => ({
    ...{ how: "clarify", question: "Done: a. Open: b.", exhausted: true, limit },
  });
  const { lines, code } = await run(out("idle"));
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatchObject({
    ...{ ok: false, reason: "turns" },
    evidence: "made no progress in its last turns (`agents.chapo.chapo.max_iterations`): Done: a. Open: b.",
  });
  const fewer = await run(out("turns"), { request: { maxTurns: 7, agent: "junior" } });
  expect(fewer.lines.at(-1)?.["evidence"]).toContain(
    "its 7 turns without reporting (`agents.junior.max_turns`)",
  );
  const full = await run(out("window"));
  expect(full.lines.at(-1)?.["evidence"]).toContain("`agents.chapo.chapo.context_window`");
});

test("a failure of the model is the reason of the end, with the time to retry at", async () => {
  const retryAt = Date.UTC(2030, 0, 1);
  const { lines, code } = await run(() => ({ how: "error", error: "429", reason: "rate-limited", retryAt }));
  expect(code).toBe(1);
  expect(lines).toEqual([
    {
      ...{ type: "end", ok: false, reason: "rate-limited", evidence: "429", session: "s-1" },
      retry_at: "2030-01-01T00:00:00.000Z",
    },
  ]);
});

test("a session without a report ends successfully, so that the run can ask for one", async () => {
  const ends: ConversationOutcome[] = [
    { how: "error", error: "it never reported", reason: "no-summary" },
    { how: "answer", answer: "Hello.", validated: true },
  ];
  for (const end of ends)
    expect((await run(() => end)).lines.at(-1)).toEqual({ type: "end", ok: true, session: "s-1" });
});

test("an exception in a session becomes the end's evidence, and the session is closed", async () => {
  const seen = await run(() => Promise.reject(new Error("it broke")));
  expect(seen).toMatchObject({ code: 1, closed: true });
  expect(seen.lines).toEqual([{ type: "end", ok: false, reason: "exited", evidence: "it broke" }]);
});

test("an aborted session ends with the exit code of a terminated program", async () => {
  const stop = new AbortController();
  const seen = await run(
    () => {
      stop.abort();
      return { how: "error", error: "interrupted", reason: "interrupted" };
    },
    { stop },
  );
  expect(seen).toMatchObject({ code: 143, closed: true });
});
