// The messages that other processes store for a session: a file each, so that none overwrites another.
// The session takes them before the model's next request (engine/converse.ts).
import path from "node:path";
import type { Files, Ports } from "../../system/ports.js";
import type { StoredInbox } from "../engine/world.js";

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
