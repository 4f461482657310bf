// What clients and APIs call their errors, and what an HTTP status means. Pure. Leaves sentences to limit-words.ts.
import type { FailureReason } from "./agent.js";

type Named = readonly (readonly [FailureReason, string])[];

/** Written in lower case, without what separates words: rate_limit_exceeded and RateLimitExceeded are one. */
const CODES: Named = [
  [
    "rate-limited",
    "ratelimit ratelimiterror ratelimitexceeded ratelimited toomanyrequests usagelimitreached usagelimitexceeded " +
      "quotaexceeded quotaexhausted insufficientquota resourceexhausted insufficientg1creditsbalance " +
      // Nobody is asked to pay at night: as with a spend limit, the agent is tried again, and others work meanwhile.
      "freeusagelimiterror creditserror billingerror billinghardlimitreached paymentrequired",
  ],
  [
    "overloaded",
    "overloaded overloadederror serverisoverloaded serveroverloaded engineoverloaded modeloverloaded unavailable",
  ],
  [
    "not-signed-in",
    "authenticationfailed authenticationerror invalidapikey apikeyinvalid unauthenticated unauthorized " +
      "permissionerror permissiondenied providerautherror fatalauthenticationerror authrequired usagenotincluded",
  ],
  ["model-unknown", "modelnotfound modelnotfounderror providermodelnotfounderror"],
  [
    "context-full",
    "contextlengthexceeded contextwindowexceeded contextoverflowerror prompttoolong requesttoolarge",
  ],
  ["incomplete", "maxoutputtokens messageoutputlengtherror"],
  ["turns", "errormaxturns maxturns maxsessionturns fatalturnlimitederror"],
  ["budget", "errormaxbudgetusd budgetexhausted"],
  ["no-summary", "errormaxstructuredoutputretries structuredoutputretryexhausted"],
  [
    "network",
    "httpconnectionfailed responsestreamconnectionfailed responsestreamdisconnected apiconnectionerror",
  ],
];

/** Said of too much to count before a status or the words: claude calls a refused connection a server_error. */
const WEAK: Named = [
  ["overloaded", "servererror internalservererror internal"],
  ["model-unknown", "notfounderror notfound"],
  ["bad-request", "invalidrequest invalidrequesterror invalidargument badrequest failedprecondition"],
];

const byCode = index(CODES);
const byWeakCode = index(WEAK);

function index(named: Named): ReadonlyMap<string, FailureReason> {
  return new Map(named.flatMap(([reason, codes]) => codes.split(" ").map((code) => [code, reason] as const)));
}

/** What the first error code that says anything says. */
export function reasonOfCodes(codes: readonly string[]): FailureReason | undefined {
  return lookUp(byCode, codes);
}

/** What error codes hint at, where nothing else tells. */
export function reasonOfWeakCodes(codes: readonly string[]): FailureReason | undefined {
  return lookUp(byWeakCode, codes);
}

function lookUp(
  reasons: ReadonlyMap<string, FailureReason>,
  codes: readonly string[],
): FailureReason | undefined {
  return codes.map((code) => reasons.get(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))).find(Boolean);
}

/** Words that say more than a status which servers use for several things. */
const SAYS_MORE: ReadonlySet<FailureReason | undefined> = new Set<FailureReason>([
  "context-full",
  "model-unknown",
  "not-signed-in",
  "rate-limited",
  "incomplete",
]);

/** What an HTTP status of 400 to 599 means; `words`: what the text beside it says. */
export function reasonOfStatus(status: number, words: FailureReason | undefined): FailureReason {
  if (status === 401 || status === 407) return "not-signed-in";
  if (status === 402 || status === 429) return "rate-limited";
  if (words !== undefined && SAYS_MORE.has(words)) return words;
  if (status === 403) return "not-signed-in";
  if (status === 404) return "model-unknown";
  // 499: what stands between gave up waiting.
  if (status === 408 || status === 499) return "network";
  if (status === 413) return "context-full";
  return status >= 500 ? "overloaded" : "bad-request";
}

/** Those of the statuses that are above every exit code of another meaning, signals' included. */
const EXIT_STATUSES = [400, 401, 403, 404, 408, 413, 429, 499, 500, 502, 503, 504];

/** The HTTP status a client ended with, modulo 256. */
export function statusOfExit(code: number): number | undefined {
  return EXIT_STATUSES.find((status) => status % 256 === code);
}
