// Builds the program before npm packs, publishes or links this folder. On a fresh clone it first installs the packages that the
// build needs. Prints on stderr only: what npm prints on stdout may be read by a program.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isCurrent } from "./is-current.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Whether a package is installed for this folder, here or in a folder above.
 * @param {string} name
 */
function isInstalled(name) {
  for (let folder = root; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, "node_modules", name, "package.json"))) return true;
    if (folder === path.dirname(folder)) return false;
  }
}

function missingPackages() {
  /** @type {unknown} */
  const read = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const manifest = /** @type {{ devDependencies: Record<string, string> }} */ (read);
  return Object.keys(manifest.devDependencies).filter((name) => !isInstalled(name));
}

/** The environment npm gives its scripts, without variables that would install globally or omit packages. */
function environment() {
  const steering =
    /^npm_config_(?:global|location|omit|include|only|production|dry_run|workspaces?|package_lock_only)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !steering.test(name)));
}

function installPackages() {
  const npm = process.env["npm_execpath"] ?? "";
  const [command, ...before] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, npm] : ["npm"];
  // Without scripts: this one would start again.
  const words = ["ci", "--ignore-scripts", "--include=dev", "--loglevel=error"];
  const { status } = spawnSync(command, [...before, ...words], {
    cwd: root,
    env: environment(),
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) return false;
  // The file whose time make compares.
  writeFileSync(path.join(root, "node_modules", ".installed"), "");
  return true;
}

async function main() {
  if (await isCurrent()) return;
  const missing = missingPackages();
  if (missing.length > 0) {
    process.stderr.write(`looper: installing the ${missing.length} packages that the build needs (npm ci)\n`);
    if (!installPackages()) {
      process.stderr.write("looper: cannot install the packages that the build needs: npm ci failed\n");
      process.exitCode = 1;
      return;
    }
  }
  const build = fileURLToPath(new URL("build.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [build, "--if-older"], { stdio: ["ignore", 2, 2] });
  process.exitCode = status ?? 1;
}

await main();
