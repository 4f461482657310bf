// Prints `N passed, N failed` from vitest's JSON report. A check that failed before or beside the tests counts as one failure,
// and so does a report without a test.
import { readFileSync } from "node:fs";

/** @typedef {{ numPassedTests: number, numFailedTests: number }} Counts */

/**
 * @param {string} file
 * @returns {Counts}
 */
function counts(file) {
  const text = readFileSync(file, "utf8");
  if (text === "") return { numPassedTests: 0, numFailedTests: 0 };
  /** @type {unknown} */
  const report = JSON.parse(text);
  return /** @type {Counts} */ (report);
}

const [, , report = "", status = "1"] = process.argv;
const { numPassedTests, numFailedTests } = counts(report);
const failed = status === "0" && numPassedTests > 0 ? numFailedTests : Math.max(1, numFailedTests);
console.log(`${numPassedTests} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
