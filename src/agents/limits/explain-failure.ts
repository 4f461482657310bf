// Why did an agent fail, and until when must we wait? Structured facts first, then a client's own sentences. Pure.
// Only ever asked about a failure: an agent that writes about rate limits has not met one.
import { given } from "../../system/given.js";
import { stripControlSequences } from "../../system/text/control-sequences.js";
import type { FailureReason } from "../agent.js";
import { hasNoWords, lastWords } from "./last-words.js";
import { reasonOfCodes, reasonOfStatus, reasonOfWeakCodes, readExitStatus } from "./limit-codes.js";
import { isStatus, readErrorBody, readJson, readResetHeaders } from "./limit-facts.js";
import type { ErrorBody, FailureFacts } from "./limit-facts.js";
import { readLine, type LineFacts } from "./limit-lines.js";
import type { Speaker } from "./limit-words.js";
import type { Terminal } from "./reader.js";
import { boundReset, toEpochMs, readResetTime } from "./reset/reset-time.js";
import type { ZonedClock } from "./reset/reset-zone.js";

export interface Explanation {
  reason: FailureReason;
  /** Epoch ms from when it can be asked again, not before now: where it said so, and time mends it. */
  retryAt?: number;
  /** The evidence, in the original words. */
  evidence: string;
}

/** Why it failed, as far as its facts tell; `undefined` when they do not. */
export function explainFailure(facts: FailureFacts, clock: ZonedClock): Explanation | undefined {
  const seen = gather(facts);
  const reason = reasonOf(facts, seen);
  if (reason === undefined) return undefined;
  const retryAt = MENDED_BY_TIME.has(reason) ? retryAtOf(facts, seen, clock) : undefined;
  return { reason, evidence: describe(facts, seen), ...given({ retryAt }) };
}

/** Epoch ms from when it can be asked again, not before now, as far as the facts of its failure tell. */
export function readRetryAt(facts: FailureFacts, clock: ZonedClock): number | undefined {
  return retryAtOf(facts, gather(facts), clock);
}

/** The failed end of a stream, by its client's facts. The caller, who has a clock, adds when a limit ends. `evidence`: for people. */
export function endFailed(facts: FailureFacts, evidence: string): Extract<Terminal, { good: false }> {
  return { good: false, reason: reasonOf(facts, gather(facts)) ?? "exited", evidence, facts };
}

/** Reasons that are at the provider, and pass with time. */
export const MENDED_BY_TIME: ReadonlySet<FailureReason> = new Set(["rate-limited", "overloaded", "network"]);
/** A client's own pace tells nothing of the server; a longer delay the server asked for. */
const LEAST_DELAY_MS = 30_000;
const MOST_LINES = 20;
/** Lines at the end of a program's own text that may be a client's. */
const MOST_PRINTED = 5;
const MOST_TEXT = 16 * 1024;

interface Gathered {
  body: ErrorBody | undefined;
  status: number | undefined;
  text: LineFacts | undefined;
  stderr: LineFacts | undefined;
}

function gather(facts: FailureFacts): Gathered {
  const body = facts.body === undefined ? undefined : readErrorBody(readJson(facts.body));
  const exit = facts.exitStatus === undefined ? undefined : readExitStatus(facts.exitStatus);
  return {
    body,
    status: [facts.status, body?.status, exit].find(isStatus),
    text: readText(facts.text ?? "", "client") ?? readText(body?.message ?? "", "client"),
    stderr:
      (facts.isLastWord === true ? readLastWords(facts.stderr ?? "", "last") : undefined) ??
      readLastWords(facts.printed ?? "", "printed") ??
      readText(facts.stderr ?? "", facts.isOthers === true ? "passing" : "anybody") ??
      readText(lastLines(facts.printed ?? ""), "passing"),
  };
}

/** Nothing that is only a sentence outweighs a code or a status. */
function reasonOf(facts: FailureFacts, { body, status, text, stderr }: Gathered): FailureReason | undefined {
  const codes = [...(facts.codes ?? []), ...(body?.codes ?? [])];
  return (
    reasonOfCodes(codes, text?.reason) ??
    (status === undefined ? undefined : reasonOfStatus(status, text?.reason)) ??
    text?.reason ??
    stderr?.reason ??
    reasonOfWeakCodes(codes) ??
    // A request that got no answer.
    (facts.isRetryable === true ? "network" : undefined)
  );
}

/** Of a client's words the first line that says anything, of stderr the last. */
function readText(text: string, speaker: Speaker): LineFacts | undefined {
  const fromEnd = speaker === "anybody" || speaker === "passing";
  const lines = plain(fromEnd ? text.slice(-MOST_TEXT) : text.slice(0, MOST_TEXT)).split("\n");
  const order = [...lines.keys()].filter((at) => !hasNoWords(lines[at] ?? ""));
  const asked = fromEnd ? order.toReversed() : order;
  for (const at of asked.slice(0, MOST_LINES)) {
    const told = readLine(lines.slice(at).join("\n"), speaker, readBody);
    if (told !== undefined) return told;
  }
  return undefined;
}

/** Reads the last lines of a program that failed. */
function readLastWords(text: string, speaker: "last" | "printed"): LineFacts | undefined {
  for (const words of lastWords(plain(text.slice(-MOST_TEXT)))) {
    const told = readLine(words, speaker, readBody);
    if (told !== undefined) return { ...told, words };
  }
  return undefined;
}

/** Reads the message of an error in a body. */
function readBody(message: string): FailureReason | undefined {
  return readText(message, "prefixed")?.reason;
}

function lastLines(text: string): string {
  return text.trimEnd().split("\n").slice(-MOST_PRINTED).join("\n");
}

/** A page that a proxy answers with, and its title. Of a page that is cut off, lines of tags belong to it, and what follows does not. */
const PAGE = /<(?:!doctype html|html)\b(?:[^]*?<\/html>|[^]*?<\/title>(?:\s*<[^\n]*)*)/gi;
const TITLE = /<title>([^<]{1,400})<\/title>/i;
/** The name of a site before the title proper. */
const SITE = /^[^|]{1,100} \| /;

/** Straight quotes, plain spaces, no colours; of a page only its title. */
function plain(text: string): string {
  return stripControlSequences(text)
    .replaceAll(PAGE, (page) => TITLE.exec(page)?.[1]?.trim().replace(SITE, "") ?? page)
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/[\u00a0\u202f]/g, " ");
}

/** The first that tells: what the server counts itself, then its delays, then the words. */
function retryAtOf(
  facts: FailureFacts,
  { body, text, stderr }: Gathered,
  clock: ZonedClock,
): number | undefined {
  const { now } = clock;
  const bodies = [body, text?.body, stderr?.body].filter((one) => one !== undefined);
  return [
    fromStamp(facts.resetsAt, now),
    ...bodies.map(({ resetsAt }) => fromStamp(resetsAt, now)),
    readResetHeaders(facts.headers ?? {}, clock),
    ...bodies.map(({ retryDelayMs }) => fromDelay(retryDelayMs, now)),
    readResetTime(plain(facts.text ?? body?.message ?? ""), clock),
    readResetTime(stderr?.words ?? stderr?.said ?? "", clock),
    fromDelay((facts.retryDelayMs ?? 0) < LEAST_DELAY_MS ? undefined : facts.retryDelayMs, now),
  ].find((at) => at !== undefined);
}

function fromStamp(stamp: number | undefined, now: number): number | undefined {
  const at = stamp === undefined ? undefined : toEpochMs(stamp);
  return at === undefined ? undefined : boundReset(at, now);
}

function fromDelay(ms: number | undefined, now: number): number | undefined {
  return ms === undefined || ms < 0 ? undefined : boundReset(now + ms, now);
}

function describe(facts: FailureFacts, { body, status, text, stderr }: Gathered): string {
  const words =
    text?.said ?? firstLine(facts.text ?? body?.message ?? "") ?? stderr?.said ?? facts.codes?.[0];
  const known = status ?? text?.status;
  if (known === undefined) return words ?? "it got no answer";
  if (words === undefined) return `HTTP ${known}`;
  return words.includes(String(known)) ? words : `HTTP ${known}: ${words}`;
}

function firstLine(text: string): string | undefined {
  return text.split("\n").find((line) => line.trim() !== "");
}
