// How an agent's work ended, from everything that was seen of it. Pure.
// Leaves what that means for the task (an attempt, a wait, an end) to the loop.
import { given } from "../../system/given.js";
import type { ProcessEnd } from "../../system/ports.js";
import { stripControlSequences } from "../../system/text/control-sequences.js";
import { shorten } from "../../system/text/cut.js";
import type { AgentResult, FailureReason } from "../agent.js";
import { keepEnd } from "./bounds.js";
import { extractReport, judgeReport } from "../extract.js";
import type { FailureFacts } from "../limits/limit-facts.js";
import { explainFailure, MENDED_BY_TIME, readRetryAt, type Explanation } from "../limits/explain-failure.js";
import type { Closing, Complaint } from "../limits/reader.js";
import type { ZonedClock } from "../limits/reset/reset-zone.js";
import { describeStop, type Stopped } from "./stopped.js";

export interface AttemptFacts {
  /** The agent's name in the settings. */
  name: string;
  end: ProcessEnd;
  stopped?: Stopped;
  closing: Closing;
  /** The last part of stderr. */
  stderr: string;
  /** Lines of a kind this version does not know. */
  unknownEvents: number;
  /** The last it wrote of itself, it wrote to stderr. */
  stderrLast: boolean;
  /** The last line only said that it waits, and what for. */
  waiting?: FailureFacts;
  /** The client it is called as. */
  kind?: string;
  /** The outcomes that its stage can have, in a workflow. */
  outcomes?: readonly string[];
  /** It neither said nor did anything, and used no token. */
  began?: false;
  /** Its client is known. `exitIsStatus`: it exits with the HTTP status modulo 256. */
  client?: { exitIsStatus: boolean };
}

/**
 * The first that holds: not started; our timeout; our stop, or an end by signal (143 and 130 too); the stream says it
 * failed; an exit code other than 0; the stream says it went well. Else it is incomplete: an exit code of 0 proves nothing.
 */
export function judgeExit(seen: AttemptFacts, clock: ZonedClock): AgentResult {
  const failure = findFailure(seen, clock);
  const facts = {
    ...(seen.end.how === "exited" ? { exitCode: seen.end.code } : {}),
    ...(seen.end.how === "killed" ? { signal: seen.end.signal } : {}),
    lastMessage: keepEnd(seen.closing.final),
    unknownEvents: seen.unknownEvents,
    ...(failure?.reason === "budget" && seen.stopped?.why === "budget"
      ? { stoppedFor: seen.stopped.budget.of }
      : {}),
    ...given({ session: seen.closing.session, waitingCall: seen.closing.waitingCall }),
  };
  if (failure !== undefined) {
    const evidence = failure.reason === "no-credit" ? `no credit: ${failure.evidence}` : failure.evidence;
    return { ...facts, outcome: "failed", ...failure, evidence: oneLine(evidence) };
  }
  return { ...facts, outcome: "ok", report: reportOf(seen, facts.lastMessage) };
}

function findFailure(seen: AttemptFacts, clock: ZonedClock): Explanation | undefined {
  const { end, closing } = seen;
  if (end.how === "not-found") return { reason: "not-found", evidence: end.message };
  if (seen.stopped?.why === "stayed" && closing.terminal !== undefined)
    return closing.terminal.good ? undefined : describeTerminal(seen, closing.terminal, clock);
  if (seen.stopped !== undefined) {
    return endedAnyway(seen) ? undefined : describeStopped(seen, seen.stopped, clock);
  }
  if (end.how === "killed") return { reason: "killed", evidence: `ended by ${end.signal}, not by looper` };
  if (end.code === 143 || end.code === 130) {
    const signal = end.code === 143 ? "SIGTERM" : "SIGINT";
    return { reason: "killed", evidence: `exit code ${end.code}: ended by ${signal}, not by looper` };
  }
  if (closing.terminal?.good === false) {
    return describeTerminal(seen, closing.terminal, clock);
  }
  if (end.code !== 0 && closing.complaint !== undefined) {
    return describeComplaint(closing.complaint, end.code, clock);
  }
  if (end.code !== 0) return describeExit(seen, end.code, clock);
  if (closing.terminal?.good === true) return explainSilence(seen, clock);
  const told = explainFailure(lastWordsOf(seen), clock);
  if (told !== undefined) return told;
  return { reason: "incomplete", evidence: `exit code 0, but ${whatIsWrong(seen)}${notUnderstood(seen)}` };
}

/** A provider's limit in place of a report: many a wrapper ends with exit code 0 then. */
function explainSilence(seen: AttemptFacts, clock: ZonedClock): Explanation | undefined {
  const { final, waitingCall } = seen.closing;
  if (waitingCall !== undefined || !("missing" in reportOf(seen, final))) return undefined;
  const isShort = final.trim().split("\n").length <= MOST_LAST_LINES;
  const told = explainFailure({ ...lastWordsOf(seen), ...(isShort ? { printed: final } : {}) }, clock);
  return told !== undefined && OF_THE_PROVIDER.has(told.reason) ? told : undefined;
}

const MOST_LAST_LINES = 3;
/** Failures that no task has a part in. */
const OF_THE_PROVIDER: ReadonlySet<FailureReason> = new Set([
  ...MENDED_BY_TIME,
  "no-credit",
  "not-signed-in",
]);

/** A wrapper in place of a client prints what it likes: none of its lines is one of the client's. */
function whatIsWrong({ kind, closing, unknownEvents }: AttemptFacts): string {
  const isForeign =
    unknownEvents > 0 && closing.final === "" && closing.events.length === 0 && closing.session === undefined;
  return isForeign && kind !== undefined
    ? `its output does not look like ${kind}; use kind \`command\``
    : "its output stops before the end";
}

/** Whether an agent that was stopped still finished its work and reported it: before it went beyond its budget, or hung. */
function endedAnyway(seen: AttemptFacts): boolean {
  const { stopped, end, closing } = seen;
  const left = end.how === "exited" && end.code === 0;
  const isDone = stopped?.why === "idle" || (stopped?.why === "budget" && left);
  return isDone && closing.terminal?.good === true && "found" in reportOf(seen, closing.final);
}

type BadEnd = Extract<NonNullable<Closing["terminal"]>, { good: false }>;

/** The exit code may tell what the stream did not. */
function describeTerminal(seen: AttemptFacts, terminal: BadEnd, clock: ZonedClock): Explanation {
  const { reason, evidence, facts = { text: evidence } } = terminal;
  const told = reason === "exited" ? explainFailure({ ...facts, ...exitStatusOf(seen) }, clock) : undefined;
  if (told !== undefined) return { ...told, evidence };
  return { reason, evidence, ...untilOf(reason, facts, clock) };
}

/** Uses a program's own reason for its failure as it is, if the reason is known. */
function describeComplaint(complaint: Complaint, code: number, clock: ZonedClock): Explanation {
  const { reason, evidence, facts = { text: evidence } } = complaint;
  return { reason, evidence: `exit code ${code}: ${evidence}`, ...untilOf(reason, facts, clock) };
}

/** When a limit ends: the time may be in any program's words, not only in those of a known client. */
function untilOf(
  reason: FailureReason,
  facts: FailureFacts,
  clock: ZonedClock,
): Pick<Explanation, "retryAt"> {
  const retryAt = MENDED_BY_TIME.has(reason) ? readRetryAt(facts, clock) : undefined;
  return retryAt === undefined ? {} : { retryAt };
}

function exitStatusOf({ client, end }: AttemptFacts): { exitStatus?: number } {
  return client?.exitIsStatus === true && end.how === "exited" ? { exitStatus: end.code } : {};
}

/** Begins the evidence of a silent agent that had no token, message or tool call. */
export const NEVER_BEGAN = "it did not begin to work";

/** The failure of a stopped agent. An agent that was silent while waiting for its provider failed for the provider's reason. */
function describeStopped(seen: AttemptFacts, stopped: Stopped, clock: ZonedClock): Explanation {
  const told = describeStop(seen.name, stopped);
  // The stderr of an unknown client may tell of its work.
  const isSilent = seen.began === false && (seen.client !== undefined || seen.stderr === "");
  const isUnbegun = isSilent && stopped.why === "idle";
  const failure = isUnbegun ? { ...told, evidence: `${NEVER_BEGAN}: ${told.evidence}` } : told;
  if (!["idle", "timed-out", "in-vain"].includes(stopped.why)) return failure;
  // Only the very last line of an unknown client may be why it hangs.
  const said =
    seen.client === undefined ? lastLinesOf(seen, stopped) : seen.stderrLast ? { stderr: seen.stderr } : {};
  const waiting = explainFailure({ ...seen.waiting, ...said }, clock);
  if (waiting === undefined) return failure;
  if (stopped.why === "in-vain") return { ...waiting, evidence: `${waiting.evidence}: ${failure.evidence}` };
  if (!MENDED_BY_TIME.has(waiting.reason)) return failure;
  return { ...waiting, evidence: `${waiting.evidence}: it only waited, ${failure.evidence}` };
}

function lastLinesOf(seen: AttemptFacts, { why }: Stopped): FailureFacts {
  const { stderr = "", printed = "", ...facts } = lastWordsOf(seen);
  const last = (text: string): string => text.trimEnd().split("\n").at(-1) ?? "";
  return why === "idle" ? { ...facts, stderr: last(stderr), printed: last(printed) } : {};
}

function describeExit(seen: AttemptFacts, code: number, clock: ZonedClock): Explanation {
  const told = explainFailure(lastWordsOf(seen), clock);
  const said = told?.evidence ?? tellingLine(seen.stderr) ?? `${NO_WORD}${lastPrinted(lastWordsOf(seen))}`;
  return { reason: "exited", ...told, evidence: `exit code ${code}: ${said}${notUnderstood(seen)}` };
}

const NO_WORD = "with nothing on stderr";
/** Ends what an agent's failure is known by: the line behind it may be another at each task. */
export const ON_STDOUT = "; the last on stdout: ";

function lastPrinted({ printed = "" }: FailureFacts): string {
  const line = tellingLine(printed);
  return line === undefined ? "" : `${ON_STDOUT}${line}`;
}

/** The last words of the agent. A summary is its last word, even if more output follows. */
function lastWordsOf(seen: AttemptFacts): FailureFacts {
  const { printed, final } = seen.closing;
  const isText = printed !== undefined && !("found" in extractReport(final));
  return {
    stderr: seen.stderr,
    isLastWord: true,
    ...exitStatusOf(seen),
    ...(isText ? { printed } : {}),
    ...(seen.client === undefined ? { isOthers: true } : {}),
  };
}

function notUnderstood({ unknownEvents }: AttemptFacts): string {
  if (unknownEvents === 0) return "";
  return ` (${unknownEvents} ${unknownEvents === 1 ? "line was" : "lines were"} not understood)`;
}

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The line of stderr that most likely says what went wrong: the last that speaks of an error, else the last. */
function tellingLine(stderr: string): string | undefined {
  const lines = stripControlSequences(stderr)
    .replaceAll(CONTROL, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (
    lines.findLast((line) => /\b(error|fatal|failed|refus|cannot|denied|not )/i.test(line)) ?? lines.at(-1)
  );
}

function reportOf(
  { closing, outcomes }: Pick<AttemptFacts, "closing" | "outcomes">,
  lastMessage: string,
): Extract<AgentResult, { outcome: "ok" }>["report"] {
  const written = extractReport(lastMessage, outcomes);
  if (closing.summary !== undefined) {
    const handed = judgeReport(closing.summary, outcomes);
    return "found" in handed || !("found" in written) ? handed : written;
  }
  return "missing" in written && lastMessage !== closing.final ? { missing: CUT_OFF } : written;
}

const CUT_OFF =
  "no JSON object with a status in the last 1 MiB of the final message, which is longer; a long text belongs in a file";

/** One line of at most 300 characters. */
function oneLine(text: string): string {
  const line = stripControlSequences(text).replaceAll(CONTROL, "").replaceAll(/\s+/g, " ").trim();
  return shorten(line, 300);
}
