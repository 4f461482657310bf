// The sentences clients say their failures in. Pure. Leaves statuses, codes and bodies to limits.ts.
//
// A sentence counts only where a client would put it: at the start of a line, ended as a sentence is. Words alone mean
// nothing: agents write about rate limits, tests are named for them, and code has 429 in it.
import type { FailureReason } from "./agent.js";

/** After a sentence: its end, or the separators clients use. */
const END = String.raw`(?=\s*(?:$|[.!,;:|·∙•…()\[\]{}]|[-–—]\s))`;

/** What a limit is called by, before the word itself. */
const KIND = String.raw`(?:claude|codex|gemini|ai|opus|sonnet|haiku|fable|your|the|provider|usage|session|weekly|monthly|daily|hourly|weekly\/monthly|\d+[- ]hour|five-hour|requests?|tokens?|token plan|rate|spend(?:ing)?|free|plan|api|account|organization|model|individual)`;
const QUOTED = String.raw`['"\x60][^'"\x60]{1,80}['"\x60]`;
const OWN_LIMIT = String.raw`(?:(?!(?:context|conversation|turn|output|message|length)\b)[\w/-]+ ){0,4}(?:limit|quota|cap|allowance)s?`;

/** Nobody but a client has reason to write these at the start of a line. */
const SENTENCES: readonly (readonly [FailureReason, readonly string[]])[] = [
  [
    "context-full",
    [
      String.raw`(?:the |your )?(?:prompt|input) is too long(?:: \d+ tokens > \d+ maximum| for requested model)?`,
      String.raw`codex ran out of room in the model's context window`,
      String.raw`(?:your |the )?input exceeds (?:the )?context window of this model`,
      String.raw`the input token count (?:\(\d+\) )?exceeds the maximum number of tokens allowed`,
      String.raw`this (?:model|endpoint)'s maximum context length is \d+ tokens`,
      String.raw`(?:error during compaction: )?conversation too long`,
      String.raw`context limit reached|request too large`,
    ],
  ],
  [
    "incomplete",
    [
      String.raw`incomplete response returned, reason: \w+`,
      String.raw`claude's response exceeded the \d+ output token maximum`,
    ],
  ],
  ["turns", [String.raw`reached max(?:imum)? (?:number of|session) turns(?: for this session)?`]],
  ["budget", [String.raw`reached maximum budget`]],
  [
    "rate-limited",
    [
      String.raw`you(?:'ve| have)? (?:hit|reached|exceeded) (?:your|the) ${OWN_LIMIT}(?: (?:for|set in|set by) .{1,60}?)?`,
      String.raw`you(?:'ve| have) exhausted your (?:[\w-]+ ){0,3}(?:capacity|quota|credits|allowance)(?: on this model)?`,
      String.raw`you(?:'re| are) out of (?:extra usage|usage|credits|usage credits)`,
      String.raw`your (?:workspace|account|organization) is out of credits`,
      String.raw`your (?:workspace|account|organization|team) has (?:hit|reached|exceeded) (?:its|the) ${OWN_LIMIT}`,
      String.raw`(?:your )?credit balance is too low(?: to access .{1,40}?)?`,
      String.raw`(?:${KIND} ){1,5}limit (?:reached|exceeded|exhausted|hit)(?: for .{1,120}?)?`,
      String.raw`(?:this|your) request (?:would exceed|exceeds|exceeded|has exceeded) (?:your|the) (?:[\w']+ ){0,3}rate limit(?: of [\d,]+ [\w ]+?)?`,
      String.raw`number of (?:request )?tokens has exceeded your .{1,40}?rate limit`,
      String.raw`quota exceeded(?=\. check your plan)|quota exceeded for (?:quota )?metric.{1,200}?`,
      String.raw`resource (?:has been )?exhausted`,
      String.raw`the usage limit has been reached`,
      String.raw`server is temporarily limiting requests`,
      String.raw`request rate increased too quickly`,
    ],
  ],
  [
    "not-signed-in",
    [
      String.raw`not logged in`,
      String.raw`(?:invalid|incorrect) (?:x-)?api[- ]key(?: provided)?`,
      String.raw`api key not valid`,
      String.raw`oauth (?:access )?token (?:revoked|has expired|expired|has been revoked)`,
      String.raw`please (?:run|use) \/login`,
      String.raw`missing environment variable: \S+`,
      String.raw`when using .{1,40}?, you must specify the \w+ environment variable`,
      String.raw`please set an auth method in .*|invalid auth method selected`,
      String.raw`failed to authenticate`,
      String.raw`your access token could not be refreshed.*`,
      String.raw`to use codex with your chatgpt plan`,
      String.raw`(?:your .{1,60}? belongs to a disabled|this) organization(?: has been disabled)?`,
      String.raw`access blocked by cloudflare`,
    ],
  ],
  [
    "model-unknown",
    [
      String.raw`there's an issue with the selected model`,
      String.raw`the (?:requested )?model ${QUOTED} (?:does not exist|was not found|is not supported).*`,
      String.raw`the ${QUOTED} model is not supported.*`,
      String.raw`models\/\S+ is not found for api version \w+`,
      String.raw`model not found: \S+`,
    ],
  ],
  [
    "overloaded",
    [
      String.raw`repeated 529 overloaded errors`,
      String.raw`selected model is at capacity`,
      String.raw`(?:our servers are|the model is) (?:currently )?overloaded`,
      String.raw`we(?:'re| are) currently experiencing high demand`,
      String.raw`(?:claude|opus|sonnet|haiku|gpt|gemini)[\w .-]{0,40}? is (?:temporarily unavailable|experiencing high load)`,
      String.raw`no capacity available for model \S+`,
      String.raw`the server had an error (?:while )?processing your request`,
    ],
  ],
  [
    "network",
    [
      String.raw`stream disconnected before completion`,
      String.raw`(?:unable to|cannot|failed to) connect to (?:the )?api(?: \(\w+\))?`,
      String.raw`connection to the api was lost`,
      String.raw`api returned an empty or malformed response`,
      String.raw`incomplete json segment at the end|json parsing failed: text:.*`,
      String.raw`the socket connection was closed unexpectedly`,
      String.raw`error sending request for url \(.{1,200}?\)`,
      String.raw`model stream ended with(?:out a finish reason| .{1,60}?)`,
      String.raw`idle timeout waiting for sse`,
    ],
  ],
];

/** Others write these as well: they count where a client is known to speak. */
const COMMON: readonly (readonly [FailureReason, readonly string[]])[] = [
  [
    "rate-limited",
    [
      String.raw`rate[- ]limited`,
      String.raw`too many requests`,
      String.raw`quota exceeded`,
      String.raw`insufficient (?:balance|credits|quota)`,
    ],
  ],
  ["not-signed-in", [String.raw`unauthorized|authentication (?:required|failed)`]],
  ["model-unknown", [String.raw`(?:unknown|invalid) model(?:: ?\S+)?`]],
  [
    "overloaded",
    [
      String.raw`overloaded`,
      String.raw`(?:the |this )?(?:server|service|api|provider|engine) is (?:currently |temporarily )?(?:overloaded|unavailable|at capacity)`,
      String.raw`internal server error|an internal error has occurred`,
      String.raw`service (?:temporarily )?unavailable|bad gateway|gateway time-?out`,
    ],
  ],
  [
    "network",
    [
      String.raw`stream (?:closed|ended) before .{1,40}?`,
      String.raw`error sending request|error (?:while )?reading the server response|(?:transport|network) error`,
      String.raw`connection (?:error|refused|failed|dropped|closed|reset|lost|timed out)`,
      String.raw`fetch failed(?: sending request)?|failed to fetch|socket hang up|premature close`,
      String.raw`(?:connect|read|write|getaddrinfo) (?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH)\b.*`,
      String.raw`(?:the )?(?:request|connection|operation)(?: was aborted due to)? (?:timed out|timeout)`,
      String.raw`(?:terminated|timeout|aborted)(?=\W*$)`,
      String.raw`json parse error: .*`,
      String.raw`(?:unterminated string|unexpected (?:end|token)|expected .{1,40}?) .{0,40}\bjson\b.*`,
    ],
  ],
];

type Patterns = readonly (readonly [FailureReason, RegExp])[];
const PATTERNS = compile(SENTENCES);
const COMMON_PATTERNS = compile(COMMON);

function compile(sentences: typeof SENTENCES): Patterns {
  return sentences.map(([reason, sources]) => [reason, new RegExp(`^(?:${sources.join("|")})${END}`, "i")]);
}

/** How people and models write: a client's message has none of it after its first sentence. */
const PROSE =
  /\b(?:I|I'm|I'll|I've|I'd|we'll|we've|let me|let's|should|means|meaning|whenever|when (?:the|a|an|you|we|it)|tests?|specs?|handler|handled|returns|implement\w*|the code|functions?|helper|docs? (?:say|page|explain)|for example|so (?:the|that|we)|this (?:message|error) (?:is|appears|happens|occurs))\b|=>/i;

/** Whether a text is none that people and models write. */
export function isCurt(text: string): boolean {
  return !PROSE.test(text);
}

/** How a client goes on after its first sentence. */
const GOES_ON =
  /^\s*(?:$|[·∙•|([{]|[-–—]\s|[.!,;:…]+\s*(?:$|(?:please|try|your?|limits?|it|resets?|upgrade|visit|to|check|for more|see|switch|add|ask|increase|contact|learn|run|view|wait|used|requested|current|credits|retry|retrying|suggested|start|consider|https?|request|or|also|double)\b))/i;

/** Who speaks: a client's own prefix stood before it; a client is said to have written it; anybody may have. */
export type Speaker = "prefixed" | "client" | "anybody";

/** The reason of the sentence a line begins with. */
export function readSentence(line: string, speaker: Speaker): FailureReason | undefined {
  for (const [reason, pattern] of speaker === "anybody" ? PATTERNS : [...PATTERNS, ...COMMON_PATTERNS]) {
    const found = pattern.exec(line)?.[0];
    if (found !== undefined && fits(line.slice(found.length), speaker)) return reason;
  }
  return undefined;
}

/** A key of an object or a function, not a sentence. */
const IN_CODE = /^(?::\s*["'[{]|\()/;

function fits(tail: string, speaker: Speaker): boolean {
  if (speaker === "prefixed") return true;
  return isCurt(tail) && !IN_CODE.test(tail) && (speaker === "client" || GOES_ON.test(tail));
}

const REASON_PHRASES =
  "bad request|unauthorized|payment required|forbidden|not found|request timeout|payload too large|unprocessable entity|too many requests|internal server error|bad gateway|service unavailable|unavailable|gateway time-?out|overloaded|<unknown status code>";
/** When to ask again, as it begins. */
const AGAIN = String.raw`retry(?:ing)?[- ](?:after|in|at)\b|try again\b|resets? (?:at|in|after)\b`;
const AFTER_STATUS = String.raw`(?:\s+(?:${REASON_PHRASES}))?(?:$|\)?\s*[.:,;·(–—]\s*|\)?\s+-\s+|\)\s*|\s*(?=[\[{]))`;

/** What clients put before their sentences. `status` is the HTTP status a prefix names, `quoted` all that it is the prefix of; `own`: nobody else writes so. */
const PREFIXES: readonly { pattern: RegExp; own: boolean }[] = [
  { pattern: /^[\s■●✕✖❌⎿⚠️]+/u, own: false },
  { pattern: /^\[?\d{4}-\d\d-\d\d[T ][\d:.,]+Z?\]?\s+/, own: false },
  { pattern: /^\[?(?:ERROR|WARN|FATAL)\]?\s+(?:[\w:]+:\s+)?/, own: false },
  { pattern: /^(?:fatal |internal |agent |stream |model |provider )?error:\s*/i, own: false },
  { pattern: /^\[?API Error:\s*(?:(?<status>[45]\d\d)\s+)?/, own: true },
  {
    pattern:
      /^(?:_?ApiError|APIError|AI_[A-Za-z]{1,40}Error|AuthenticationError|RateLimitError|OverloadedError|APIConnectionError|TerminalQuotaError|RetryableQuotaError|ModelNotFoundError|GaxiosError):\s*/,
    own: true,
  },
  // opencode's log.
  {
    pattern:
      /^timestamp=\S+ level=ERROR .{0,1000} error\.error(?:\.message)?="(?<quoted>(?:[^"\\]|\\.)*)".*$/,
    own: true,
  },
  { pattern: /^Failed after \d+ attempts\. Last error:\s*/, own: true },
  { pattern: /^Reconnecting\.\.\.\s*(?:\d+\/\d+|waiting for network)\s*\(/, own: true },
  {
    pattern: /^Attempt \d+ failed(?::\s*| with status (?<status>[45]\d\d)\. Retrying with backoff\.\.\.\s*)/,
    own: true,
  },
  { pattern: /^Error when talking to Gemini API(?: Full report available at: \S+)?:?\s*/, own: true },
  { pattern: /^Failed to authenticate\.\s+(?=API Error)/, own: true },
  {
    pattern:
      /^(?:exceeded retry limit, last status|error while reading the server response|exception \w+):\s*/i,
    own: true,
  },
  { pattern: /^terminal_reason: api_error,\s*/, own: true },
  { pattern: /^stream disconnected before completion:\s*(?=rate limit|you|too many|quota)/i, own: true },
  { pattern: /^Request rejected \((?<status>[45]\d\d)\)\s*(?:·\s*)?/, own: true },
  { pattern: /^HTTP status (?:client|server) error \((?<status>[45]\d\d) [^)]*\)\s*/, own: true },
  {
    pattern: new RegExp(
      `^(?:unexpected status|got status:?|api_error_status:|request failed with status code|error code:)\\s*(?<status>[45]\\d\\d)${AFTER_STATUS}`,
      "i",
    ),
    own: true,
  },
  { pattern: new RegExp(`^HTTP(?: error)?:?\\s*(?<status>[45]\\d\\d)${AFTER_STATUS}`, "i"), own: false },
  {
    pattern: new RegExp(
      `^(?<status>[45]\\d\\d)\\s+(?:${REASON_PHRASES})(?:$|[.:)]$|\\s*(?=[[{])|\\s*[-:;,.(–—](?=\\s*(?:request|url|please|${AGAIN}|\\{)))`,
      "i",
    ),
    own: false,
  },
  { pattern: /^(?<status>[45]\d\d)\s+(?=[[{]|overloaded_error$|.{1,200} UNAVAILABLE$)/, own: false },
];

/** A line without the prefixes of clients. */
export interface Unwrapped {
  rest: string;
  /** The line, or what a log quotes in it. */
  said: string;
  /** The HTTP status the prefixes named last. */
  status?: number;
  /** Some prefix can only be a client's. */
  prefixed: boolean;
}

/** Takes the prefixes off a line; at most 8 of them. */
export function unwrap(line: string): Unwrapped {
  let unwrapped: Unwrapped = { rest: line, said: line, prefixed: false };
  for (let i = 0; i < 8; i++) {
    const next = takePrefix(unwrapped);
    if (next === undefined) return unwrapped;
    unwrapped = next;
  }
  return unwrapped;
}

function unquote(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

function takePrefix({ rest, said, status, prefixed }: Unwrapped): Unwrapped | undefined {
  for (const { pattern, own } of PREFIXES) {
    const found = pattern.exec(rest);
    if (found === null || found[0] === "") continue;
    const named = found.groups?.["status"];
    const now = named === undefined ? status : Number(named);
    const quoted = found.groups?.["quoted"];
    const inner = quoted === undefined ? undefined : unquote(quoted);
    return {
      rest: inner ?? rest.slice(found[0].length),
      said: inner ?? said,
      prefixed: prefixed || own,
      ...(now === undefined ? {} : { status: now }),
    };
  }
  return undefined;
}
