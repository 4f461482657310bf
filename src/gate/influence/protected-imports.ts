// A test there was, importing from where its source is now: an attempt that moves a file changes the imports of its tests, and
// the old text alone would find nothing. Only imports of files that are gone are changed, and only to the work. Pure.
import { posix } from "node:path";

/** The project, as far as imports are looked up in it. Paths are text, from the top. */
export interface ImportedFiles {
  /** Was there, is none of the tests, and is gone. */
  isGone: (path: string) => boolean;
  /** Is there, and is no test. */
  isWork: (path: string) => boolean;
  /** Folders in which modules of Python are looked up, from the top. */
  roots: readonly string[];
}

const SPECIFIER = /((?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*)(["'])(\.{1,2}\/[^"'\n]*)\2/g;
const FROM_MODULE = /^([ \t]*from[ \t]+)(\w[\w.]*)([ \t]+import[ \t]+(?:\([^)]*\)|[^\n]*))/gm;
const WHOLE_MODULE = /^([ \t]*)import[ \t]+(\w[\w.]*)[ \t]*$/gm;
const ENDINGS = [
  "",
  ".js",
  ".ts",
  ".mjs",
  ".cjs",
  ".mts",
  ".jsx",
  ".tsx",
  "/index.js",
  "/index.ts",
  "/index.mjs",
];

/** The old text with its imports of moved files as in the new one; `undefined`: none is needed, or none can be found. */
export function followMoves(
  path: string,
  texts: { before: string; after: string },
  files: ImportedFiles,
): string | undefined {
  const moved = /\.py$/.test(path) ? followModules(path, texts, files) : followSpecifiers(path, texts, files);
  return moved === texts.before ? undefined : moved;
}

function followSpecifiers(
  path: string,
  { before, after }: { before: string; after: string },
  files: ImportedFiles,
): string {
  const candidates = (specifier: string): string[] => {
    const at = posix.normalize(posix.join(posix.dirname(path), specifier));
    return [at, at.replace(/\.([cm]?)js$/, ".$1ts"), at.replace(/\.jsx?$/, ".tsx")].flatMap((one) =>
      ENDINGS.map((end) => one + end),
    );
  };
  const specifiersOf = (text: string): string[] =>
    [...text.matchAll(SPECIFIER)].map((found) => found[3] ?? "");
  const [old, now] = [new Set(specifiersOf(before)), new Set(specifiersOf(after))];
  const fresh = [...now].filter((one) => !old.has(one) && candidates(one).some(files.isWork));
  return before.replace(SPECIFIER, (whole: string, head: string, quote: string, specifier: string) => {
    const places = candidates(specifier);
    if (now.has(specifier) || !places.some(files.isGone) || places.some(files.isWork)) return whole;
    const name = posix.basename(specifier);
    const to =
      fresh.find((one) => posix.basename(one) === name) ?? (fresh.length === 1 ? fresh[0] : undefined);
    return to === undefined ? whole : head + quote + to + quote;
  });
}

function followModules(
  path: string,
  { before, after }: { before: string; after: string },
  files: ImportedFiles,
): string {
  const roots = [...files.roots, posix.dirname(path)];
  const candidates = (module: string): string[] =>
    roots.flatMap((root) => {
      const at = posix.normalize(posix.join(root, module.replaceAll(".", "/")));
      return [`${at}.py`, `${at}/__init__.py`];
    });
  const hasMoved = (module: string): boolean =>
    candidates(module).some(files.isGone) && !candidates(module).some(files.isWork);
  const fresh = [...after.matchAll(FROM_MODULE)].map(([, , module = "", names = ""]) => ({
    module,
    names: namesIn(names),
  }));
  return before
    .replace(FROM_MODULE, (whole: string, head: string, module: string, tail: string) => {
      if (!hasMoved(module)) return whole;
      const wanted = namesIn(tail);
      const to = fresh.find(
        (one) =>
          candidates(one.module).some(files.isWork) && wanted.every((name) => one.names.includes(name)),
      );
      return to === undefined ? whole : head + to.module + tail;
    })
    .replace(WHOLE_MODULE, (whole: string, indent: string, module: string) => {
      if (!hasMoved(module)) return whole;
      const to = fresh.find(
        (one) => one.names.includes(module) && candidates(`${one.module}.${module}`).some(files.isWork),
      );
      // Never the line of the new test itself: what stands behind the names would run too.
      return to === undefined ? whole : `${indent}from ${to.module} import ${module}`;
    });
}

/** The names an import binds, or takes from elsewhere. */
function namesIn(tail: string): string[] {
  return tail.replace(/^\s*import\b/, "").match(/\w+/g) ?? [];
}
