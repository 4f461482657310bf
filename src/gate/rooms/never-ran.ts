// Finds test files that a runner reports as passed although none of their tests ran, because an imported module ended the
// program with 0. Node's runner then reports the file itself as one test. cold-gate.ts runs the commands.
import { posix } from "node:path";
import { toBytes } from "../../git/base/bytes.js";
import { readBlobs } from "../../git/base/objects.js";
import { filesIn, pathFromTop, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { isSameCommand } from "../verdict/flaky.js";
import type { Baseline, Ran } from "../verdict.js";

const SCRIPT = /\.[cm]?[jt]s$/;
const DECLARES_TESTS = /^[ \t]*(?:await\s+)?(?:test|it|describe|suite)\s*(?:\.\w+\s*)?\(/m;
/** Options that select tests, so that a file may have none to run. */
const PICKS = /--test-(?:name-pattern|skip-pattern|only)\b/;
const MOST_BYTES = 1024 * 1024;

/** Finds these files, as reports name them. Reads only files that a report names. Throws a `GitError`. */
export async function idleTestFiles(
  places: ColdPlaces,
  content: RoomOrder,
  { ran, baseline }: { ran: readonly Ran[]; baseline: Baseline | undefined },
): Promise<string[]> {
  const names = new Set(ran.flatMap((one) => fileNames(one, baseline)));
  if (names.size === 0) return [];
  const work = pathFromTop(places.rooms, places.workDir);
  const files = filesIn(content);
  const oids = new Map<string, string>();
  for (const name of names) {
    const version = files.get(toBytes(posix.normalize(posix.join(work, name))));
    if (version !== undefined) oids.set(name, version.oid);
  }
  const blobs = await readBlobs(places.rooms.repo, oids.values(), MOST_BYTES);
  return [...oids].filter(([, oid]) => declaresTests(blobs.get(oid) ?? "")).map(([name]) => name);
}

/** Files among the names of passed tests, except those that were reported as one test before. */
function fileNames(ran: Ran, baseline: Baseline | undefined): string[] {
  if (ran.tests === undefined || PICKS.test(ran.command)) return [];
  const before = baseline?.commands.find((one) => isSameCommand(one, ran))?.tests ?? {};
  return Object.entries(ran.tests)
    .filter(([name, status]) => status === "passed" && SCRIPT.test(name) && before[name] !== "passed")
    .map(([name]) => name);
}

function declaresTests(text: string): boolean {
  return text.includes("node:test") && DECLARES_TESTS.test(text);
}
