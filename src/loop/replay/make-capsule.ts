// Makes a capsule: a run's log without secrets, home folder and user name, safe to send to others. Checks that it still replays.
// logging/capsule.ts has the file format.
import { packCapsule, unpackCapsule, type Capsule } from "../../logging/capsule.js";
import { KEPT } from "../../logging/run-log.js";
import type { Ports } from "../../system/ports.js";
import { escapeRegExp } from "../../system/text/escape-reg-exp.js";
import { redactValue, type Redact } from "../../system/text/secrets/redact.js";
import { ok, type Result } from "../../system/result.js";
import { replayRun, type Replayed } from "./replay.js";

export interface CapsuleOrder {
  /** The run's id and folder in the logs. */
  run: string;
  folder: string;
  version: string;
  node: string;
  platform: string;
  redact: Redact;
  /** All absolute paths of the home folder. */
  homes: readonly string[];
  /** Names of the user. */
  names: readonly string[];
}

export interface MadeCapsule extends Capsule {
  /** The result of replaying the capsule; the same as the run's own. */
  replayed: Replayed;
  /** The user's name was replaced only in paths, because it has another meaning in this log (an agent, a task). */
  namesLeft: boolean;
}

/** Shorter names may be words. */
const SHORTEST_NAME = 3;
/** Names that identify no person. */
const NOBODY: ReadonlySet<string> = new Set(["root", "user", "home", "Users"]);

/** Makes the capsule. Writes only to a temporary folder. */
export async function makeCapsule(ports: Ports, order: CapsuleOrder): Promise<MadeCapsule> {
  const { folder, run, version, node, platform } = order;
  const facts = { run, version, node, platform };
  const whole = await replayRun(ports, folder);
  for (const namesLeft of [false, true]) {
    const text = makeCleaner(order, namesLeft ? [] : order.names);
    const clean = (value: unknown): unknown => redactValue(text, value, KEPT);
    const capsule = await packCapsule(ports, folder, { facts, clean });
    const replayed = await withCapsule(ports, capsule.text, (unpacked) => replayRun(ports, unpacked));
    if (!replayed.ok) throw new Error(`cannot unpack the new capsule: ${replayed.error}`);
    const same = "decisions" in replayed.value || !("decisions" in whole);
    if (namesLeft || same) return { ...capsule, replayed: replayed.value, namesLeft };
  }
  throw new Error("the second of two ways always ends");
}

/** Unpacks a capsule into a temporary folder while `use` runs; the error says why it is not a capsule. */
export async function withCapsule<T>(
  ports: Pick<Ports, "files">,
  text: string,
  use: (folder: string, run: string) => Promise<T>,
): Promise<Result<T, string>> {
  const folder = await ports.files.makeTempFolder("looper-capsule-");
  try {
    const unpacked = await unpackCapsule(ports, text, folder);
    return unpacked.ok ? ok(await use(folder, unpacked.value.run)) : unpacked;
  } finally {
    await ports.files.removeTree(folder);
  }
}

function makeCleaner({ redact, homes, names }: CapsuleOrder, whole: readonly string[]): Redact {
  // Longest first, so that no part of a nested home folder is left.
  const places = [...new Set(homes)].filter((home) => home.length > 1).sort((a, b) => b.length - a.length);
  const own = names.filter((name) => name.length >= SHORTEST_NAME && !NOBODY.has(name));
  const word = (name: string): string => `(?<![\\p{L}\\p{N}_])${escapeRegExp(name)}(?![\\p{L}\\p{N}_])`;
  const folders = own.map(
    (name) => `(?<=[/\\\\](?:home|Users)[/\\\\])${escapeRegExp(name)}(?![\\p{L}\\p{N}_])`,
  );
  const named = [...folders, ...whole.filter((name) => own.includes(name)).map(word)];
  const home = places.length === 0 ? undefined : new RegExp(places.map(makeHomePattern).join("|"), "gu");
  const name = named.length === 0 ? undefined : new RegExp(named.join("|"), "gu");
  return (text) => {
    const clean = redact(text);
    const placed = home === undefined ? clean : clean.replace(home, "~");
    return name === undefined ? placed : placed.replace(name, "user");
  };
}

/** A pattern for the home folder and paths in it, but not for a folder whose name only begins like it. */
function makeHomePattern(home: string): string {
  return `${escapeRegExp(home)}(?![\\p{L}\\p{N}_])`;
}
