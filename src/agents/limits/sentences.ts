// The sentences that clients, APIs and network libraries write of a failure, in plain words. Pure.
//
// A line is put into plain words first: small words go, and words that mean the same become one. `~` stands for each word that
// names what is limited or who serves it (usage, weekly, opus, tokens, organization, API); `not` for failed, unable and cannot;
// `reached` for exceeded, hit and exhausted; `limit` for quota, cap and allowance. So a sentence is one phrase.
import type { FailureReason } from "../agent.js";

type Sentences = readonly (readonly [FailureReason, readonly string[]])[];

/** Only such a program has reason to begin a line with one of these. `…` at the end: whatever follows. */
export const OWN: Sentences = [
  ["context-full", ["~ too long …", String.raw`~ (?:\S+ ){1,6}context [lw]\w+ …`, "~ ~ count …"]],
  ["incomplete", ["incomplete response returned …", "~ response reached …"]],
  ["turns", [String.raw`reached max\w* \S+ (?:of )?turns …`]],
  [
    "no-credit",
    [
      // OpenAI says so of an empty balance, the Gemini API of a limit that resets.
      String.raw`you reached current limit , check ~ and billing details \. .{0,120}platform\.openai\S* …`,
      String.raw`limit reached \. check ~ …`,
      "you no limit",
    ],
  ],
  [
    "rate-limited",
    [
      String.raw`you (?:\( .{1,60}? \) )?reached (?:[^ .:;]\S* ){0,6}limit(?: [frst]\w+ .{1,120}?)?`,
      "you reached capacity …",
      "(?:~ ){1,5}limit reached(?: for .{1,120}?)?",
      String.raw`(?:[\w~]+ ){0,3}~ limited(?: you)?(?: ~)?(?: by ~)?(?: upstream)?`,
      String.raw`you out of (?:\w+ )?~`,
      "limit reached for limit metric …",
    ],
  ],
  [
    "not-signed-in",
    [
      String.raw`(?:\S+ ){0,4}not (?:\w+ ){0,3}signed …`,
      String.raw`(?:\S+ ){0,3}~ expired(?: and .{1,60}?)?`,
      "~ disabled [~.] …",
      "missing environment variable …",
      "when using .{1,40} you must specify …",
      String.raw`\w+ auth method …`,
      "run / ~ …",
      "use ~ with ~ ~ , upgrade …",
      "access blocked by cloudflare",
    ],
  ],
  [
    "model-unknown",
    [
      String.raw`(?:requested )?~ ['"\x60] .{1,80} not exist …`,
      String.raw`['"\x60] .{1,80} ~ not supported …`,
      "models/.{1,80} not found for …",
      "~ not found : …",
    ],
  ],
  [
    "overloaded",
    [
      String.raw`(?:\S+ ){1,6}experiencing (?:\w+ )?high …`,
      "(?:selected )?(?:no )?(?:~ ){0,4}(?:at )?capacity(?: reached)?(?: for .{1,60}?)?",
      "not get response from ~ ~ …",
    ],
  ],
];

/** Other programs write these as well: they count where a client is known to speak, or in its last words. */
export const COMMON: Sentences = [
  [
    "no-credit",
    [
      String.raw`(?:\S+ ){0,3}out of credits …`,
      "credits (?:credits )?(?:too )?reached …",
      "reached credits",
      String.raw`(?:\w+ ){0,2}~ (?:[^ .,:;]+ ){1,8}credits …`,
    ],
  ],
  [
    "rate-limited",
    [
      String.raw`too many ~(?: for .{1,40}?)?(?: per \w+)?`,
      String.raw`~ (?:.{1,140} )?reached \S+ ~ limit …`,
    ],
  ],
  ["not-signed-in", [String.raw`signed (?:in )?\w+`]],
  [
    "overloaded",
    [
      "~ error while processing …",
      String.raw`(?:repeated 529 )?(?:~ ){0,4}(?:down or )?overloaded(?: errors)?(?: with .{1,60}?)?`,
      "~ you selected unavailable",
    ],
  ],
  [
    "network",
    [
      String.raw`not connect (?:host )?[^ ~.]*[~.]\S* …`,
      String.raw`(?:\( ' )?(?:proxy )?connection (?:~ )?[er][er]\w*[rt] …`,
      String.raw`(?:read )?[c~]\S* timed out …`,
      "fetch not …",
      "terminated",
      "~ returned empty or malformed response …",
      String.raw`(?:~ )?stream \w+ [bew]\w+ …`,
      String.raw`json pars\w+ \w+ …`,
      "incomplete json segment …",
      "unterminated string in json …",
      "error sending ~ …",
      String.raw`not resolve .{0,30}\.\S+ …`,
      "not lookup address …",
      "~ https : .{1,300} not , reason : …",
      "httpsconnectionpool …",
      "error communicating with openai …",
      String.raw`(?:\[ ssl : \w+ \] )?eof occurred in …`,
      String.raw`(?:\w+ " .{1,300} " : )?dial \S+ …`,
      String.raw`(?:\w+ ){0,2}socket [cdhn]\w+ …`,
    ],
  ],
];

const SAME: readonly (readonly [string, string])[] = [
  [
    "",
    "a an the your our this that its it's to please sorry is are was were be been being has have had could can does currently temporarily either already prepayment allocated",
  ],
  [
    "~",
    "rate usage session weekly monthly daily hourly weekly/monthly 0-hour five-hour spend spending free plan tier api account organization workspace team teams model model's models individual concurrency claude codex gemini chatgpt ai opus sonnet haiku fable mistral small provider server servers service engine token tokens request requests message messages prompt prompts input conversation premium login",
  ],
  ["reached", "available exceeded hit exhausted depleted insufficient low"],
  ["limit", "limits quota quotas cap allowance"],
  ["limited", "limiting"],
  ["credits", "credit balance funds"],
  ["long", "large"],
  ["signed", "logged sign valid validated authenticate authentication refreshed"],
  ["expired", "revoked"],
  ["experiencing", "getting"],
  ["high", "more"],
  ["reset", "refused closed dropped aborted lost ended"],
  ["connection", "operation"],
  ["dial", "net/http"],
  ["not", "failed failure unable cannot couldn't doesn't don't can't"],
  ["you", "you've you're"],
  ["we", "we've we're"],
];
const PLAIN = new Map(
  SAME.flatMap(([plain, words]) => words.split(" ").map((word) => [word, plain] as const)),
);
const WORD = /[\p{L}\p{N}_]+(?:[.'/-][\p{L}\p{N}_]+)*|\S/gu;
/** Longer sentences are read at their beginning. */
const MOST_LETTERS = 800;

/** A line in plain words, each with the offset where it ends in the line. */
export function toPlainWords(line: string): { text: string; ends: readonly number[] } {
  const words: string[] = [];
  const ends: number[] = [];
  const read = line.slice(0, MOST_LETTERS).replaceAll(/(?<=\p{L})-(?=\p{L})/gu, " ");
  for (const { 0: found, index } of read.matchAll(WORD)) {
    const word = found.toLowerCase().replace(/'s$/, "");
    const plain = PLAIN.get(word.replaceAll(/\d+/g, "0")) ?? word;
    if (plain === "" || (plain === "," && words.length === 0)) continue;
    words.push(plain);
    ends.push(index + found.length);
  }
  return { text: words.join(" "), ends };
}
