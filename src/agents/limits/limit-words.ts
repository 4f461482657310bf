// Understands a sentence that a client ends with. Pure. The sentences themselves are in words/, a table per client; statuses,
// codes and bodies are explain-failure.ts's, and what clients put before their sentences is limit-prefixes.ts's.
//
// A sentence counts only where a client would put it: at the start of a line, ended as a sentence is. Words alone mean
// nothing: agents write about rate limits, tests are named for them, and code has 429 in it.
import type { FailureReason } from "../agent.js";
import { APIS } from "./words/apis.js";
import { CLAUDE } from "./words/claude-words.js";
import { CODEX } from "./words/codex-words.js";
import { GEMINI } from "./words/gemini-words.js";
import { CERTIFICATE, NETWORK, OTHER_SERVICE, OWN_SERVICE } from "./words/network.js";
import type { WordTable } from "./words/table.js";
import { TOOLS } from "./words/tools.js";

/** Every table, in the order they are asked. */
export const WORD_TABLES: readonly WordTable[] = [CLAUDE, CODEX, GEMINI, TOOLS, APIS, NETWORK];

/** The order in which reasons are looked for: what is more exact comes first. */
const ORDER: readonly FailureReason[] = [
  ...(["context-full", "incomplete", "turns", "budget", "no-credit", "rate-limited"] as const),
  ...(["not-signed-in", "model-unknown", "overloaded", "network"] as const),
];

/** After a sentence: its end, or the separators clients use. */
const END = String.raw`(?=\s*(?:$|\.(?!\d)|[!,;:|·∙•…()\[\]{}]|[-–—]\s))`;

type Patterns = readonly (readonly [FailureReason, RegExp])[];
const PATTERNS = compile(({ own }) => own);
const COMMON_PATTERNS = compile(({ common = [] }) => common);
const PHRASES = compile(
  ({ within = [] }) => within,
  String.raw`(?:^|[\s(])`,
  String.raw`(?=$|[.,;:!)]|\s(?!in\b))`,
);

/** Words of a test about such words, which a client says of itself. */
const TOLD_OF = /['"`]|\b(?:expect\w*|assert\w*|received|got|want|handling|retry logic)\b|[{};]\s*$/i;
const LONGEST_PHRASE_LINE = 400;

/** The reason of a phrase anywhere in a line behind a prefix of an error. */
export function readPhrase(rest: string): FailureReason | undefined {
  if (rest.length > LONGEST_PHRASE_LINE || !isCurt(rest) || TOLD_OF.test(rest)) return undefined;
  return PHRASES.find(([, pattern]) => pattern.test(rest))?.[0];
}

function compile(sentencesOf: (table: WordTable) => WordTable["own"], start = "^", end = END): Patterns {
  return ORDER.flatMap((reason) => {
    const sources = WORD_TABLES.flatMap(sentencesOf).flatMap(([of, some]) => (of === reason ? some : []));
    return sources.length === 0
      ? []
      : [[reason, new RegExp(`${start}(?:${sources.join("|")})${end}`, "i")] as const];
  });
}

/**
 * A limit of a model, the end of it, and whose it is or when there is more: no list has the sentences of all sellers. Each is
 * tried on the line without the apostrophes in its words.
 */
const OWN_LIMITS =
  /\b(?:(?:usage|token|message|prompt|request|premium|model|session|spend(?:ing)?|plan|tier|api|weekly|daily|monthly|hourly|\d+-hour|five-hour|fair[- ]use)s? (?:limit|quota|cap|allowance|budget)s?\b|(?:premium|fast|free|agent|model|ai) (?:requests|messages|prompts|credits)\b|(?:included|weekly|daily|monthly) usage\b|\bout of (?:messages|requests|prompts)\b|(?:requests|messages|prompts|tokens)(?: per |\/)(?:minute|hour|day|week|month))/i;
const SPENT =
  /^[^:]{0,200}\b(?:reached|exceed(?:ed|s)|exhausted|hit|depleted|used (?:all|up|100 ?%)|out of|too many|no (?:[\w-]+ ){1,3}(?:left|remaining))(?!\w)/i;
const RENEWED =
  /\b(?:you(?:r|re|ve)?|workspace|organization|plans?|tier|upgrade|resets?|(?:try|come) (?:again|back)|next (?:window|month|week|day)|per (?:minute|hour|day|week|month)|(?:dai|week|month|hour)ly|until|wait|this (?:week|month))\b/i;
/** Limits of programs, machines and services; a line of a table, a list or a quotation; and what only might be. */
const OTHER_LIMIT =
  /\b(?:context|conversation|output|files?|memory|disk|size|time|connections?|retries|attempts|pull|storage|(?<!\d )minutes|actions|test\w*|passing|failing|passed|shows?|shown)\b|\bof \d+ (?!requests|messages|prompts|tokens)\w|\w\(|^(?![\p{L}\d])|^\d+[.)]\s|\b(?:can|could|may|might|would|must|will) (?:be|have)\b/iu;

/** Whether a line that a failed client ends with, or says of its failure, tells of a limit in words that no table has. */
export function tellsOfLimit(line: string): boolean {
  const words = line.replaceAll(/(?<=\w)'(?=\w)/g, "");
  if (words.length > LONGEST_PHRASE_LINE || !isCurt(line) || TOLD_OF.test(words)) return false;
  return [OWN_LIMITS, SPENT, RENEWED].every((part) => part.test(words)) && !OTHER_LIMIT.test(words);
}

/** How people and models write: a client's message has none of it after its first sentence. */
const PROSE =
  /\b(?:I(?=\s)|I'm|I'll|I've|I'd|we'll|we've|let me|let's|should|means|meaning|(?:is|are) now|whenever|when (?:the|a|an|you|we|it)|tests?|specs?|handler|handled|returns|implement\w*|the code|functions?|helper|docs? (?:say|page|explain)|for example|so (?:the|that|we)|this (?:message|error) (?:is|appears|happens|occurs))\b|=>/i;

/** Whether a text is none that people and models write. */
export function isCurt(text: string): boolean {
  return !PROSE.test(text);
}

/** How a client continues after its first sentence. */
const GOES_ON =
  /^\s*(?:$|[·∙•|([{]|[-–—]\s|[.!,;:…]+\s*(?:$|(?:please|try|your?|limits?|it|resets?|upgrade|visit|to|check|for more|see|switch|add|ask|increase|contact|learn|run|view|wait|used|requested|current|credits|retry|retrying|suggested|start|consider|https?|request|or|also|double|high demand|failed|retried|access resets|we have (?:automatically )?switched|and do not currently have)\b))/i;

/**
 * Where a line was found: behind a prefix that only clients write; in what a client wrote of its failure; as the last words of a
 * program that failed, on stderr ("last") or on stdout ("printed"); anywhere in what a client wrote ("anybody"); or anywhere in
 * the output of another program ("passing").
 */
export type Speaker = "prefixed" | "client" | "last" | "printed" | "anybody" | "passing";

/** The reason of the sentence a line begins with. */
export function readSentence(line: string, speaker: Speaker): FailureReason | undefined {
  for (const [reason, pattern] of speaker === "anybody" || speaker === "passing"
    ? PATTERNS
    : [...PATTERNS, ...COMMON_PATTERNS]) {
    const found = pattern.exec(line)?.[0];
    if (found === undefined || !fits(line.slice(found.length), speaker)) continue;
    return reason === "network" && !isOfNetwork(line) ? undefined : reason;
  }
  return undefined;
}

/** Whether a line about a connection tells of the network, not of a certificate or of a service of the project's own. */
export function isOfNetwork(line: string): boolean {
  return !CERTIFICATE.test(line) && !OWN_SERVICE.test(line);
}

/** Whether a line names a service that a project uses, and no model's. */
export function isOfOthers(line: string): boolean {
  return OTHER_SERVICE.test(line);
}

/** A key of an object or a function, not a sentence. */
const IN_CODE = /^(?::\s*["'[{]|\()/;

function fits(tail: string, speaker: Speaker): boolean {
  if (speaker === "prefixed") return true;
  if (!isCurt(tail) || IN_CODE.test(tail)) return false;
  return speaker === "client" || speaker === "last" || GOES_ON.test(tail) || isKnown(tail, speaker);
}

/** Whether behind a colon or a full stop another sentence of a client's begins. */
function isKnown(tail: string, speaker: Speaker): boolean {
  const next = /^\s*[:.]\s+(?:error:\s+)?(?:[45]\d\d\s+)?(?=[A-Za-z])(.*)$/i.exec(tail)?.[1];
  return next !== undefined && readSentence(next, speaker) !== undefined;
}
