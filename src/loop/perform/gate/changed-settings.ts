// Finds changes of an attempt to Looper's own settings: they choose the checks of later runs, so passing checks do not verify them.
import { readBlobs } from "../../../git/base/objects.js";
import { toText } from "../../../git/base/bytes.js";
import type { DiffEntry } from "../../../git/base/read/diff.js";
import { NOT_VERIFIED } from "../../../gate/verdict/why-unverified.js";
import { performAs } from "../perform-as.js";
import type { JobFacts } from "../../step/effects.js";
import type { World } from "../world.js";

const SETTINGS = /(?:^|\/)(?:\.looper\/(?:config\.[^/]*|workflows\/.*)|looper\.config\.[^/]*)$/iu;
const MANIFEST = /(?:^|\/)package\.json$/u;
/** Bytes of a manifest that is read. */
const MOST = 4 * 1024 * 1024;

/** The warning that keeps the task from being verified; none if its settings are as they were. */
export async function warnOfChangedSettings(world: World, { job }: JobFacts): Promise<string[]> {
  const changes = world.memory.of(job).snapshot?.changes ?? [];
  const named = changes.map(({ path }) => toText(path)).filter((path) => SETTINGS.test(path));
  const all = [...named, ...(await findManifests(world, changes))].sort();
  if (all.length === 0) return [];
  return [`${NOT_VERIFIED}it changes settings of Looper, which decide about later checks: ${all.join(", ")}`];
}

/** The manifests whose key `looper` changed. */
async function findManifests({ repo }: World, changes: readonly DiffEntry[]): Promise<string[]> {
  const manifests = changes.filter(({ path }) => MANIFEST.test(path));
  if (repo === undefined || manifests.length === 0) return [];
  const oids = manifests.flatMap(({ from, to }) => [from.oid, to.oid]).filter((oid) => /[1-9a-f]/u.test(oid));
  const blobs = await performAs("run-gate", () => readBlobs(repo, oids, MOST));
  return manifests
    .filter(({ from, to }) => keyOf(blobs.get(from.oid)) !== keyOf(blobs.get(to.oid)))
    .map(({ path }) => toText(path));
}

/** The value of `looper`, as text; "" without one. */
function keyOf(bytes: string | undefined): string {
  try {
    const manifest: unknown = JSON.parse(toText(bytes ?? "{}"));
    const value: unknown =
      typeof manifest === "object" && manifest !== null ? Reflect.get(manifest, "looper") : undefined;
    return value === undefined ? "" : JSON.stringify(value);
  } catch (error) {
    if (error instanceof SyntaxError) return "";
    throw error;
  }
}
