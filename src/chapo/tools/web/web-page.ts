// Converts a web page to text for a model: the article of an HTML page becomes Markdown; plain text stays as it is.
// web.ts fetches the page. The libraries are loaded for the first page.

/** The response of a server. */
export interface Page {
  /** The URL after redirects; links are relative to it. */
  url: string;
  /** The server's header, such as `text/html; charset=utf-8`; "" if absent. */
  contentType: string;
  body: Uint8Array;
}

/**
 * The cost of parsing a page grows with the nesting depth of each tag and each character. Beyond these limits, or deeper than
 * `DEEPEST`, only the tags are stripped.
 */
const MOST_LOOKS = { tags: 200_000, characters: 20_000_000 };
const DEEPEST = 150;
/** A shorter article probably misses the main content. */
const SHORTEST_ARTICLE = 200;

/** Returns the page's title (or "") and text; `undefined` for an image, an archive and other binary content. */
export async function readPage(page: Page): Promise<{ title: string; text: string } | undefined> {
  const [type = ""] = page.contentType.toLowerCase().split(";");
  const kind = type.trim();
  if (kind !== "" && !isText(kind)) return undefined;
  if (kind === "" && page.body.subarray(0, 1024).includes(0)) return undefined;
  const text = decode(page);
  const looksLikeHtml = /^\s*(?:<!doctype html|<html|<head|<body)/i.test(text.slice(0, 1024));
  const isHtml = kind === "text/html" || kind === "application/xhtml+xml" || (kind === "" && looksLikeHtml);
  return isHtml ? toMarkdown(text, page.url) : { title: "", text };
}

function isText(kind: string): boolean {
  return (
    kind.startsWith("text/") ||
    /^application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-yaml|javascript|x-ndjson|x-sh|toml)$/.test(kind)
  );
}

/** Decodes by the byte order mark, the server's charset or the page's own charset; otherwise as UTF-8. */
function decode({ body, contentType }: Page): string {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 2048));
  const big = start.startsWith("\xFE\xFF") ? "utf-16be" : undefined;
  const marked = start.startsWith("\xFF\xFE") ? "utf-16le" : big;
  const said = /charset\s*=\s*["']?([\w-]{1,40})/i;
  const label = marked ?? said.exec(contentType)?.[1] ?? said.exec(start)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

async function toMarkdown(html: string, url: string): Promise<{ title: string; text: string }> {
  if (isTooComplex(html)) return { title: "", text: stripTags(html) };
  try {
    return await convert(html, url);
  } catch {
    return { title: "", text: stripTags(html) };
  }
}

/** Tags that do not count for the depth: they hold no others or are often left open. */
const EMPTY =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dt|dd|option)$/;

/** Estimates the cost of parsing from the tags alone. */
function isTooComplex(html: string): boolean {
  let [depth, tags, characters, from] = [0, 0, 0, 0];
  for (const { 1: end, 2: name = "", index } of html.matchAll(/<(\/?)([a-zA-Z][\w-]{0,30})?/g)) {
    if (end === "") tags += depth + 1;
    characters += (depth + 1) * (index - from);
    from = index;
    if (name !== "" && !EMPTY.test(name.toLowerCase())) depth = Math.max(0, depth + (end === "" ? 1 : -1));
    if (tags > MOST_LOOKS.tags || characters > MOST_LOOKS.characters || depth > DEEPEST) return true;
  }
  return characters + (depth + 1) * (html.length - from) > MOST_LOOKS.characters;
}

/** Returns the words between the tags, in linear time for any input. */
function stripTags(html: string): string {
  return html
    .replaceAll(/<[^<>]*>?/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** The used part of a document; the libraries' own types need those of browsers. */
interface Parsed {
  body: unknown;
  querySelectorAll(selector: string): Iterable<{
    textContent: string | null;
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
    remove(): void;
  }>;
}

function isParsed(value: unknown): value is Parsed {
  return typeof value === "object" && value !== null && "querySelectorAll" in value && "body" in value;
}

async function convert(html: string, url: string): Promise<{ title: string; text: string }> {
  const { DOMParser } = await import("linkedom");
  // Through the default export: the bundle does not expose the named ones.
  const { Readability } = (await import("@mozilla/readability")).default;
  const { default: TurndownService } = await import("turndown");
  const parse = (text: string): Parsed => {
    const parsed: unknown = new DOMParser().parseFromString(text, "text/html");
    if (!isParsed(parsed)) throw new Error("not a document");
    return parsed;
  };
  let title: string | undefined;
  const style = { headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" } as const;
  const markdown = new TurndownService(style);
  const cleaned = (): Parsed => {
    const document = parse(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
    title ??= [...document.querySelectorAll("title")][0]?.textContent ?? undefined;
    return clean(document, url);
  };
  // The parser modifies the document.
  const article = new Readability(cleaned()).parse();
  const isArticle = (article?.textContent ?? "").trim().length >= SHORTEST_ARTICLE;
  const best = isArticle ? parse(`<html><body>${article?.content ?? ""}</body></html>`) : cleaned();
  return { title: (title ?? article?.title ?? "").trim(), text: markdown.turndown(best.body) };
}

/** Removes invisible elements and makes links absolute. */
function clean(document: Parsed, url: string): Parsed {
  const hidden = "title, script, style, noscript, template, iframe, svg";
  for (const element of document.querySelectorAll(hidden)) element.remove();
  for (const name of ["href", "src"])
    for (const element of document.querySelectorAll(name === "href" ? "a[href]" : "img[src]"))
      element.setAttribute(name, toAbsolute(element.getAttribute(name) ?? "", url));
  return document;
}

/** Makes a link absolute; drops `data:` and `javascript:` links, which are useless to a model. */
function toAbsolute(link: string, base: string): string {
  if (/^\s*(?:data|javascript):/i.test(link)) return "";
  return URL.canParse(link, base) ? new URL(link, base).href : link;
}
