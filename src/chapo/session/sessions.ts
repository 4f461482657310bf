// Stores sessions: a folder each, with the conversation, the sub-agents' conversations, the audit log and long outputs.
// One process at a time holds a session. engine/conversation.ts defines a conversation.
import path from "node:path";
import { environmentError, errorMessage, usageError } from "../../system/errors.js";
import { describeKind } from "../../system/files/describe-kind.js";
import { acquireLock, inspectLock, type HeldLock } from "../../system/files/lock.js";
import { markOf } from "../../system/processes/mark.js";
import { nearest } from "../../system/text/nearest.js";
import type { Ports, Files } from "../../system/ports.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { createConversation, Conversation, askAgainIfBegun } from "../engine/conversation.js";
import { describePending } from "../engine/calls/pending.js";
import type { AuditRecord, StoredInbox } from "../engine/world.js";
import type { SessionPart } from "../tool.js";
import { redactFile } from "../redact-file.js";
import { listByGit } from "./permissions/tracked-files.js";

/** Fields of a session's files that are never redacted. */
export const KEPT = new Set([
  ...["id", "callId", "call", "call_id", "parent", "session", "signature", "created", "at"],
]);

/** The folder of the sessions, and the parts to access it. */
export interface SessionPlace {
  ports: Ports;
  /** Absolute. Created if missing, and ignored by git. */
  folder: string;
  redact: Redact;
  /** The environment of git. */
  env: Readonly<Record<string, string>>;
}

/** All that reading needs. */
type FolderPlace = Pick<SessionPlace, "ports" | "folder">;

/** A session that this process holds. */
export interface OpenSession {
  readonly id: string;
  /** Absolute. */
  readonly folder: string;
  /** The conversation when the session was opened. */
  readonly conversation: Conversation;
  /** Writes a conversation to disk. A sub-agent's conversation gets a file of its own. */
  save(conversation: Conversation): Promise<void>;
  /** Reads the conversation of a sub-agent; `undefined` if there is none that can be read. */
  readChild(id: string): Promise<Conversation | undefined>;
  audit(record: AuditRecord): Promise<void>;
  /** Stores a whole text and returns the path of its file. */
  keepOutput(callId: string, text: string): Promise<string>;
  /** Opens a named value of the session, such as its list of todos. */
  part(name: string): SessionPart;
  /** Ends the session's processes and releases its lock. */
  close(): Promise<void>;
}

/** A session in a list. */
export interface ListedSession extends Pick<Conversation, "id" | "created" | "pending" | "iterations"> {
  /** ISO 8601. */
  changed: string;
  /** `interrupted`: its process was killed while it ran. */
  state: Conversation["state"] | "interrupted";
  /** Whether a process holds it. */
  isHeld: boolean;
  /** The call or the question that waits for a person; null: none does. */
  question: string | null;
  /** The beginning of the user's first message. */
  title: string;
  messages: number;
  tokens: number;
  /** The cost in dollars; null if a part of it is unknown. */
  cost_usd: number | null;
  /** Files of its sub-agents' conversations. */
  children: string[];
}

const ID = /^[A-Za-z0-9][\w-]{0,79}$/;
const PRIVATE = 0o700;
const FILE = "session.json";
/** Larger files were not written by Looper. */
const LARGEST = 256 * 1024 * 1024;
/** The folder for long outputs. */
const OUTPUTS = "outputs";

/** Creates a session. */
export async function beginSession(place: SessionPlace, skills: readonly string[]): Promise<OpenSession> {
  const { ports } = place;
  await prepareFolder(place);
  const now = new Date(ports.clock.now()).toISOString();
  const id = `${now.slice(0, 19).replace("T", "_").replaceAll(":", "-")}-${ports.random.hex(3)}`;
  const conversation = createConversation({ id, agent: "looper", created: now, skills: [...skills] });
  await ports.files.makeNewFolder(path.join(place.folder, id), PRIVATE);
  const session = await takeSession(place, conversation);
  await session.save(conversation);
  return session;
}

/**
 * Resumes a session; `last`: the newest that has a message. Throws a `usage` error if it does not exist, if its file is broken, or
 * if it came with the repository.
 */
export async function resumeSession(place: SessionPlace, named: string): Promise<OpenSession> {
  await refuseLinks(place.ports.files, place.folder);
  const foreign = await findForeignSessions(place);
  if (foreign.has(named))
    throw usageError(
      `the session ${named} came with the repository: git tracks its files, so it is not resumed`,
      "start a new session",
    );
  const ids = (await listIds(place)).filter((one) => !foreign.has(one));
  const id = named === "last" ? ((await findNewest(place, ids)) ?? named) : named;
  if (!ID.test(id) || !ids.includes(id)) {
    const close = nearest(id, ids);
    throw usageError(
      `session ${JSON.stringify(named)} not found`,
      close === undefined ? "list the sessions with `looper chapo sessions`" : `did you mean ${close}?`,
    );
  }
  const read = await readConversation(place, id);
  if ("broken" in read)
    throw usageError(`cannot read the session ${id}: ${read.broken}`, "start a new session");
  return takeSession(place, read.conversation);
}

/**
 * Returns the ids of the sessions of which git tracks a file; none without git. Their files say what a user and a model wrote, and
 * the repository's author may have invented that: they are never resumed.
 */
async function findForeignSessions({ ports, folder, env }: SessionPlace): Promise<ReadonlySet<string>> {
  if ((await ports.files.stat(folder)) === undefined) return new Set();
  const { names } = await listByGit({ ports, root: folder, env }, ["ls-files", "-z"]);
  return new Set(names.flatMap((file) => /^([^/]+)\//.exec(file)?.slice(1) ?? []));
}

/** Lists all sessions, newest first, and those that cannot be read with the reason. Changes nothing. */
export async function listSessions(
  place: FolderPlace,
): Promise<{ sessions: ListedSession[]; broken: { id: string; why: string }[] }> {
  const sessions: ListedSession[] = [];
  const broken: { id: string; why: string }[] = [];
  for (const id of await listIds(place)) {
    const read = await readConversation(place, id);
    if ("broken" in read) broken.push({ id, why: read.broken });
    else sessions.push(await describe(place, read.conversation));
  }
  return { sessions: sessions.sort((a, b) => (a.changed < b.changed ? 1 : -1)), broken };
}

/** A session as a list shows it; `undefined` if it cannot be read. */
export async function readSession(place: FolderPlace, id: string): Promise<ListedSession | undefined> {
  const read = await readConversation(place, id);
  return "broken" in read ? undefined : describe(place, read.conversation);
}

/** The conversation of a session; `undefined` if it cannot be read. */
export async function readStored(place: FolderPlace, id: string): Promise<Conversation | undefined> {
  const read = await readConversation(place, id);
  return "broken" in read ? undefined : read.conversation;
}

async function describe(place: FolderPlace, conversation: Conversation): Promise<ListedSession> {
  const { files } = place.ports;
  const folder = path.join(place.folder, conversation.id);
  const stat = await files.stat(path.join(folder, FILE));
  const lock = await inspectLock(place.ports, path.join(folder, "lock"));
  const running = lock !== undefined && !lock.gone;
  const { usage, messages } = conversation;
  // A call that has begun is running, or was left by a killed process.
  const { pending } = running
    ? conversation
    : askAgainIfBegun(conversation, conversation.pending?.asked_at ?? "");
  const first = messages.find(({ role }) => role === "user");
  return {
    id: conversation.id,
    created: conversation.created,
    changed: new Date(stat?.mtimeMs ?? 0).toISOString(),
    state: conversation.state === "running" && !running ? "interrupted" : conversation.state,
    isHeld: running,
    question:
      pending === undefined
        ? (conversation.question?.text ?? null)
        : describePending(pending, conversation.id),
    pending,
    title: first?.role === "user" ? first.text.slice(0, 200) : "",
    messages: messages.length,
    iterations: conversation.iterations,
    tokens: usage.input_tokens + usage.output_tokens + usage.cached_input_tokens,
    cost_usd: usage.unpriced === 0 ? usage.cost_usd : null,
    children: (await files.list(path.join(folder, "children"))).filter((name) => name.endsWith(".json")),
  };
}

/** Lists the ids, newest first: an id begins with its time. */
export async function listIds({ ports, folder }: FolderPlace): Promise<string[]> {
  const ids: string[] = [];
  for (const name of await ports.files.list(folder))
    if (ID.test(name) && (await ports.files.stat(path.join(folder, name), { link: true }))?.kind === "folder")
      ids.push(name);
  return ids.sort().reverse();
}

/**
 * Returns the newest id by the time that its file names. A session without a message, as `/help` leaves it, comes after all
 * others. `ids`: newest first, except those of one second.
 */
async function findNewest(place: SessionPlace, ids: readonly string[]): Promise<string | undefined> {
  let newest: { id: string; created: string } | undefined;
  let empty: typeof newest;
  for (const id of ids) {
    if (newest !== undefined && id.slice(0, SECONDS) !== newest.id.slice(0, SECONDS)) break;
    // A full disk may leave a folder without the file.
    if ((await place.ports.files.stat(path.join(place.folder, id, FILE))) === undefined) continue;
    const read = await readConversation(place, id);
    const { messages, created } = "broken" in read ? { messages: undefined, created: "" } : read.conversation;
    const dated = { id, created };
    if (messages?.length === 0) empty = empty !== undefined && empty.created >= created ? empty : dated;
    else if (newest === undefined || created > newest.created) newest = dated;
  }
  return (newest ?? empty)?.id;
}

const SECONDS = "2026-01-01_00-00-00".length;

/** A conversation; `broken` says in words why it cannot be read. */
type ReadConversation = { conversation: Conversation } | { broken: string };

async function readConversation({ ports, folder }: FolderPlace, id: string): Promise<ReadConversation> {
  return readConversationFile(ports, path.join(folder, id, FILE), id);
}

/** An answer that was not carried out is left out: a file proves no person's word, so the call is asked about again. */
async function readConversationFile({ files }: Ports, file: string, id: string): Promise<ReadConversation> {
  try {
    const stat = await files.stat(file);
    if (stat === undefined) return { broken: `${file} does not exist` };
    if (stat.kind !== "file") return { broken: `${file} is ${describeKind(stat.kind)}, not a file` };
    if (stat.size > LARGEST) return { broken: `${file} is too large` };
    const read = Conversation.safeParse(JSON.parse(new TextDecoder().decode(await files.read(file))));
    if (read.success) {
      const pending = read.data.pending && { ...read.data.pending, answer: undefined };
      return { conversation: { ...read.data, pending, id } };
    }
    const [issue] = read.error.issues;
    return { broken: `${file}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not a session"}` };
  } catch (error) {
    return { broken: `${file}: ${errorMessage(error)}` };
  }
}

/** Creates the folder and makes git ignore it: sessions belong to the user, not to the project. */
async function prepareFolder({ ports, folder }: SessionPlace): Promise<void> {
  await refuseLinks(ports.files, folder);
  const ignore = path.join(folder, ".gitignore");
  await ports.files.makeFolder(folder, PRIVATE);
  if ((await ports.files.stat(ignore, { link: true })) === undefined)
    await ports.files.writeAtomic(ignore, "*\n");
}

/** Refuses symbolic links, so that a cloned project cannot redirect where sessions are written. */
async function refuseLinks(files: Ports["files"], folder: string): Promise<void> {
  const link = await findLink(files, folder);
  if (link === undefined) return;
  throw environmentError(`cannot store sessions: ${link} is a symbolic link`, "replace it with a folder");
}

/** The folder of the sessions or the one around it, if it is a symbolic link. */
export async function findLink(files: Ports["files"], folder: string): Promise<string | undefined> {
  for (const one of [path.dirname(folder), folder])
    if ((await files.stat(one, { link: true }))?.kind === "symlink") return one;
  return undefined;
}

async function takeSession(place: SessionPlace, conversation: Conversation): Promise<OpenSession> {
  const { ports } = place;
  const { id } = conversation;
  const folder = path.join(place.folder, id);
  const locked = await acquireLock(ports, path.join(folder, "lock"), { folder }, { waitMs: 0 });
  if ("heldBy" in locked)
    throw environmentError(
      `cannot open the session ${id}: process ${locked.heldBy.pid} on ${locked.heldBy.host} holds it since ${locked.heldBy.since}`,
      "end that process, or start another session",
    );
  const mark = markOf(folder);
  await endDead(place, folder, locked.held);
  ports.processes.mark(mark);
  return openSession(place, conversation, { folder, held: locked.held, mark });
}

/**
 * Ends the processes that a killed holder of the session left, and redacts its outputs; without `redact` the next holder does.
 * Returns the processes that could not be ended.
 */
export async function endDead(
  { ports, redact }: { ports: Ports; redact?: Redact },
  folder: string,
  held: HeldLock,
): Promise<number[]> {
  if (held.dead.length === 0) return [];
  const { left } = await ports.processes.sweep(markOf(folder));
  if (redact === undefined) return left;
  // An orderly close redacts them with the shell.
  const outputs = path.join(folder, OUTPUTS);
  for (const name of await ports.files.list(outputs))
    await redactFile(ports.files, path.join(outputs, name), redact);
  await held.forgetDead();
  return left;
}

async function appendAudit(place: SessionPlace, folder: string, record: AuditRecord): Promise<void> {
  const { ports, redact } = place;
  // A command of the call may have removed the folder, such as `git clean -fdx`.
  await prepareFolder(place);
  await ports.files.makeFolder(folder, PRIVATE);
  const file = await ports.files.openAppend(path.join(folder, "audit.jsonl"), { mode: 0o600 });
  try {
    await file.append(`${JSON.stringify(redactValue(redact, record, KEPT))}\n`);
  } finally {
    await file.close();
  }
}

function openSession(
  place: SessionPlace,
  conversation: Conversation,
  { folder, held, mark }: { folder: string; held: HeldLock; mark: string },
): OpenSession {
  const { ports, redact } = place;
  const { files } = ports;
  const write = async (file: string, value: unknown): Promise<void> => {
    await files.makeFolder(path.dirname(file), PRIVATE);
    await files.writeAtomic(file, `${JSON.stringify(redactValue(redact, value, KEPT))}\n`, { mode: 0o600 });
  };
  const childFile = (id: string): string => path.join(folder, "children", `${id}.json`);
  // Sub-agents that work at the same time save the session's conversation too: the last save wins.
  let last: Promise<void> = Promise.resolve();
  return {
    id: conversation.id,
    folder,
    conversation,
    save: (changed) => {
      const file = changed.id === conversation.id ? path.join(folder, FILE) : childFile(changed.id);
      const saved = last.then(() => write(file, changed));
      last = saved.catch(() => undefined);
      return saved;
    },
    readChild: async (id) => {
      if (!ID.test(id)) return undefined;
      const read = await readConversationFile(ports, childFile(id), id);
      return "broken" in read ? undefined : read.conversation;
    },
    audit: (record) => appendAudit(place, folder, record),
    keepOutput: async (callId, text) => {
      const file = path.join(folder, OUTPUTS, `${callId.replaceAll(/[^\w-]/g, "_").slice(0, 80)}.txt`);
      await files.makeFolder(path.dirname(file), PRIVATE);
      await files.writeAtomic(file, redact(text), { mode: 0o600 });
      return file;
    },
    part: (name) => {
      const file = path.join(folder, `${name}.json`);
      const read = async (): Promise<unknown> => {
        const bytes = await files.read(file);
        return bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
      };
      return { read, write: (value) => write(file, value) };
    },
    close: async () => {
      await ports.processes.sweep(mark);
      await held.release();
    },
  };
}

const FOLDER = "inbox";

/** Opens the inbox of a session. `folder`: the session's, absolute. */
export function openInbox(files: Files, folder: string): StoredInbox {
  const inbox = path.join(folder, FOLDER);
  return {
    read: async () => {
      const messages: { name: string; text: string }[] = [];
      for (const name of (await files.list(inbox)).filter((one) => one.endsWith(".txt")).sort()) {
        const bytes = await files.read(path.join(inbox, name));
        if (bytes !== undefined) messages.push({ name, text: new TextDecoder().decode(bytes) });
      }
      return messages;
    },
    remove: (name) => files.remove(path.join(inbox, name)),
  };
}

/** Stores a message for a session. */
export async function storeMessage(
  { files, clock, random }: Pick<Ports, "files" | "clock" | "random">,
  folder: string,
  text: string,
): Promise<void> {
  const inbox = path.join(folder, FOLDER);
  await files.makeFolder(inbox, 0o700);
  // The name begins with the time, which is the order of delivery.
  const name = `${new Date(clock.now()).toISOString().replaceAll(":", "-")}-${random.hex(3)}.txt`;
  await files.writeAtomic(path.join(inbox, name), text, { mode: 0o600 });
}
