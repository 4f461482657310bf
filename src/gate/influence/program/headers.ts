// Finds headers of C and C++ that are in a folder of the program, and that no file of the program includes. Pure.
import type { ImportGraph } from "./import-graph.js";
import type { ReferenceFiles } from "./kinds.js";

const HEADER = /\.(?:h|hh|hpp|hxx)$/;
const CODE = /\.(?:c|cc|cpp|cxx)$/;
const PUBLIC = /(?:^|\/)(?:include|inc|public)\//;

/**
 * Whether a header that checks include serves them alone: it existed, and the program's own files include others and not this one.
 * A library includes its headers in the files that implement them. A header beside a file of its name, in a public folder, or that
 * gathers headers of the program is the program's.
 */
export function isHeaderOfChecks(
  path: string,
  graph: ImportGraph,
  { paths, has, isProgram }: Pick<ReferenceFiles, "paths" | "has"> & { isProgram: (path: string) => boolean },
): boolean {
  if (!HEADER.test(path) || PUBLIC.test(path) || !has(path)) return false;
  const stem = path.slice(0, path.lastIndexOf("."));
  if ([".c", ".cc", ".cpp", ".cxx"].some((ending) => has(stem + ending))) return false;
  if (graph.importsOf(path).some(isProgram)) return false;
  return paths.some(
    (one) => CODE.test(one) && isProgram(one) && graph.importsOf(one).some((header) => HEADER.test(header)),
  );
}
