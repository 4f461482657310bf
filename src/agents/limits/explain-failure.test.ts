import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FailureReason } from "../agent.js";
import type { FailureFacts } from "./limit-facts.js";
import { explainFailure } from "./explain-failure.js";

interface Case {
  from: string;
  fault?: string;
  facts: FailureFacts;
  reason: FailureReason;
  retryAt?: string;
}

function fixture(name: string): unknown {
  return JSON.parse(
    readFileSync(new URL(`../testing/testdata/limits/${name}.json`, import.meta.url), "utf8"),
  );
}

/** recorded: what the real clients said of each fault; messages: what they say besides, as field and sources have it. */
const corpora = (["recorded", "messages"] as const).map((name) => {
  const { now, zone, cases } = fixture(name) as { now: string; zone: string; cases: Case[] };
  return { name, clock: { now: Date.parse(now), zone }, cases };
});
const NOW = Date.parse("2026-11-20T10:00:00Z");
const CLOCK = { now: NOW, zone: "Europe/Berlin" };

for (const { name, clock, cases } of corpora) {
  test.each(cases.map((one) => [one.from, one.fault ?? "", one] as const))(
    `${name}: %s %s %j`,
    (...[, , one]) => {
      const told = explainFailure(one.facts, clock);
      expect(told?.reason).toBe(one.reason);
      expect(told?.retryAt === undefined ? undefined : new Date(told.retryAt).toISOString()).toBe(
        one.retryAt,
      );
      expect(told?.evidence).not.toBe("");
    },
  );
}

interface LastWords {
  from: string;
  text: string;
  reason: FailureReason;
  afterSeconds?: number;
}

/** last-words: what programs of any kind ended with, each with its source; unseen: more of it, written before it was tried. */
const lastWords = (["last-words", "unseen"] as const).flatMap(
  (name) => (fixture(name) as { cases: LastWords[] }).cases,
);

test.each(lastWords.flatMap((one) => (["stderr", "stdout"] as const).map((where) => [where, one] as const)))(
  "as the last words on %s: %j",
  (where, { text, reason, afterSeconds }) => {
    const output = `Loading the settings\nI'll look at the tests first.\n${text}\n`;
    const facts = where === "stderr" ? { stderr: output } : { stderr: "", printed: output };
    const told = explainFailure({ ...facts, isLastWord: true }, CLOCK);
    expect(told?.reason).toBe(reason);
    if (afterSeconds !== undefined) expect(told?.retryAt).toBe(NOW + Math.ceil(afterSeconds * 1000));
  },
);

interface Harmless {
  from: string;
  text: string;
}

/** Output of tests, tools, files and models about limits and networks, each with its source. */
const harmless = [
  ...(fixture("harmless") as { lines: Harmless[] }).lines,
  ...(fixture("unseen") as { harmless: Harmless[] }).harmless,
];

test("the corpora of last words hold at least sixty each", () => {
  expect(lastWords.length).toBeGreaterThanOrEqual(60);
  expect(harmless.length).toBeGreaterThanOrEqual(60);
});

test.each(harmless.flatMap((one) => ["as the last words", "in the middle"].map((at) => [at, one] as const)))(
  "no alarm, %s: %j",
  (at, { text }) => {
    const rest = at === "in the middle" ? "Error: 1 of 12 checks failed\n" : "";
    const output = `Loading the settings\n${text}\n${rest}`;
    for (const facts of [{ stderr: output }, { stderr: "", printed: output }])
      expect(explainFailure({ ...facts, isLastWord: true }, CLOCK)).toBeUndefined();
  },
);

test("of a client's log what it quotes is shown", () => {
  const stderr = String.raw`timestamp=2026-11-21T14:46:29.657Z level=ERROR run=1 error.error="AI_APICallError: Rate limit reached for \"m\"" x=1`;
  const told = explainFailure({ stderr }, CLOCK);
  expect(told).toEqual({ reason: "rate-limited", evidence: 'AI_APICallError: Rate limit reached for "m"' });
});

test("the corpus holds each reason a client can give, and limits with and without their time", () => {
  const all = corpora.flatMap(({ cases }) => cases);
  expect(new Set(all.map(({ reason }) => reason))).toEqual(
    new Set([
      ...[
        "rate-limited",
        "overloaded",
        "network",
        "not-signed-in",
        "model-unknown",
        "context-full",
        "no-credit",
      ],
      ...["bad-request", "incomplete", "turns", "budget", "no-summary"],
    ]),
  );
  const limits = all.filter(({ reason }) => reason === "rate-limited");
  expect(limits.filter(({ retryAt }) => retryAt !== undefined).length).toBeGreaterThan(40);
  expect(limits.filter(({ retryAt }) => retryAt === undefined).length).toBeGreaterThan(20);
});

const PROSE = fixture("prose") as Record<string, string[]>;
const QUOTED = "quoted on stderr";
const prose = Object.entries(PROSE).flatMap(([kind, lines]) => lines.map((line) => [kind, line] as const));

test("there is enough that only talks about limits", () => {
  expect(prose.length).toBeGreaterThanOrEqual(80);
});

test.each(prose)("no alarm, %s: %s", (kind, line) => {
  const asked: FailureFacts[] = [
    { stderr: line },
    { stderr: `${line}\nError: exit status 1\n`, exitStatus: 1, isLastWord: true },
    { stderr: `\u001b[31mError:\u001b[0m ${line}`.replace("Error:", kind === QUOTED ? "" : "Error:") },
  ];
  // Words attributed to a client may not be a quotation.
  if (kind !== QUOTED)
    asked.push(
      { text: line },
      { stderr: line, isLastWord: true },
      { text: `Done.\n${line}`, codes: ["error_during_execution", "unknown"] },
    );
  for (const facts of asked) expect(explainFailure(facts, CLOCK)).toBeUndefined();
});

test.each<[string, FailureReason, number?]>([
  ["429 Too Many Requests", "rate-limited"],
  ["429 Too Many Requests.", "rate-limited"],
  ["\u001b[31mError: 429 Too Many Requests, retry after 90 seconds\u001b[0m", "rate-limited", 90],
  ["429 Too Many Requests; try again in 2 minutes", "rate-limited", 120],
  ["Error: HTTP 429 - slow down, resets in 5 s", "rate-limited", 5],
  ["Loaded the settings\nError: 503 Service Unavailable\n    at ask (client.js:7:1)\n}\n", "overloaded"],
  ["401 Unauthorized", "not-signed-in"],
  ["Error 503 Service Unavailable", "overloaded"],
  ["Error 429 Too Many Requests", "rate-limited"],
  ["Error 500 Internal Server Error", "overloaded"],
  ["Error 529 overloaded", "overloaded"],
  ["error 529 Overloaded.", "overloaded"],
  ["status code 503", "overloaded"],
  ["HTTP status code: 429", "rate-limited"],
  ["Error: status code 503", "overloaded"],
])("of a client that failed without a word but its last on stderr: %j", (stderr, reason, seconds) => {
  const told = explainFailure({ stderr, isLastWord: true }, CLOCK);
  expect(told?.reason).toBe(reason);
  expect(told?.retryAt).toBe(seconds === undefined ? undefined : NOW + seconds * 1000);
  // A line that is followed by more work is not the last word, and neither is a quotation.
  for (const facts of [{ stderr }, { stderr: `${stderr}\nError: exit status 1\n`, isLastWord: true }])
    expect(explainFailure(facts, CLOCK)).toBeUndefined();
});

test.each([
  "Error: HTTP 429: the code now waits, and I've added a test for it",
  "Error 503 Service Unavailable is handled now",
  "Error 429",
  "Error 404 Not Found pages are styled",
  "AssertionError: expected status code 503",
  "status code 503 is returned by the health check",
  "status code 200",
])("a last word that only mentions a status is not a reason: %s", (said) => {
  for (const facts of [{ stderr: said }, { stderr: "", printed: said }])
    expect(explainFailure({ ...facts, isLastWord: true }, CLOCK)).toBeUndefined();
});

test.each<[string, FailureFacts, FailureReason]>([
  ["a code over a status", { codes: ["prompt_too_long"], status: 429 }, "context-full"],
  ["a status over the words", { status: 401, text: "Rate limit exceeded" }, "not-signed-in"],
  ["words that say more than a status", { status: 500, text: "Prompt is too long" }, "context-full"],
  ["words that say less than a status", { status: 500, text: "fetch failed" }, "overloaded"],
  ["the answer's status over the exit code's", { status: 503, exitStatus: 173 }, "overloaded"],
  [
    "the client's words over stderr",
    { text: "Prompt is too long", stderr: "You've hit your limit" },
    "context-full",
  ],
  ["the words over a weak code", { codes: ["server_error"], text: "fetch failed" }, "network"],
  ["a weak code where nothing else tells", { codes: ["server_error"], text: "sorry" }, "overloaded"],
  ["no answer at all", { isRetryable: true }, "network"],
  [
    "the last line of stderr that tells",
    { stderr: "Not logged in\nYou've hit your limit\nbye" },
    "rate-limited",
  ],
  [
    "the first line of its words that tells",
    { text: "Not logged in\nYou've hit your limit" },
    "not-signed-in",
  ],
])("%s", (_what, facts, reason) => {
  expect(explainFailure(facts, CLOCK)?.reason).toBe(reason);
});

test("a limit's end is what the server counts, then its delays, then the words, then the client's own long delay", () => {
  const text = "You've hit your limit · resets 7pm (UTC)";
  const body = JSON.stringify({
    error: { type: "usage_limit_reached", message: "x", resets_in_seconds: 60 },
  });
  const headers = { "Retry-After": "120" };
  const after = (facts: FailureFacts): number | undefined => {
    const at = explainFailure({ status: 429, ...facts }, CLOCK)?.retryAt;
    return at === undefined ? undefined : (at - NOW) / 1000;
  };
  expect(after({ resetsAt: NOW / 1000 + 30, headers, body, text })).toBe(30);
  expect(after({ resetsAt: NOW + 30_000, headers, body, text })).toBe(30);
  expect(after({ headers, body, text })).toBe(120);
  expect(after({ body, text })).toBe(60);
  expect(after({ text, retryDelayMs: 60_000 })).toBe(9 * 3600);
  expect(after({ retryDelayMs: 60_000 })).toBe(60);
  // Its own pace between two tries.
  expect(after({ retryDelayMs: 546 })).toBeUndefined();
  // A time that makes no sense is ignored.
  expect(after({ body: body.replace("60", "-60"), text })).toBe(9 * 3600);
  expect(after({ resetsAt: 17, headers: { "retry-after": "soon" }, text })).toBe(9 * 3600);
  expect(
    after({ resetsAt: NOW / 1000 + 9 * 86_400, headers: { "retry-after": "-5" }, retryDelayMs: -1 }),
  ).toBeUndefined();
});

test("only what time mends has a time", () => {
  const headers = { "retry-after": "60" };
  expect(explainFailure({ status: 503, headers }, CLOCK)?.retryAt).toBe(NOW + 60_000);
  expect(explainFailure({ status: 401, headers }, CLOCK)).toEqual({
    reason: "not-signed-in",
    evidence: "HTTP 401",
  });
});

test.each<[FailureFacts, string]>([
  [{ status: 429 }, "HTTP 429"],
  [{ exitStatus: 173 }, "HTTP 429"],
  [{ status: 429, text: "slow down" }, "HTTP 429: slow down"],
  [{ status: 429, text: "API Error: 429 slow down" }, "API Error: 429 slow down"],
  [{ codes: ["max_turns"] }, "max_turns"],
  [{ isRetryable: true }, "it got no answer"],
  [{ text: '[API Error: {"error":{"code":400,"message":"no such tool"}}]' }, "HTTP 400: no such tool"],
  [
    { body: JSON.stringify({ error: { code: 429, message: '{"error":{"code":503,"message":"inside"}}' } }) },
    "HTTP 503: inside",
  ],
  [{ stderr: "noise\nNot logged in · Please run /login\nmore noise" }, "Not logged in · Please run /login"],
  [{ text: "\u001b[31mNot logged in\u001b[0m" }, "Not logged in"],
])("the evidence of %j is %s", (facts, evidence) => {
  expect(explainFailure(facts, CLOCK)?.evidence).toBe(evidence);
});

test("an exit code below 144 is not read as an HTTP status: neither signals nor small numbers", () => {
  const told = Array.from({ length: 256 }, (_, code) => [
    code,
    explainFailure({ exitStatus: code }, CLOCK)?.reason,
  ]);
  expect(told.filter(([, reason]) => reason !== undefined)).toEqual([
    [144, "bad-request"],
    [145, "not-signed-in"],
    [147, "not-signed-in"],
    [148, "model-unknown"],
    [152, "network"],
    [157, "context-full"],
    [173, "rate-limited"],
    [243, "network"],
    [244, "overloaded"],
    [246, "overloaded"],
    [247, "overloaded"],
    [248, "overloaded"],
  ]);
});

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.constantFrom(...corpora.flatMap(({ cases }) => cases.flatMap(({ facts }) => facts.text ?? []))),
  fc.json({ maxDepth: 3 }),
);

test("whatever a client says: no error, and no time in the past or more than 8 days off", () => {
  const facts = fc.record(
    {
      status: fc.oneof(fc.constantFrom(429, 503, 200, 0), fc.double()),
      exitStatus: fc.integer(),
      codes: fc.array(fc.string(), { maxLength: 2 }),
      headers: fc.dictionary(
        fc.constantFrom("retry-after", "Retry-After-Ms", "x-ratelimit-reset"),
        fc.string(),
      ),
      body: fc.oneof(fc.json(), text),
      resetsAt: fc.double(),
      retryDelayMs: fc.double(),
      text,
      stderr: text,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(facts, fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2030, 0) }), (told, now) => {
      const { retryAt, evidence } = explainFailure(told, { now, zone: "America/New_York" }) ?? {
        evidence: "",
      };
      expect(evidence).toBeTypeOf("string");
      if (retryAt === undefined) return;
      expect(retryAt).toBeGreaterThanOrEqual(now);
      expect(retryAt).toBeLessThanOrEqual(now + 8 * 86_400_000);
    }),
    { numRuns: 500 },
  );
});

test("long and nasty texts are read to the end: what looks back over them comes to none within the time of a test", () => {
  const nasty = [
    "You've hit your ".repeat(200_000),
    "[API Error: ".repeat(200_000),
    `[API Error: ${'{"error":'.repeat(200_000)}`,
    "resets in 1 day, ".repeat(200_000),
    `Rate limit reached for ${"x ".repeat(500_000)}`,
    "\n".repeat(1_000_000),
    `${" ".repeat(1_000_000)}x`,
    "| ".repeat(1_000_000),
    "Error: Error: 429 ".repeat(200_000),
    "rate limit ".repeat(200_000),
  ];
  for (const long of nasty) {
    const explained = explainFailure({ status: 429, text: long, stderr: long, body: long }, CLOCK);
    expect(explained).toMatchObject({ reason: "rate-limited" });
  }
});
