// Finds the changelog of a project and reads its entries by version. Pure.
import { isVersion } from "./version.js";

const NAME = /^(?:changelog|changes|history|news|releases?)(?:\.(?:md|markdown|txt|rst|adoc))?$/i;

/** Finds the changelog among the file names of one folder; `undefined` if there is none. */
export function findChangelog(names: readonly string[]): string | undefined {
  const found = names.filter((name) => NAME.test(name));
  return found.find((name) => /^changelog/i.test(name)) ?? found[0];
}

/** The entry of one version. */
export interface ChangelogEntry {
  version: string;
  /** The text below its heading, trimmed. */
  text: string;
}

/** A version at the start of a heading, after at most one other word ("## looper 1.2.0 - 2024-05-01"). */
const TITLE = /^(?:(?:[@\w/.-]+)[ @])?\[?\(?v?(\d+(?:\.\d+){1,3}[0-9A-Za-z.+-]*)/i;
/** A line that begins with a version, in a changelog without marked headings. */
const PLAIN =
  /^(?:(?:version|release)[ \t]+)?\[?v?\d+(?:\.\d+){1,3}[^\s,;:)\]]{0,60}[)\]]?(?:[ \t:,(–—-].*)?$/i;

/** Reads the entries in the order of the file, which is usually newest first. */
export function readEntries(text: string): ChangelogEntry[] {
  const lines = text.split(/\r?\n/);
  // If headings are marked, a line that only begins with a number is not a heading.
  const isMarked = lines.some((line) => /^(?:#{1,3}|={1,3})[ \t].*\d\.\d/.test(line));
  const entries: { version: string; lines: string[] }[] = [];
  let isInside = false;
  for (const [at, line] of lines.entries()) {
    const title = readTitle(line, lines[at + 1] ?? "", isMarked);
    if (title?.version !== undefined) entries.push({ version: title.version, lines: [] });
    if (title !== undefined) isInside = title.version !== undefined;
    else if (isInside && !/^(?:[=~^-]{3,}|\[[^\]]+\]:\s.*)$/.test(line)) entries.at(-1)?.lines.push(line);
  }
  return entries.map(({ version, lines: own }) => ({ version, text: own.join("\n").trim() }));
}

/** The heading at a line: `version` set: it begins an entry; not set: it ends one. `undefined`: the line is not a heading. */
function readTitle(
  line: string,
  next: string,
  isMarked: boolean,
): { version: string | undefined } | undefined {
  const [, marks, marked] = /^(#{1,3}|={1,3})[ \t]+(\S.*)$/.exec(line) ?? [];
  const isUnderlined = line.trim() !== "" && /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/.test(next);
  const title = marked ?? (isUnderlined || (!isMarked && PLAIN.test(line)) ? line : undefined);
  if (title === undefined) return undefined;
  const [, found] = TITLE.exec(title.trim()) ?? [];
  const version = found?.replace(/[.)-]+$/, "");
  if (version !== undefined && isVersion(version)) return { version };
  // "### Added" is part of an entry, "## Unreleased" ends one.
  return marks === undefined || marks.length > 2 ? undefined : { version: undefined };
}
