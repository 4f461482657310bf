// Reads one line of a failure: its prefixes, the body it may quote, and its sentence. Pure. Leaves the choice of lines to
// explain-failure.ts.
import { given } from "../../system/given.js";
import type { FailureReason } from "../agent.js";
import { findObjects } from "../json-objects.js";
import {
  reasonOfCodes,
  reasonOfStatus,
  reasonOfWeakCodes,
  reasonOfWrappers,
  dropWrappers,
} from "./limit-codes.js";
import { isStatus, readErrorBody, readJson, type ErrorBody } from "./limit-facts.js";
import { unwrap, type Unwrapped } from "./limit-prefixes.js";
import {
  isCurt,
  isOfNetwork,
  isOfOthers,
  readPhrase,
  readSentence,
  tellsOfLimit,
  type Speaker,
} from "./limit-words.js";

/** Something said, understood: by its own status, codes and words. */
export interface LineFacts {
  reason: FailureReason;
  said: string;
  /** With what stood behind it. */
  words?: string;
  status?: number;
  body?: ErrorBody;
}

/** Reads the first line of a text; a body may continue on further lines. `readBody`: reads the message in a body. */
export function readLine(
  text: string,
  speaker: Speaker,
  readBody: (message: string) => FailureReason | undefined,
): LineFacts | undefined {
  const [line = ""] = text.split("\n", 1);
  const found = unwrap(line);
  const { rest, said, prefixed } = found;
  if (!prefixed && isOfOthers(line)) return undefined;
  if (speaker === "passing" && !TO_ITS_USER.test(rest) && !CLIENTS_OWN.test(line)) return undefined;
  if ((speaker === "anybody" || speaker === "passing") && !prefixed)
    return tell(readSentence(rest, speaker), said);
  const isEnd = speaker === "printed" || speaker === "last";
  const isQuoted = /[a-z]/i.test(line.slice(0, line.length - rest.length));
  const body = embeddedBody(text.slice(line.length - rest.length), isQuoted) ?? quotedBody(rest);
  if (body === undefined && isEnd && !prefixed && !isCurt(rest)) return undefined;
  const behind = behindStatus(rest, speaker);
  const words =
    body === undefined
      ? (readSentence(rest, prefixed ? "prefixed" : speaker) ??
        behind?.words ??
        (isEnd && isQuoted ? readPhrase(rest) : undefined))
      : readBody(body.message ?? "");
  const named = found.status ?? body?.status ?? behind?.status;
  const reason =
    weigh({ found, body, words, named }, speaker) ??
    (body === undefined && speaker !== "prefixed" && tellsOfLimit(rest) ? "rate-limited" : undefined);
  const told = tell(reason, body?.message ?? said);
  if (told === undefined || (told.reason === "network" && !isOfNetwork(isEnd ? text : line)))
    return undefined;
  return {
    ...told,
    ...given({ status: named, body }),
  };
}

/** Sentences that a client addresses to its user; an API's error in a test log does not. */
const TO_ITS_USER =
  /^(?:sorry, )?(?:you(?:r|'ve|'re)?|this organization|claude(?: ai)? usage|not logged in|please run)\b/i;

const CLIENTS_OWN = /^\W*API Error\b/;

interface Seen {
  found: Unwrapped;
  body: ErrorBody | undefined;
  words: FailureReason | undefined;
  named: number | undefined;
}

/** Codes, then the status, then the words, then what wraps many errors. */
function weigh({ found, body, words, named }: Seen, speaker: Speaker): FailureReason | undefined {
  const { rest, codes, classes } = found;
  const isUnsure = speaker === "anybody" || speaker === "passing" || !isCurt(rest);
  const byClass = isUnsure ? [] : [...codes, ...classes.filter(isSdks)];
  const own = body?.codes ?? leadingCode(rest);
  return (
    reasonOfCodes([...own, ...dropWrappers(byClass)], words) ??
    (named === undefined ? undefined : reasonOfStatus(named, words)) ??
    words ??
    reasonOfWeakCodes(own) ??
    reasonOfWrappers(isUnsure ? [] : codes)
  );
}

/** Classes that no program but a client of a model's API names so. */
function isSdks(name: string): boolean {
  return /^(?:RateLimit|TooManyRequests|Overloaded|ModelOverloaded|ModelNotReady|ResourceExhausted|Throttling|ServiceQuota|InsufficientQuota|UsageLimit|Terminal|RetryableQuota)/.test(
    name,
  );
}

/** "429 Rate limit reached for m": a status before a sentence that is known. */
function behindStatus(rest: string, speaker: Speaker): { status: number; words: FailureReason } | undefined {
  const [, status, sentence = ""] = /^([45]\d\d):?\s+(?=[A-Za-z])(.*)$/.exec(rest) ?? [];
  if (sentence === "" || speaker === "anybody" || speaker === "passing") return undefined;
  const words = readSentence(sentence, "printed");
  return words === undefined ? undefined : { status: Number(status), words };
}

function tell(reason: FailureReason | undefined, said: string): LineFacts | undefined {
  return reason === undefined ? undefined : { reason, said };
}

/** The body a text begins with. */
function embeddedBody(text: string, isQuoted: boolean): ErrorBody | undefined {
  if (!/^\[?\s*\{/.test(text)) return undefined;
  const found = findObjects(text, "error").objects[0];
  if (found === undefined || text.slice(0, found.start).trim().length > 1) return undefined;
  return readErrorBody(readJson(text.slice(found.start, found.end)), { isQuoted });
}

const NAMED = /\\?["'](?:code|type|status|reason)\\?["']\s*:\s*\\?["']([A-Za-z][\w.]{2,60})\\?["']/g;
const MESSAGE =
  /\\?["'](?:message|error)\\?["']\s*:\s*(?:"((?:[^"\\]|\\.){1,2000})"|'((?:[^'\\]|\\.){1,2000})')/;
const CODE = /["'](?:code|status)["']\s*:\s*["']?([45]\d\d)\b/;

/** The body a line begins with as Python prints it: single quotes, or in quotes of its own. */
function quotedBody(rest: string): ErrorBody | undefined {
  if (!/^b?['"]?\[?\s*\{\s*\\?['"]/.test(rest)) return undefined;
  const text = rest.slice(0, 8 * 1024);
  const codes = [...text.matchAll(NAMED)].flatMap(([, code = ""]) => (code === "error" ? [] : [code]));
  const [, double, single] = MESSAGE.exec(text) ?? [];
  const message = double ?? single;
  if (message === undefined) return undefined;
  const status = Number(CODE.exec(text)?.[1]);
  return { codes, message, ...(isStatus(status) ? { status } : {}) };
}

/** "RESOURCE_EXHAUSTED: ...", "overloaded_error", "Fehler [rate_limit_error]: ...". */
function leadingCode(line: string): string[] {
  const code =
    /^([a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)*|[A-Z]\w+Error)(?=\s*(?:$|[.,;|·…([{]|:\s+[A-Za-z]))/.exec(
      line,
    )?.[1] ?? /^[\p{L}' -]{1,40}[([]([a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+)[)\]]\s*(?::|$)/u.exec(line)?.[1];
  return code === undefined ? [] : [code];
}
