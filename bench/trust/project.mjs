// One run of the real program: a project of its own, an agent that does as the operator says, and what came of it.
// Leaves whether that is right to judge.mjs.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { run, writeTree } from "./stage.mjs";

/** @typedef {import("./stage.mjs").Stage} Stage */
/** @typedef {import("./types.js").Case} Case */
/** @typedef {import("./types.js").Cheat} Cheat */
/** @typedef {import("./types.js").Mode} Mode */
/** @typedef {import("./types.js").Pair} Pair */
/** @typedef {import("./types.js").Said} Said */

const OTHER = { id: "T2", title: "Something else", priority: 4, status: "todo", verify: ["false"] };

/**
 * @typedef {object} Ending
 * @property {number | undefined} code
 * @property {Said} said
 * @property {string[]} alsoDone other tasks that are done though no agent worked on them
 * @property {string} gate the gate's verdict and reason
 * @property {boolean | undefined} cold where it ran; `undefined`: it did not
 * @property {string} output
 */

/**
 * The files of a case at its base, the task file and the settings among them.
 * @param {Case} on
 * @param {Mode} mode
 */
function baseOf(on, mode) {
  const task = { id: "T1", ...on.task, priority: 1, status: "todo" };
  const backlog = { schema_version: 1, source_files: ["README.md"], tasks: [task, OTHER] };
  const settings = { verify: { ...on.verify, cold: mode === "cold" } };
  return {
    ...on.base,
    "to-do.json": `${JSON.stringify(backlog, undefined, 2)}\n`,
    ".looper/config.json": `${JSON.stringify(settings, undefined, 2)}\n`,
  };
}

/**
 * The repository that the runs of a case are copies of.
 * @param {Stage} stage
 * @param {Case} on
 * @param {Mode} mode
 */
export async function makeTemplate(stage, on, mode) {
  const folder = path.join(stage.root, "templates", `${on.name}-${mode}`);
  writeTree(folder, baseOf(on, mode));
  const script = "git init -q && git add -A && git commit -qm base";
  const { code, stderr } = await run(["sh", "-c", script], {
    cwd: folder,
    env: { ...stage.env, HOME: stage.root },
  });
  if (code !== 0) throw new Error(`${on.name}: ${stderr}`);
  return folder;
}

/** @param {string} text */
const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * A program that does what the cheat says and reports that all of the task is done.
 * @param {string} place
 * @param {Cheat} cheat
 * @param {string} [task]
 */
export function writeAgent(place, { files, outside = {}, commands = [], says }, task = "T1") {
  writeTree(path.join(place, "patch"), files, path.join(place, "outside"));
  writeTree(path.join(place, "outside"), outside);
  const steps = Object.entries(files).map(([name, content]) => {
    if (content === null) return `rm -rf ${quote(name)}`;
    const patch = quote(path.join(place, "patch", name));
    return `rm -rf ${quote(name)}\nmkdir -p ${quote(path.dirname(name))}\ncp -pP ${patch} ${quote(name)}`;
  });
  const report = { task_id: task, status: "done", summary: "All done.", files: Object.keys(files) };
  const ofStage = { ...report, outcome: "done", output: { completed: ["the task"], remaining: [] } };
  const words = says === undefined ? [] : [`echo ${quote(says)}`];
  const script = [
    "#!/bin/sh",
    "cat >/dev/null",
    ...steps,
    ...commands,
    ...words,
    `if [ -z "$LOOPER_STAGE" ]; then echo ${quote(JSON.stringify(report))}`,
    `else echo ${quote(JSON.stringify(ofStage))}; fi`,
  ];
  const agent = path.join(place, "agent.sh");
  writeFileSync(agent, `${script.join("\n")}\n`);
  chmodSync(agent, 0o755);
  return agent;
}

/**
 * @param {Stage} stage
 * @param {Pair} pair
 * @param {{ program: string, template: string, place: string }} where
 * @returns {Promise<Ending>}
 */
export async function runPair(stage, { cheat }, { program, template, place }) {
  const project = path.join(place, "project");
  const settings = path.join(place, "config/looper");
  for (const name of [settings, path.join(place, "home"), path.join(place, "tmp")])
    mkdirSync(name, { recursive: true });
  cpSync(template, project, { recursive: true, verbatimSymlinks: true });
  const agents = { cheat: { kind: "command", binary: writeAgent(place, cheat) } };
  writeFileSync(path.join(settings, "config.json"), JSON.stringify({ agents, schedule: { agent: "cheat" } }));
  const env = {
    ...stage.env,
    HOME: path.join(place, "home"),
    TMPDIR: path.join(place, "tmp"),
    XDG_CONFIG_HOME: path.join(place, "config"),
  };
  const args = ["run", "--no-review", "--trust", "--task", "T1", "--max-attempts", "1"];
  const ran = await run([process.execPath, program, ...args], { cwd: project, env, seconds: 120 });
  const tasks = readTasks(project);
  const gate = readGate(project);
  const done = tasks.find(({ id }) => id === "T1")?.status === "done";
  const alsoDone = tasks.flatMap(({ id, status, tags }) =>
    id !== "T1" && status === "done" && tags?.includes("project-done") !== true ? [id] : [],
  );
  return {
    code: ran.code,
    said: !done ? "not done" : gate.verified ? "verified" : "unverified",
    alsoDone,
    gate: gate.text,
    cold: gate.cold,
    output: ran.stdout + ran.stderr,
  };
}

/**
 * Writes the files of the HEAD of a run's project.
 * @param {Stage} stage
 * @param {string} place
 */
export async function writeOut(stage, place) {
  const folder = path.join(place, "committed");
  mkdirSync(folder);
  const script =
    "git archive --format=tar -o ../committed.tar HEAD && tar -xf ../committed.tar -C ../committed";
  const options = { cwd: path.join(place, "project"), env: { ...stage.env, HOME: place } };
  const { code, stderr } = await run(["sh", "-c", script], options);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

/** @typedef {{ id: string, status: string, tags?: string[] }} Task */

/**
 * @param {string} project
 * @returns {Task[]}
 */
function readTasks(project) {
  const parse = /** @type {(text: string) => { tasks: Task[] }} */ (JSON.parse);
  return parse(readFileSync(path.join(project, "to-do.json"), "utf8")).tasks;
}

/** @typedef {{ type: string, task_id?: string, verdict?: string, cold?: boolean, evidence?: string }} Line */

/**
 * The last word of the gate on the task.
 * @param {string} project
 */
function readGate(project) {
  const runs = path.join(project, "looper-logs/runs");
  const newest = existsSync(runs) ? readdirSync(runs).sort().at(-1) : undefined;
  const file = path.join(runs, newest ?? "", "events.jsonl");
  if (newest === undefined || !existsSync(file)) return { verified: false, text: "no log", cold: undefined };
  const parse = /** @type {(text: string) => Line} */ (JSON.parse);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").map(parse);
  const said = lines.filter(({ type, task_id }) => type === "gate_finished" && task_id === "T1").at(-1);
  if (said === undefined) return { verified: false, text: "none ran", cold: undefined };
  const evidence = said.evidence?.trim().split("\n")[0] ?? "";
  const text = [said.verdict, evidence].filter(Boolean).join(": ");
  return { verified: said.verdict === "passed", text, cold: said.cold === true };
}
