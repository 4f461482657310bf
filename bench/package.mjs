// The cost of an installation: download, disk space and time.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { median, scratch } from "./measure.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const MB = 1_000_000;

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / MB).toFixed(2)} MB`;
}

/** The bytes of all files below a folder. @param {string} folder */
export function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.reduce((sum, one) => sum + statSync(path.join(one.parentPath, one.name)).size, 0);
}

/**
 * Runs npm without the user's settings. It fails after so many milliseconds.
 * @param {readonly string[]} args
 * @param {string} home
 * @param {string} [cwd]
 * @param {number} [timeout]
 */
export function npm(args, home, cwd = ROOT, timeout = 120_000) {
  return spawnSync("npm", [...args], {
    cwd,
    encoding: "utf8",
    timeout,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      ...wayOut(),
      npm_config_update_notifier: "false",
      npm_config_fund: "false",
      npm_config_audit: "false",
    },
  });
}

/** The variables that a machine may need to reach the network. */
function wayOut() {
  const names = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export function rows() {
  const root = scratch("package");
  const home = path.join(root, "home");
  mkdirSync(home);
  const said = npm(["pack", "--ignore-scripts", "--json", "--pack-destination", root], home);
  /** @type {unknown} */
  const packed = JSON.parse(said.stdout);
  const [{ filename, size, unpackedSize }] =
    /** @type {[{ filename: string, size: number, unpackedSize: number }]} */ (packed);
  const times = [];
  let installed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const into = path.join(root, `into-${String(round)}`);
    mkdirSync(into);
    const began = performance.now();
    const done = npm(
      [
        "install",
        "--prefix",
        into,
        "--offline",
        "--omit=optional",
        "--ignore-scripts",
        path.join(root, filename),
      ],
      home,
      into,
    );
    times.push(performance.now() - began);
    if (done.status !== 0) throw new Error(`npm install: ${done.stderr}`);
    const bin = path.join(into, "node_modules/.bin/looper");
    execFileSync(bin, ["--version"], { env: { PATH: process.env["PATH"] ?? "", HOME: home } });
    installed = sizeOf(path.join(into, "node_modules"));
  }
  return [
    {
      what: "the package, without optional parts",
      against: "",
      goal: "≤ 3 MB packed",
      measured: megabytes(size),
      figures: `${megabytes(unpackedSize)} unpacked; installed from a file, offline: ${megabytes(installed)}, ${(median(times) / 1000).toFixed(1)} s; no other package comes with it`,
      holds: size <= 3 * MB,
    },
  ];
}
