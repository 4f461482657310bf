// What outlives a session: MEMORY.md in the project's root for the long run, .looper/memory/YYYY-MM-DD.md for each day.
// Leaves how notes look to notes.ts, and what a model may ask of them to tools.ts.
import path from "node:path";
import { errorMessage } from "../../system/errors.js";
import type { Clock, Files } from "../../system/ports.js";
import type { Redact } from "../../system/text/redact.js";
import { readInside } from "../read-inside.js";
import { resolvePath, type ProjectFolder } from "../paths.js";
import {
  addToSection,
  truncateStart,
  truncateMiddle,
  findLines,
  formatItem,
  formatWallClock,
  type Hit,
  type Section,
} from "./notes.js";

const LONG_TERM = "MEMORY.md";
const DAILY = ".looper/memory";
const DAY_FILE = /^\d{4}-\d\d-\d\d\.md$/;
/** Bytes of a memory file that are read; one that is larger is not added to. */
const LARGEST = 1024 * 1024;
/** Days that are searched, the newest. */
const MOST_DAYS = 1_000;
/** Characters of a summary that are kept: what the next session's prompt has room for. */
const LONGEST_SUMMARY = 1_300;

const NOTES: Section = { mark: "looper:notes", heading: "Notes", most: 1_000 };
const SUMMARIES: Section = { mark: "looper:sessions", heading: "Sessions", most: 5 };

/** Where notes go, and in whose time zone a day begins. */
export interface MemoryPlace {
  /** The project's root, absolute. */
  root: string;
  /** "Europe/Berlin". */
  zone: string;
  /** In a backlog run nothing is noted: each task starts fresh, and the tree stays the task's. */
  readOnly: boolean;
  redact: Redact;
}

/** What was written, paths relative to the project; or why nothing was. */
export type Written = { daily: string; longTerm?: string } | { refused: string };

/** Where a search found something; `file` relative to the project. */
export interface MemoryHit extends Hit {
  file: string;
}

/** The notes of a project. No function throws: a file that cannot be read holds nothing, one that cannot be written is said. */
export interface ProjectMemory {
  readonly readOnly: boolean;
  /** Notes it for today and, promoted, for the long run. */
  remember(note: string, promote: boolean): Promise<Written>;
  /** Keeps the summary of what was compacted, with the date and the session, for the long run; the newest few stay. */
  rememberSummary(session: string, summary: string): Promise<{ refused: string } | undefined>;
  /** Newest first, the long-term notes last; at most `limit`, and how many there are in all. */
  search(query: string, limit: number): Promise<{ hits: MemoryHit[]; all: number }>;
  /** Today's file, relative to the project, and what it holds: "" where there is none. */
  readToday(): Promise<{ file: string; text: string }>;
  /** Both as the system prompt holds them, each at most 3,000 characters; "" where there is nothing. */
  forPrompt(): Promise<{ today: string; longTerm: string }>;
}

/** The memory of the project at `place`. Files are made when first written. */
export function openMemory(ports: { files: Files; clock: Clock }, place: MemoryPlace): ProjectMemory {
  const { files } = ports;
  const at = { files, root: place.root };
  const now = () => formatWallClock(ports.clock.now(), place.zone);
  const todayFile = () => `${DAILY}/${now().day}.md`;
  const read = (file: string) => readNotes(at, file);
  return {
    readOnly: place.readOnly,
    remember: async (said, promote) => {
      const note = place.redact(said);
      if (place.readOnly) return { refused: "memory is read-only here: nothing was noted" };
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
        : { refused: `it is in ${daily}, but ${half.refused}` };
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

/** A memory file's text; "" where there is none, or none that is to be read. */
async function readNotes(place: ProjectFolder, file: string): Promise<string> {
  return (await readInside(place, file, LARGEST))?.text ?? "";
}

/**
 * Writes what `edit` makes of a memory file. A link may lead to another Markdown file of the project, and nowhere else: a
 * project that was fetched from somewhere must not have notes written where it likes.
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
      return { refused: `${file} leads to what is no Markdown file` };
    const stat = await files.stat(target.path);
    if (stat !== undefined && stat.kind !== "file") return { refused: `${file} is no file` };
    if ((stat?.size ?? 0) > LARGEST) return { refused: `${file} is full (1 MB): nothing was noted` };
    const text = await readNotes(place, file);
    await files.makeFolder(path.dirname(target.path));
    await files.writeAtomic(target.path, edit(text));
    return undefined;
  } catch (error) {
    return { refused: `${file} cannot be written: ${errorMessage(error)}` };
  }
}
