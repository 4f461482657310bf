// Puts the pinned clients into a cache folder outside the repository, or finds those that are installed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { Cli } from "./clis.js";

/** A client that can be started, or why there is none. */
export type Installed = { binary: string; version: string } | { missing: string };

/** About 400 MB each; what is there already is taken. */
export function install(cli: Cli): Installed {
  const folder = path.join(cacheFolder(), `${cli.program}-${cli.version}`);
  const binary = path.join(folder, "node_modules", ".bin", cli.program);
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), '{"private":true}\n');
    const wanted = `${cli.package}@${cli.version}`;
    console.error(`installing ${wanted} into ${folder}`);
    // Claude's program is put in place by its install script; it wants a newer Node than it needs.
    const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact"];
    const own = ["--ignore-scripts=false", "--engine-strict=false"];
    const { status, stderr } = spawnSync("npm", [...words, ...own, wanted], {
      cwd: folder,
      encoding: "utf8",
    });
    if (status !== 0) return { missing: `npm install ${wanted} failed: ${lastLines(stderr)}` };
  }
  return started(binary);
}

/** The one on PATH, whatever its version. */
export function findInstalled(cli: Cli): Installed {
  const found = spawnSync("sh", ["-c", `command -v ${cli.program}`], { encoding: "utf8" }).stdout.trim();
  return found === "" ? { missing: `${cli.program} is not on PATH` } : started(found);
}

function cacheFolder(): string {
  const caches = process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache");
  return path.join(caches, "looper-agents");
}

function started(binary: string): Installed {
  try {
    const said = execFileSync(binary, ["--version"], { encoding: "utf8", timeout: 60_000 });
    return { binary, version: /\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? said.trim() };
  } catch (error) {
    return {
      missing: `${binary} --version failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-5).join(" | ");
}
