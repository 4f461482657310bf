// A home folder of a room's own, for `verify.home: room`. It is removed with the room.
import { basename, join } from "node:path";
import type { Files } from "../../system/ports.js";
import type { GitRoom } from "../../git/room/room.js";
import type { Room } from "../commands/run-commands.js";

/** The variables that would lead back to the user's folders. */
const USERS = /^(?:XDG_RUNTIME_DIR|TMP|TEMP)$/;

/** The same room, with an empty home folder and an empty temp folder. */
export async function withOwnHome(
  files: Files,
  room: Room,
  { folder, cwd: top }: Pick<GitRoom, "folder" | "cwd">,
): Promise<Room> {
  // Beside the working tree, under names that it cannot have.
  const home = join(folder, `${basename(top)}-home`);
  const temp = join(folder, `${basename(top)}-tmp`);
  await files.makeFolder(home, 0o700);
  await files.makeFolder(temp, 0o700);
  const kept = Object.entries(room.env).filter(([name]) => !USERS.test(name));
  const env = {
    ...Object.fromEntries(kept),
    HOME: home,
    TMPDIR: temp,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
  };
  return { ...room, env };
}
