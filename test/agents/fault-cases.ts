// Faults of providers: each fault the model server knows, and the outcome the attempt must have.
import type { Fault, Problem } from "../model-server/scenario.js";
import { AGENT_NAMES, type AgentName } from "./clis.js";
import { DONE, inHand, madeAll, MAKE, unless, type Case, type Scene } from "./case.js";

/** A full minute, since that is all codex tells of a time: at least so many minutes from now, in seconds since 1970. */
function inMinutes(minutes: number): number {
  return (Math.floor(Date.now() / 60_000) + minutes + 1) * 60;
}

/** A wait that would be needed ends the run. */
const NO_WAIT = { loop: { max_wait: "1s" } };

/** Of clients that would wait for ever; opencode takes its time to begin. */
function short(agent: AgentName): { timeout: string } {
  return { timeout: agent.startsWith("opencode") ? "30s" : "15s" };
}

/** They do not pass on when a limit ends. */
const KEEPS_RESET: ReadonlySet<AgentName> = new Set([
  "claude",
  "gemini",
  "gemini-acp",
  "opencode",
  "opencode-acp",
]);

/** opencode asks again for ever; over ACP it tells nothing of it, and its log neither. */
const SILENT_OVER_ACP = { "opencode-acp": "blocked: timed-out" } as const;
/** gemini asks again for minutes; over ACP it tells nothing of it until it gives up. */
const ASKS_IN_SILENCE = { "gemini-acp": "blocked: timed-out" } as const;
/** Gemini gives an error without an HTTP status the code 500 over ACP. */
const NO_STATUS = { "gemini-acp": "waiting: overloaded" } as const;

/** For each of these. */
function ofEach(names: readonly AgentName[], wanted: string): NonNullable<Case["wantedOf"]> {
  return Object.fromEntries(names.map((name) => [name, wanted]));
}

function always(name: string, about: string, how: Fault, wanted: string): Case {
  return {
    name,
    about,
    scenario: { sessions: [[{ do: "fail", how, times: "always" }]] },
    settings: NO_WAIT,
    wanted,
  };
}

function once(name: string, about: string, how: Fault): Case {
  return {
    name,
    about,
    scenario: { sessions: [[{ do: "fail", how }, DONE]] },
    settings: NO_WAIT,
    wanted: "complete",
  };
}

function refused(
  problem: Problem,
  more: { retryAfterSeconds?: number; resetsAtSeconds?: number } = {},
): Fault {
  return { fault: "refused", problem, ...more };
}

const summary = '{"task_id": null, "status": "done", "summary": "said in a stream with a broken frame"}';

function untilNextMinute(): Fault {
  return refused("quota", { resetsAtSeconds: inMinutes(0) });
}

const IN_FIVE_HOURS = inMinutes(300);

/** Until when the run was to wait, in seconds since 1970. */
function untils({ rig }: Scene): number[] {
  return rig.events().flatMap(({ until }) => (typeof until === "string" ? [Date.parse(until) / 1000] : []));
}

/** A second more is there to be sure that it is over. */
function isJust(until: number, told: number): boolean {
  return until >= told && until <= told + 1;
}

/** The second start of the agent came when the wait was over, not before and at most 2 s after it. */
function wentOnInTime(scene: Scene): string[] {
  const events = scene.rig.events();
  const starts = events.filter(({ type }) => type === "agent_started");
  const [until = 0] = untils(scene);
  const late = Date.parse(starts[1]?.timestamp ?? "") / 1000 - until;
  return [
    ...unless(
      KEEPS_RESET.has(scene.agent) || isJust(until, Math.floor(until / 60) * 60),
      `until ${until}, which is not a full minute`,
    ),
    ...unless(starts.length === 2, `${starts.length} starts`),
    ...unless(late >= 0 && late <= 2, `continued ${late.toFixed(1)} s after ${until}`),
    ...unless(
      starts.every(({ attempt }) => attempt === 1),
      "the wait was counted as an attempt",
    ),
  ];
}

export const FAULT_CASES: readonly Case[] = [
  {
    ...always(
      "400",
      "Every request is refused as a bad one.",
      refused("bad-request"),
      "blocked: bad-request",
    ),
    // It tells neither the status nor the kind.
    wantedOf: { "opencode-acp": "blocked: exited" },
  },
  always("401", "The key is not accepted.", refused("unauthorized"), "environment: not-signed-in"),
  always(
    "unknown-model",
    "404: the model does not exist.",
    refused("model-unknown"),
    "blocked: model-unknown",
  ),
  {
    ...always(
      "context-overflow",
      "400: the prompt is longer than the model's context; opencode makes a summary and asks again without end.",
      refused("context-full"),
      "blocked: context-full",
    ),
    wantedOf: SILENT_OVER_ACP,
  },
  once(
    "429-once",
    "One 429 that says when to ask again; the client does.",
    refused("rate-limit", { retryAfterSeconds: 1 }),
  ),
  {
    ...always("429", "429 without a time.", refused("rate-limit"), "waiting: rate-limited"),
    wantedOf: ASKS_IN_SILENCE,
  },
  {
    ...always(
      "429-long",
      "429 with `retry-after: 3600`, which codex obeys; codex and claude do not pass it on.",
      refused("rate-limit", { retryAfterSeconds: 3600 }),
      "waiting: rate-limited",
    ),
    agent: short,
  },
  {
    ...always(
      "429-reset",
      "The plan's limit is reached, with the time of its reset, which not each client passes on.",
      refused("quota", { resetsAtSeconds: IN_FIVE_HOURS }),
      "waiting: rate-limited",
    ),
    check: (scene) => [
      ...inHand(scene),
      ...unless(
        KEEPS_RESET.has(scene.agent) || untils(scene).some((until) => isJust(until, IN_FIVE_HOURS)),
        `until ${untils(scene).join()} instead of ${IN_FIVE_HOURS}`,
      ),
    ],
  },
  {
    name: "429-waited",
    about:
      "The same, until the next full minute: the run waits for it (where it is not told, its first minute), and continues the same attempt.",
    // Claude asks again by itself before it gives up.
    scenario: (agent) => ({
      sessions: [[{ do: "fail", how: untilNextMinute(), times: agent === "claude" ? 3 : 1 }, MAKE, DONE]],
    }),
    check: (scene) => [...madeAll(scene, ["T1"]), ...wentOnInTime(scene)],
    // Opencode asks again by itself.
    only: AGENT_NAMES.filter((name) => !name.startsWith("opencode")),
    wanted: "complete: rate-limited",
  },
  once("500-once", "One 500; the client asks again.", refused("server")),
  {
    ...always("500", "500 on every request.", refused("server"), "waiting: overloaded"),
    wantedOf: ASKS_IN_SILENCE,
  },
  {
    ...always("529", "529 (overloaded) on every request.", refused("overloaded"), "waiting: overloaded"),
    wantedOf: ASKS_IN_SILENCE,
  },
  {
    ...always(
      "overloaded-mid-stream",
      "The stream begins, then reports an overload, which gemini does not read.",
      { fault: "mid-stream", how: "overloaded" },
      "waiting: overloaded",
    ),
    // Over ACP it ends its turn as if well, in the middle of a sentence.
    wantedOf: { gemini: "waiting: network", "gemini-acp": "blocked: no-summary" },
  },
  {
    ...once(
      "disconnect-once",
      "The connection is lost in the middle of a stream, once; gemini asks no second time.",
      { fault: "mid-stream", how: "disconnects" },
    ),
    wantedOf: { gemini: "waiting: network", ...NO_STATUS },
  },
  {
    ...always(
      "disconnect",
      "The connection is lost in the middle of every stream.",
      { fault: "mid-stream", how: "disconnects" },
      "waiting: network",
    ),
    wantedOf: NO_STATUS,
  },
  {
    ...always(
      "cut-off",
      "Every stream ends before its last event.",
      { fault: "mid-stream", how: "ends" },
      "waiting: network",
    ),
    wantedOf: { ...SILENT_OVER_ACP, "gemini-acp": "blocked: no-summary" },
  },
  {
    ...always(
      "malformed",
      "A frame of the stream is not JSON; codex skips it, and the rest holds the summary.",
      { fault: "mid-stream", how: "malformed", text: summary },
      "waiting: network",
    ),
    wantedOf: { codex: "complete", ...NO_STATUS },
  },
  {
    ...always("html", "200, and a web page.", { fault: "html" }, "waiting: network"),
    wantedOf: { ...SILENT_OVER_ACP, ...NO_STATUS },
  },
  {
    ...always(
      "no-headers",
      "No answer ever; looper's own time limit.",
      { fault: "no-headers" },
      "blocked: timed-out",
    ),
    agent: short,
  },
  {
    ...always(
      "stall",
      "The stream stops in the middle and stays open.",
      { fault: "mid-stream", how: "stalls" },
      "blocked: timed-out",
    ),
    wantedOf: { codex: "waiting: network" },
    agent: (agent) => (agent === "codex" ? { timeout: "60s" } : short(agent)),
  },
  {
    name: "refused",
    about: "No server listens at the address; codex would wait forever.",
    settings: NO_WAIT,
    agent: short,
    wanted: "waiting: network",
    // It tries for ever, and does not say so.
    wantedOf: ofEach(["gemini", "gemini-acp"], "blocked: timed-out"),
  },
];
