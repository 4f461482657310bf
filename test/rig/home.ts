// Makes a home before any test, so that the user's settings reach no test, and no test reaches the user's files.
// Files that tests leave in the temp folder are removed with it.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import path from "node:path";

/**
 * Variables of the outside that would change what the program or git does; LOOPER_HISTORIES, LOOPER_KILLS and LOOPER_SEED are the
 * tests' own. Node 20 reads all of NODE_EXTRA_CA_CERTS at each start, which takes 50 ms for a usual bundle of certificates.
 */
const LEAKS =
  /^(LOOPER_(?!HISTORIES|KILLS|SEED)|GIT_|CLAUDE_|CODEX_|NPM_CONFIG_|npm_)|^(CI|NO_COLOR|FORCE_COLOR|EDITOR|VISUAL|NODE_EXTRA_CA_CERTS)$/;

const IN_MEMORY = "/dev/shm";
const LEAST_BYTES = 4 * 1024 ** 3;

/** Read before it is replaced: each project of vitest comes here once. */
const TEMP = chooseTemp();

/**
 * The user's folder for temporary files; without one, a file system in memory, if one has room and runs programs. Tests make and
 * delete hundreds of thousands of small files, and ext4 then takes long to find a free inode.
 */
function chooseTemp(): string {
  if (process.env["TMPDIR"] !== undefined || process.platform !== "linux") return tmpdir();
  const mounts = readFileSync("/proc/self/mounts", "utf8").split("\n");
  const [, , type, options = ""] =
    mounts.map((line) => line.split(" ")).find(([, at]) => at === IN_MEMORY) ?? [];
  if (type !== "tmpfs" || options.split(",").some((one) => one === "noexec" || one === "ro")) return tmpdir();
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return Math.min(bavail * bsize, freemem() / 2) >= LEAST_BYTES ? IN_MEMORY : tmpdir();
}

/** Runs in vitest's own process; the workers inherit what it sets. Returns the clean-up. */
export default function setup(): () => void {
  // Short, because sockets are below it: their paths have 107 bytes at most.
  const home = mkdtempSync(path.join(TEMP, "looper-"));
  for (const name of Object.keys(process.env)) {
    if (LEAKS.test(name)) Reflect.deleteProperty(process.env, name);
  }
  const gitConfig = path.join(home, "gitconfig");
  writeFileSync(gitConfig, "[init]\n\tdefaultBranch = main\n");
  const temp = path.join(home, "tmp");
  mkdirSync(temp);
  Object.assign(process.env, {
    HOME: home,
    TMPDIR: temp,
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_STATE_HOME: path.join(home, "state"),
    XDG_CACHE_HOME: path.join(home, "cache"),
    XDG_DATA_HOME: path.join(home, "share"),
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_CONFIG_NOSYSTEM: "1",
    TZ: "UTC",
  });
  return () => {
    rmSync(home, { recursive: true, force: true });
  };
}
