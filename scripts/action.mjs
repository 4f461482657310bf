// The step of action.yml: looper with the inputs' flags, then the outputs, and whether the ending fails the job. Inputs are
// LOOPER_ACTION_* variables; looper itself sees none of them. Leaves everything else to looper.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../dist/looper.js", import.meta.url));
const INPUT = "LOOPER_ACTION_";

/** As in src/logging/events/events.ts; a test holds them together. */
const ENDINGS = [
  "complete",
  "blocked",
  "limit",
  "budget",
  "waiting",
  "unusable-backlog",
  "environment",
  "interrupted",
];

/** An input with an invalid value. */
class WrongInput extends Error {}

/** @param {string} name */
function input(name) {
  return process.env[`${INPUT}${name}`] ?? "";
}

/**
 * The endings that fail the step.
 * @param {string} text
 */
function readFailOn(text) {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const unknown = words.find((word) => !ENDINGS.includes(word));
  if (unknown !== undefined)
    throw new WrongInput(`fail-on: there is no ending ${JSON.stringify(unknown)}; use ${ENDINGS.join(", ")}`);
  return new Set(words);
}

/**
 * Words as a shell would see them, without anything a shell would do.
 * @param {string} text
 */
function splitWords(text) {
  const words = [];
  const word = /(?:[^\s"']|"(?:\\["\\]|[^"])*"|'[^']*')+/gy;
  for (let at = 0; ; at = word.lastIndex) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    if (at === text.length) return words;
    word.lastIndex = at;
    const [found] = word.exec(text) ?? [];
    if (found === undefined) throw new WrongInput("args: a quote is not closed");
    words.push(unquote(found));
  }
}

/** @param {string} word */
function unquote(word) {
  return word.replaceAll(/"((?:\\["\\]|[^"])*)"|'([^']*)'/g, (_all, double, single) =>
    typeof double === "string" ? double.replaceAll(/\\(["\\])/g, "$1") : String(single),
  );
}

/** @param {string} report */
function commandLine(report) {
  const named = [
    ["--agent", input("AGENT")],
    ["--max-cost", input("MAX_COST")],
    ["--max-duration", input("MAX_DURATION")],
    ["--junit", report],
  ];
  const flags = named.flatMap(([flag, value]) => (value === "" ? [] : [`${String(flag)}=${String(value)}`]));
  const file = input("FILE");
  return ["run", ...splitWords(input("ARGS")), ...flags, ...(file === "" ? [] : ["--", file])];
}

/**
 * The lines about the run of a report; none without a report.
 * @param {string} file
 */
function readReport(file) {
  let xml = "";
  try {
    xml = readFileSync(file, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
  const found = xml.matchAll(
    /<property name="(run|ending|done|tasks|verified|unbroken|unverified)" value="([\w-]*)"\/>/g,
  );
  return new Map([...found].map(([, name = "", value = ""]) => [name, value]));
}

/**
 * Runs looper to its end, with its exit code. A job that is cancelled has seconds: its agents are ended at once.
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<number>}
 */
function runLooper(args, cwd) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith(INPUT)));
  const looper = spawn(process.execPath, [BIN, ...args], { cwd, env, stdio: "inherit" });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => looper.kill("SIGTERM"));
  return new Promise((resolve, reject) => {
    looper.once("error", reject);
    looper.once("close", (code) => {
      resolve(code ?? 1);
    });
  });
}

/**
 * The ending of a run that left no report.
 * @param {number} code
 */
function endingWithout(code) {
  if (code === 3) return "environment";
  return code > 128 ? "interrupted" : "";
}

/** @param {Readonly<Record<string, string>>} values */
function setOutputs(values) {
  const file = process.env["GITHUB_OUTPUT"] ?? "";
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  if (file !== "") appendFileSync(file, lines.join(""));
}

/** @param {string} own The path of the report when the inputs name none. */
async function main(own) {
  const failOn = readFailOn(input("FAIL_ON"));
  const cwd = path.resolve(input("FOLDER") || ".");
  const report = path.resolve(cwd, input("JUNIT") || own);
  const before = readReport(report);
  const code = await runLooper(commandLine(report), cwd);
  const after = readReport(report);
  // An older one is still there when nothing could be begun.
  const told = after.get("run") === before.get("run") ? readReport("") : after;
  const ending = told.get("ending") ?? endingWithout(code);
  const [done, tasks] = [told.get("done") ?? "", told.get("tasks") ?? ""];
  const left = tasks === "" ? "" : String(Number(tasks) - Number(done));
  /** @param {string} name */
  const value = (name) => told.get(name) ?? "";
  const [verified, unbroken, unverified] = [value("verified"), value("unbroken"), value("unverified")];
  setOutputs({ ending, "run-id": value("run"), done, left, verified, unbroken, unverified });
  if (ending === "") return code;
  if (!failOn.has(ending)) return 0;
  process.stderr.write(
    `The step fails: the run ended ${ending}, and fail-on is ${[...failOn].join(", ")}.\n`,
  );
  return code === 0 ? 1 : code;
}

const folder = mkdtempSync(path.join(process.env["RUNNER_TEMP"] ?? tmpdir(), "looper-action-"));
try {
  process.exitCode = await main(path.join(folder, "report.xml"));
} catch (error) {
  if (!(error instanceof WrongInput)) throw error;
  const message = error.message.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  process.stderr.write(`::error title=looper action::${message}\n`);
  process.exitCode = 2;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
