// The programs that ecosystems need: those of the machine, and packages of npm in a cache of the bench's own.
// Leaves what is run with them to the cases.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import process from "node:process";
import { openStage } from "../stage.mjs";

/** @typedef {import("../stage.mjs").Stage} Stage */

const CACHE = path.join(process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"), "looper-bench");
const NODE_CACHE = path.join(CACHE, "node");
export const MODULES = path.join(NODE_CACHE, "node_modules");
/** Cases that were tried outside of Looper, by their hash. */
export const CHECKED = path.join(CACHE, "checked");

const PACKAGES = { vitest: "3.2.4", jest: "29.7.0", mocha: "11.7.4", typescript: "5.9.3" };

/** Programs that a version switcher may hide, and how to ask for the real one. */
const HIDDEN_PROGRAMS = [
  { command: "rustup", args: ["which", "cargo"] },
  { command: "python3", args: ["-c", "import sys; print(sys.executable)"] },
];

/** Installs the packages; once. */
export function installPackages() {
  mkdirSync(NODE_CACHE, { recursive: true });
  const manifest = { name: "looper-bench", private: true, dependencies: PACKAGES };
  writeFileSync(path.join(NODE_CACHE, "package.json"), JSON.stringify(manifest));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent"], {
    cwd: NODE_CACHE,
    stdio: "inherit",
  });
}

/** The bench's folder with everything that was found on PATH. @returns {Stage} */
export function openGrownStage() {
  const stage = openStage();
  const folders = HIDDEN_PROGRAMS.map(({ command, args }) => folderOf(command, args)).filter(
    (one) => one !== undefined,
  );
  const bin = path.join(stage.root, "bin");
  for (const name of ["go", "cargo", "rustc", "rspec", "phpunit", "prove"]) {
    if (!existsSync(path.join("/usr/local/go/bin", name))) continue;
    symlinkSync(path.join("/usr/local/go/bin", name), path.join(bin, name));
  }
  const env = {
    ...stage.env,
    PATH: [stage.env["PATH"], ...folders].join(":"),
    CARGO_NET_OFFLINE: "true",
    GOCACHE: path.join(CACHE, "go"),
    GOPATH: path.join(CACHE, "gopath"),
    GOPROXY: "off",
    GOFLAGS: "-mod=mod",
    GOTOOLCHAIN: "local",
    npm_config_update_notifier: "false",
    PYTHONDONTWRITEBYTECODE: "1",
  };
  return { ...stage, env };
}

/** @param {string} command @param {string[]} args */
function folderOf(command, args) {
  try {
    const said = execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return path.dirname(said.trim());
  } catch {
    return undefined; // not there
  }
}

/**
 * Those that are missing. `node:NAME` is a package of the cache, `python:NAME` a module, `file:PATH` a file.
 * @param {Stage} stage
 * @param {Iterable<string>} tools
 */
export function missingTools(stage, tools) {
  return new Set([...new Set(tools)].filter((tool) => !isThere(stage, tool)));
}

/** @param {Stage} stage @param {string} tool */
function isThere(stage, tool) {
  const [kind = "", name = ""] = tool.includes(":") ? tool.split(":") : ["", tool];
  if (kind === "node") return existsSync(path.join(MODULES, name));
  if (kind === "file") return existsSync(name);
  const command =
    kind === "python" ? ["python3", "-c", `import ${name}`] : ["sh", "-c", `command -v ${name}`];
  try {
    execFileSync(command[0] ?? "", command.slice(1), {
      env: { ...stage.env, HOME: stage.root },
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}
