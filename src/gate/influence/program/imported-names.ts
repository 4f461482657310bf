// Whether a file may be of the program although its name says test or settings: only one that existed. Pure.
// Leaves whether files of the program imported it to classify.ts.
import type { ImportGraph } from "./import-graph.js";
import { importsTestLibrary } from "./imports.js";
import type { NameRules, ReferenceFiles } from "./kinds.js";
import { folderOf, isOnlySpec } from "./project-paths.js";

interface Facts {
  reference: ReferenceFiles;
  rules: NameRules;
}

/** A folder named spec may be a part of the program: its files that test nothing, and that no command runs or names. */
export function isOfSpecification(path: string, { reference, rules }: Facts): boolean {
  if (!isOnlySpec(folderOf(path)) || !reference.has(path)) return false;
  if (rules.runOf?.(path) !== undefined || rules.isNamedByCommands?.(path) === true) return false;
  return !importsTestLibrary(path, reference.text(path) ?? "");
}

/** Named like settings, but imported by a declared entry point, where no command names it. */
export function isOfEntry(
  path: string,
  { reference, rules, graph, entries }: Facts & { graph: ImportGraph; entries: ReadonlySet<string> },
): boolean {
  if (!reference.has(path) || rules.isNamedByCommands?.(path) === true) return false;
  return graph.importersOf(path).some((one) => entries.has(one));
}
