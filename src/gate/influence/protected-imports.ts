// Updates the imports of an old test after its source was moved: an attempt that moves a file also changes the imports in
// its tests, and the old text would import a missing file. Only imports of removed files change, and only to the work. Pure.
import { posix } from "node:path";

/** The project for looking up imports. Paths are text, from the top. */
export interface ImportedFiles {
  /** Whether the path was a file of the work that the attempt removed. */
  isGone: (path: string) => boolean;
  /** Whether the path is an existing file of the work, not a test. */
  isWork: (path: string) => boolean;
  /** Folders in which Python looks up modules, from the top. */
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

/** Changes imports of moved files in the old text to those of the new text; `undefined` if none is needed or found. */
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
      // Never copy the line of the new test: it may have other code behind the names.
      return to === undefined ? whole : `${indent}from ${to.module} import ${module}`;
    });
}

/** The names that an import binds or reads. */
function namesIn(tail: string): string[] {
  return tail.replace(/^\s*import\b/, "").match(/\w+/g) ?? [];
}
