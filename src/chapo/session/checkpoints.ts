// A checkpoint of the project's files around each message, and going back to one: /undo, /rewind and `looper chapo undo`.
// src/git keeps the files; it is above this floor, so the caller passes it in as a port.
import { z } from "zod";
import { UserError } from "../../system/errors.js";
import type { Ports } from "../../system/ports.js";
import type { Redact } from "../../system/text/secrets/redact.js";
import { forgetOpen, type Conversation } from "../engine/conversation.js";
import { storeMessage, type OpenSession } from "./sessions.js";

/** Keeps the project's files, and takes back what changed between two states of them. */
export interface ProjectTrees {
  keep(session: string, name: string): Promise<void>;
  takeBack(session: string, spans: readonly { before: string; after: string }[]): Promise<TakenBackPaths>;
}

/** The result: the paths taken back, or those that something else changed since, and then nothing was. */
export type TakenBackPaths =
  | { paths: readonly string[]; rescue: string | undefined }
  | { changed: readonly string[] };

/** Opens them; without git it says why not. */
export type OpenTrees = () => Promise<ProjectTrees | { problem: string }>;

const Checkpoint = z.object({
  n: z.int().positive(),
  /** The text that the person typed. */
  text: z.string(),
  /** The text that the model got, which is in the conversation at this position. */
  prompt: z.string(),
  position: z.int().nonnegative(),
  /** A message is worked on in parts if a call waited for a person in between. */
  parts: z.int().positive(),
  undone: z.boolean(),
});
type Checkpoint = z.infer<typeof Checkpoint>;

const PART = "checkpoints";
const LONGEST = 2_000;

/** The session whose checkpoints are meant. */
export interface CheckpointPlace {
  session: OpenSession;
  ports: Ports;
  redact: Redact;
  trees?: OpenTrees;
}

/**
 * Keeps the files before and after the work on a message; without one, the work is a further part of the last. `work` gets the
 * function to call before the first call that may change something: nothing is kept for talk, and no request waits for git.
 */
export async function keepAround<T>(
  place: CheckpointPlace & { onWarning: (text: string) => void },
  { conversation, message }: { conversation: Conversation; message?: { text: string; prompt: string } },
  work: (keepFiles: () => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const { session, onWarning, trees: open } = place;
  if (open === undefined) return work(() => Promise.resolve());
  const kept = await readCheckpoints(session);
  const next = addCheckpoint(kept, message ?? CONTINUED, conversation.messages.length, message === undefined);
  const { n = 0, parts = 0 } = next.at(-1) ?? {};
  const names = nameOf(n, parts);
  const keep = async (name: string): Promise<void> => {
    try {
      const trees = await open();
      if (!("problem" in trees)) await trees.keep(session.id, name);
    } catch (error) {
      // A message is not lost because its files cannot be kept.
      if (!(error instanceof UserError)) throw error;
      onWarning(`/undo cannot take this message back: ${error.message}`);
    }
  };
  let begun: Promise<void> | undefined;
  await session.part(PART).write(next);
  try {
    return await work(() => (begun ??= keep(names.before)));
  } finally {
    await begun;
    if (begun !== undefined) await keep(names.after);
  }
}

const CONTINUED = { text: "(resumed)", prompt: "" };

function addCheckpoint(
  kept: readonly Checkpoint[],
  { text, prompt }: { text: string; prompt: string },
  position: number,
  isPart: boolean,
): Checkpoint[] {
  const last = kept.at(-1);
  if (isPart && last !== undefined && !last.undone)
    return [...kept.slice(0, -1), { ...last, parts: last.parts + 1 }];
  const short = { text: text.slice(0, LONGEST), prompt: prompt.slice(0, LONGEST) };
  return [...kept, { n: (last?.n ?? 0) + 1, ...short, position, parts: 1, undone: false }];
}

function nameOf(n: number, part: number): { before: string; after: string } {
  const name = `${String(n)}-${String(part)}`;
  return { before: `${name}-before`, after: `${name}-after` };
}

async function readCheckpoints(session: OpenSession): Promise<Checkpoint[]> {
  const read = z.array(Checkpoint).safeParse(await session.part(PART).read());
  return read.success ? read.data : [];
}

/** A report, in words too, or the reason why nothing was done. `message`: its first line. */
export type UndoneMessage =
  | { told: string; message: string; paths: readonly string[]; rescue: string | undefined }
  | { refused: string };

/** Takes back what the last message changed, or the last one before it that changed something. The model is told. */
export async function undoLast(place: CheckpointPlace): Promise<UndoneMessage> {
  const trees = await openTrees(place);
  if ("refused" in trees) return trees;
  const { session } = place;
  const kept = await readCheckpoints(session);
  for (const one of kept.filter(({ undone }) => !undone).reverse()) {
    const back = await trees.takeBack(session.id, spansOf([one]));
    if ("changed" in back) return refuseChanged(back.changed);
    one.undone = true;
    await session.part(PART).write(kept);
    if (back.paths.length === 0) continue;
    await storeMessage(place.ports, session.folder, `I took back your changes to ${back.paths.join(", ")}.`);
    const message = titleOf(one);
    const told = [`Took back what "${message}" changed:`, ...describeBack(back)].join("\n");
    return { ...back, message, told };
  }
  return { refused: "no message of this session has changes left to take back" };
}

/** Goes back to before a message: the files, and the conversation where it still holds the message. */
export async function rewindTo(
  place: CheckpointPlace,
  conversation: Conversation,
  named: string,
): Promise<{ refused: string } | { told: string; conversation: Conversation }> {
  const trees = await openTrees(place);
  if ("refused" in trees) return trees;
  const { session, redact } = place;
  const kept = await readCheckpoints(session);
  if (named === "") return { told: listCheckpoints(kept), conversation };
  const target = kept.find(({ n }) => String(n) === named);
  if (target === undefined)
    return { refused: `there is no message ${named.slice(0, 40)}; /rewind lists them` };
  const later = kept.filter(({ n, undone }) => n >= target.n && !undone);
  const back = await trees.takeBack(session.id, spansOf(later.reverse()));
  if ("changed" in back) return refuseChanged(back.changed);
  const earlier = kept.filter(({ n }) => n < target.n);
  await session.part(PART).write(earlier);
  const cut = cutBefore(conversation, target, redact);
  const told = [
    `Went back to before "${titleOf(target)}".`,
    ...(back.paths.length === 0 ? ["No file had to change."] : describeBack(back)),
    ...(cut === undefined ? ["The conversation stays: it was cleared or compacted since."] : []),
  ];
  return { told: told.join("\n"), conversation: cut ?? conversation };
}

async function openTrees({ trees: open }: CheckpointPlace): Promise<ProjectTrees | { refused: string }> {
  const trees = await open?.();
  if (trees === undefined) return { refused: "this session keeps no checkpoints" };
  return "problem" in trees ? { refused: `${trees.problem}: without git no checkpoints are kept` } : trees;
}

/** The newest first. */
function spansOf(newestFirst: readonly Checkpoint[]): { before: string; after: string }[] {
  return newestFirst.flatMap(({ n, parts }) =>
    Array.from({ length: parts }, (_, part) => nameOf(n, parts - part)),
  );
}

function refuseChanged(paths: readonly string[]): { refused: string } {
  return {
    refused: `nothing was taken back: ${paths.join(", ")} changed since; put your changes aside first (git stash, or a copy)`,
  };
}

function describeBack({ paths, rescue }: { paths: readonly string[]; rescue: string | undefined }): string[] {
  return [
    ...paths.map((path) => `  ${path}`),
    ...(rescue === undefined ? [] : [`The replaced content is kept: looper rescue show ${rescue}`]),
  ];
}

function titleOf({ text }: Checkpoint): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function listCheckpoints(kept: readonly Checkpoint[]): string {
  if (kept.length === 0) return "No message of this session has a checkpoint.";
  const lines = kept.map(
    (one) => `${String(one.n).padStart(3)}  ${titleOf(one)}${one.undone ? " (taken back)" : ""}`,
  );
  return [...lines, "", "/rewind N goes back to before that message."].join("\n");
}

/** The conversation before a message; `undefined` if the message is not there any more. */
export function cutBefore(
  conversation: Conversation,
  { position, prompt }: Pick<Checkpoint, "position" | "prompt">,
  redact: Redact,
): Conversation | undefined {
  const from = conversation.messages.slice(position);
  const isThere = from.some(
    (one) => one.role === "user" && redact(one.text.slice(0, LONGEST)) === redact(prompt),
  );
  if (from[0]?.role !== "user" || !isThere) return undefined;
  return { ...forgetOpen(conversation), messages: conversation.messages.slice(0, position) };
}
