// Changelogs: which file is one, which versions it has entries for, what an entry says. Pure.
import { isVersion } from "./version.js";

const NAME = /^(?:changelog|changes|history|news|releases?)(?:\.(?:md|markdown|txt|rst|adoc))?$/i;

/** Of these names (in one folder) the changelog's; `undefined` where there is none. */
export function findChangelog(names: readonly string[]): string | undefined {
  const found = names.filter((name) => NAME.test(name));
  return found.find((name) => /^changelog/i.test(name)) ?? found[0];
}

/** What it says of a version. */
export interface ChangelogEntry {
  version: string;
  /** What stands below its heading, trimmed. */
  text: string;
}

/** A version at the start of a heading, behind at most one other word ("## looper 1.2.0 - 2024-05-01"). */
const TITLE = /^(?:(?:[@\w/.-]+)[ @])?\[?\(?v?(\d+(?:\.\d+){1,3}[0-9A-Za-z.+-]*)/i;
/** What may stand at the start of a line without a mark of a heading. */
const PLAIN = /^(?:(?:version|release)[ \t]+)?\[?v?\d+(?:\.\d+){1,3}[^\s,;:)\]]*[)\]]?(?:[ \t:,(–—-].*)?$/i;

/** Its entries, the newest first as a rule. */
export function readEntries(text: string): ChangelogEntry[] {
  const lines = text.split(/\r?\n/);
  // Where headings are marked, a line that begins with a number is none.
  const isMarked = lines.some((line) => /^(?:#{1,3}|={1,3})[ \t]+.*\d\.\d/.test(line));
  const entries: { version: string; lines: string[] }[] = [];
  let isInside = false;
  for (const [at, line] of lines.entries()) {
    const title = titleAt(line, lines[at + 1] ?? "", isMarked);
    if (title?.version !== undefined) entries.push({ version: title.version, lines: [] });
    if (title !== undefined) isInside = title.version !== undefined;
    else if (isInside && !/^(?:[=~^-]{3,}|\[[^\]]+\]:\s.*)$/.test(line)) entries.at(-1)?.lines.push(line);
  }
  return entries.map(({ version, lines: own }) => ({ version, text: own.join("\n").trim() }));
}

/** A heading that begins an entry, or ends the one before it; `undefined`: neither. */
function titleAt(line: string, next: string, isMarked: boolean): { version: string | undefined } | undefined {
  const [, marks, marked] = /^(#{1,3}|={1,3})[ \t]+(\S.*)$/.exec(line) ?? [];
  const isUnderlined = line.trim() !== "" && /^(?:={3,}|-{3,}|~{3,}|\^{3,})\s*$/.test(next);
  const title = marked ?? (isUnderlined || (!isMarked && PLAIN.test(line)) ? line : undefined);
  if (title === undefined) return undefined;
  const [, found] = TITLE.exec(title.trim()) ?? [];
  const version = found?.replace(/[.)-]+$/, "");
  if (version !== undefined && isVersion(version)) return { version };
  // "### Added" stands inside an entry, "## Unreleased" does not.
  return marks === undefined || marks.length > 2 ? undefined : { version: undefined };
}
