import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { nodeNetwork } from "../../../system/network.js";
import type { Tool } from "../../tool.js";
import { isPrivateAddress } from "../../../system/private-address.js";
import { createWebFetchTool, createWebTools, type WebRequest } from "./web.js";
import { readPage } from "./web-page.js";
import { createWebSearchTool } from "./web-search.js";

const network = nodeNetwork();
let answer: RequestListener;
const seen: { url: string; method: string; headers: IncomingMessage["headers"]; body: string }[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    seen.push({ url: request.url ?? "", method: request.method ?? "", headers: request.headers, body });
    answer(request, response);
  });
});
let base: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
});

/** Treats the test server at 127.0.0.1 as public; other addresses are judged as usual. */
const mayConnect = (address: string) => address === "127.0.0.1" || !isPrivateAddress(address);
const fetchTool = createWebFetchTool({ network, mayConnect });
async function call(tool: Tool, args: unknown): Promise<string> {
  const prepared = tool.prepare(args);
  if ("problem" in prepared) return `! ${prepared.problem}`;
  const context = { callId: "c", signal: new AbortController().signal };
  const result = await prepared.run(context);
  return result.success ? result.output : `!${result.transient === true ? "~" : ""} ${result.error}`;
}
const fetchOf = (path: string) => call(fetchTool, { url: `${base}${path}` });
const reply = (body: string | Uint8Array, type: string, status = 200) => {
  answer = (_request, response) => {
    response.writeHead(status, type === "" ? {} : { "content-type": type }).end(body);
  };
};

test("an article is returned as Markdown without the rest of the page", async () => {
  const words = "Some words about the matter at hand, and then some more of them. ".repeat(8);
  reply(
    `<!doctype html><html><head><title>The\n matter</title><style>p{}</style></head><body>
     <nav><a href="/home">Home</a></nav><script>alert(1)</script>
     <article><h2>First</h2><p>${words}<a href="../more">More</a></p><pre><code>let a = 1;</code></pre></article></body></html>`,
    "text/html; charset=utf-8",
  );
  const text = await fetchOf("/docs/page");
  expect(text).toContain(`URL: ${base}/docs/page\nTitle: The matter\n\n## First\n\nSome words`);
  expect(text).toContain(`[More](${base}/more)`);
  expect(text).toContain("```\nlet a = 1;\n```");
  expect(text).not.toMatch(/alert|Home|<p>/);
});

test("a page without an article is returned whole", async () => {
  reply("<title>T</title><h1>Hi</h1><ul><li>one<li>two</ul>", "text/html");
  expect(await fetchOf("/")).toMatch(/Title: T\n\n# Hi\n\n- +one\n- +two/);
  reply("", "text/html");
  expect(await fetchOf("/")).toContain("(the page contains no text)");
});

test("text and JSON are returned unchanged, and images are refused", async () => {
  reply('{"a": "<b>"}', "application/vnd.api+json");
  expect(await fetchOf("/")).toContain('\n\n{"a": "<b>"}');
  reply(new Uint8Array([0x89, 0x50, 0, 0]), "image/png");
  expect(await fetchOf("/x.png")).toBe(`! web_fetch: ${base}/x.png is not text but image/png`);
  reply(new Uint8Array([0, 1, 2]), "");
  expect(await fetchOf("/x")).toBe(`! web_fetch: ${base}/x is not text but bytes`);
});

test("a page is decoded with its own charset", async () => {
  reply(Buffer.from("<meta charset='iso-8859-1'><p>caf\xe9</p>", "latin1"), "text/html");
  expect(await fetchOf("/")).toContain("café");
  reply(Buffer.from("gr\xfcn", "latin1"), "text/plain; charset=windows-1252");
  expect(await fetchOf("/")).toContain("grün");
  reply("grün", "text/plain; charset=no-such-thing");
  expect(await fetchOf("/")).toContain("grün");
});

test("a page is truncated at 50,000 characters and the result says so", async () => {
  reply("x".repeat(60_000), "text/plain");
  const text = await fetchOf("/");
  expect(text.match(/x+/)?.[0]).toHaveLength(50_000);
  expect(text).toContain("[truncated: the first 50000 of 60000 characters]");
  reply("y".repeat(2_200_000), "text/plain");
  expect(await fetchOf("/")).toContain("the page is larger than 2 MB");
});

test.each([
  ["http://169.254.169.254/latest/meta-data/", /refused: 169\.254\.169\.254 must not be connected to/],
  ["http://[::ffff:10.0.0.1]/", /refused: ::ffff:a00:1 must not/],
  ["http://[::1]:1/", /refused/],
  ["file:///etc/passwd", /file:\/\/ cannot be fetched; only http and https/],
  ["ftp://example.org/", /only http and https/],
  ["http://user:pass@example.org/", /user name or password/],
  ["example.org", /is not a URL; begin it with https:/],
  ["http://", /is not a URL/],
])("web_fetch refuses %s", async (url, problem) => {
  expect(await call(fetchTool, { url })).toMatch(problem);
});

test("web_fetch refuses this machine unless it is allowed", async () => {
  const strict = createWebFetchTool({ network, mayConnect: (address) => !isPrivateAddress(address) });
  for (const url of [base, base.replace("127.0.0.1", "localhost"), base.replace("127.0.0.1", "0177.1")])
    expect(await call(strict, { url })).toMatch(/^! web_fetch: refused: .* must not be connected to/);
  expect(seen).toEqual([]);
});

test("redirects are followed, checked and limited", async () => {
  answer = (request, response) => {
    const to = new Map([
      ["/a", "/b"],
      ["/out", "http://169.254.169.254/"],
      ["/local", `http://[::1]:${new URL(base).port}/b`],
      ["/file", "file:///etc/passwd"],
      ["/round", "/round"],
    ]).get(request.url ?? "");
    if (to === undefined) response.writeHead(200, { "content-type": "text/plain" }).end("arrived");
    else response.writeHead(302, { location: to }).end();
  };
  expect(await fetchOf("/a")).toBe(`URL: ${base}/b\n\narrived`);
  expect(await fetchOf("/out")).toMatch(/refused: 169\.254\.169\.254 .*redirected from/);
  expect(await fetchOf("/local")).toMatch(/refused: ::1 .*redirected from/);
  expect(await fetchOf("/file")).toContain(
    "redirects to a URL that cannot be fetched: file:// cannot be fetched",
  );
  seen.length = 0;
  expect(await fetchOf("/round")).toContain("redirects more than 5 times");
  expect(seen).toHaveLength(6);
});

test("an error status is a failed result with the server's text", async () => {
  reply("<p>No <b>such</b> page</p>", "text/html", 404);
  expect(await fetchOf("/x")).toBe(`! web_fetch: ${base}/x answered 404: No **such** page`);
  reply("", "", 503);
  expect(await fetchOf("/x")).toBe(`!~ web_fetch: ${base}/x answered 503`);
  expect(await call(fetchTool, { url: "http://127.0.0.1:1/" })).toMatch(/^!~ web_fetch: cannot reach /);
});

test("only mentioned URLs are requested if the settings say so", async () => {
  reply("text", "text/plain");
  const asked: string[] = [];
  const wasMentioned = (url: string) => {
    asked.push(url);
    return url.endsWith("/named");
  };
  const tool = createWebFetchTool({ network, mayConnect, wasMentioned });
  expect(await call(tool, { url: `${base}/named` })).toContain("text");
  expect(await call(tool, { url: `${base}/other?leak=1` })).toMatch(/^! web_fetch: .* was not mentioned/);
  expect(asked).toEqual([`${base}/named`, `${base}/other?leak=1`]);
  expect(seen).toHaveLength(1);
});

test("a URL counts as mentioned in the user's texts and in results, not in the model's texts or errors", async () => {
  reply("text", "text/plain");
  const said: ReturnType<WebRequest["said"]> = [
    { role: "user", text: `Read ${base}/asked` },
    { role: "user", text: `Your draft: ${base}/own`, own: true },
    {
      role: "assistant",
      text: `I take ${base}/model`,
      calls: [{ id: "0", name: "fs_writeFile", args: { content: `${base}/written` } }],
    },
    {
      role: "tool",
      results: [
        { callId: "1", name: "web_search", success: true, output: `1. ${base}/found` },
        { callId: "3", name: "bash_execute", success: true, output: `${base}/echoed` },
        { callId: "4", name: "fs_readFile", success: true, output: `${base}/written` },
        { callId: "2", name: "web_fetch", success: false, output: `${base}/error was not mentioned` },
      ],
    },
  ];
  const fetched = async (unattended: boolean, webFetch: WebRequest["settings"]["webFetch"]) => {
    const settings = { search: {}, webFetch };
    const [tool] = createWebTools({ network, settings, env: {}, unattended, said: () => said, mayConnect });
    const got: string[] = [];
    for (const name of ["asked", "own", "model", "found", "error", "echoed", "written"])
      if (tool !== undefined && !(await call(tool, { url: `${base}/${name}` })).startsWith("!"))
        got.push(name);
    return got.join(" ");
  };
  expect(await fetched(true, {})).toBe("asked found");
  expect(await fetched(false, { onlyMentioned: true })).toBe("asked found");
  expect(await fetched(false, {})).toBe("asked own model found error echoed written");
  expect(await fetched(true, { onlyMentioned: false })).toBe("asked own model found error echoed written");
});

test.each([
  ["deep", `<html><body>${"<div>".repeat(30_000)}words`],
  ["many", `<html><body>${"<p>words</p>".repeat(80_000)}`],
  ["nearly too deep", `<html><body>${"<div>".repeat(140)}${"<p>words</p>".repeat(1_000)}`],
  [
    "nearly too large",
    `<html><body>${"<div>".repeat(95)}${"<p>words, words and words.</p>".repeat(1_000)}${"words ".repeat(28_000)}`,
  ],
  ["long", `<html><body>${"words, and more words. ".repeat(80_000)}`],
  ["signs", `<html><body>words${"<".repeat(500_000)}`],
  ["unclosed", `<html><body>words${"<a href='".repeat(50_000)}`],
  ["comments", `<html><body>words${"<!--".repeat(100_000)}`],
  ["blanks", `<html><body><p>words${"\n ".repeat(500_000)}x</p>`],
  ["scripts", `<html><body>words${"<script>".repeat(60_000)}`],
])("a hostile page (%s) is converted without delay", async (_name, html) => {
  const body = new TextEncoder().encode(html);
  const page = await readPage({ url: "http://x/", contentType: "text/html", body });
  expect(page?.text).toContain("words");
});

const answers = {
  tavily: {
    results: [
      { title: "A <b>title</b>", url: "https://a.example/", content: "about\na" },
      { url: "javascript:1" },
    ],
  },
  brave: { web: { results: [{ title: "A title", url: "https://a.example/", description: "about a" }] } },
  serper: { organic: [{ title: "A title", link: "https://a.example/", snippet: "about a" }] },
  perplexity: { results: [{ title: "A title", url: "https://a.example/", snippet: "about a" }] },
  searxng: { results: [{ title: "A title", url: "https://a.example/", content: "about a" }] },
};
test.each([
  ["tavily", 'POST /search {"query":"a b","max_results":10}', "authorization", "Bearer k"],
  ["brave", "GET /res/v1/web/search?q=a+b&count=10&offset=0 ", "x-subscription-token", "k"],
  ["serper", 'POST /search {"q":"a b","page":1}', "x-api-key", "k"],
  ["perplexity", 'POST /search {"query":"a b","max_results":10}', "authorization", "Bearer k"],
  ["searxng", "GET /search?q=a+b&format=json&pageno=1 ", "accept", "application/json"],
] as const)("%s is asked in its way, and its answer read", async (provider, asked, header, value) => {
  reply(JSON.stringify(answers[provider]), "application/json");
  const env = { TAVILY_API_KEY: "k", BRAVE_API_KEY: "k", SERPER_API_KEY: "k", PERPLEXITY_API_KEY: "k" };
  const tool = createWebSearchTool(network, { provider, baseUrl: `${base}/` }, env);
  expect(await call(tool, { query: "a b" })).toBe(
    `web_search: 1 found by ${provider}\n\n1. A title\n   https://a.example/\n   about a`,
  );
  expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([asked]);
  expect(seen[0]?.headers[header]).toBe(value);
});

test("a search with missing settings names them and sends no request", async () => {
  const search = (settings: Parameters<typeof createWebSearchTool>[1], args: unknown = { query: "a" }) =>
    call(createWebSearchTool(network, settings, { SERPER_API_KEY: "k" }), args);
  expect(await search({})).toMatch(
    /^! web_search: no search provider is configured; set agents\.<name>\.chapo\.search\.provider/,
  );
  expect(await search({ provider: "brave" })).toBe("! web_search: brave needs a key: set BRAVE_API_KEY");
  expect(await search({ provider: "perplexity" })).toContain("set PERPLEXITY_API_KEY");
  expect(await search({ provider: "searxng" })).toContain("set agents.<name>.chapo.search.base_url");
  expect(await search({ provider: "serper", baseUrl: "file:///x" })).toContain("not an http or https URL");
  expect(await search({ provider: "serper" }, { query: " " })).toBe("! query: must not be empty");
  expect(seen).toEqual([]);
});

test("a failed search is a failed result", async () => {
  const tool = createWebSearchTool(
    network,
    { provider: "serper", baseUrl: base },
    { SERPER_API_KEY: "secret-key" },
  );
  const outcomes: string[] = [];
  for (const [body, status] of [
    ["{}", 200],
    ["<html>", 200],
    ['{"organic": 7}', 200],
    ["no secret-key", 401],
    ["", 429],
    ["", 400],
  ] as const) {
    reply(body, "application/json", status);
    outcomes.push(await call(tool, { query: "a" }));
  }
  expect(outcomes).toEqual([
    "web_search: nothing found; try other words",
    "! web_search: cannot read the answer of serper",
    "! web_search: cannot read the answer of serper",
    "! web_search: serper refused the key (401)",
    "!~ web_search: serper answered 429",
    "! web_search: serper answered 400",
  ]);
});
