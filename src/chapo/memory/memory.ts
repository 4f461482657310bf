// The project's memory across sessions: MEMORY.md in its root for the long term, .looper/memory/YYYY-MM-DD.md for each day.
// notes.ts formats notes, and tools.ts gives the model access to them.
import path from "node:path";
import { errorMessage } from "../../system/errors.js";
import type { Clock, Files } from "../../system/ports.js";
import type { Redact } from "../../system/text/secrets/redact.js";
import { readInside } from "../read-inside.js";
import { resolvePath, type Hidden, type ProjectFolder } from "../paths.js";
import {
  addToSection,
  truncateStart,
  truncateMiddle,
  findLines,
  formatItem,
  formatWallClock,
  type WallClockOffset,
  type Hit,
  type Section,
} from "./notes.js";

const LONG_TERM = "MEMORY.md";
const DAILY = ".looper/memory";
const DAY_FILE = /^\d{4}-\d\d-\d\d\.md$/;
/** The most bytes of a memory file that are read. Nothing is added to a larger file. */
const LARGEST = 1024 * 1024;
/** The most days that are searched, from the newest. */
const MOST_DAYS = 1_000;
/** The most characters of a stored summary, so that the next session's prompt has room for it. */
const LONGEST_SUMMARY = 1_300;

const NOTES: Section = { mark: "looper:notes", heading: "Notes", most: 1_000 };
const SUMMARIES: Section = { mark: "looper:sessions", heading: "Sessions", most: 5 };

/** The folder of the notes, and the wall clock by which a day begins. */
export interface MemoryPlace {
  /** The project's root, absolute. */
  root: string;
  offset: WallClockOffset;
  /** Set in a backlog run, so that tasks do not influence each other and notes are not in their commits. */
  readOnly: boolean;
  redact: Redact;
  /** Files that are left out; absent: none. */
  hidden?: Hidden;
}

/** The files that were written, relative to the project, or why nothing was written. */
export type Written = { daily: string; longTerm?: string } | { refused: string };

/** A hit of a search; `file` is relative to the project. */
export interface MemoryHit extends Hit {
  file: string;
}

/** The notes of a project. No function throws: an unreadable file counts as empty, and a failed write is reported. */
export interface ProjectMemory {
  readonly readOnly: boolean;
  /** Stores a note for today and, if promoted, for the long term. */
  remember(note: string, promote: boolean): Promise<Written>;
  /** Stores the summary of compacted turns for the long term, with date and session. Only the newest few are kept. */
  rememberSummary(session: string, summary: string): Promise<{ refused: string } | undefined>;
  /** Returns at most `limit` hits, newest first and the long-term notes last, and the number of all hits. */
  search(query: string, limit: number): Promise<{ hits: MemoryHit[]; all: number }>;
  /** Returns today's file, relative to the project, and its text; "" if it does not exist. */
  readToday(): Promise<{ file: string; text: string }>;
  /** Returns both texts for the system prompt, each truncated to 3,000 characters. */
  forPrompt(): Promise<{ today: string; longTerm: string }>;
}

/** Opens the memory of the project at `place`. Files are created at the first write. */
export function openMemory(ports: { files: Files; clock: Clock }, place: MemoryPlace): ProjectMemory {
  const { files } = ports;
  const at = { files, root: place.root, hidden: place.hidden };
  const now = () => formatWallClock(ports.clock.now(), place.offset);
  const todayFile = () => `${DAILY}/${now().day}.md`;
  const read = (file: string) => readNotes(at, file);
  return {
    readOnly: place.readOnly,
    remember: async (said, promote) => {
      const note = place.redact(said);
      if (place.readOnly) return { refused: "memory is read-only here; nothing was stored" };
      const { day, time } = now();
      const daily = todayFile();
      const refused = await changeFile(at, daily, (text) => {
        return (text.trim() === "" ? `# ${day}\n\n` : endWithNewline(text)) + formatItem(time, note);
      });
      if (refused !== undefined || !promote) return refused ?? { daily };
      const item = formatItem(`${day}:`, note);
      const half = await changeFile(at, LONG_TERM, (text) => addToSection(text, NOTES, item));
      return half === undefined
        ? { daily, longTerm: LONG_TERM }
        : { refused: `stored in ${daily}, but ${half.refused}` };
    },
    rememberSummary: async (session, said) => {
      if (place.readOnly) return { refused: "memory is read-only here" };
      const summary = place.redact(said);
      const short = summary.length <= LONGEST_SUMMARY ? summary : `${summary.slice(0, LONGEST_SUMMARY)} …`;
      const item = formatItem(`${now().day}, session ${session}:`, short);
      return changeFile(at, LONG_TERM, (text) => addToSection(text, SUMMARIES, item));
    },
    search: async (query, limit) => {
      const days = (await files.list(path.join(place.root, DAILY))).filter((name) => DAY_FILE.test(name));
      const names = days
        .reverse()
        .slice(0, MOST_DAYS)
        .map((name) => `${DAILY}/${name}`);
      const hits: MemoryHit[] = [];
      for (const file of [...names, LONG_TERM])
        hits.push(...findLines(await read(file), query).map((hit) => ({ file, ...hit })));
      return { hits: hits.slice(0, limit), all: hits.length };
    },
    readToday: async () => ({ file: todayFile(), text: await read(todayFile()) }),
    forPrompt: async () => ({
      today: truncateStart(await read(todayFile())),
      longTerm: truncateMiddle(await read(LONG_TERM)),
    }),
  };
}

function endWithNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

/** Returns a memory file's text; "" if it is missing or may not be read. */
async function readNotes(place: ProjectFolder, file: string): Promise<string> {
  return (await readInside(place, file, LARGEST))?.text ?? "";
}

/**
 * Rewrites a memory file with `edit`. A link may only lead to another Markdown file of the project, so that a cloned project
 * cannot redirect where notes are written.
 */
async function changeFile(
  place: ProjectFolder,
  file: string,
  edit: (text: string) => string,
): Promise<{ refused: string } | undefined> {
  const { files } = place;
  try {
    const target = await resolvePath(place, file, "write");
    if ("refusal" in target) return { refused: target.refusal };
    if (path.extname(target.path).toLowerCase() !== ".md")
      return { refused: `${file} is a link to something other than a Markdown file` };
    const stat = await files.stat(target.path);
    if (stat !== undefined && stat.kind !== "file") return { refused: `${file} is not a file` };
    if ((stat?.size ?? 0) > LARGEST) return { refused: `${file} is full (1 MB); nothing was stored` };
    const text = await readNotes(place, file);
    await files.makeFolder(path.dirname(target.path));
    if (file.startsWith(DAILY)) await ignoreFolder(files, path.dirname(target.path));
    await files.writeAtomic(target.path, edit(text));
    return undefined;
  } catch (error) {
    return { refused: `cannot write ${file}: ${errorMessage(error)}` };
  }
}

/** Makes git ignore the daily notes, also in a project that was never set up. An existing file is kept. */
async function ignoreFolder(files: Files, folder: string): Promise<void> {
  const ignore = path.join(folder, ".gitignore");
  if ((await files.stat(ignore, { link: true })) === undefined) await files.writeNew(ignore, "*\n");
}
