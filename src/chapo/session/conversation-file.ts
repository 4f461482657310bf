// Stores a conversation: a file with the whole of it, and beside it a journal of what changed since, a line for each save.
// The cost of a save does not grow with the conversation. Leaves locks and folders to sessions.ts.
import path from "node:path";
import { z } from "zod";
import { field } from "../../agents/fields.js";
import { errorMessage } from "../../system/errors.js";
import { describeKind } from "../../system/files/describe-kind.js";
import type { Ports } from "../../system/ports.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { withoutAnswer } from "../engine/calls/pending.js";
import { Conversation, FORMAT } from "../engine/conversation.js";

/** Fields of a session's files that are never redacted. */
export const KEPT = new Set([
  "id",
  "callId",
  "call",
  "call_id",
  "parent",
  "session",
  "signature",
  "created",
  "at",
  "journal",
]);
/** Larger files were not written by Looper. */
const LARGEST = 256 * 1024 * 1024;
/** A journal that is larger than this and than the whole file is folded into a new whole file. */
const LARGE_JOURNAL = 1024 * 1024;
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

const { messages: storedMessages, ...head } = Conversation.shape;
/** A line of the journal: all fields as they are now, and the messages behind the first `from`. */
const Line = z.object({
  journal: z.string(),
  from: z.int().nonnegative(),
  messages: storedMessages,
  head: z.object(head),
});
type Line = z.infer<typeof Line>;

/** A conversation on disk, for the one process that holds its session. */
export interface ConversationFile {
  /** Safe on disk once it returns. Calls are carried out one after the other. */
  save(conversation: Conversation): Promise<void>;
  /** Folds the journal into the whole file, which versions without journals read as well. */
  close(): Promise<void>;
}

interface Place {
  ports: Ports;
  redact: Redact;
  /** The path of the whole file. */
  file: string;
}

/** The journal of a conversation's file. */
export function journalOf(file: string): string {
  return `${file}l`;
}

/**
 * Reads a conversation; `broken` says in words why it cannot be read. An answer that was not carried out is left out: a file proves
 * no person's word, so the call is asked about again.
 */
export async function readConversationFile(
  ports: Ports,
  file: string,
  id: string,
): Promise<{ conversation: Conversation } | { broken: string }> {
  try {
    const value = await readWhole(ports, file);
    if (typeof value === "string") return { broken: value };
    const journal = field(value.whole, "journal");
    const lines = typeof journal === "string" ? await readJournal(ports, journalOf(file), journal) : [];
    if (typeof lines === "string") return { broken: lines };
    const read = Conversation.safeParse(value.whole);
    if (read.success) {
      const { format, ...conversation } = lines.reduce(applyLine, read.data);
      return { conversation: { ...withoutAnswer(conversation), id } };
    }
    const [issue] = read.error.issues;
    return { broken: `${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a session"}` };
  } catch (error) {
    return { broken: `${file}: ${errorMessage(error)}` };
  }
}

/** The value of the whole file, or why it cannot be read. */
async function readWhole({ files }: Ports, file: string): Promise<{ whole: unknown } | string> {
  const stat = await files.stat(file);
  if (stat === undefined) return `${file} does not exist`;
  if (stat.kind !== "file") return `${file} is ${describeKind(stat.kind)}, not a file`;
  if (stat.size > LARGEST) return `${file} is too large`;
  const whole: unknown = JSON.parse(new TextDecoder().decode(await files.read(file)));
  const format = field(whole, "format");
  if (typeof format === "number" && format > FORMAT)
    return `${file} was written by a newer version of looper`;
  return { whole };
}

/** The lines that belong to the whole file. The last one is left out if the process was killed while it wrote it. */
async function readJournal({ files }: Ports, file: string, journal: string): Promise<Line[] | string> {
  const stat = await files.stat(file);
  if (stat === undefined) return [];
  if (stat.size > LARGEST) return `${file} is too large`;
  const lines: Line[] = [];
  const texts = new TextDecoder()
    .decode(await files.read(file))
    .split("\n")
    .slice(0, -1);
  for (const [at, text] of texts.entries()) {
    const value: unknown = JSON.parse(text);
    if (field(value, "journal") !== journal) continue;
    const read = Line.safeParse(value);
    if (!read.success) return `${file}:${at + 1}: not a line of a session`;
    lines.push(read.data);
  }
  return lines;
}

function applyLine(before: Conversation, { from, messages, head: fields }: Line): Conversation {
  return { ...fields, messages: [...before.messages.slice(0, from), ...messages] };
}

/** How many of the first messages are the same values in both. */
function countKept(before: Conversation, after: Conversation): number {
  const most = Math.min(before.messages.length, after.messages.length);
  let kept = 0;
  while (kept < most && before.messages[kept] === after.messages[kept]) kept += 1;
  return kept;
}

/** The contents of the whole file and of its journal. */
interface Written {
  conversation: Conversation;
  /** The id of the journal; `undefined`: the whole file has none. */
  journal: string | undefined;
  wholeBytes: number;
  journalBytes: number;
}

/** Creates the writer. Its first save writes the whole file. */
export function openConversationFile(place: Place): ConversationFile {
  const { ports, file } = place;
  let written: Written | undefined;
  let last: Promise<void> = Promise.resolve();
  const queue = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
  return {
    save: (conversation) =>
      queue(async () => {
        // A command may have removed the file, such as `git clean -fdx`.
        const isThere = (await ports.files.stat(file))?.kind === "file";
        const before = isThere && written !== undefined && isSmall(written) ? written : undefined;
        // After a failure, which may have left half a line, the next save writes the whole file.
        written = undefined;
        written =
          before === undefined
            ? await writeWhole(place, conversation, ports.random.hex(8))
            : await append(place, conversation, before);
      }),
    close: () =>
      queue(async () => {
        if (written === undefined || (await ports.files.stat(file)) === undefined) return;
        written = await writeWhole(place, written.conversation, undefined);
      }),
  };
}

function isSmall({ journalBytes, wholeBytes }: Written): boolean {
  return journalBytes < Math.max(LARGE_JOURNAL, wholeBytes);
}

async function writeWhole(
  { ports, redact, file }: Place,
  conversation: Conversation,
  journal: string | undefined,
): Promise<Written> {
  const { files } = ports;
  const value = journal === undefined ? conversation : { ...conversation, format: FORMAT, journal };
  const text = `${JSON.stringify(redactValue(redact, value, KEPT))}\n`;
  await files.makeFolder(path.dirname(file), PRIVATE_FOLDER);
  await files.writeAtomic(file, text, { mode: PRIVATE_FILE });
  // Lines of an earlier journal do not count any more: they name another id.
  await files.remove(journalOf(file));
  return { conversation, journal, wholeBytes: text.length, journalBytes: 0 };
}

async function append(
  { ports, redact, file }: Place,
  conversation: Conversation,
  written: Written,
): Promise<Written> {
  const from = countKept(written.conversation, conversation);
  const { messages, ...fields } = conversation;
  const line = { journal: written.journal, from, messages: messages.slice(from), head: fields };
  const text = `${JSON.stringify(redactValue(redact, line, KEPT))}\n`;
  const open = await ports.files.openAppend(journalOf(file), { mode: PRIVATE_FILE });
  try {
    await open.append(text);
    await open.sync();
  } finally {
    await open.close();
  }
  return { ...written, conversation, journalBytes: written.journalBytes + text.length };
}
