// The files of the page, which the build wrote beside the program. They hold no data, so they need no key.
import path from "node:path";
import type { CommandContext } from "../context/command-context.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** The files of the page are all at the top. */
const FILE = /^\/[^/]+\.(?:html|css|js)$/;

type Context = Pick<CommandContext, "ports" | "promptsFolder">;

export type PageFiles = (path: string) => Response | undefined;

/** Reads the page once. Every other address gets index.html: the page knows which view it names. */
export async function readPage({ ports: { files }, promptsFolder }: Context): Promise<PageFiles> {
  const folder = path.join(path.dirname(promptsFolder), "page");
  const held = new Map<string, { bytes: Uint8Array<ArrayBuffer>; type: string }>();
  for (const name of await files.list(folder)) {
    const type = TYPES[path.extname(name)];
    const bytes = type === undefined ? undefined : await files.read(path.join(folder, name));
    if (type !== undefined && bytes !== undefined)
      held.set(`/${name}`, { bytes: Uint8Array.from(bytes), type });
  }
  return (asked) => {
    const found = held.get(asked) ?? (FILE.test(asked) ? undefined : held.get("/index.html"));
    if (found === undefined) return undefined;
    const headers = { "content-type": found.type, "cache-control": "no-cache" };
    return new Response(found.bytes, { headers });
  };
}
