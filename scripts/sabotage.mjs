// Breaks the code on purpose, once with each test/sabotage/*.patch, in a copy; the test the patch names must go red.
// A patch says in a line above its diff which test that is:  # test: src/todo/model/order.test.ts -t "T2 < T10"
// Names of patches as arguments: only those. SABOTAGE_WORKERS: how many copies at a time (default: one for each core).
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {{ name: string, file: string, testFile: string, testName: string }} Patch */
/** @typedef {{ fullName: string, status: string, failureMessages?: string[] }} Assertion */
/** @typedef {{ name: string, assertionResults: Assertion[] }} TestFile */

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = path.join(root, "test", "sabotage");

/**
 * @param {string[]} wanted all of them when empty
 * @returns {Patch[]}
 */
function patches(wanted) {
  const found = readdirSync(folder).filter((name) => name.endsWith(".patch"));
  const unknown = wanted.filter((name) => !found.includes(`${name}.patch`));
  if (unknown.length > 0) throw new Error(`no patch is called ${unknown.join(", ")}`);
  const names = wanted.length === 0 ? found : wanted.map((name) => `${name}.patch`);
  return names.toSorted().map((name) => {
    const file = path.join(folder, name);
    const [, testFile, testName] = /^# test: (\S+) -t "(.+)"$/m.exec(readFileSync(file, "utf8")) ?? [];
    if (testFile === undefined || testName === undefined) throw new Error(`${name} names no test`);
    return { name, file, testFile, testName };
  });
}

/**
 * The files git knows or would take, as they are now, in a folder of their own; packages are shared.
 * @param {string} copy
 */
function copyProject(copy) {
  const flags = ["-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = execFileSync("git", ["ls-files", ...flags], { cwd: root, encoding: "utf8" });
  for (const name of listed
    .split("\0")
    .filter((entry) => entry !== "" && existsSync(path.join(root, entry)))) {
    cpSync(path.join(root, name), path.join(copy, name));
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
}

/**
 * Runs test files (all of each, or the tests of one name) and returns the outcome of every test.
 * @param {string} copy
 * @param {string[]} args
 * @returns {Promise<TestFile[]>}
 */
async function runTests(copy, args) {
  const report = path.join(copy, "sabotage-report.json");
  rmSync(report, { force: true });
  const vitest = path.join(copy, "node_modules", "vitest", "vitest.mjs");
  const flags = ["run", "--reporter=json", `--outputFile.json=${report}`, ...args];
  // Beside the copy, not in it: a story's project must not find the copy's files above it.
  const TMPDIR = mkdtempSync(`${copy}-tmp-`);
  const env = { ...process.env, TMPDIR };
  await once(spawn(process.execPath, [vitest, ...flags], { cwd: copy, stdio: "ignore", env }), "close");
  endLeftovers(copy);
  rmSync(TMPDIR, { recursive: true, force: true });
  /** @type {unknown} */
  const parsed = JSON.parse(readFileSync(report, "utf8"));
  return /** @type {{ testResults: TestFile[] }} */ (parsed).testResults;
}

/**
 * Broken code may leave processes behind: what was started from the copy, or in the temp folders beside it, is ended.
 * @param {string} copy
 */
function endLeftovers(copy) {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of pids.filter((one) => Number(one) !== process.pid)) {
    try {
      const about = ["cmdline", "environ"]
        .map((name) => readFileSync(`/proc/${pid}/${name}`, "utf8"))
        .join("");
      if (about.includes(copy)) process.kill(Number(pid), "SIGKILL");
    } catch {
      continue; // gone meanwhile, or another user's
    }
  }
}

/**
 * The tests a patch names that ran.
 * @param {TestFile[]} results
 * @param {Patch} patch
 */
function named(results, { testFile, testName }) {
  return results
    .filter(({ name }) => name.endsWith(`/${testFile}`))
    .flatMap((file) => file.assertionResults)
    .filter(
      ({ fullName, status }) => fullName.includes(testName) && !["skipped", "pending"].includes(status),
    );
}

/** @param {Assertion[]} tests */
function outcomes(tests) {
  return [...new Set(tests.map(({ status }) => status))].join(" and ");
}

/**
 * Whether a test failed for what it found, and not only because its time was over.
 * @param {Assertion} test
 */
function sawTheBreak({ status, failureMessages = [] }) {
  return status === "failed" && !failureMessages.every((message) => /timed out in \d+ms/.test(message));
}

/**
 * The name of a patch's test as a pattern.
 * @param {Patch} patch
 */
function pattern({ testName }) {
  return testName.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/**
 * Why a patch was not caught, or undefined when it was.
 * @param {string} copy
 * @param {Patch} patch
 * @returns {Promise<string | undefined>}
 */
async function survives(copy, patch) {
  const apply = (/** @type {string[]} */ ...flags) =>
    spawnSync("git", ["apply", ...flags, patch.file], { cwd: copy, encoding: "utf8" });
  const applied = apply();
  if (applied.status !== 0) return `does not apply: ${applied.stderr.trim()}`;
  const seen = named(await runTests(copy, [patch.testFile, "-t", pattern(patch)]), patch);
  apply("--reverse");
  if (seen.some(sawTheBreak)) return undefined;
  const failed = seen.some(({ status }) => status === "failed");
  return failed ? "the test only ran out of time" : `the test stays ${outcomes(seen) || "unrun"}`;
}

/**
 * Tries the patches that are left, one after the other, and prints each result.
 * @param {string} copy
 * @param {Patch[]} left
 * @param {TestFile[]} unbroken
 * @returns {Promise<number>} how many were caught
 */
async function work(copy, left, unbroken) {
  let caught = 0;
  for (let patch = left.shift(); patch !== undefined; patch = left.shift()) {
    const before = outcomes(named(unbroken, patch));
    const why =
      before === "passed"
        ? await survives(copy, patch)
        : `the test is ${before || "missing"} before the code is broken`;
    if (why === undefined) caught += 1;
    console.log(why === undefined ? `caught  ${patch.name}` : `SURVIVED  ${patch.name}: ${why}`);
  }
  return caught;
}

async function main() {
  const all = patches(process.argv.slice(2));
  const workers = Number(process.env["SABOTAGE_WORKERS"] ?? availableParallelism());
  const copies = Array.from({ length: Math.max(1, Math.min(workers, all.length)) }, () =>
    mkdtempSync(path.join(tmpdir(), "looper-sabotage-")),
  );
  try {
    for (const copy of copies) copyProject(copy);
    const [first = ""] = copies;
    const files = [...new Set(all.map(({ testFile }) => testFile))];
    const unbroken = await runTests(first, [...files, "-t", [...new Set(all.map(pattern))].join("|")]);
    const left = [...all];
    const caught = (await Promise.all(copies.map((copy) => work(copy, left, unbroken)))).reduce(
      (a, b) => a + b,
    );
    console.log(`${caught} of ${all.length}`);
    if (caught < all.length || all.length === 0) process.exitCode = 1;
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

await main();
