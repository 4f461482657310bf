// The tool web_search asks the search provider of the settings. src/system/network.ts connects.
import { z } from "zod";
import type { Network, NetworkAnswer, NetworkRequest } from "../../../system/network.js";
import { never } from "../../../system/never.js";
import { shorten } from "../../../system/text/cut.js";
import { parseJson } from "../../../system/text/json.js";
import { defineTool, done, failed, type Tool, type ToolResult } from "../../tool.js";

const LONGEST_QUERY = 400;
const MOST_PAGES = 10;
const MOST_HITS = 10;
const LONGEST_SNIPPET = 400;
const LARGEST_ANSWER = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** `agents.<name>.chapo.search`. */
export interface WebSearchSettings {
  provider?: "tavily" | "brave" | "serper" | "perplexity" | "searxng";
  /** Replaces the provider's own address; required for searxng. */
  baseUrl?: string;
}

type Provider = NonNullable<WebSearchSettings["provider"]>;

/** The variable of each provider's key and the default address. */
const PROVIDERS: Readonly<Record<Provider, { key?: string; base?: string }>> = {
  tavily: { key: "TAVILY_API_KEY", base: "https://api.tavily.com" },
  brave: { key: "BRAVE_API_KEY", base: "https://api.search.brave.com" },
  serper: { key: "SERPER_API_KEY", base: "https://google.serper.dev" },
  perplexity: { key: "PERPLEXITY_API_KEY", base: "https://api.perplexity.ai" },
  searxng: {},
};

/** Creates the tool `web_search`. Without a provider or its key, a call reports what is missing. */
export function createWebSearchTool(
  network: Network,
  settings: WebSearchSettings,
  env: Readonly<Record<string, string | undefined>>,
): Tool {
  return defineTool({
    name: "web_search",
    description: "Searches the web; returns titles, URLs and snippets. Open the best ones with web_fetch.",
    arguments: z.strictObject({
      query: z
        .string()
        .refine((text) => text.trim() !== "", "must not be empty")
        .max(LONGEST_QUERY)
        .describe("A few specific words."),
      page: z.int().min(1).max(MOST_PAGES).optional().describe("The page number, from 1."),
    }),
    aliases: { q: "query", searchTerm: "query" },
    changes: false,
    subjects: ({ query }) => [{ kind: "name", name: query }],
    timeoutMs: TIMEOUT_MS,
    run: async ({ query, page = 1 }, { signal }) => {
      const asked = buildRequest(settings, env, { query, page });
      if ("problem" in asked) return failed(`web_search: ${asked.problem}`);
      // The user chooses the server, so it may be on this machine.
      const bounds = { signal, maxBytes: LARGEST_ANSWER, mayConnect: () => true };
      const answer = await network.request({ ...asked, ...bounds });
      return readResult(answer, asked.who);
    },
  });
}

type Asked = Pick<NetworkRequest, "url" | "method" | "headers" | "body"> & { who: string };

function buildRequest(
  { provider, baseUrl }: WebSearchSettings,
  env: Readonly<Record<string, string | undefined>>,
  { query, page }: { query: string; page: number },
): Asked | { problem: string } {
  if (provider === undefined)
    return {
      problem:
        "no search provider is configured; set agents.<name>.chapo.search.provider to tavily, brave, serper, perplexity or searxng",
    };
  const { key: variable, base: usual } = PROVIDERS[provider];
  const base = baseUrl ?? usual;
  if (base === undefined)
    return { problem: `${provider} needs its address: set agents.<name>.chapo.search.base_url` };
  if (!/^https?:\/\//.test(base) || !URL.canParse(base))
    return { problem: "search.base_url is not an http or https URL" };
  const key = variable === undefined ? "" : (env[variable] ?? "");
  if (variable !== undefined && key === "") return { problem: `${provider} needs a key: set ${variable}` };
  const at = (path: string, parameters: Readonly<Record<string, string>> = {}) =>
    urlOf(base, path, parameters);
  const json = { accept: "application/json" };
  const sent = { ...json, "content-type": "application/json" };
  switch (provider) {
    case "tavily":
    case "perplexity":
      if (page > 1) return { problem: `${provider} has only one page; search for other words` };
      return {
        who: provider,
        url: at("/search"),
        method: "POST",
        headers: { ...sent, authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, max_results: MOST_HITS }),
      };
    case "brave":
      return {
        who: provider,
        method: "GET",
        headers: { ...json, "x-subscription-token": key },
        url: at("/res/v1/web/search", { q: query, count: `${MOST_HITS}`, offset: `${page - 1}` }),
      };
    case "serper":
      return {
        who: provider,
        url: at("/search"),
        method: "POST",
        headers: { ...sent, "x-api-key": key },
        body: JSON.stringify({ q: query, page }),
      };
    case "searxng":
      return {
        who: provider,
        method: "GET",
        headers: json,
        url: at("/search", { q: query, format: "json", pageno: `${page}` }),
      };
    default:
      return never(provider);
  }
}

function urlOf(base: string, path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(base.replace(/(?<!\/)\/+$/, "") + path);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

/** A hit in the form of any provider. */
const Hit = z
  .object({
    title: z.string().optional().catch(undefined),
    url: z.string().optional(),
    link: z.string().optional(),
    content: z.string().nullish().catch(undefined),
    description: z.string().nullish().catch(undefined),
    snippet: z.string().nullish().catch(undefined),
  })
  .transform((hit) => ({
    title: hit.title ?? "",
    url: hit.url ?? hit.link ?? "",
    snippet: hit.content ?? hit.description ?? hit.snippet ?? "",
  }));
const Hits = z.array(z.unknown());
const Answer = z.object({
  results: Hits.optional(),
  organic: Hits.optional(),
  web: z.object({ results: Hits.optional() }).optional(),
});

function readResult(answer: NetworkAnswer, who: string): ToolResult {
  if ("failed" in answer) {
    const error = `web_search: cannot reach ${who}: ${answer.message}`;
    return answer.failed === "network" ? { success: false, error, transient: true } : failed(error);
  }
  const { status, body } = answer;
  if (status === 401 || status === 403) return failed(`web_search: ${who} refused the key (${status})`);
  if (status < 200 || status > 299) {
    const error = `web_search: ${who} answered ${status}`;
    return status === 429 || status >= 500 ? { success: false, error, transient: true } : failed(error);
  }
  const hits = readHits(body);
  if (hits === undefined) return failed(`web_search: cannot read the answer of ${who}`);
  if (hits.length === 0) return done("web_search: nothing found; try other words");
  const lines = hits.map(({ title, url, snippet }, index) => {
    const said = toOneLine(snippet, LONGEST_SNIPPET);
    return `${index + 1}. ${toOneLine(title, 200)}\n   ${url}${said === "" ? "" : `\n   ${said}`}`;
  });
  return done(`web_search: ${hits.length} found by ${who}\n\n${lines.join("\n")}`);
}

function readHits(body: Uint8Array): z.infer<typeof Hit>[] | undefined {
  const read = Answer.safeParse(parseJson(body));
  if (!read.success) return undefined;
  const { results, organic, web } = read.data;
  const hits = (results ?? organic ?? web?.results ?? []).flatMap((one) => {
    const hit = Hit.safeParse(one);
    return hit.success && /^https?:\/\/\S+$/.test(hit.data.url) ? [hit.data] : [];
  });
  return hits.slice(0, MOST_HITS);
}

function toOneLine(text: string, most: number): string {
  const line = text
    .replaceAll(/<[^<>]*>/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return shorten(line, most);
}
