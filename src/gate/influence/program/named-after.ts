// Finds whether a test is named after a file that it tests: `edge.test.js` after `edge.js`. Pure.
import { posix } from "node:path";

/** Whether the name of a test is that of a file, with what says that it is a test. */
export function isNamedAfter(test: string, path: string): boolean {
  const subject = bare(stemOf(path));
  return subject !== "" && subjectOf(test) === subject;
}

/** The name before its extension: `edge.test` of `edge.test.js`. */
function stemOf(path: string): string {
  const name = posix.basename(path);
  return name.slice(0, name.length - posix.extname(name).length);
}

/** `edge` of `edge.test.js`, `test_edge.py`, `EdgeTest.php`, `edge_spec.rb` and `01-edge.t`. */
function subjectOf(test: string): string {
  const stem = stemOf(test).toLowerCase();
  const inner = stem
    .replace(/^\d+[._-]/, "")
    .replace(/^tests?[._-]?/, "")
    .replace(/[._-]?(?:tests?|spec)$/, "");
  return bare(inner);
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[._-]/g, "");
}
