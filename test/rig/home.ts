// Makes a home before any test, so that the user's settings reach no test, and no test reaches the user's files.
// Files that tests leave in the temp folder are removed with it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Variables of the outside that would change what the program or git does; LOOPER_HISTORIES, LOOPER_KILLS and LOOPER_SEED are the tests' own. */
const LEAKS =
  /^(LOOPER_(?!HISTORIES|KILLS|SEED)|GIT_|CLAUDE_|CODEX_|NPM_CONFIG_|npm_)|^(CI|NO_COLOR|FORCE_COLOR|EDITOR|VISUAL)$/;

/** Read before it is replaced: each project of vitest comes here once. */
const TEMP = tmpdir();

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
