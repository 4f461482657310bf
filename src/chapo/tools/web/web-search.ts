// The tool web_search asks the search provider of the settings. src/system/network.ts connects.
import { z } from "zod";
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Network, NetworkAnswer, NetworkRequest } from "../../../system/network.js";
import { shorten } from "../../../system/text/cut.js";
import { parseJson } from "../../../system/text/json.js";
import { defineTool, done, fail, type Tool, type ToolResult } from "../../tool.js";

const LONGEST_QUERY = 400;
const MOST_PAGES = 10;
const MOST_HITS = 10;
const LONGEST_SNIPPET = 400;
const LARGEST_ANSWER = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

type SearchSettings = ChapoSettings["search"];
type Provider = NonNullable<SearchSettings["provider"]>;

/** How a provider is asked: what is sent in the body, or else in the address. */
interface Service {
  /** The variable of its key. */
  key?: string;
  /** Its default address. */
  base?: string;
  path: string;
  headers?: (key: string) => Record<string, string>;
  body?: (query: string, page: number) => Record<string, unknown>;
  parameters?: (query: string, page: number) => Record<string, string>;
  hasOnePage?: true;
}

const BEARER: Service = {
  path: "/search",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  body: (query) => ({ query, max_results: MOST_HITS }),
  hasOnePage: true,
};

const PROVIDERS: Readonly<Record<Provider, Service>> = {
  tavily: { ...BEARER, key: "TAVILY_API_KEY", base: "https://api.tavily.com" },
  brave: {
    ...{ key: "BRAVE_API_KEY", base: "https://api.search.brave.com", path: "/res/v1/web/search" },
    headers: (key) => ({ "x-subscription-token": key }),
    parameters: (q, page) => ({ q, count: `${MOST_HITS}`, offset: `${page - 1}` }),
  },
  serper: {
    ...{ key: "SERPER_API_KEY", base: "https://google.serper.dev", path: "/search" },
    headers: (key) => ({ "x-api-key": key }),
    body: (q, page) => ({ q, page }),
  },
  perplexity: { ...BEARER, key: "PERPLEXITY_API_KEY", base: "https://api.perplexity.ai" },
  searxng: { path: "/search", parameters: (q, page) => ({ q, format: "json", pageno: `${page}` }) },
};

/** Creates the tool `web_search`. Without a provider or its key, a call reports what is missing. */
export function createWebSearchTool(network: Network, settings: SearchSettings, env: Variables): Tool {
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
    changes: false,
    subjects: ({ query }) => [{ kind: "name", name: query }],
    timeoutMs: TIMEOUT_MS,
    run: async ({ query, page = 1 }, { signal }) => {
      const asked = buildRequest(settings, env, { query, page });
      // The user chooses the server, so it may be on this machine.
      const bounds = { signal, maxBytes: LARGEST_ANSWER, mayConnect: () => true };
      const answer = await network.request({ ...asked, ...bounds });
      return readResult(answer, asked.who);
    },
  });
}

type Variables = Readonly<Record<string, string | undefined>>;
type Asked = Pick<NetworkRequest, "url" | "method" | "headers" | "body"> & { who: string };

function buildRequest(
  { provider, baseUrl }: SearchSettings,
  env: Variables,
  { query, page }: { query: string; page: number },
): Asked {
  if (provider === undefined)
    fail(
      "web_search: no search provider is configured; set agents.<name>.chapo.search.provider to tavily, brave, serper, perplexity or searxng",
    );
  const { key: variable, base = "", path, headers, body, parameters, hasOnePage } = PROVIDERS[provider];
  const address = baseUrl ?? base;
  if (address === "")
    fail(`web_search: ${provider} needs its address: set agents.<name>.chapo.search.base_url`);
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    fail("web_search: search.base_url is not an http or https URL");
  const key = variable === undefined ? "" : (env[variable] ?? "");
  if (variable !== undefined && key === "") fail(`web_search: ${provider} needs a key: set ${variable}`);
  if (hasOnePage === true && page > 1)
    fail(`web_search: ${provider} has only one page; search for other words`);
  const url = new URL(address.replace(/(?<!\/)\/+$/, "") + path);
  for (const [name, value] of Object.entries(parameters?.(query, page) ?? {}))
    url.searchParams.set(name, value);
  const sent: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return {
    ...{ who: provider, url, method: body === undefined ? "GET" : "POST" },
    headers: { accept: "application/json", ...sent, ...headers?.(key) },
    body: body === undefined ? undefined : JSON.stringify(body(query, page)),
  };
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
  if ("failed" in answer)
    fail(`web_search: cannot reach ${who}: ${answer.message}`, answer.failed === "network");
  const { status, body } = answer;
  if (status === 401 || status === 403) fail(`web_search: ${who} refused the key (${status})`);
  if (status < 200 || status > 299)
    fail(`web_search: ${who} answered ${status}`, status === 429 || status >= 500);
  const hits = readHits(body) ?? fail(`web_search: cannot read the answer of ${who}`);
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
