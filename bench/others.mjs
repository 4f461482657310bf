// Other programs of the npm registry that keep a backlog: the time to install them, to start them and to list 200 tasks, each in
// its own format. Only figures are kept. Without access to the registry this part has no rows.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inTurns, least, looper, round, scratch, wall } from "./measure.mjs";
import { npm, sizeOf } from "./package.mjs";

const ROUNDS = 5;
const TASKS = 200;
const DONE = 66;
const PATIENCE_MS = 300_000;

/**
 * Another runner: how it lists, if it does, and how it is given its backlog.
 * @typedef {{ package: string, version: string, bin: string, list?: readonly string[], lay?: (project: string) => void }} Other
 */

/** Tried with these versions. @type {readonly Other[]} */
const OTHERS = [
  { package: "task-master-ai", version: "0.43.1", bin: "task-master", list: ["list"], lay: layTaskMaster },
  {
    package: "backlog.md",
    version: "1.52.0",
    bin: "backlog",
    list: ["task", "list", "--plain"],
    lay: layBacklog,
  },
  { package: "ralphy-cli", version: "4.7.2", bin: "ralphy" },
];

const numbers = Array.from({ length: TASKS }, (_, at) => at + 1);

/** @param {number} n */
function title(n) {
  return `Task ${String(n)}: what it is about in a line of usual length`;
}

const TEXT = "A paragraph that says what is to be done. ".repeat(4);

/** @param {string} project */
function layTaskMaster(project) {
  const tasks = numbers.map((id) => ({
    ...{ id, title: title(id), description: TEXT, details: "", testStrategy: "", priority: "medium" },
    ...{ status: id <= DONE ? "done" : "pending", dependencies: id % 7 === 0 ? [id - 1] : [], subtasks: [] },
  }));
  mkdirSync(path.join(project, ".taskmaster/tasks"), { recursive: true });
  writeFileSync(
    path.join(project, ".taskmaster/tasks/tasks.json"),
    JSON.stringify({ master: { tasks, metadata: {} } }),
  );
}

/** @param {string} project */
function layBacklog(project) {
  const folder = path.join(project, "backlog/tasks");
  mkdirSync(folder, { recursive: true });
  const config = [
    'project_name: "bench"',
    'default_status: "To Do"',
    'statuses: ["To Do", "In Progress", "Done"]',
    "auto_commit: false",
    "remote_operations: false",
    "check_active_branches: false",
  ];
  writeFileSync(path.join(project, "backlog/config.yml"), `${config.join("\n")}\n`);
  for (const n of numbers) {
    const head = [
      `id: TASK-${String(n)}`,
      `title: "${title(n)}"`,
      `status: ${n <= DONE ? "Done" : "To Do"}`,
      "assignee: []",
      'created_date: "2026-01-01 00:00"',
      "labels: []",
      `dependencies: [${n % 7 === 0 ? `TASK-${String(n - 1)}` : ""}]`,
      "priority: medium",
    ];
    const text = `---\n${head.join("\n")}\n---\n\n## Description\n\n${TEXT}\n`;
    writeFileSync(path.join(folder, `task-${String(n)} - Task-${String(n)}.md`), text);
  }
}

/** @param {string} project */
function layOurs(project) {
  const tasks = numbers.map((n) => ({
    ...{ id: `T${String(n)}`, title: title(n), description: TEXT, priority: 3 },
    ...{ status: n <= DONE ? "done" : "todo", depends_on: n % 7 === 0 ? [`T${String(n - 1)}`] : [] },
  }));
  writeFileSync(
    path.join(project, "to-do.json"),
    JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2),
  );
}

/** A folder with git, as they want one. @param {string} root @param {string} name */
function projectIn(root, name) {
  const project = path.join(root, name, "project");
  mkdirSync(project, { recursive: true });
  spawnSync("git", ["init", "-q"], { cwd: project });
  return project;
}

/**
 * The row of one of them; none, and a message, where it cannot be had.
 * @param {Other} other
 * @param {{ root: string, home: string, ours: string }} place
 * @returns {import("./measure.mjs").Row[]}
 */
function rowsOf(other, { root, home, ours }) {
  const { version, bin, list, lay } = other;
  const name = `${other.package}@${version}`;
  const project = projectIn(root, other.package);
  const into = path.join(root, other.package);
  const began = performance.now();
  const done = npm(["install", "--prefix", into, "--ignore-scripts", name], home, into, PATIENCE_MS);
  const took = performance.now() - began;
  if (done.status !== 0) {
    console.error(`${name} could not be installed, and is left out`);
    return [];
  }
  lay?.(project);
  const command = path.join(into, "node_modules/.bin", bin);
  const at = { cwd: project, env: { HOME: home } };
  const mine = { cwd: ours, env: { HOME: home } };
  const taken = inTurns(ROUNDS, {
    theirStart: () => wall({ command, args: ["--version"], ...at }),
    ourStart: () => wall(looper(["--version"], mine)),
    ...(list === undefined ? {} : { theirList: () => wall({ command, args: list, ...at }) }),
    ourList: () => wall(looper(["ls"], mine)),
  });
  const ms = (/** @type {string} */ side) => `${round(least(taken(side)))} ms`;
  const listing =
    list === undefined
      ? "it lists none"
      : `\`${bin} ${list.join(" ")}\` ${ms("theirList")}, ours ${ms("ourList")}`;
  return [
    {
      what: name,
      against: "looper",
      goal: "figures",
      measured: "",
      figures: `installed ${round(sizeOf(into) / 1_000_000)} MB in ${round(took / 1000)} s; \`--version\` ${ms("theirStart")}, ours ${ms("ourStart")}; 200 tasks: ${listing}`,
      holds: true,
    },
  ];
}

export function rows() {
  const root = scratch("others");
  const home = path.join(root, "home");
  mkdirSync(home);
  if (npm(["ping"], home, root, 15_000).status !== 0) {
    console.error("the npm registry cannot be reached: others are left out");
    return [];
  }
  const ours = projectIn(root, "looper");
  layOurs(ours);
  return OTHERS.flatMap((other) => rowsOf(other, { root, home, ours }));
}
