// A PID namespace: what is started in it dies with its first process, by the kernel's hand, whatever it did to its session
// or its environment. The first process lives as long as a pipe that only we hold, so that it goes with us, however we go.
// Made with the tools of util-linux, by root alone: in a user namespace sudo is no more, and ssh refuses root's files.
import { finished } from "node:stream/promises";
import { errorMessage } from "../errors.js";
import { startProgram, type Started } from "./child.js";

export interface Enclosure {
  /**
   * The words that start a command within: it leads a session of its own, and sees only what is within in /proc. The
   * paths to hide (absolute) are empty for it.
   */
  wrap(
    command: string,
    args: readonly string[],
    hide?: readonly string[],
  ): { command: string; args: string[] };
  /** Its first process lives. */
  isOpen(): boolean;
  /** SIGKILLs all that is within; resolves once it is gone. */
  close(): Promise<void>;
}

/** The programs it needs, by absolute path. */
export type Tools = Readonly<Record<"unshare" | "nsenter" | "setsid" | "sh" | "cat", string>>;

/**
 * The first process of the namespace: it adopts orphans. Pids inside start at its own pid as seen from outside: otherwise
 * each namespace would use the same few, and every stale pid file would name a live process. A killed `cat` is restarted.
 */
const FIRST = `exec 2>/dev/null
read -r pid rest </proc/self/stat
echo "$pid" >/proc/sys/kernel/ns_last_pid
echo "$pid"
exec >/dev/null
until "$0"; do :; done`;

/**
 * Covers `$2` files and folders, which are its next words, by empty ones in the mount namespace it runs in; then becomes the
 * command behind them. `$1`: where `mount` is looked for. Without it the command sees them, as it does outside a namespace.
 */
const COVER = `path=$1 count=$2; shift 2
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then PATH=$path mount -t tmpfs -o ro,mode=0555 looper "$1"
  elif [ -e "$1" ]; then PATH=$path mount --bind /dev/null "$1"
  fi 2>/dev/null
  shift; count=$((count - 1))
done
exec "$@"`;

const MOUNT_PLACES = "/usr/bin:/bin:/usr/sbin:/sbin";

/** Opens one; `env` is that of its first process. */
export async function openEnclosure(
  tools: Tools,
  env: Readonly<Record<string, string>>,
): Promise<Enclosure | { refused: string }> {
  const words = ["--pid", "--fork", "--kill-child=SIGKILL", "--", tools.sh, "-c", FIRST, tools.cat];
  const stdio = ["pipe", "pipe", "pipe"] as const;
  const holder = startProgram(tools.unshare, words, { cwd: "/", env, detached: true, stdio });
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
  };
  const gone = holder.exited.then(close, close);
  // The reader may be gone before the pipe is closed.
  holder.stdin?.on("error", () => undefined);
  const { said, complained } = await firstWords(holder);
  const first = /^\d+(?=\n)/.exec(said)?.[0];
  if (first === undefined) {
    holder.stdin?.destroy();
    return { refused: complained.trim() };
  }
  return {
    wrap: (command, args, hide = []) => ({
      command: tools.nsenter,
      args: [
        ...["--target", first, "--pid", "--"],
        ...[tools.unshare, "--mount-proc", "--propagation", "slave", "--"],
        ...(hide.length === 0
          ? []
          : [tools.sh, "-c", COVER, "sh", MOUNT_PLACES, String(hide.length), ...hide]),
        ...[tools.setsid, command, ...args],
      ],
    }),
    isOpen: () => isOpen,
    close: () => {
      holder.stdin?.destroy();
      return gone;
    },
  };
}

/** Up to its first line, or its end. */
async function firstWords(holder: Started): Promise<{ said: string; complained: string }> {
  let said = "";
  let complained = "";
  const line = new Promise<void>((resolve) => {
    holder.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
      if (said.includes("\n")) resolve();
    });
  });
  holder.stderr?.on("data", (chunk: Buffer) => {
    complained += chunk.toString("utf8");
  });
  const end = holder.exited.then(
    () => (holder.stderr === null ? undefined : finished(holder.stderr)),
    (error: unknown) => {
      complained += errorMessage(error);
    },
  );
  await Promise.race([line, end]);
  return { said, complained };
}
