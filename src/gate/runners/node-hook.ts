// The files that `node` loads so that Node's test runners write reports, as texts. Runners are recognised when they run,
// so that it does not matter who starts them: npm, a shell script, make. own-report.ts writes the files and reads the reports.

/** The file for `NODE_OPTIONS=--require`. Contract: `FOLDER` and `OPTION` are declared before it. */
export const NODE_HOOK = String.raw`
const fs = require("node:fs");
const path = require("node:path");

/** Hides the hook from processes that the runner starts: a test may run a runner. */
function forget() {
  const rest = (process.env.NODE_OPTIONS || "").split(OPTION).join("").trim();
  if (rest === "") delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = rest;
  const own = path.join(FOLDER, "bin");
  const folders = process.env.PATH;
  if (folders) process.env.PATH = folders.split(path.delimiter).filter((one) => one !== own).join(path.delimiter);
}

const newId = () => process.pid + "-" + Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

function write(runner, cases) {
  try {
    const id = path.join(FOLDER, newId());
    fs.writeFileSync(id + ".part", JSON.stringify({ runner, cases }));
    fs.renameSync(id + ".part", id + ".json");
  } catch {}
}

const local = (file) => (file ? path.relative(process.cwd(), file) : "");

const valuesOf = (words, option) =>
  words.filter((word) => word === option || word.startsWith(option + "=")).length;

/** The options that add a reporter to those there are; undefined where that would be an error. */
function reporterOptions() {
  const words = (process.env.NODE_OPTIONS || "").split(/\s+/).concat(process.execArgv);
  const reporters = valuesOf(words, "--test-reporter");
  const destinations = valuesOf(words, "--test-reporter-destination");
  const own = [
    "--test-reporter=" + require("node:url").pathToFileURL(path.join(FOLDER, "reporter.mjs")).href,
    "--test-reporter-destination=" + path.join(FOLDER, newId() + ".json"),
  ];
  if (reporters === destinations && reporters > 0) return own;
  if (destinations > 0 || reporters > 1) return undefined;
  const [major] = process.versions.node.split(".").map(Number);
  const usual = major >= 23 || process.stdout.isTTY ? "spec" : "tap";
  const first = reporters === 1 ? [] : ["--test-reporter=" + usual];
  return [...first, "--test-reporter-destination=stdout", ...own];
}

/** Node reads its options before any code runs, so the process starts once more, with the reporter. */
function startAgain() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 18 || (major === 18 && minor < 17) || process.channel) return;
  if (process.execArgv.some((word) => /^--(?:watch|inspect|interactive$|check$)/.test(word))) return;
  forget();
  const added = reporterOptions();
  if (added === undefined) return;
  const args = [...process.execArgv, ...added, ...process.argv.slice(1)];
  const { status, signal, error } = require("node:child_process").spawnSync(process.execPath, args, {
    stdio: "inherit",
  });
  if (error) return;
  if (signal) process.kill(process.pid, signal);
  process.exit(status === null ? 1 : status);
}

function readText(file) {
  try {
    return fs.statSync(file).size > 1000000 ? "" : fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

const USES_NODE_TEST = /(?:from\s*|require\(\s*|import\s*)["']node:test["']/;
const PLAIN_REPORTER = /^(?:default|verbose|dot|basic|tree|tap|tap-flat|github-actions|minimal|agent)$/;

/** Reporters on the command line replace configured ones: these are named again, unless they write files. */
function configuredReporters(args) {
  const named = args.findIndex((word) => /^(?:-c|--config)(?:=|$)/.test(word));
  const option = named < 0 ? undefined : args[named];
  const names = ["vitest", "vite"].flatMap((name) =>
    ["ts", "mts", "cts", "js", "mjs", "cjs"].map((end) => name + ".config." + end),
  );
  const files =
    option === undefined ? names : [option.includes("=") ? option.slice(option.indexOf("=") + 1) : args[named + 1]];
  for (const file of files) {
    const text = readText(path.resolve(process.cwd(), file || ""));
    if (text === "") continue;
    if (/\boutputFile\b/.test(text)) return undefined;
    if (!/\breporters?\b/.test(text)) return ["default"];
    const list = /\breporters?\s*:\s*(\[[^\]]*\]|["'][^"']*["'])\s*[,}\n]/.exec(text);
    const words = list === null ? [] : (list[1].match(/["'][^"']*["']/g) || []).map((word) => word.slice(1, -1));
    const plain = list !== null && list[1].replace(/["'][^"']*["']|[\s,[\]]/g, "") === "";
    return plain && words.length > 0 && words.every((word) => PLAIN_REPORTER.test(word)) ? words : undefined;
  }
  return ["default"];
}

function hookVitest() {
  const args = process.argv.slice(2);
  if (/^(?:bench|list|init|typecheck)$/.test(args.find((word) => !word.startsWith("-")) || "")) return;
  if (args.some((word) => /^(?:--outputFile|--mergeReports|--merge-reports|--root|-r|--dir)(?:[.=]|$)/.test(word))) return;
  const own = args.some((word) => /^--reporters?(?:=|$)/.test(word));
  const reporters = own ? [] : configuredReporters(args);
  if (reporters === undefined) return;
  const file = path.join(FOLDER, newId() + ".vitest.xml");
  process.argv.splice(
    2,
    0,
    ...reporters.map((name) => "--reporter=" + name),
    "--reporter=junit",
    "--outputFile.junit=" + file,
  );
}

function hookJest() {
  if (process.argv.some((word) => /^--(?:testResultsProcessor|watch|watchAll)(?:=|$)/.test(word))) return;
  const settings = ["package.json", ...["js", "ts", "cjs", "mjs", "json"].map((end) => "jest.config." + end)];
  if (settings.some((file) => readText(path.join(process.cwd(), file)).includes("testResultsProcessor"))) return;
  process.argv.splice(2, 0, "--testResultsProcessor=" + __filename);
}

/** Jest's testResultsProcessor, which leaves its reporters alone. */
module.exports = (results) => {
  try {
    const cases = results.testResults.flatMap(({ testFilePath, testResults, failureMessage }) => {
      const file = local(testFilePath);
      if (testResults.length === 0 && failureMessage) return [["failed", file]];
      return testResults.map(({ status, ancestorTitles, title }) => [
        status === "passed" || status === "failed" ? status : "skipped",
        file,
        ...ancestorTitles,
        title,
      ]);
    });
    write("jest", cases);
  } catch {}
  return results;
};

function hookMocha(main) {
  const folder = main.replace(/[/\\](?:bin|lib)[/\\][^\n]*$/, "");
  const file = path.join(folder, "lib", "runner.js");
  try {
    watchMocha(require(file));
  } catch {
    import(require("node:url").pathToFileURL(file).href).then(watchMocha).catch(() => {});
  }
}

function watchMocha(loaded) {
  const Runner = loaded.Runner || loaded.default || loaded;
  const emit = Runner.prototype.emit;
  const statuses = { pass: "passed", fail: "failed", pending: "skipped" };
  const cases = [];
  const titles = (test) => (test.parent ? [...titles(test.parent), test.title] : [test.title]);
  Runner.prototype.emit = function (event, test) {
    try {
      const status = statuses[event];
      if (status !== undefined) {
        const names = (typeof test.titlePath === "function" ? test.titlePath() : titles(test)).filter(Boolean);
        cases.push([status, local(test.file || (test.parent && test.parent.file)), ...names]);
      }
      if (event === "end") write("mocha", cases.splice(0));
    } catch {}
    return emit.apply(this, arguments);
  };
}

const RUNNERS = [
  [/[/\\]vitest[/\\](?:vitest|dist[/\\]cli)\.m?js$/, hookVitest],
  [/[/\\]jest(?:-cli)?[/\\]bin[/\\]jest\.js$/, hookJest],
  [/[/\\]react-scripts[/\\]scripts[/\\]test\.js$/, hookJest],
  [/[/\\]mocha[/\\](?:bin[/\\]_?mocha(?:\.js)?|lib[/\\]cli[/\\]cli\.js)$/, hookMocha],
];

function hook() {
  if (!require("node:worker_threads").isMainThread) return;
  if (process.env.NODE_TEST_CONTEXT) return forget();
  if (process.execArgv.includes("--test")) return startAgain();
  if (process.argv[1] === undefined) return;
  const main = fs.realpathSync(process.argv[1]);
  for (const [pattern, act] of RUNNERS) {
    if (!pattern.test(main)) continue;
    forget();
    return act(main);
  }
  if (/\.[cm]?[jt]sx?$/.test(main) && USES_NODE_TEST.test(readText(main))) startAgain();
}

try {
  hook();
} catch {}
`;

/** A reporter of node's own runner. */
export const NODE_REPORTER = String.raw`
import { readFileSync } from "node:fs";
import path from "node:path";

const DECLARES_TESTS = /^[ \t]*(?:await\s+)?(?:test|it|describe|suite)\s*(?:\.\w+\s*)?\(/m;

function readText(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

export default async function* report(source) {
  const cases = [];
  const open = [];
  for await (const { type, data } of source) {
    if (type === "test:start") {
      open.length = data.nesting;
      open[data.nesting] = data.name;
    }
    if (type !== "test:pass" && type !== "test:fail") continue;
    const file = data.file ? path.relative(process.cwd(), data.file) : "";
    const isFile = data.nesting === 0 && data.file && path.resolve(data.name) === path.resolve(data.file);
    const kind = data.details && data.details.type;
    // A suite is a group of tests, unless it fails by itself.
    const cause = data.details && data.details.error && data.details.error.failureType;
    if (kind === "suite" && !isFile && (type === "test:pass" || cause === "subtestsFailed")) continue;
    // A file that passes as a whole although it has tests was ended before any of them ran.
    const isIdle = isFile && type === "test:pass" && DECLARES_TESTS.test(readText(data.file));
    const isSkipped = isIdle || (data.skip !== undefined && data.skip !== false) || (data.todo !== undefined && data.todo !== false);
    const status = isSkipped ? "skipped" : type === "test:pass" ? "passed" : "failed";
    const names = [...open.slice(0, data.nesting), data.name];
    cases.push(isFile ? [status, file] : [status, file, ...names]);
  }
  yield JSON.stringify({ runner: "node --test", cases });
}
`;
