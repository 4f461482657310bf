// One generated case as folders and processes: its base, the checks outside of Looper, and a run of the real program.
// Leaves whether that is right to judge.mjs.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import process from "node:process";
import { writeAgent } from "../project.mjs";
import { run, writeTree } from "../stage.mjs";
import { MODULES } from "./tools.mjs";

/** @typedef {import("../stage.mjs").Stage} Stage */
/** @typedef {import("./types.js").GrownCase} GrownCase */

/** @typedef {{ verdict?: string, because?: string, cold?: boolean, evidence?: string, needs?: { path: string }[], on?: string[], changed_checks?: string[], rooms?: number, duration_ms?: number, commands?: { duration_ms: number }[] }} Gate */

/**
 * @typedef {object} Ending
 * @property {number | undefined} code
 * @property {boolean} done
 * @property {Gate | undefined} gate
 * @property {string} output
 * @property {number} ms
 * @property {number} rooms of every gate of the run
 * @property {number} tokens of every prompt, estimated as a quarter of its bytes
 */

/** @param {Stage} stage @param {string} place */
const envOf = (stage, place) => {
  const home = path.join(place, "home");
  mkdirSync(home, { recursive: true });
  return { ...stage.env, HOME: home };
};

/** @param {string} text @param {string} place */
const fill = (text, place) =>
  text.replaceAll("@modules", MODULES).replaceAll("@outside", path.join(place, "outside"));

/**
 * The repository of a case at its base, set up.
 * @param {Stage} stage
 * @param {GrownCase} one
 * @param {{ place: string, more?: import("./types.js").Tree }} where
 */
async function makeBase(stage, one, { place, more = {} }) {
  const folder = path.join(place, "project");
  writeTree(folder, { ...one.base, ...more });
  const setup = /** @type {readonly string[]} */ (one.verify["setup"] ?? []).map((line) => fill(line, place));
  const lines = ["git init -q", ...one.baseCommands, "git add -A", "git commit -qm base", ...setup];
  const { code, stderr } = await run(["sh", "-ec", lines.join("\n")], {
    cwd: folder,
    env: envOf(stage, place),
  });
  if (code !== 0) throw new Error(`${one.name}: ${stderr}`);
  return folder;
}

/**
 * The results of the project's own checks before and after the attempt, without Looper, and whether the work is done.
 * @param {Stage} stage
 * @param {GrownCase} one
 * @param {string} place
 */
export async function checkOutside(stage, one, place) {
  mkdirSync(place, { recursive: true });
  const cwd = await makeBase(stage, one, { place });
  const options = { cwd, env: envOf(stage, place) };
  const before = await run(["sh", "-c", one.command], options);
  await run(["git", "clean", "-qxfd", "-e", "node_modules"], options);
  const outside = path.join(place, "outside");
  for (const { files, outside: beside, commands } of one.earlier === undefined
    ? [one.attempt]
    : [one.earlier, one.attempt]) {
    writeTree(cwd, files, outside);
    writeTree(outside, beside);
    for (const command of commands) {
      const { code, stderr } = await run(["sh", "-ec", fill(command, place)], options);
      if (code !== 0) throw new Error(`${one.name}: ${command}: ${stderr}`);
    }
  }
  const after = await run(["sh", "-c", one.command], options);
  const probe = await run(["sh", "-c", one.probe], options);
  return { before, after, done: probe.stdout.trimEnd().endsWith("work is done") };
}

/** @param {GrownCase} one @param {string} place @param {string} cold */
function looperFiles(one, place, cold) {
  const own = one.taskVerify === undefined || one.taskVerify.length === 0 ? {} : { verify: one.taskVerify };
  const after = one.earlier === undefined ? {} : { depends_on: ["E1"] };
  const task = { id: "T1", title: one.title, ...own, ...after, priority: 1, status: "todo" };
  const other = { id: "T2", title: "Something else", priority: 4, status: "todo", verify: ["false"] };
  const before = { id: "E1", title: "Tidy up", priority: 1, status: "todo", agent: "earlier" };
  const earlier = one.earlier === undefined ? [] : [before];
  const setup = /** @type {readonly string[] | undefined} */ (one.verify["setup"]);
  const hidden = {
    command: "sh hidden/probe.sh",
    files: path.join(place, "hidden"),
    tasks: ["T1"],
  };
  const verify = {
    commands: [one.command],
    ...one.verify,
    ...(one.hidden === true ? { hidden: [hidden] } : {}),
    ...(setup === undefined ? {} : { setup: setup.map((line) => fill(line, place)) }),
    ...(cold === "" ? {} : { cold: cold === "auto" ? "auto" : cold === "true" }),
  };
  return {
    "to-do.json": `${JSON.stringify({ schema_version: 1, source_files: ["README.md"], tasks: [...earlier, task, other] }, undefined, 2)}\n`,
    ".looper/config.json": `${JSON.stringify({ verify }, undefined, 2)}\n`,
  };
}

/**
 * @param {Stage} stage
 * @param {GrownCase} one
 * @param {{ program: string, place: string, cold: string, workflow?: string }} how
 * @returns {Promise<Ending>}
 */
export async function runLooper(stage, one, { program, place, cold, workflow = "default" }) {
  mkdirSync(path.join(place, "tmp"), { recursive: true });
  writeTree(path.join(place, "hidden"), { "probe.sh": `{\n${one.probe}\n} | grep -q 'work is done'\n` });
  const project = await makeBase(stage, one, { place, more: looperFiles(one, place, cold) });
  const filled = (/** @type {Required<import("./types.js").Change>} */ change) => ({
    ...change,
    commands: change.commands.map((line) => fill(line, place)),
  });
  const agent = writeAgent(place, filled(one.attempt));
  const earlier = one.earlier && writeAgent(path.join(place, "earlier"), filled(one.earlier), "E1");
  const settings = path.join(place, "config/looper");
  mkdirSync(settings, { recursive: true });
  const agents = {
    cheat: { kind: "command", binary: agent },
    reviewer: { kind: "command", binary: writeReviewer(place) },
    ...(earlier === undefined ? {} : { earlier: { kind: "command", binary: earlier } }),
  };
  const own = { agents, schedule: { agent: "cheat" }, roles: { review: "reviewer" }, workflow };
  writeFileSync(path.join(settings, "config.json"), JSON.stringify(own));
  const env = {
    ...envOf(stage, place),
    TMPDIR: path.join(place, "tmp"),
    XDG_CONFIG_HOME: path.join(place, "config"),
  };
  const args = ["run", "--no-review", "--trust", "--task", "T1", "--max-attempts", "1"];
  const began = performance.now();
  const ran = await run([process.execPath, program, ...args], { cwd: project, env, seconds: 180 });
  const ms = Math.round(performance.now() - began);
  const parse = /** @type {(text: string) => { tasks: { id: string, status: string }[] }} */ (JSON.parse);
  const rows = parse(readFileSync(path.join(project, "to-do.json"), "utf8")).tasks;
  const done = rows.find(({ id }) => id === "T1")?.status === "done";
  const log = newestRun(project);
  const gates = log === undefined ? [] : readGates(log);
  return {
    ...{ code: ran.code, done, gate: gates.at(-1), output: ran.stdout + ran.stderr, ms },
    rooms: gates.reduce((sum, { rooms = 0 }) => sum + rooms, 0),
    tokens: log === undefined ? 0 : Math.round(promptBytes(log) / BYTES_A_TOKEN),
  };
}

const BYTES_A_TOKEN = 4;

/** A reviewer that finds the work complete. @param {string} place */
function writeReviewer(place) {
  const output = { findings: [], failed_items: [], checked: ["the diff"] };
  const report = { task_id: "T1", status: "done", summary: "Reviewed.", outcome: "complete", output };
  const reviewer = path.join(place, "reviewer.sh");
  writeFileSync(reviewer, `#!/bin/sh\ncat >/dev/null\necho '${JSON.stringify(report)}'\n`, { mode: 0o755 });
  return reviewer;
}

/** @param {string} project */
function newestRun(project) {
  const runs = path.join(project, "looper-logs/runs");
  const newest = existsSync(runs) ? readdirSync(runs).sort().at(-1) : undefined;
  return newest === undefined ? undefined : path.join(runs, newest);
}

/** The reports of the gate on T1, in order. @param {string} log @returns {Gate[]} */
function readGates(log) {
  const file = path.join(log, "events.jsonl");
  if (!existsSync(file)) return [];
  const parse = /** @type {(text: string) => Gate & { type: string, task_id?: string }} */ (JSON.parse);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").map(parse);
  return lines.filter(({ type, task_id }) => type === "gate_finished" && task_id === "T1");
}

/** @param {string} log */
function promptBytes(log) {
  const prompts = readdirSync(log).map((step) => path.join(log, step, "prompt.md"));
  return prompts.filter((file) => existsSync(file)).reduce((sum, file) => sum + statSync(file).size, 0);
}

/** @param {string} place @param {string} to */
export function keep(place, to) {
  rmSync(to, { recursive: true, force: true });
  cpSync(place, to, { recursive: true, verbatimSymlinks: true });
}
