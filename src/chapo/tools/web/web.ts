// The web tools. web_fetch returns a page as text: only http and https and public addresses, and every redirect is checked.
// src/system/network.ts connects, web-page.ts converts the page, and web-search.ts asks a search provider.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Network, NetworkAnswer } from "../../../system/network.js";
import type { Message } from "../../engine/conversation.js";
import { type Tool, defineTool, done, fail, type ToolResult } from "../../tool.js";
import { isMentioned } from "./mentioned.js";
import { createWebSearchTool } from "./web-search.js";
import { z } from "zod";
import { readPage } from "./web-page.js";

/** The settings and ports of the web tools. */
export interface WebRequest {
  network: Network;
  settings: Pick<ChapoSettings, "search" | "webFetch">;
  /** Includes the keys of the search providers. */
  env: Readonly<Record<string, string>>;
  /** Whether it is a backlog run, in which by default only mentioned URLs are fetched. */
  unattended: boolean;
  /** Returns the conversation at the time of the call. */
  said: () => readonly Message[];
  /** Whether the tools may connect to an address: any for which `isPrivateAddress` is false. */
  mayConnect: (address: string) => boolean;
  /** Whether a redirect to another host is reported instead of followed, because a person is asked for each host. */
  staysOnHost?: () => boolean;
}

/** Creates `web_fetch` and `web_search`. */
export function createWebTools(request: WebRequest): Tool[] {
  const { network, settings, env, unattended, said } = request;
  const onlyMentioned = settings.webFetch.onlyMentioned ?? unattended;
  const wasMentioned = onlyMentioned ? (url: string) => isNamedByOthers(url, said()) : undefined;
  const search = createWebSearchTool(network, settings.search, env);
  return [createWebFetchTool({ ...request, wasMentioned }), search];
}

/**
 * Returns whether the user or a successful result named the URL before the model did: what the model wrote into a file and read
 * again does not count, and neither do the engine's own texts and errors.
 */
function isNamedByOthers(url: string, said: readonly Message[]): boolean {
  for (const message of said) {
    if (message.role === "user") {
      if (message.own !== true && isMentioned(url, [message.text])) return true;
    } else if (message.role === "tool") {
      const results = message.results.filter(({ success, name }) => success && !SHELLS.test(name));
      if (results.some(({ output }) => isMentioned(url, [output]))) return true;
    } else {
      const written = message.calls.filter(({ name }) => !LOOKS_UP.test(name));
      if (written.some(({ args }) => isMentioned(url, collectStrings(args)))) return false;
    }
  }
  return false;
}

/** Calls that only look up a URL, by the names of all vocabularies. */
const LOOKS_UP = /^(?:web[_.]?(?:fetch|search|extract))$/i;

/** A shell prints what the model wrote into its command. The names are those of all vocabularies. */
const SHELLS = /^(?:bash.*|run_command|killshell|npm_.*|ssh_.*)$/i;

function collectStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}

const LONGEST_URL = 4_096;
const MOST_REDIRECTS = 5;
/** The most characters of a page that are returned. */
const MOST_TEXT = 50_000;
const LARGEST_BODY = 2 * 1024 * 1024;
const TIMEOUT_MS = 45_000;

/** The limits of the tool. */
interface WebFetchBounds extends Pick<WebRequest, "network" | "mayConnect" | "staysOnHost"> {
  /** Whether the conversation mentions a URL; absent if any URL may be fetched. */
  wasMentioned?: (url: string) => boolean;
}

/** Creates the tool `web_fetch`. */
export function createWebFetchTool(bounds: WebFetchBounds): Tool {
  const restricted =
    bounds.wasMentioned === undefined
      ? ""
      : " Only URLs that the user or an earlier result named can be fetched.";
  return defineTool({
    name: "web_fetch",
    description: `Fetches a public web page and returns it as Markdown, at most 50,000 characters.${restricted}`,
    arguments: z.strictObject({ url: z.string().min(1).max(LONGEST_URL) }),
    changes: false,
    maxOutput: MOST_TEXT + LONGEST_URL + 1000,
    subjects: ({ url }) => [{ kind: "url", url }],
    timeoutMs: TIMEOUT_MS,
    run: async ({ url }, { signal }) => {
      const read = readUrl(url, "web_fetch: ");
      if (bounds.wasMentioned?.(read.href) === false)
        fail(
          `web_fetch: ${read.href} was not mentioned: only URLs that the user or an earlier result named can be fetched; search for it first`,
        );
      return fetchPage(bounds, read, signal);
    },
  });
}

/** Parses a URL that may be fetched, or fails with a sentence that says why not. */
function readUrl(text: string, beginning: string, base?: URL): URL {
  if (!URL.canParse(text, base?.href))
    fail(`${beginning}${JSON.stringify(text.slice(0, 200))} is not a URL; begin it with https://`);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    fail(`${beginning}${url.protocol}// cannot be fetched; only http and https`);
  if (url.username !== "" || url.password !== "")
    fail(`${beginning}cannot fetch a URL that contains a user name or password`);
  return url;
}

async function fetchPage(bounds: WebFetchBounds, start: URL, signal: AbortSignal): Promise<ToolResult> {
  let url = start;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const limits = { signal, maxBytes: LARGEST_BODY, mayConnect: bounds.mayConnect };
    const answer = await bounds.network.request({ url, method: "GET", headers: HEADERS, ...limits });
    if ("failed" in answer) return failToFetch(url, start, answer);
    const { status, headers } = answer;
    const target = [301, 302, 303, 307, 308].includes(status) ? headers.get("location") : undefined;
    if (target === undefined) return toResult(answer, url);
    const next = readUrl(target, `web_fetch: ${url.href} redirects to a URL that cannot be fetched: `, url);
    if (bounds.staysOnHost?.() === true && !isSameHost(next, url))
      return done(
        `${url.href} redirects to another host and was not followed: fetch ${next.href} if you need it`,
      );
    url = next;
  }
  return fail(`web_fetch: ${start.href} redirects more than ${MOST_REDIRECTS} times`);
}

const HEADERS = {
  accept: "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5",
  "user-agent": "Mozilla/5.0 (compatible; looper-chapo)",
};

function isSameHost(a: URL, b: URL): boolean {
  const plain = ({ host }: URL): string => host.replace(/^www\./, "");
  return plain(a) === plain(b);
}

type Answered = Exclude<NetworkAnswer, { failed: string }>;
type Unanswered = Extract<NetworkAnswer, { failed: string }>;

function failToFetch(url: URL, start: URL, { failed: why, message }: Unanswered): never {
  const from = url === start ? "" : ` (redirected from ${start.href})`;
  if (why === "address")
    fail(
      `web_fetch: refused: ${message}: the address is private, local or reserved for cloud metadata${from}`,
    );
  fail(`web_fetch: cannot reach ${url.href}${from}: ${message}`, why === "network");
}

async function toResult({ status, headers, body, cut }: Answered, url: URL): Promise<ToolResult> {
  const contentType = headers.get("content-type") ?? "";
  const page = await readPage({ url: url.href, contentType, body });
  if (status < 200 || status > 299) {
    const said = (page?.text ?? "").replaceAll(/\s+/g, " ").slice(0, 300).trim();
    const isTransient = status === 429 || status >= 500;
    fail(`web_fetch: ${url.href} answered ${status}${said === "" ? "" : `: ${said}`}`, isTransient);
  }
  if (page === undefined) fail(`web_fetch: ${url.href} is not text but ${contentType || "bytes"}`);
  const text = page.text.trim();
  const notes = [
    ...(text.length > MOST_TEXT ? [`the first ${MOST_TEXT} of ${text.length} characters`] : []),
    ...(cut ? [`the page is larger than ${LARGEST_BODY / 1024 / 1024} MB and was not read to its end`] : []),
  ];
  const head = [
    `URL: ${url.href}`,
    ...(page.title === "" ? [] : [`Title: ${page.title.replaceAll(/\s+/g, " ").slice(0, 300)}`]),
  ];
  const shown = text === "" ? "(the page contains no text)" : text.slice(0, MOST_TEXT);
  const foot = notes.length === 0 ? "" : `\n\n[truncated: ${notes.join("; ")}]`;
  return done(`${head.join("\n")}\n\n${shown}${foot}`);
}
