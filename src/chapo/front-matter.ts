// Reads the front matter of a Markdown file: YAML between two lines of dashes. Pure.
import { parse } from "yaml";
import { errorMessage } from "../system/errors.js";

const FENCED = /^\uFEFF?---[ \t]*\n([\s\S]*?)(?<=\n)---[ \t]*(?:\n|$)/;
/** The beginning of front matter; a line of dashes above a text is none. */
const OPENED = /^\uFEFF?---[ \t]*\n[\w-]+[ \t]*:/;

/** Returns the fields (none without front matter) and the text below, or why the front matter cannot be read. */
export function readFrontMatter(
  text: string,
): { fields: ReadonlyMap<string, unknown>; body: string } | { problem: string } {
  const found = FENCED.exec(text);
  if (found === null && OPENED.test(text)) return { problem: "its front matter does not end with ---" };
  if (found === null) return { fields: new Map(), body: text };
  const body = text.slice(found[0].length);
  try {
    const read: unknown = parse(found[1] ?? "", { maxAliasCount: 0, logLevel: "error" });
    if (read === null || read === undefined) return { fields: new Map(), body };
    if (typeof read !== "object" || Array.isArray(read))
      return { problem: "its front matter is not a list of fields" };
    return { fields: new Map(Object.entries(read)), body };
  } catch (error) {
    return { problem: `its front matter is not YAML: ${errorMessage(error).split("\n")[0] ?? ""}` };
  }
}
