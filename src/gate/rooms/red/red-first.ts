// Finds the tests that an attempt adds, and those of them that pass without its work. Pure. cold-gate.ts runs them on the
// base.
import { posix } from "node:path";
import { toText } from "../../../git/base/bytes.js";
import { exists, type DiffEntry } from "../../../git/base/read/diff.js";
import type { Runs } from "../../commands/gate.js";
import { endsWell, isSameCommand } from "../../verdict/flaky.js";
import type { Baseline, Ran } from "../../verdict.js";

const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|sh|bash|bats|t|pl|php|java|kt|kts|scala|groovy|go|rs|cs|fs|vb|ex|exs|erl|clj|swift|dart|lua|r|jl|c|cc|cpp|m|hs|ml|feature)$/i;
/** Support files beside tests, without a test in them. */
const SUPPORT =
  /(?:^|\/)(?:fixtures?|testdata|test-data|test_data|__fixtures__|__mocks__|mocks|helpers?|support|utils?|golden|expected|snapshots?|__snapshots__)\/|(?:^|\/)(?:conftest|__init__|index|helpers?|setup|utils?)\.\w+$/i;

/** The files (text) in which an attempt adds tests: new files, and old ones with added code. */
export function addedTests(
  changes: readonly DiffEntry[],
  isTest: (path: string) => boolean,
  blobs: ReadonlyMap<string, string>,
): string[] {
  return changes.flatMap(({ path: bytes, from, to }) => {
    const path = toText(bytes);
    const isCode = CODE.test(path) && !SUPPORT.test(path) && exists(to);
    if (!isCode || !isTest(path)) return [];
    const [before, after] = [blobs.get(from.oid), blobs.get(to.oid)];
    const adds = !exists(from) || before === undefined || after === undefined || addsLines(before, after);
    return adds ? [path] : [];
  });
}

/** Whether a text has a line that it had not before, other than a comment. */
function addsLines(before: string, after: string): boolean {
  const plain = (text: string): string[] =>
    text
      .split("\n")
      .map((line) => line.replaceAll(/\s|,$/g, ""))
      .filter((line) => line !== "" && !/^(?:\/\/|#|\*|\/\*)/.test(line));
  const old = new Set(plain(before));
  return plain(after).some((line) => !old.has(line));
}

/** The results of the added tests. */
export interface RedOrder {
  /** Runs with the work. */
  runs: Runs;
  /** Runs on the base with the added tests. */
  red: readonly Ran[];
  baseline: Baseline | undefined;
  /** Files in which tests were added. */
  added: readonly string[];
  /** Whether a command names one of them. */
  names: (command: string) => boolean;
}

/**
 * The tests that pass even without the work: by name if reports name new tests, else the files if every command passes
 * without the work. A task's own command may fail only because the work is missing: its failure counts only if it names
 * such a file, or if it is the only command.
 */
export function passingWithoutWork({ runs, red, baseline, added, names }: RedOrder): string[] {
  const cases = runs.ran.flatMap((ran) => newCases(ran, baseline));
  if (cases.length > 0) {
    const passing = cases.filter(
      ({ ran, name }) => red.find((one) => isSameCommand(one, ran))?.tests?.[name] === "passed",
    );
    return passing.map(({ name }) => name);
  }
  const project = red.some(({ own }) => !own);
  const shown = red.some(({ own, command, end }) => !endsWell(end) && (!own || !project || names(command)));
  return shown ? [] : added.map((path) => posix.normalize(path));
}

function newCases(ran: Ran, baseline: Baseline | undefined): { ran: Ran; name: string }[] {
  const before = baseline?.commands.find((one) => isSameCommand(one, ran))?.tests;
  if (before === undefined || ran.tests === undefined) return [];
  return Object.entries(ran.tests)
    .filter(([name, status]) => status === "passed" && !Object.hasOwn(before, name))
    .map(([name]) => ({ ran, name }));
}
