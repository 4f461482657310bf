// Reads the test cases in the output of runners that have no report: `cargo test`, and lines that a wrapper made of the output
// of `go test`. Pure. other-hooks.ts has the wrappers.
import { TestStatus } from "../verdict.js";

/** The cases of a runner: a status, then the names of groups and test. */
export interface RunnerCases {
  runner: string;
  cases: [TestStatus, ...string[]][];
}

/** Lines of a package, a status and a name. */
export function readGo(text: string): RunnerCases {
  const cases = text.split("\n").flatMap((line): [TestStatus, ...string[]][] => {
    const [folder = "", word, ...name] = line.split("\t");
    const status = TestStatus.safeParse(word).data;
    return status === undefined ? [] : [[status, folder, name.join(" ")]];
  });
  return { runner: "go test", cases };
}

const CASE = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b/;
const ANNOUNCED = /^running (\d+) tests?$/;
const RESULT = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;/;
/** The place of a documentation test, which moves with the code. */
const AT_LINE = / \(line \d+\)$/;
const STATUSES: Readonly<Record<string, TestStatus>> = { ok: "passed", FAILED: "failed", ignored: "skipped" };

/** The output of `cargo test`; `undefined` unless the cases are as many as announced and as the results say. */
export function readCargo(text: string): RunnerCases | undefined {
  const cases: [TestStatus, ...string[]][] = [];
  let announced = 0;
  let told = 0;
  for (const line of text.split("\n")) {
    const [, name, word = ""] = CASE.exec(line) ?? [];
    const status = STATUSES[word];
    if (name !== undefined && status !== undefined)
      cases.push([status, ...name.replace(AT_LINE, "").split("::")]);
    announced += Number(ANNOUNCED.exec(line)?.[1] ?? 0);
    const result = RESULT.exec(line);
    if (result !== null) told += Number(result[1]) + Number(result[2]) + Number(result[3]);
  }
  return cases.length === announced && announced === told ? { runner: "cargo test", cases } : undefined;
}
