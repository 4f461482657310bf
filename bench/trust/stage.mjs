// The bench's own temp folder: programs on PATH, files written as trees, commands run. Leaves what they mean to others.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

/** @typedef {import("./types.js").Kind} Kind */
/** @typedef {import("./types.js").Tree} Tree */

/**
 * @typedef {object} Stage
 * @property {string} root
 * @property {Readonly<Record<string, string>>} env without a HOME
 * @property {ReadonlySet<Kind>} missing kinds of project that this machine cannot run
 */

/** @returns {Stage} */
export function openStage() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "trust-")));
  const bin = path.join(root, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, path.join(bin, "node"));
  /** @type {Set<Kind>} */
  const missing = new Set();
  const python = findPython();
  // Not what a version switcher puts on PATH: that needs a home of its own, and time.
  if (python === undefined) missing.add("python");
  else symlinkSync(python, path.join(bin, "python3"));
  const gitconfig = path.join(root, "gitconfig");
  writeFileSync(
    gitconfig,
    "[init]\n\tdefaultBranch = main\n\ttemplateDir =\n[user]\n\tname = Person\n\temail = person@example.org\n[gc]\n\tauto = 0\n",
  );
  const env = {
    PATH: [bin, path.dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    GIT_CONFIG_GLOBAL: gitconfig,
    GIT_CONFIG_NOSYSTEM: "1",
    LANG: "C.UTF-8",
    TZ: "UTC",
    NO_UPDATE_NOTIFIER: "1",
  };
  return { root, env, missing };
}

function findPython() {
  try {
    const print = "import sys; print(sys.executable)";
    return execFileSync("python3", ["-c", print], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

/** @param {Stage} stage */
export function closeStage({ root }) {
  rmSync(root, { recursive: true, force: true });
}

/**
 * Writes files below a folder. A file, folder or link at a path is replaced.
 * @param {string} folder
 * @param {Tree} tree
 * @param {string} [outside] what `@outside` stands for in links
 */
export function writeTree(folder, tree, outside = "") {
  for (const [name, content] of Object.entries(tree)) {
    const file = path.join(folder, name);
    rmSync(file, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(path.dirname(file), { recursive: true });
    if (typeof content === "string") writeFileSync(file, content);
    else if ("link" in content) symlinkSync(content.link.replace("@outside", outside), file);
    else {
      writeFileSync(file, content.program);
      chmodSync(file, 0o755);
    }
  }
}

/** Leaders of the groups that run now. @type {Set<number>} */
const running = new Set();

let stopping = false;

/** Nothing new begins, and what runs is asked to end: a runner that is killed would leave what it started. */
export function stopAll() {
  stopping = true;
  for (const pid of running) kill(pid, "SIGTERM");
}

/** Whether the bench was told to stop; its results are then incomplete. */
export const isStopping = () => stopping;

/**
 * @param {number} pid
 * @param {"SIGTERM" | "SIGKILL"} signal
 */
function kill(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/**
 * @typedef {{ code: number | undefined, stdout: string, stderr: string }} Ran `code` is missing when it was ended
 */

/**
 * Runs a program to its end.
 * @param {readonly string[]} command
 * @param {{ cwd: string, env: Readonly<Record<string, string>>, seconds?: number }} options
 * @returns {Promise<Ran>}
 */
export function run(command, { cwd, env, seconds = 60 }) {
  const [file = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const { pid } = child;
    if (pid !== undefined) running.add(pid);
    const timer = setTimeout(() => {
      if (pid !== undefined) kill(pid, "SIGKILL");
    }, seconds * 1000);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      resolve({ code: code ?? undefined, stdout, stderr });
    });
  });
}

/**
 * Does at most so many at a time, in order.
 * @template T
 * @param {readonly T[]} all
 * @param {number} atOnce
 * @param {(one: T) => Promise<void>} work
 */
export async function forEachOf(all, atOnce, work) {
  const left = [...all];
  const lane = async () => {
    for (let next = left.shift(); next !== undefined && !stopping; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
