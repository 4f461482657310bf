// Reads the prefixes that clients, SDKs and logs put before their sentences: a status, a code, an error class. Pure.
// Leaves the sentences to limit-words.ts, and the meaning of codes to limit-codes.ts.

const REASON_PHRASES =
  "bad request|unauthorized|payment required|forbidden|not found|request timeout|payload too large|unprocessable entity|too many requests|internal server error|bad gateway|service unavailable|unavailable|gateway time-?out|overloaded|<unknown status code>";
/** When to ask again, as it begins. */
const AGAIN = String.raw`retry(?:ing)?[- ](?:after|in|at)\b|try again\b|resets? (?:at|in|after)\b`;
const AFTER_STATUS = String.raw`(?:\s+(?:${REASON_PHRASES}))?(?:$|\)?\s*[.:,;·(–—]\s*|\)?\s+-\s+|\)\s*|\s*(?=[\[{]))`;

interface Prefix {
  /** Groups: `status`, an HTTP status; `code`, what an API calls the error; `quoted`, all that it is the prefix of. */
  pattern: RegExp;
  /** Only clients write so, wherever it is found. */
  own?: true;
}

const PACKAGES =
  "anthropic|openai|litellm|google|vertexai|botocore|groq|mistralai|cohere|httpx|httpcore|aiohttp|together|ollama|openrouter|kosong|pydantic_ai";
/** Endings of the SDKs' error classes. */
const CLASS = String.raw`[A-Z]\w{0,60}?(?:Error|Exception|Exceeded|Exhausted|Unavailable|Unauthenticated|PermissionDenied|TooManyRequests|DeadlineExceeded|Timeout)`;

/** A word before "error:" or "failed:", but none of what tests print. */
const WORD = String.raw`(?!(?:expected|received|actual|got|assert\w*|tests?|mock\w*|fake|json|parse|login|build|docker|npm|git)\b)[a-z][\w'-]{1,19}`;

/** Prefixes of log lines, and of errors of any program. */
const LOGS: readonly Prefix[] = [
  { pattern: /^[\s■●✕✖✗✘×❌⎿⚠️⏺ℹ│◇◆└⚡]+/u },
  { pattern: /^\[?\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,]+Z?\]?\s+(?:-\s+)?/ },
  { pattern: /^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?\s+(?:-\s+)?/ },
  { pattern: /^[\w.]+:(?:ERROR|CRITICAL):\s+(?:\S+:\d+\s+-\s+)?/ },
  { pattern: /^\[?(?:ERROR|WARN|FATAL)[\]:]?\s+(?:[\w:]+:\s+)?/ },
  { pattern: /^(?:\[cause\]|caused by|reason|cause|details?):\s*/i },
  { pattern: /^\d{1,2}:\s+(?=[a-z])/i },
  {
    pattern: new RegExp(String.raw`^(?:${WORD} ){0,4}(?:error|exception)(?:\s\[\w+\])?\s?:\s*`, "i"),
  },
  {
    pattern: new RegExp(String.raw`^(?:${WORD} ){1,4}failed(?: with (?:an )?(?:error|exception))?:\s*`, "i"),
  },
  { pattern: /^failed with (?:an )?(?:error|exception):?\s+/i },
  // The tag of what writes: "[proxy] ".
  { pattern: /^\[[A-Za-z][\w. -]{1,60}\]\s+(?=[A-Z])/ },
  { pattern: /^error (?:while|when|during|in|running) [^:(]{1,60}(?:\([^)]{1,80}\))?:\s*/i },
  { pattern: /^error from (?:the )?(?:provider|server|api|model|upstream)[^:]{0,40}:\s*/i },
  {
    pattern: /^(?:uncaught|unhandled)(?: \(in promise\)| promise)?(?: exception| rejection)?:?\s+(?=[A-Z])/i,
  },
  // The name of a class after a bundler's work on it.
  { pattern: /^\w{1,3} \[Error\]:\s*/ },
  { pattern: /^(?:response )?body:\s*(?=[{[])/i },
  // curl_cffi, wget.
  { pattern: /^Failed to perform,\s*(?:ErrCode: \d+, Reason: ')?/ },
  { pattern: /^wget:\s+/ },
  // urllib.
  { pattern: /^<urlopen error\s+/ },
  // Google's libraries in Go, before the status.
  { pattern: /^googleapi:\s+(?=Error [45]\d\d:)/ },
  { pattern: new RegExp(String.raw`^Error (?=[45]\d\d(?::\s|\s+(?:${REASON_PHRASES})\.?$))`, "i") },
  { pattern: /^Failed to login\.\s*(?:Message:\s*)?/ },
  {
    pattern:
      /^(?:failed to|error to|unable to|cannot|could not) (?:get|generate|fetch|call|send|create|query|complete|invoke|make|process|perform|execute|stream|reach|contact|round-trip)\b[^:]{0,60}:\s*/i,
  },
];

/** Statuses. */
const STATUSES: readonly Prefix[] = [
  { pattern: /^Request rejected \((?<status>[45]\d\d)\)\s*(?:·\s*)?/, own: true },
  { pattern: /^HTTP status (?:client|server) error \((?<status>[45]\d\d) [^)]*\)\s*/, own: true },
  {
    pattern: new RegExp(
      `^(?:unexpected status|got status:?|api_error_status:|request failed with status(?: code)?:?|error code:|(?:api returned (?:an )?)?unexpected status code:?)\\s*(?<status>[45]\\d\\d)${AFTER_STATUS}`,
      "i",
    ),
    own: true,
  },
  // anthropic-sdk-go and openai-go, go-openai, a Gemini client in Go.
  {
    pattern:
      /^(?:GET|POST) "https?:\/\/[^"\s]{1,300}": (?<status>[45]\d\d) [A-Z][A-Za-z -]{2,40}(?: \(Request-ID: [^)]{1,80}\))?\s*(?=\{|$)/,
  },
  { pattern: /^error, status code: (?<status>[45]\d\d), (?:status: [^,]{0,60}, )?message:\s*/ },
  { pattern: /^Error (?<status>[45]\d\d), Message:\s*/ },
  {
    pattern: /^(?:[A-Za-z]+ )?API error \(?(?:status )?(?<status>[45]\d\d)(?: [A-Z][A-Za-z ]{1,40})?\)?:\s*/i,
  },
  { pattern: /^(?<status>[45]\d\d) - (?=[[{])/ },
  // Whatever names the API, a status, and the body: "Responses API returned 403: {".
  {
    pattern: new RegExp(
      String.raw`^(?:${WORD} ){0,5}(?:HTTP )?(?<status>[45]\d\d)(?: [A-Z][A-Za-z ]{1,40})?:\s*(?=[[{])`,
      "i",
    ),
  },
  { pattern: new RegExp(String.raw`^(?:${REASON_PHRASES}):\s*(?=\{)`, "i") },
  {
    pattern:
      /^[A-Z]\w{0,60}(?:API|HTTP|Status|Client|Server)\w{0,60}(?:Error|Exception): [^"'{}]{0,60}\bstatus(?: code)?:? (?<status>[45]\d\d)\.?$/i,
  },
  // "403 Forbidden: permission-denied: ...".
  { pattern: /^(?:(?<status>[45]\d\d) [A-Z][A-Za-z ]{1,40}: )?(?<code>[a-z]+(?:-[a-z]+)+):\s*(?=[A-Z])/ },
  // The message as a JSON string.
  { pattern: /^(?<status>[45]\d\d) "(?<quoted>(?:[^"\\]|\\.){10,600})"\s*$/ },
  // gRPC, and services that pass its codes on.
  { pattern: /^rpc error: code = (?<code>\w+) desc = / },
  {
    pattern:
      /^(?:the )?(?:service|server|api|provider|model) (?:reports|reported|returned|responded with) (?:an )?(?:error|status)(?: with)?(?: code)?:?\s{1,9}(?<code>[A-Z]{1,40}(?:_[A-Z]{1,40}){1,9})[^:]{0,40}:\s*/i,
  },
  { pattern: /^got status:\s*(?<code>[A-Z]+(?:_[A-Z]+)*)\.\s*(?=$|[{])/, own: true },
  { pattern: new RegExp(`^HTTP(?: error)?:?\\s*(?<status>[45]\\d\\d)${AFTER_STATUS}`, "i") },
  { pattern: /^(?:HTTP )?status code:?\s+(?<status>[45]\d\d)\.?$/i },
  {
    pattern:
      /^(?<status>[45]\d\d)\s+(?<code>[A-Z]+(?:_[A-Z]+)+|UNAVAILABLE|UNAUTHENTICATED|INTERNAL)\.?\s*(?=[{[]|$)/,
  },
  { pattern: new RegExp(String.raw`^(?<status>[45]\d\d)\s+(?=(?:${PACKAGES})\.)`) },
  { pattern: /^\[(?<status>[45]\d\d)(?: [A-Za-z ]{2,40})?\]\s+(?=[A-Z])/ },
  {
    pattern: new RegExp(
      `^(?<status>[45]\\d\\d)\\s+(?:${REASON_PHRASES})(?:$|[.:)]$|\\s*(?=[[{])|\\s*[-:;,.(–—](?=\\s*(?:request|url|please|${AGAIN}|\\{)))`,
      "i",
    ),
  },
  { pattern: /^(?<status>[45]\d\d)\s{1,9}(?=[[{]|overloaded_error$|.{1,200} UNAVAILABLE$)/ },
];

/** Prefixes of the clients. */
const CLIENTS: readonly Prefix[] = [
  { pattern: /^\[?API Error:\s*(?:(?<status>[45]\d\d)\s+)?/, own: true },
  // Claude until 1.0, while it asked again.
  { pattern: /^\[?API Error \((?:(?<status>[45]\d\d)\s+)?/, own: true },
  {
    pattern:
      /^(?<class>_?ApiError|APIError|AI_[A-Za-z]{1,40}Error|AuthenticationError|RateLimitError|OverloadedError|APIConnectionError|TerminalQuotaError|RetryableQuotaError|ModelNotFoundError|GaxiosError):\s*/,
    own: true,
  },
  { pattern: /^\((?<class>AI_[A-Za-z]{1,40}Error)\)\s*/, own: true },
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
  { pattern: /^\[GoogleGenerativeAI Error\]:\s*(?:Error fetching from \S+:\s*)?/, own: true },
  {
    pattern:
      /^(?:exceeded retry limit, last status|error while reading the server response|exception \w+):\s*/i,
    own: true,
  },
  { pattern: /^terminal_reason: api_error,\s*/, own: true },
  { pattern: /^stream disconnected before completion:\s*(?=rate limit|you|too many|quota)/i, own: true },
  { pattern: /^ERROR goose::[\w:]+:\s+(?:Error:\s+)?/, own: true },
  // goose, kimi-cli, copilot.
  { pattern: /^(?:Ran into this error|LLM provider error|Model call failed):\s*/, own: true },
];

/** The classes of the SDKs and of the cloud's own library. They count only where a program ends with them. */
const EXCEPTIONS: readonly Prefix[] = [
  {
    pattern:
      /^(?:<class '[\w.]+'>:\s*)?(?:(?:[\w.]+\.)?\w+:\s*)?An error occurred \((?<code>\w{1,80})\) when calling the \w+ operation(?: \([^)]*\))?:\s*/,
  },
  { pattern: new RegExp(String.raw`^(?:${PACKAGES})(?:\.\w+)*\.(?<code>${CLASS})(?: \[\w+\])?:\s*`) },
  { pattern: new RegExp(String.raw`^(?:\w+\.)*(?<class>${CLASS})(?: \[\w+\])?(?: \([\w ]{1,40}\))?:\s*`) },
  { pattern: /^(?:[a-z_]\w*\.)+[A-Z]\w{2,60}:\s+/ },
  // litellm: "OpenAIException - ...".
  { pattern: /^[A-Z]\w{1,40}(?:Exception|Error) - (?:[A-Z]\w{1,40}(?:Exception|Error) - )?/ },
];

const PREFIXES: readonly Prefix[] = [...CLIENTS, ...STATUSES, ...EXCEPTIONS, ...LOGS];

/** A line without the prefixes of clients. */
export interface Unwrapped {
  rest: string;
  /** The line, or what a log quotes in it. */
  said: string;
  /** The HTTP status the prefixes named last. */
  status?: number;
  /** The error codes and classes, the outermost first. */
  codes: readonly string[];
  /** Classes of errors whose package is not named: others may call theirs the same. */
  classes: readonly string[];
  /** Some prefix can only be a client's. */
  prefixed: boolean;
}

/** Takes the prefixes off a line; at most 8 of them. */
export function unwrap(line: string): Unwrapped {
  let unwrapped: Unwrapped = { rest: line, said: line, codes: [], classes: [], prefixed: false };
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

function takePrefix(before: Unwrapped): Unwrapped | undefined {
  for (const { pattern, own = false } of PREFIXES) {
    const found = pattern.exec(before.rest);
    if (found === null || found[0] === "") continue;
    const { status, quoted, code, class: named } = found.groups ?? {};
    const inner = quoted === undefined ? undefined : unquote(quoted);
    return {
      rest: inner ?? before.rest.slice(found[0].length),
      said: inner ?? before.said,
      codes: code === undefined ? before.codes : [...before.codes, code],
      classes: named === undefined ? before.classes : [...before.classes, named],
      prefixed: before.prefixed || own,
      ...(status === undefined ? statusOf(before) : { status: Number(status) }),
    };
  }
  return undefined;
}

function statusOf({ status }: Unwrapped): { status?: number } {
  return status === undefined ? {} : { status };
}
