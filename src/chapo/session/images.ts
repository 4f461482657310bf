// Images of the user's messages: a path in a message becomes a copy in the session's folder and a mark in the message. The mark
// is stored; each request reads the copy again, so that an image stays the same for the whole session. The session's model adds
// them to its requests, with the effort that is chosen now and the key of the session's cache.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sha256Hex } from "../../system/text/sha256.js";
import type { ChatImage, ChatMessage, Model, ModelAnswer, ModelRequest } from "../model.js";
import type { Effort } from "../../config/settings/efforts.js";
import { usageError } from "../../system/errors.js";
import type { ProjectFolder } from "../paths.js";
import { readEffort } from "../models/effort.js";

/** The folders of a session with images. */
export interface ImagePlace extends ProjectFolder {
  /** The user's home folder, for `~/`. */
  home: string;
  /** The session's folder. */
  folder: string;
  /** Whether the rules keep the content of a file back; its path is relative to the project's real folder. */
  isHidden: (file: string) => Promise<boolean>;
}

const FOLDER = "images";
/** Providers refuse larger ones. */
const LARGEST = 5 * 1024 * 1024;
const MOST = 10;
/**
 * A path in quotes, or one in which spaces have a backslash; `@` and `file://` may come before it. Bounded, because a word of
 * several megabytes would exhaust the stack.
 */
const PATH = /"([^"\n]{1,4096})"|'([^'\n]{1,4096})'|((?:\\.|[^\s"'\\]){1,4096})/g;
const NAMED = /\.(?:png|jpe?g|gif|webp)$/i;
const MARK = /\[image ([0-9a-f]{16}\.(png|jpeg|gif|webp)): [^\]\n]*\]/g;

/** Adds a mark for each image that the text names. `images`: the names of their files. `problems`: images that cannot be sent, a line each. */
export async function attachImages(
  place: ImagePlace,
  text: string,
): Promise<{ text: string; images: readonly string[]; problems: readonly string[] }> {
  const marks: string[] = [];
  const images: string[] = [];
  const problems: string[] = [];
  for (const spelled of listNamed(text)) {
    const file = resolveNamed(place, spelled);
    const stat = await place.files.stat(file).catch(() => undefined);
    if (stat?.kind !== "file") continue;
    const shown = path.basename(file).replaceAll(/[\]\n\r]/g, "_");
    if (await isHidden(place, file))
      problems.push(`${shown} is not sent: a deny or ask rule on Read covers it`);
    else if (stat.size > LARGEST) problems.push(`${shown} is not sent as an image: it is larger than 5 MB`);
    else if (marks.length >= MOST) problems.push(`${shown} is not sent: a message takes ${MOST} images`);
    else {
      const kept = await keepImage(place, await place.files.read(file).catch(() => undefined));
      if (kept === undefined) problems.push(`${shown} is not sent as an image: it is none`);
      else {
        marks.push(`[image ${kept}: ${shown}]`);
        images.push(shown);
      }
    }
  }
  return { images, text: marks.length === 0 ? text : `${text}\n\n${marks.join("\n")}`, problems };
}

/** Adds the images to the messages whose text has their marks. */
export async function loadImages(
  { files, folder }: Pick<ImagePlace, "files" | "folder">,
  messages: readonly ChatMessage[],
): Promise<readonly ChatMessage[]> {
  return Promise.all(
    messages.map(async (message) => {
      if (message.role !== "user" || !message.text.includes("[image ")) return message;
      const images: ChatImage[] = [];
      for (const [, name = "", type = ""] of message.text.matchAll(MARK)) {
        const data = await files.read(path.join(folder, FOLDER, name)).catch(() => undefined);
        if (data !== undefined && images.length < MOST) images.push({ type: `image/${type}`, data });
      }
      return images.length === 0 ? message : { ...message, images };
    }),
  );
}

async function isHidden({ files, root, isHidden: ask }: ImagePlace, file: string): Promise<boolean> {
  const inside = path.relative((await files.realPath(root)) ?? root, (await files.realPath(file)) ?? file);
  return !inside.startsWith("..") && ask(inside);
}

function listNamed(text: string): string[] {
  const named = new Set<string>();
  for (const [, double, single, plain = ""] of text.matchAll(PATH)) {
    const bare = plain.replace(/(?<![.,;:!?)\]}>])[.,;:!?)\]}>]+$/, "").replace(/^[([{<]+/, "");
    const spelled = double ?? single ?? bare.replaceAll(/\\(.)/g, "$1");
    if (NAMED.test(spelled) && spelled.length <= 4096) named.add(spelled.replace(/^@/, ""));
  }
  return [...named];
}

function resolveNamed({ root, home }: ImagePlace, spelled: string): string {
  if (spelled.startsWith("file://"))
    try {
      return fileURLToPath(spelled);
    } catch {
      return path.resolve(root, spelled);
    }
  return spelled.startsWith("~/") ? path.join(home, spelled.slice(2)) : path.resolve(root, spelled);
}

/** Keeps an image that came with a message, and returns its mark; `undefined`: it is too large, or not an image. */
export async function keepSentImage(
  place: Pick<ImagePlace, "files" | "folder">,
  bytes: Uint8Array,
): Promise<string | undefined> {
  const kept = bytes.length > LARGEST ? undefined : await keepImage(place, bytes);
  return kept === undefined ? undefined : `[image ${kept}: attached]`;
}

/** Copies an image into the session's folder, and returns the copy's name; `undefined` if the bytes are not an image. */
async function keepImage(
  { files, folder }: Pick<ImagePlace, "files" | "folder">,
  bytes: Uint8Array | undefined,
): Promise<string | undefined> {
  const type = bytes === undefined ? undefined : typeOf(bytes);
  if (bytes === undefined || type === undefined) return undefined;
  const name = `${sha256Hex(bytes).slice(0, 16)}.${type}`;
  await files.makeFolder(path.join(folder, FOLDER), 0o700);
  await files.writeAtomic(path.join(folder, FOLDER, name), bytes, { mode: 0o600 });
  return name;
}

/** Reads the type from the first bytes, because names lie. */
function typeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "jpeg";
  if (/^GIF8[79]a/.test(head)) return "gif";
  return /^RIFF[\s\S]{4}WEBP/.test(head) ? "webp" : undefined;
}

/** Requests of the engine's own, which need no thinking. */
const OWN = new Set(["validation", "summary", "compaction"]);

interface SessionModelPlace {
  cacheKey: string;
  /** Read for each request, because `/effort` changes it. */
  effort: () => Effort | undefined;
  /** Adds the images that messages name. */
  loadImages: (messages: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;
  /** The names of models that refused images. */
  withoutImages: Set<string>;
  onWarning: (text: string) => void;
}

/** Wraps a model. */
export function toSessionModel(model: Model, place: SessionModelPlace): Model {
  return {
    ...model,
    ask: (request) =>
      askWithImages(model, place, {
        ...request,
        cacheKey: place.cacheKey,
        effort: OWN.has(request.who) ? undefined : place.effort(),
      }),
  };
}

async function askWithImages(
  model: Model,
  { loadImages, withoutImages, onWarning }: SessionModelPlace,
  request: ModelRequest,
): Promise<ModelAnswer> {
  if (withoutImages.has(model.name)) return model.ask(request);
  const messages = await loadImages(request.messages);
  const answer = await model.ask({ ...request, messages });
  const hasImages = messages.some((message) => message.role === "user" && message.images !== undefined);
  if (!hasImages || !("failure" in answer) || answer.failure.reason !== "bad-request") return answer;
  const again = await model.ask(request);
  if ("failure" in again) return answer;
  withoutImages.add(model.name);
  onWarning(
    `${model.name} does not take images, and got their names only (${answer.failure.message}); /model changes the model`,
  );
  return again;
}

/** Returns the effort of the settings. Throws a `usage` error if that level does not exist. */
export function readSetEffort(set: string | undefined): Effort | undefined {
  if (set === undefined) return undefined;
  const read = readEffort(set);
  if ("effort" in read) return read.effort;
  throw usageError(`reasoning (--effort): ${read.problem}`, "correct it");
}
