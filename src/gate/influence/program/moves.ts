// Which new file of an attempt is one that it removed elsewhere: by the same content, or by the same name and similar content. Pure.
// Leaves whether the removed file was the program's to classify.ts.
import { posix } from "node:path";
import { GONE, type ChangedFile } from "./kinds.js";

/** The share of lines that a file keeps when it is changed on its way, as git counts it. */
const SIMILAR = 0.5;

/** Returns the removed path of each new one. No removed file comes back twice. */
export function findMoves(changes: readonly ChangedFile[]): ReadonlyMap<string, string> {
  const gone = changes.filter(({ to, before }) => to.mode === GONE && before !== undefined);
  if (gone.length === 0) return new Map();
  const added = changes.filter(({ from, after }) => from.mode === GONE && after !== undefined);
  const moves = new Map<string, string>();
  const taken = new Set<string>();
  const pair = (keyOf: (path: string, text: string) => string, isSame: IsSame): void => {
    const byKey = new Map<string, ChangedFile[]>();
    for (const one of gone) addTo(byKey, keyOf(one.path, one.before ?? ""), one);
    for (const { path, after = "" } of added) {
      const found = (byKey.get(keyOf(path, after)) ?? []).find(
        (one) => !moves.has(path) && !taken.has(one.path) && isSame(one.before ?? "", after),
      );
      if (found === undefined) continue;
      moves.set(path, found.path);
      taken.add(found.path);
    }
  };
  pair((path, text) => `${posix.basename(path)}\n${text}`, isText);
  pair((path) => posix.basename(path), isSimilar);
  pair((path, text) => posix.extname(path) + text, isText);
  return moves;
}

type IsSame = (before: string, after: string) => boolean;

/** An empty file may be any. */
function isText(before: string): boolean {
  return before.trim() !== "";
}

function isSimilar(before: string, after: string): boolean {
  const [old, now] = [linesOf(before), linesOf(after)];
  const left = new Map<string, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  const kept = now.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  }).length;
  return kept > 0 && kept >= SIMILAR * Math.max(old.length, now.length);
}

function linesOf(text: string): string[] {
  return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

function addTo(map: Map<string, ChangedFile[]>, key: string, value: ChangedFile): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}
