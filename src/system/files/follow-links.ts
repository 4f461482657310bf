// Resolves symlinks where what they lead to may still be to be made: a write through such a link would make it.
import path from "node:path";
import type { Files } from "../ports.js";

/** More links than this lead nowhere; the kernel gives up at as many. */
const MOST_LINKS = 40;

type Links = Pick<Files, "realPath" | "readLink">;

/** Resolves every symlink, also below missing folders; `undefined` for a loop of links. */
export async function followLinks(files: Links, start: string): Promise<string | undefined> {
  let at = start;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const next = await followOnce(files, at);
    if ("real" in next) return next.real;
    at = next.again;
  }
  return undefined;
}

/** Follows a dangling link by hand, because a write through it would create its target. */
async function followOnce(files: Links, at: string): Promise<{ real: string } | { again: string }> {
  const missing: string[] = [];
  for (let head = at; ; head = path.dirname(head)) {
    const real = await realPath(files, head);
    if (real !== undefined) return { real: path.join(real, ...missing) };
    const link = await files.readLink(head).catch(() => undefined);
    if (link !== undefined) return { again: path.join(path.resolve(path.dirname(head), link), ...missing) };
    if (head === path.dirname(head)) return { real: at };
    missing.unshift(path.basename(head));
  }
}

async function realPath(files: Links, at: string): Promise<string | undefined> {
  // A loop of links has no real path; following it by hand reaches the limit.
  return files.realPath(at).catch(() => undefined);
}
