import { expect, test } from "vitest";
import { judgeExit as judgeAt, type AttemptFacts } from "./exit-reason.js";

const good: AttemptFacts = {
  name: "ours",
  end: { how: "exited", code: 0 },
  closing: { events: [], terminal: { good: true }, final: '{"task_id":null,"status":"done"}' },
  stderr: "",
  stderrLast: false,
  unknownEvents: 0,
};
const NOW = Date.parse("2026-11-20T10:00:00Z");
const judge = (seen: AttemptFacts): ReturnType<typeof judgeAt> =>
  judgeAt(seen, { now: NOW, zone: "Europe/Berlin" });
const failed = {
  events: [],
  terminal: { good: false, reason: "turns", evidence: "too many" },
  final: "",
} as const;
const endless = { events: [], final: "" };

// In the order in which they are asked: each case has everything below it as well.
test.each([
  [
    "not-found",
    { end: { how: "not-found", message: "ENOENT" }, stopped: { why: "interrupted" }, closing: failed },
  ],
  [
    "timed-out",
    {
      end: { how: "exited", code: 0 },
      stopped: { why: "timed-out", afterMs: 60_000 },
      closing: good.closing,
    },
  ],
  [
    "idle",
    {
      end: { how: "killed", signal: "SIGKILL" },
      stopped: { why: "idle", afterMs: 1_500, mute: true },
      closing: failed,
    },
  ],
  [
    "interrupted",
    { end: { how: "exited", code: 0 }, stopped: { why: "interrupted" }, closing: good.closing },
  ],
  ["killed", { end: { how: "killed", signal: "SIGKILL" }, closing: good.closing }],
  ["killed", { end: { how: "exited", code: 143 }, closing: failed }],
  ["killed", { end: { how: "exited", code: 130 }, closing: good.closing }],
  ["turns", { end: { how: "exited", code: 1 }, closing: failed }],
  ["turns", { end: { how: "exited", code: 0 }, closing: failed }],
  ["exited", { end: { how: "exited", code: 137 }, closing: good.closing }],
  ["exited", { end: { how: "exited", code: 1 }, closing: endless }],
  ["incomplete", { end: { how: "exited", code: 0 }, closing: endless }],
] as const)("%s %j", (reason, seen) => {
  expect(judge({ ...good, ...seen })).toMatchObject({ outcome: "failed", reason });
});

test("only a good end with an exit code of 0 is ok", () => {
  expect(judge(good)).toMatchObject({ outcome: "ok", exitCode: 0, report: { found: { status: "done" } } });
});

const BUDGET = { of: "run", key: "loop.max_tokens", unit: "tokens", most: 10, spent: 12 } as const;

test("who is told that its budget is spent, and then ends its work well and reports it, has done it", () => {
  const stopped = { why: "budget", budget: BUDGET } as const;
  const done = judge({ ...good, stopped });
  expect(done).toMatchObject({ outcome: "ok", report: { found: { status: "done" } } });
  expect(done.stoppedFor).toBeUndefined();
  const ends: Partial<AttemptFacts>[] = [
    { closing: { ...good.closing, final: "I was stopped." } },
    { closing: failed },
    { end: { how: "exited", code: 130 } },
    { end: { how: "killed", signal: "SIGKILL" } },
  ];
  for (const end of ends) {
    const judged = judge({ ...good, stopped, ...end });
    expect(judged).toMatchObject({ outcome: "failed", reason: "budget", stoppedFor: "run" });
  }
});

test("a report handed over as a value counts before the text, if it is one", () => {
  const closing = { ...good.closing, summary: { task_id: "T2", status: "blocked" } };
  expect(judge({ ...good, closing })).toMatchObject({ report: { found: { task_id: "T2" } } });
  const wrong = { ...good.closing, summary: { task_id: "T2", status: "oops" } };
  expect(judge({ ...good, closing: wrong })).toMatchObject({ report: { found: { task_id: null } } });
  expect(judge({ ...good, closing: { ...wrong, final: "" } })).toHaveProperty("report.invalid");
});

test("the evidence is the telling line of stderr, in one line and without colours", () => {
  const stderr =
    "Reading prompt\n\u001b[31merror:\u001b[0m   unexpected argument '--x' found\n\nUsage: codex\n";
  const result = judge({
    ...good,
    end: { how: "exited", code: 2 },
    closing: endless,
    stderr,
    unknownEvents: 1,
  });
  expect(result).toMatchObject({
    reason: "exited",
    evidence: "exit code 2: error: unexpected argument '--x' found (1 line was not understood)",
  });
  const long = judge({
    ...good,
    closing: { ...failed, terminal: { ...failed.terminal, evidence: "a\nb ".repeat(999) } },
  });
  expect(long.outcome === "failed" && long.evidence.length).toBe(300);
});

test("what a client says on stderr gives the reason, of whatever kind the agent is", () => {
  const seen: AttemptFacts = {
    ...good,
    end: { how: "exited", code: 1 },
    closing: endless,
    stderr: "You've hit your limit · resets 7pm\nError: exit status 1\n",
  };
  expect(judge({ ...seen, client: { exitIsStatus: false } })).toMatchObject({
    reason: "rate-limited",
    retryAt: Date.parse("2026-11-20T18:00:00Z"),
    evidence: "exit code 1: You've hit your limit · resets 7pm",
  });
  expect(judge(seen)).toHaveProperty("reason", "rate-limited");
  const other = judge({ ...seen, stderr: "fetch failed\nError: exit status 1\n" });
  expect(other).toMatchObject({ reason: "exited", evidence: "exit code 1: Error: exit status 1" });
  expect(other).not.toHaveProperty("retryAt");
});

test("a wrapper that speaks another language than its client is told which kind it is", () => {
  const client = { exitIsStatus: false };
  const seen: AttemptFacts = { ...good, closing: endless, client, kind: "codex", unknownEvents: 1 };
  expect(judge(seen)).toMatchObject({
    reason: "incomplete",
    evidence:
      "exit code 0, but its output does not look like codex; use kind `command` (1 line was not understood)",
  });
  const begun = judge({ ...seen, closing: { ...endless, session: { id: "x" } } });
  expect(begun).toMatchObject({ evidence: expect.stringContaining("stops before the end") as string });
});

test("a status as the last word on stderr is why the agent failed", () => {
  const end = { how: "exited", code: 1 } as const;
  const stderr = "Error: 429 Too Many Requests, retry after 90 seconds\n";
  const client = { exitIsStatus: false };
  const seen: AttemptFacts = { ...good, end, closing: endless, stderr };
  expect(judge({ ...seen, client })).toMatchObject({ reason: "rate-limited", retryAt: NOW + 90_000 });
  expect(judge(seen)).toHaveProperty("reason", "rate-limited");
  const zero = { how: "exited", code: 0 } as const;
  expect(judge({ ...seen, client, end: zero })).toHaveProperty("reason", "rate-limited");
  expect(judge({ ...seen, client, end: zero, stderr: "" })).toHaveProperty("reason", "incomplete");
});

test("what the stream says of a limit's end is told, where the limit is why it ended", () => {
  const ended = (reason: "rate-limited" | "turns", evidence: string): ReturnType<typeof judge> =>
    judge({ ...good, closing: { ...endless, terminal: { good: false, reason, evidence } } });
  expect(ended("rate-limited", "Rate limit reached for x. Please try again in 35.883s.")).toMatchObject({
    retryAt: NOW + 35_883,
  });
  expect(ended("rate-limited", "Rate limit exceeded")).not.toHaveProperty("retryAt");
  expect(ended("turns", "Rate limit exceeded, try again in 5s")).not.toHaveProperty("retryAt");
});

test("of a limit in anybody's own words, once it is said to be one, the time is read", () => {
  const until = (evidence: string, reason: "rate-limited" | "network" | "turns" = "rate-limited") => {
    const judged = judge({ ...good, closing: { ...endless, terminal: { good: false, reason, evidence } } });
    const retryAt = judged.outcome === "failed" ? judged.retryAt : undefined;
    return retryAt === undefined ? undefined : (retryAt - NOW) / 1000;
  };
  expect(until("limit hit, resets in 3 seconds")).toBe(3);
  expect(until("429: slow down, resets at 23:59")).toBe(12 * 3600 + 59 * 60);
  expect(until("the cable is out, back in 5 minutes", "network")).toBe(300);
  expect(until("limit hit, resets in 3 seconds", "turns")).toBeUndefined();
  expect(until("limit hit")).toBeUndefined();
});

test("why a program failed, by its own word, counts where its exit code says that it did", () => {
  const complaint = { reason: "rate-limited", evidence: "slow down, try again in 60s" } as const;
  const closing = { ...good.closing, complaint };
  const end = { how: "exited", code: 1 } as const;
  expect(judge({ ...good, closing, end, stderr: "noise\n" })).toMatchObject({
    ...{ reason: "rate-limited", retryAt: NOW + 60_000 },
    evidence: "exit code 1: slow down, try again in 60s",
  });
  expect(judge({ ...good, closing })).toHaveProperty("outcome", "ok");
  expect(judge({ ...good, closing, end: { how: "exited", code: 143 } })).toHaveProperty("reason", "killed");
  const stopped = { why: "interrupted" } as const;
  expect(judge({ ...good, closing, end, stopped })).toHaveProperty("reason", "interrupted");
  const unexplained = { ...complaint, reason: "exited" } as const;
  const judged = judge({ ...good, closing: { ...closing, complaint: unexplained }, end });
  expect(judged).toMatchObject({ reason: "exited", evidence: "exit code 1: slow down, try again in 60s" });
  expect(judged).not.toHaveProperty("retryAt");
});

const WAITING =
  "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.";

test("who was silent because it waited for its provider was not idle", () => {
  const seen: AttemptFacts = {
    ...good,
    end: { how: "killed", signal: "SIGTERM" },
    stopped: { why: "idle", afterMs: 600_000, mute: true },
    closing: endless,
    stderr: `Loading\n${WAITING}. Retrying after 33453708ms...\nbye\n`,
    stderrLast: true,
    client: { exitIsStatus: false },
  };
  const told = judge(seen);
  expect(told).toMatchObject({ reason: "rate-limited", retryAt: NOW + 31_447_000 });
  expect(told.outcome === "failed" && told.evidence).toBe(
    `${WAITING}. Retrying after 33453708ms...: it only waited, printed nothing for 10 min (agents.ours.idle_timeout)`,
  );
  expect(judge({ ...seen, stopped: { why: "timed-out", afterMs: 1 } })).toHaveProperty(
    "reason",
    "rate-limited",
  );
  // It continued since, or the words may be any program's, or the reason does not pass, or Looper stopped it for another reason.
  expect(judge({ ...seen, stderrLast: false })).toHaveProperty("reason", "idle");
  const { client: _client, ...anybodys } = seen;
  expect(judge(anybodys)).toHaveProperty("reason", "idle");
  expect(judge({ ...seen, stderr: "Not logged in\n" })).toHaveProperty("reason", "idle");
  expect(judge({ ...seen, stopped: { why: "interrupted" } })).toHaveProperty("reason", "interrupted");
});

test("a line that only says that it waits tells what for", () => {
  const waiting = { codes: ["rate_limit"], status: 429, retryDelayMs: 3_600_000 };
  const seen: AttemptFacts = {
    ...good,
    stopped: { why: "idle", afterMs: 600_000, mute: true },
    closing: endless,
    waiting,
  };
  expect(judge(seen)).toMatchObject({ reason: "rate-limited", retryAt: NOW + 3_600_000 });
  expect(judge({ ...seen, waiting: { status: 401 } })).toHaveProperty("reason", "idle");
});

test("facts of the stream give the time, and the exit code what the stream left open", () => {
  const end = { how: "exited", code: 173 } as const;
  const ended = (reason: "exited" | "turns" | "rate-limited", resetsAt?: number): ReturnType<typeof judge> =>
    judge({
      ...good,
      end,
      client: { exitIsStatus: true },
      closing: {
        ...endless,
        terminal: {
          ...{ good: false, reason, evidence: "it failed" },
          facts: resetsAt === undefined ? { text: "it failed" } : { status: 429, resetsAt },
        },
      },
    });
  expect(ended("rate-limited", NOW / 1000 + 60)).toMatchObject({
    reason: "rate-limited",
    retryAt: NOW + 60_000,
  });
  expect(ended("exited")).toMatchObject({ reason: "rate-limited", evidence: "it failed" });
  expect(ended("turns")).toMatchObject({ reason: "turns" });
  expect(judge({ ...good, end, closing: endless, client: { exitIsStatus: true } })).toMatchObject({
    reason: "rate-limited",
    evidence: "exit code 173: HTTP 429",
  });
  expect(judge({ ...good, end, closing: endless, client: { exitIsStatus: false } })).toHaveProperty(
    "reason",
    "exited",
  );
});

test("a report of more than 1 MiB is told by its size", () => {
  const report = (summary: string): string => JSON.stringify({ task_id: null, status: "done", summary });
  const reported = (final: string): unknown => judge({ ...good, closing: { ...good.closing, final } });
  expect(reported(report("x".repeat(1_100_000)))).toMatchObject({
    outcome: "ok",
    report: { missing: expect.stringContaining("in the last 1 MiB of the final message") as string },
  });
  expect(reported("x".repeat(1_100_000) + report("short"))).toMatchObject({
    report: { found: { summary: "short" } },
  });
  expect(reported("nothing")).toMatchObject({
    report: { missing: 'no JSON object with a status: the least report is {"status": "done"}' },
  });
});
