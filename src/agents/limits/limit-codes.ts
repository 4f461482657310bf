// Maps the error codes of clients and APIs, and HTTP statuses, to reasons. Pure. Leaves sentences to limit-words.ts.
import type { FailureReason } from "../agent.js";

type Named = readonly (readonly [FailureReason, string])[];

/** Written in lower case, without what separates words: rate_limit_exceeded and RateLimitExceeded are one. */
const CODES: Named = [
  [
    "no-credit",
    "insufficientquota creditserror billingerror billinghardlimitreached billingnotactive paymentrequired " +
      "insufficientbalance insufficientcredits creditsexhausted budgetexceedederror arrearage",
  ],
  [
    "rate-limited",
    "ratelimit ratelimiterror ratelimitexceeded ratelimitexceedederror ratelimited ratelimitreached " +
      "ratelimitreachederror routerratelimiterror toomanyrequests toomanyrequestserror toomanyrequestsexception " +
      "usagelimitreached usagelimitexceeded quotaexceeded quotaexceedederror quotaexhausted resourceexhausted " +
      "insufficientg1creditsbalance freeusagelimiterror throttling throttled throttlingerror throttlingexception " +
      "throttlederror requestthrottled requestlimitexceeded servicequotaexceeded servicequotaexceededexception " +
      "limitexceededexception provisionedthroughputexceededexception slowdown terminalquotaerror retryablequotaerror",
  ],
  [
    "overloaded",
    "overloaded overloadederror servicetiercapacityexceeded serverisoverloaded serveroverloaded engineoverloaded modeloverloaded " +
      "modeloverloadederror modeloverloadedexception unavailable serviceunavailable serviceunavailableerror " +
      "serviceunavailableexception modelnotready modelnotreadyexception modeltimeoutexception " +
      "internalserverexception",
  ],
  [
    "not-signed-in",
    "authenticationfailed authenticationerror invalidapikey apikeyinvalid unauthenticated unauthorized " +
      "permissionerror permissiondenied permissiondeniederror providerautherror fatalauthenticationerror authrequired " +
      "usagenotincluded accessdeniedexception expiredtokenexception expiredtoken unrecognizedclientexception " +
      "nocredentialserror defaultcredentialserror refresherror accountdeactivated organizationdisabled " +
      "invalidgrant invalidtoken",
  ],
  ["model-unknown", "modelnotfound modelnotfounderror providermodelnotfounderror"],
  [
    "context-full",
    "contextlengthexceeded contextlengthexceedederror contextwindowexceeded contextwindowexceedederror " +
      "contextoverflowerror prompttoolong requesttoolarge",
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

/** Classes an SDK wraps many errors in: they count after the words beside them. */
const WRAPPERS: Named = [
  [
    "network",
    "apiconnectionerror apitimeouterror connecterror connecttimeout connecttimeouterror readtimeout readtimeouterror " +
      "readerror pooltimeout remoteprotocolerror endpointconnectionerror connectionclosederror " +
      "clientconnectorerror clientconnectordnserror serverdisconnectederror timeout deadlineexceeded",
  ],
  ["overloaded", "internalservererror badgatewayerror gatewaytimeouterror servererror apierror"],
];

/** Said of too much to count before a status or the words: claude calls a refused connection a server_error. */
const WEAK: Named = [
  ["overloaded", "servererror internalservererror internal"],
  ["model-unknown", "notfounderror notfound"],
  ["bad-request", "invalidrequest invalidrequesterror invalidargument badrequest failedprecondition"],
];

const byCode = index(CODES);
const byWeakCode = index(WEAK);
const byWrapper = index(WRAPPERS);

function index(named: Named): ReadonlyMap<string, FailureReason> {
  return new Map(named.flatMap(([reason, codes]) => codes.split(" ").map((code) => [code, reason] as const)));
}

/** The reason of the first known error code. An empty balance has the code of a limit or of a lacking permission: its words decide. */
export function reasonOfCodes(codes: readonly string[], words?: FailureReason): FailureReason | undefined {
  const reason = lookUp(byCode, codes);
  const isVague = reason === "rate-limited" || reason === "not-signed-in";
  return isVague && words === "no-credit" ? words : reason;
}

/** The reason that vague error codes suggest, when nothing else is known. */
export function reasonOfWeakCodes(codes: readonly string[]): FailureReason | undefined {
  return lookUp(byWeakCode, codes);
}

/** The reason that the class of a wrapping SDK error suggests, when nothing else is known. */
export function reasonOfWrappers(classes: readonly string[]): FailureReason | undefined {
  return lookUp(byWrapper, classes);
}

/** Codes without the classes that wrap others. */
export function dropWrappers(codes: readonly string[]): string[] {
  return codes.filter((code) => lookUp(byWrapper, [code]) === undefined);
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
  "no-credit",
  "incomplete",
]);

/** The reason of an HTTP status of 400 to 599; `words`: the reason in the text beside it. */
export function reasonOfStatus(status: number, words: FailureReason | undefined): FailureReason {
  if (status === 402 || ([403, 429].includes(status) && words === "no-credit")) return "no-credit";
  if (status === 401 || status === 407) return "not-signed-in";
  if (status === 429) return "rate-limited";
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
export function readExitStatus(code: number): number | undefined {
  return EXIT_STATUSES.find((status) => status % 256 === code);
}
