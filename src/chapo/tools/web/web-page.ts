// A page of the web as text for a model: HTML becomes Markdown, its article where there is one; text stays as it is.
// Leaves fetching to web-fetch.ts. The libraries are read when the first page comes.

/** What a server sent. */
export interface Page {
  /** Where it came from, after redirects: links are relative to it. */
  url: string;
  /** As the server says: `text/html; charset=utf-8`; "" where it says nothing. */
  contentType: string;
  body: Uint8Array;
}

/**
 * What understands a page looks at each tag and each character once for every tag it stands in, several times over: more of
 * that, or tags nested deeper, and a page is only stripped.
 */
const MOST_LOOKS = { tags: 200_000, characters: 20_000_000 };
const DEEPEST = 150;
/** An article shorter than this has left out what matters. */
const SHORTEST_ARTICLE = 200;

/** The page's title (or "") and text; `undefined` for what is no text: an image, an archive. */
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

/** By its mark, what the server says, or what the page says of itself; else UTF-8. */
function decode({ body, contentType }: Page): string {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 2048));
  const marked = start.startsWith("\xFF\xFE")
    ? "utf-16le"
    : start.startsWith("\xFE\xFF")
      ? "utf-16be"
      : undefined;
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

/** Tags that never hold others. */
const EMPTY =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr|p|li|td|th|tr|dt|dd|option)$/;

/** Counts without understanding; a tag that may be left open counts for nothing in depth. */
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

/** The words between the tags. Linear, whatever comes. */
function stripTags(html: string): string {
  const parts: string[] = [];
  let hidden = "";
  for (const [, tag = "", words = ""] of html.matchAll(/(<[^<>]*>?)?([^<]*)/g)) {
    const name = /^<\/?([a-zA-Z][\w-]{0,30})/.exec(tag)?.[1]?.toLowerCase() ?? "";
    if (hidden !== "" && tag.startsWith("</") && name === hidden) hidden = "";
    else if (hidden === "" && (name === "script" || name === "style") && !tag.startsWith("</")) hidden = name;
    if (hidden === "") parts.push(words);
  }
  const text = parts.join(" ");
  const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', nbsp: " " };
  return text
    .replaceAll(/&(lt|gt|amp|quot|nbsp);/g, (_all, name: string) => entities[name] ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

/** What is used of a document: the libraries' own types are those of browsers. */
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
  // By its default: bundled, its names are seen nowhere else.
  const { Readability } = (await import("@mozilla/readability")).default;
  const { default: TurndownService } = await import("turndown");
  const parse = (text: string): Parsed => {
    const parsed: unknown = new DOMParser().parseFromString(text, "text/html");
    if (!isParsed(parsed)) throw new Error("not a document");
    return parsed;
  };
  let title: string | undefined;
  const markdown = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
  });
  const cleaned = (): Parsed => {
    const document = parse(/<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`);
    title ??= [...document.querySelectorAll("title")][0]?.textContent ?? undefined;
    return clean(document, url);
  };
  // It takes the document apart.
  const article = new Readability(cleaned()).parse();
  const isArticle = (article?.textContent ?? "").trim().length >= SHORTEST_ARTICLE;
  const best = isArticle ? parse(`<html><body>${article?.content ?? ""}</body></html>`) : cleaned();
  return { title: (title ?? article?.title ?? "").trim(), text: markdown.turndown(best.body) };
}

/** Without what nobody reads, every link whole. */
function clean(document: Parsed, url: string): Parsed {
  const hidden = "title, script, style, noscript, template, iframe, svg";
  for (const element of document.querySelectorAll(hidden)) element.remove();
  for (const [selector, name] of [
    ["a[href]", "href"],
    ["img[src]", "src"],
  ] as const)
    for (const element of document.querySelectorAll(selector))
      element.setAttribute(name, toAbsolute(element.getAttribute(name) ?? "", url));
  return document;
}

/** A link as it stands by itself; data in a link says nothing to a model. */
function toAbsolute(link: string, base: string): string {
  if (/^\s*(?:data|javascript):/i.test(link)) return "";
  return URL.canParse(link, base) ? new URL(link, base).href : link;
}
