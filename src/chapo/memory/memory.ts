// The project's memory across sessions: MEMORY.md in its root for the long term, .looper/memory/YYYY-MM-DD.md for each day, both
// Markdown that a person may edit; and the tools with which a model stores, searches and reads notes.
import path from "node:path";
import { errorMessage } from "../../system/errors.js";
import type { Clock, Files } from "../../system/ports.js";
import type { Redact } from "../../system/text/secrets/redact.js";
import { readInside, resolvePath, type Hidden, type ProjectFolder } from "../paths.js";
import { z } from "zod";
import { defineTool, done, failed, type Tool } from "../tool.js";
import { keepEnd, keepStart } from "../../system/text/cut.js";

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
interface MemoryPlace {
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
type Written = { daily: string; longTerm?: string } | { refused: string };

/** A hit of a search; `file` is relative to the project. */
interface MemoryHit extends FoundLine {
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
  /** Returns the file of a day, `YYYY-MM-DD`, or of today, relative to the project, and its text; "" if it does not exist. */
  readDay(day?: string): Promise<{ file: string; text: string }>;
  /** Returns both texts for the system prompt, each truncated to 3,000 characters. */
  forPrompt(): Promise<{ today: string; longTerm: string }>;
}

/** Opens the memory of the project at `place`. Files are created at the first write. */
export function openMemory(ports: { files: Files; clock: Clock }, place: MemoryPlace): ProjectMemory {
  const { files } = ports;
  const at = { files, root: place.root, hidden: place.hidden };
  const now = () => formatWallClock(ports.clock.now(), place.offset);
  const dayFile = (day = now().day) => `${DAILY}/${day}.md`;
  const read = (file: string) => readNotes(at, file);
  return {
    readOnly: place.readOnly,
    remember: async (said, promote) => {
      const note = place.redact(said);
      if (place.readOnly) return { refused: "memory is read-only here; nothing was stored" };
      const { day, time } = now();
      const daily = dayFile();
      const refused = await changeFile(at, daily, (text) => {
        const before = text.trim() === "" ? `# ${day}\n\n` : text.endsWith("\n") ? text : `${text}\n`;
        return before + formatItem(time, note);
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
      // In a file the last line is first, because notes are appended.
      for (const file of [...names, LONG_TERM])
        for (const hit of findLines(await read(file), query).reverse()) hits.push({ file, ...hit });
      return { hits: hits.slice(0, limit), all: hits.length };
    },
    readDay: async (day) => ({ file: dayFile(day), text: await read(dayFile(day)) }),
    forPrompt: async () => ({
      // People write at the start of the long-term notes, and the program appends.
      today: truncate(await read(dayFile()), 0),
      longTerm: truncate(await read(LONG_TERM), (MOST_IN_PROMPT - MARK_ROOM) / 2),
    }),
  };
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

const LONGEST_NOTE = 4_000;
const LONGEST_QUERY = 200;
const USUAL_HITS = 10;
const filled = z.string().refine((text) => text.trim() !== "", "must not be empty");
const MOST_HITS = 50;

/**
 * Creates `memory_remember`, `memory_search` and `memory_readToday`. A note counts as a change, because later sessions get it in
 * their prompt: a page that tells the model to remember something must not reach them unasked.
 */
export function createMemoryTools(memory: ProjectMemory): Tool[] {
  return [
    defineTool({
      name: "memory_remember",
      description:
        "Stores a note for later sessions: one short fact, complete in itself. promote: also in MEMORY.md.",
      arguments: z.strictObject({
        content: filled.max(
          LONGEST_NOTE,
          `at most ${LONGEST_NOTE} characters; store only the facts, or several notes`,
        ),
        promote: z.boolean().optional(),
      }),
      changes: true,
      preview: ({ content, promote = false }) =>
        Promise.resolve(`remember${promote ? ", also in MEMORY.md" : ""}: ${content}`),
      run: async ({ content, promote = false }) => {
        const written = await memory.remember(content, promote);
        if ("refused" in written) {
          const instead = memory.readOnly ? ". Put lasting facts into your report instead" : "";
          return failed(`memory_remember: ${written.refused}${instead}`);
        }
        const also = written.longTerm === undefined ? "" : ` and ${written.longTerm}`;
        return done(`memory_remember: saved to ${written.daily}${also}`);
      },
    }),
    defineTool({
      name: "memory_search",
      description:
        "Searches all notes for lines with every word of the query, the newest first: file:line: text.",
      arguments: z.strictObject({
        query: filled.max(LONGEST_QUERY),
        limit: z.int().min(1).max(MOST_HITS).optional().describe("The most hits to return; 10 if not set."),
      }),
      changes: false,
      run: async ({ query, limit = USUAL_HITS }) => {
        const { hits, all } = await memory.search(query, limit);
        if (all === 0) return done("memory_search: no note contains all of these words");
        const lines = hits.map(({ file, line, snippet }) => `${file}:${line}: ${snippet}`);
        const shown = all > hits.length ? `${hits.length} of ${all}` : `${all}`;
        return done([`memory_search: ${shown} found, newest first`, ...lines].join("\n"));
      },
    }),
    defineTool({
      name: "memory_readToday",
      description: "Reads today's notes.",
      arguments: z.strictObject({}),
      changes: false,
      run: async () => {
        const { file, text } = await memory.readDay();
        if (text.trim() === "") return done(`memory_readToday: no notes today (${file} is empty)`);
        return done(`memory_readToday: ${file}\n\n${text}`);
      },
    }),
  ];
}

/** The most characters of a memory file in a prompt, including the truncation mark. */
const MOST_IN_PROMPT = 3_000;
/** Room for the truncation mark. */
const MARK_ROOM = 50;
const MINUTE_MS = 60_000;

/** How far a wall clock is ahead of UTC at an instant, in minutes. `at`: epoch ms. */
type WallClockOffset = (at: number) => number;

/** Returns `YYYY-MM-DD` and `HH:MM` as the wall clock shows them. `at`: epoch ms. */
export function formatWallClock(at: number, offset: WallClockOffset): { day: string; time: string } {
  const [day = "", time = ""] = new Date(at + offset(at) * MINUTE_MS).toISOString().split("T");
  return { day, time: time.slice(0, "HH:MM".length) };
}

/** Formats a note as a list item that begins with `head`. Further lines are indented, so that none begins another item. */
function formatItem(head: string, note: string): string {
  // A comment in the note could end the section.
  const lines = note
    .trim()
    .replaceAll("<!--", "<! --")
    .split(/\r\n|\r|\n/);
  return `- ${[`${head} ${lines[0] ?? ""}`, ...lines.slice(1)].map((line) => line.trimEnd()).join("\n  ")}\n`;
}

/** The part of a file that the program writes, between two comments. The rest of the file belongs to people. */
interface Section {
  /** The name in the comments: `looper:notes`. */
  mark: string;
  heading: string;
  /** The most items, of which the newest are kept. */
  most: number;
}

/** Adds an item at the end of the section, and creates the section if it is missing. */
function addToSection(text: string, section: Section, item: string): string {
  const begin = `<!-- ${section.mark} -->\n`;
  const end = `<!-- /${section.mark} -->`;
  const from = text.indexOf(begin);
  const to = from < 0 ? -1 : text.indexOf(end, from);
  if (to < 0) {
    const before = text.trim() === "" ? "" : `${text.trimEnd()}\n\n`;
    return `${before}${begin}## ${section.heading}\n\n${item}${end}\n`;
  }
  const [head = "", ...items] = text.slice(from + begin.length, to).split(/^(?=- )/m);
  const kept = [...items, item].slice(-section.most);
  return text.slice(0, from) + begin + head + kept.join("") + text.slice(to);
}

const LONGEST_SNIPPET = 240;

/** A line that a search found. */
interface FoundLine {
  /** The line number, from 1. */
  line: number;
  /** The line, or its part around the hit. */
  snippet: string;
}

/** Finds the lines with every word of the query, in any case. */
export function findLines(text: string, query: string): FoundLine[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  return text.split("\n").flatMap((line, index) => {
    const folded = fold(line);
    if (words.length === 0 || !words.every((word) => folded.includes(word))) return [];
    return [{ line: index + 1, snippet: cutSnippet(line, folded.indexOf(words[0] ?? "")) }];
  });
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function cutSnippet(line: string, at: number): string {
  const trimmed = line.trim();
  if (trimmed.length <= LONGEST_SNIPPET) return trimmed;
  const from = Math.max(0, Math.min(at - LONGEST_SNIPPET / 3, line.length - LONGEST_SNIPPET));
  return keepStart(keepEnd(line, line.length - from), LONGEST_SNIPPET).trim();
}

/** Truncates notes for a prompt: the end stays, because the newest are there, and `most` characters of the start. */
function truncate(text: string, most: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_IN_PROMPT) return trimmed;
  const start = keepStart(trimmed, most);
  const end = keepEnd(trimmed, MOST_IN_PROMPT - MARK_ROOM - most);
  const mark = `[… truncated: ${trimmed.length - start.length - end.length} characters]`;
  return `${start === "" ? "" : `${start}\n`}${mark}\n${end}`;
}
