// Test files that a runner calls passed although none of their tests ran: what they import ended the program first, with 0.
// Node's runner then reports the file itself as one test. Leaves running to cold-gate.ts.
import { posix } from "node:path";
import { toBytes } from "../../git/base/bytes.js";
import { readBlobs } from "../../git/base/objects.js";
import { filesIn, pathFromTop, type ColdPlaces, type RoomOrder } from "./cold-room.js";
import { isSameCommand } from "../verdict/flaky.js";
import type { Baseline, Ran } from "../verdict.js";

const SCRIPT = /\.[cm]?[jt]s$/;
const DECLARES_TESTS = /^[ \t]*(?:await\s+)?(?:test|it|describe|suite)\s*(?:\.\w+\s*)?\(/m;
/** Leaves tests of a file out, all of them perhaps. */
const PICKS = /--test-(?:name-pattern|skip-pattern|only)\b/;
const MOST_BYTES = 1024 * 1024;

/** The files, as reports name them. Reads them only where a report names files at all. Throws a `GitError`. */
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

/** Names of files among those of passed tests; not where the file was one test before, too. */
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
