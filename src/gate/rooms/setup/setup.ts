// Prepares a room with `verify.setup`: from the cache, or by running the commands. Only rooms of a base alone fill the
// cache, because no code of an attempt has run in them. setup-cache.ts is the cache.
import { posix } from "node:path";
import { toText } from "../../../git/base/bytes.js";
import type { Version } from "../../../git/base/read/diff.js";
import { runGit, type GitPlace } from "../../../git/base/git.js";
import type { Ports } from "../../../system/ports.js";
import { sha256Hex } from "../../../system/text/sha256.js";
import { runOne, type Room } from "../../commands/run-commands.js";
import { copyKept, isKept, keep, type Kept } from "./setup-cache.js";
import { endsWell } from "../../verdict/flaky.js";
import type { Ran } from "../../verdict.js";

const LOCK_FILES =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|pixi\.lock|[\w.-]*requirements[\w.-]*\.txt|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Podfile\.lock|gradle\.lockfile|packages\.lock\.json|flake\.lock)$/;

/** The commands that prepare a room, and their limits. */
export interface SetupRules {
  /** Lines for `sh -c`. */
  commands: readonly string[];
  /** The time limit of one command; 0 = unlimited. */
  timeoutMs: number;
  /** `undefined`: the setup is not cached. */
  cache: Kept | undefined;
}

/** A hash of everything a setup depends on; `undefined` without lock files, since then it cannot be known when to renew it. */
export async function setupKey(
  { processes }: Pick<Ports, "processes">,
  rules: SetupRules,
  room: { files: ReadonlyMap<string, Version>; top: string; env: Readonly<Record<string, string>> },
): Promise<string | undefined> {
  const locks = [...room.files]
    .filter(([path]) => LOCK_FILES.test(posix.basename(toText(path))))
    .map(([path, { oid }]) => [path, oid])
    .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  if (rules.cache === undefined || rules.commands.length === 0 || locks.length === 0) return undefined;
  const asked = "uname -sm; node --version; python3 --version; ruby --version; go version";
  const { stdout } = await processes.run(
    { command: "/bin/sh", args: ["-c", asked], cwd: "/", env: room.env },
    { timeoutMs: 10_000, maxBytes: 4096 },
  );
  const machine = Buffer.from(stdout).toString("utf8");
  // The path of the room is part of it, because some tools (python's virtual environments) write it into their output.
  return sha256Hex(JSON.stringify([1, rules.commands, locks, machine, room.top]));
}

/** A room to prepare. */
export interface SetupOrder {
  /** Git in the room. */
  place: GitPlace;
  room: Room;
  /** From `setupKey`. */
  key: string | undefined;
  /** Whether the output may be cached: the room has only a base. */
  mayKeep: boolean;
}

/** Prepares a room; returns the run of a failed command, after which no other runs. */
export async function setUp(
  ports: Ports,
  rules: SetupRules,
  { place, room, key, mayKeep }: SetupOrder,
  stop: AbortSignal,
): Promise<"ready" | "interrupted" | Ran> {
  if (rules.commands.length === 0) return "ready";
  const { cache } = rules;
  if (cache !== undefined && key !== undefined && (await isKept(ports, cache, key))) {
    if (await copyKept(ports, cache, { key, top: place.cwd })) return "ready";
  }
  for (const command of rules.commands) {
    const order = { command, own: false, timeoutMs: rules.timeoutMs, reports: "none" as const };
    const ran = await runOne(ports, room, order, stop);
    if (ran === "interrupted") return ran;
    if (!endsWell(ran.end)) return ran;
  }
  if (cache === undefined || key === undefined || !mayKeep) return "ready";
  const paths = await madePaths(place);
  // Without files in the room, the setup changed something elsewhere, which cannot be cached.
  if (paths.length > 0) await keep(ports, cache, { key, top: place.cwd, paths });
  return "ready";
}

/** The paths in the room that are not in its commit; whole folders if they have no committed files. */
async function madePaths(place: GitPlace): Promise<string[]> {
  const args = [
    "status",
    "--porcelain",
    "-z",
    "--ignored=traditional",
    "--untracked-files=normal",
    "--no-renames",
  ];
  const { out } = await runGit(place, args);
  return out
    .split("\0")
    .filter((line) => line.startsWith("?? ") || line.startsWith("!! "))
    .map((line) => toText(line.slice(3)));
}
