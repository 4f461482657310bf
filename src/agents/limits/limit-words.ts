// Understands a sentence that a client ends with. Pure. The sentences themselves are in sentences.ts; statuses, codes and bodies
// are limits.ts's, and what clients put before their sentences is limit-prefixes.ts's.
//
// A sentence counts only where a client would put it: at the start of a line, ended as a sentence is. Words alone mean
// nothing: agents write about rate limits, tests are named for them, and code has 429 in it.
import type { FailureReason } from "../agent.js";
import { COMMON, OWN, toPlainWords } from "./sentences.js";

/** After a sentence: its end, or the separators clients use. */
const END = String.raw`(?= [.!,;:|·∙•…()[\]{}–—-]|$)`;

type Patterns = readonly (readonly [FailureReason, RegExp])[];
const PATTERNS = compile(OWN);
const COMMON_PATTERNS = compile(COMMON);

function compile(sentences: typeof OWN): Patterns {
  return sentences.flatMap(([reason, some]) =>
    some.map((one) => {
      const end = one.endsWith(" …") ? "(?: .*)?$" : END;
      return [reason, new RegExp(`^${one.replace(" …", "")}${end}`)] as const;
    }),
  );
}

/** What the system, curl and browsers call a network that is dead, where a line begins with it. */
const NETWORK_FACTS = [
  /^(?:(?:connect|read|write|send|recv|socket|getaddrinfo|query\w+) )?(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ENOTFOUND|EAI_AGAIN|EAI_NODATA|EAI_NONAME|ETIMEDOUT|ESOCKETTIMEDOUT|EPIPE|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EPROTO|UND_ERR_\w*TIMEOUT|UND_ERR_SOCKET|ConnectionRefused|FailedToOpenSocket)\b/i,
  /^(?:please check your firewall rules and network connection then try again\. error code: )?net::err_(?:internet_disconnected|network_\w+|name_\w+|connection_\w+|address_unreachable|timed_out|proxy_connection_failed|tunnel_connection_failed|empty_response|socket_not_connected|ssl_protocol_error)/i,
  /^curl: \((?:5|6|7|28|35|52|55|56)\) /,
];

/** Words of a test about such words, which a client says of itself. */
const TOLD_OF = /['"`]|\b(?:expect\w*|assert\w*|received|got|want|handling|retry logic)\b|[{};]\s*$/i;
const LONGEST_PHRASE_LINE = 400;

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
  const isOwn = speaker === "anybody" || speaker === "passing";
  const { text, ends } = toPlainWords(line);
  for (const [reason, pattern] of isOwn ? PATTERNS : [...PATTERNS, ...COMMON_PATTERNS]) {
    const found = pattern.exec(text)?.[0];
    if (found === undefined || (found.startsWith("you reached") && OTHER_LIMIT_WORDS.test(found))) continue;
    if (!fits(line.slice(ends[found.split(" ").length - 1]), speaker)) continue;
    return reason === "network" && !isOfNetwork(line) ? undefined : reason;
  }
  const isNetworks = !isOwn && NETWORK_FACTS.some((fact) => fact.test(line)) && isOfNetwork(line);
  return isNetworks ? "network" : undefined;
}

/** A limit of something that no provider serves. */
const OTHER_LIMIT_WORDS = /\b(?:context|turns?|output|length|pull|rows?|files?|memory|disk)\b/;

/** A certificate that is not accepted is a matter of settings: time does not mend it. */
const CERTIFICATE =
  /certificate|\bcert\b|CERT_|x509|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ERR_TLS_|hostname\/ip does not match/i;

/** A service of the project's own, or one beside it in a compose file: its absence is not the provider's. */
const OWN_SERVICE =
  /(?:(?:[\w.\]-]|::1):|\bport )(?:5432|3306|6379|27017|1433|5672|9092|9200|11211|2181)\b|\b(?:ENOTFOUND|EAI_AGAIN|lookup|resolve host:?) (?:db|database|redis|postgres|postgresql|pg|mysql|mariadb|mongo|mongodb|rabbitmq|kafka|elasticsearch|memcached|minio)\b(?!\.)|docker\.sock|\bat https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\])/i;

/** Disks, forges, registries and clouds that a project's own commands use: their limits and refusals are not the model's. */
const OTHER_SERVICE =
  /\b(?:(?:disk|storage|inode|block) quota|quotaexceedederror: (?:the quota|failed to execute)|registry\.npmjs\.org|npm\.pkg\.github\.com|pypi\.org|files\.pythonhosted\.org|(?:index\.|static\.)?crates\.io|proxy\.golang\.org|rubygems\.org|repo1?\.maven\.[a-z.]+|deb\.debian\.org|archive\.ubuntu\.com|(?:[\w-]+\.)?docker\.(?:io|com)|api\.github\.com|api rate limit exceeded for (?:user|installation)|(?:compute|storage|bigquery|sqladmin|pubsub|sheets|drive|maps|youtube)\.googleapis\.com)\b|\.git\/?'/i;

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
