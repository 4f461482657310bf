// Remembers the content of each file as the session has read or written it, so that a change made by others is not overwritten.
// Kept as a part of the session, so that it holds after a resume.
import { z } from "zod";
import type { Files } from "../../../system/ports.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import type { SessionPart } from "../../tool.js";

/** The files as the session knows them. Paths are absolute and without symbolic links. */
export interface KnownFiles {
  /** Remembers the file as it is now. */
  note(path: string): Promise<void>;
  /** Whether the file is as the session knows it. A file that does not exist is `known`. */
  check(path: string): Promise<"known" | "unread" | "changed">;
}

/** Larger files are compared by size and time. */
const LARGEST_HASHED = 8 * 1024 * 1024;
const MOST_FILES = 5_000;

const Stored = z.record(z.string(), z.string()).catch({});

/** Opens the session's known files. */
export function openKnownFiles(files: Files, store: SessionPart): KnownFiles {
  let loaded: Promise<Map<string, string>> | undefined;
  const load = async (): Promise<Map<string, string>> =>
    new Map(Object.entries(Stored.parse((await store.read()) ?? {})));
  const known = (): Promise<Map<string, string>> => (loaded ??= load());
  return {
    note: async (path) => {
      const map = await known();
      const now = await fingerprint(files, path);
      if (now === undefined || map.get(path) === now) return;
      // The latest are at the end.
      map.delete(path);
      map.set(path, now);
      for (const oldest of [...map.keys()].slice(0, Math.max(0, map.size - MOST_FILES))) map.delete(oldest);
      await store.write(Object.fromEntries(map));
    },
    check: async (path) => {
      const now = await fingerprint(files, path);
      if (now === undefined) return "known";
      const before = (await known()).get(path);
      return before === undefined ? "unread" : before === now ? "known" : "changed";
    },
  };
}

async function fingerprint(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file") return undefined;
  if (stat.size > LARGEST_HASHED) return `${stat.size} ${stat.mtimeMs}`;
  const bytes = await files.read(path);
  return bytes === undefined ? undefined : sha256Hex(bytes);
}
