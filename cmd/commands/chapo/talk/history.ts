// The lines that a person typed in this project's conversations, for the Up key. Kept beside the sessions, redacted, and ignored by git.
import path from "node:path";
import type { Files } from "../../../../src/system/ports.js";
import type { Redact } from "../../../../src/system/text/secrets/redact.js";
import { tryParseJson } from "../../../../src/system/text/json.js";

const MOST = 200;
const LARGEST = 4 * 1024 * 1024;
const LONGEST = 20_000;

/** The history of a project. */
export interface History {
  /** Oldest first. */
  read(): Promise<readonly string[]>;
  /** Adds a line, which `save` writes: the disk must not delay the request that it is sent with. */
  add(text: string): Promise<void>;
  save(): Promise<void>;
}

/** Opens it in the folder of the sessions, which must exist when it is saved. */
export function openHistory(files: Files, folder: string, redact: Redact): History {
  const file = path.join(folder, "typed.json");
  let known: string[] | undefined;
  let isSaved = true;
  const read = async (): Promise<string[]> => (known ??= await readList(files, file));
  return {
    read,
    add: async (text) => {
      if (text.length > LONGEST) return;
      const kept = redact(text);
      const list = (await read()).filter((one) => one !== kept);
      known = [...list, kept].slice(-MOST);
      isSaved = false;
    },
    save: async () => {
      if (isSaved || known === undefined) return;
      isSaved = true;
      await files.writeAtomic(file, `${JSON.stringify(known)}\n`, { mode: 0o600 });
    },
  };
}

/** A file that cannot be read is an empty history. */
async function readList(files: Files, file: string): Promise<string[]> {
  const stat = await files.stat(file, { link: true }).catch(() => undefined);
  if (stat?.kind !== "file" || stat.size > LARGEST) return [];
  const json = tryParseJson((await files.read(file)) ?? new Uint8Array());
  if (!json.ok || !Array.isArray(json.value)) return [];
  return json.value.filter((one): one is string => typeof one === "string");
}
