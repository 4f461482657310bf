// Collects the facts of a failure that need no reading of prose: statuses, error codes, headers, and bodies of API answers.
// Pure. Leaves their meaning to explain-failure.ts.
import { given } from "../../system/given.js";
import { parseJson } from "../../system/text/json.js";
import { field, listField, numberField, textField } from "../fields.js";
import { readDayTime, boundReset, toEpochMs, readDuration } from "./reset/reset-time.js";
import type { ZonedClock } from "./reset/reset-zone.js";

/** The facts that a client reported about its failure. `text` holds the client's own words, never the model's. */
export interface FailureFacts {
  /** The HTTP status of the last answer. */
  status?: number;
  /** The exit code of a client that ends with the HTTP status modulo 256 (gemini). */
  exitStatus?: number;
  /** The error codes of client and API, the most specific first: "rate_limit", "prompt_too_long", "RESOURCE_EXHAUSTED". */
  codes?: readonly string[];
  /** Headers of the last answer, their names in any case. */
  headers?: Readonly<Record<string, string>>;
  /** The body of the last answer. */
  body?: string;
  /** When the limit ends; epoch seconds or milliseconds. */
  resetsAt?: number;
  /** How long the client was about to wait before it asked again; milliseconds. */
  retryDelayMs?: number;
  /** Whether asking again makes sense, by the client's word. */
  isRetryable?: boolean;
  /** The client's own words about its failure; may have a body in them. */
  text?: string;
  /** The last lines it wrote to stderr: anything may stand there. */
  stderr?: string;
  /** It ended as failed and told nothing else of it: the last line of stderr is its own last word. */
  isLastWord?: boolean;
  /** Not a known client: a test log on its stderr may hold an API's sentences. */
  isOthers?: boolean;
  /** The end of the plain text it printed, of a program that failed: only its last lines are asked. */
  printed?: string;
}

/** The facts in the body of an error answer. */
export interface ErrorBody {
  status?: number;
  codes: string[];
  message?: string;
  resetsAt?: number;
  retryDelayMs?: number;
}

const DEEPEST = 4;

/**
 * Reads the error shapes of Anthropic, OpenAI and Google; `undefined` for JSON that is not an error. `isQuoted`: it comes after
 * words that report an error, so a message alone is one.
 */
export function readErrorBody(
  json: unknown,
  { depth = 0, isQuoted = false }: { depth?: number; isQuoted?: boolean } = {},
): ErrorBody | undefined {
  const root: unknown = Array.isArray(json) ? json[0] : json;
  const nested = field(root, "error") ?? field(field(root, "response"), "error");
  const error = typeof nested === "object" && nested !== null ? nested : root;
  const told = textField(error, "message") ?? (typeof nested === "string" ? nested : undefined);
  // OAuth (RFC 6749): the code is in `error`.
  const described = textField(root, "error_description");
  const message = described ?? told;
  const codes = [...codesOf(error), ...(described === undefined || told === undefined ? [] : [told])];
  if (message === undefined || (error === root && codes.length === 0 && nested === undefined && !isQuoted))
    return undefined;
  const status = [root, error]
    .flatMap((one) => ["code", "status", "http_status"].map((key) => numberField(one, key)))
    .find(isStatus);
  const own: ErrorBody = { codes, message, ...given({ status }), ...timesOf(error) };
  const inner = depth < DEEPEST ? readJson(message) : undefined;
  const quoted = inner === undefined ? undefined : readErrorBody(inner, { depth: depth + 1 });
  return quoted === undefined ? own : { ...own, ...quoted, codes: [...quoted.codes, ...codes] };
}

/** Parses a body; `undefined` when it is not a JSON object or list. */
export function readJson(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
}

/** Whether a number is the HTTP status of a failure. */
export function isStatus(number: number | undefined): number is number {
  return number !== undefined && Number.isInteger(number) && number >= 400 && number <= 599;
}

function codesOf(error: unknown): string[] {
  const named = ["code", "type", "status"].map((key) => textField(error, key));
  const reasons = listField(error, "details").map((detail) => textField(detail, "reason"));
  return [...reasons, ...named].flatMap((code) => (code === undefined || code === "error" ? [] : [code]));
}

function timesOf(error: unknown): Pick<ErrorBody, "resetsAt" | "retryDelayMs"> {
  const seconds = numberField(error, "resets_in_seconds") ?? numberField(error, "retry_after");
  const details = listField(error, "details");
  const delay = details
    .flatMap((detail) => [
      textField(detail, "retryDelay"),
      textField(field(detail, "metadata"), "quotaResetDelay"),
    ])
    .find((text) => text !== undefined);
  const retryDelayMs = seconds === undefined ? readDuration(delay ?? "") : seconds * 1000;
  const resetsAt = numberField(error, "resets_at");
  return {
    ...given({ resetsAt, retryDelayMs }),
  };
}

/** Those that tell when to ask again, the most exact first. Others tell of limits that were not met. */
const BY_HEADER: readonly (readonly [string, (value: string, clock: ZonedClock) => number | undefined])[] = [
  ["anthropic-ratelimit-unified-reset", readStamp],
  ["retry-after-ms", (value, { now }) => addTo(now, readNumber(value))],
  ["retry-after", readRetryAfter],
  ["x-ratelimit-reset", readStamp],
];

/** Epoch ms from the headers of an answer, not before now; `undefined` when they do not tell. */
export function readResetHeaders(
  headers: Readonly<Record<string, string>>,
  clock: ZonedClock,
): number | undefined {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
  for (const [name, read] of BY_HEADER) {
    const value = byName.get(name);
    const at = value === undefined ? undefined : read(value, clock);
    const bound = at === undefined ? undefined : boundReset(at, clock.now);
    if (bound !== undefined) return bound;
  }
  return undefined;
}

/** Seconds, or an HTTP date. */
function readRetryAfter(value: string, clock: ZonedClock): number | undefined {
  const seconds = readNumber(value);
  return seconds === undefined ? readDayTime(value, clock) : addTo(clock.now, seconds * 1000);
}

function readStamp(value: string, clock: ZonedClock): number | undefined {
  const stamp = readNumber(value);
  return stamp === undefined ? readDayTime(value, clock) : toEpochMs(stamp);
}

function readNumber(value: string): number | undefined {
  return /^\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
}

function addTo(now: number, ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : now + ms;
}
