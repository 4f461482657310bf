// Looking back: at a run whose log has 1 GB, and at 1,000 runs. Against a bare `tail`, and against Node doing nothing.
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import {
  atMost,
  homeIn,
  inTurns,
  least,
  looper,
  node,
  round,
  scratch,
  wall,
  wallAndPeak,
} from "./measure.mjs";

const GB = 2 ** 30;
const RUNS = 1000;
const TASKS = 5;
const ROUNDS = 10;
const MOST_MORE_MS = 150;
const MOST_RSS = 150;

/** A project whose tasks a shell script does, and one real run over it. @param {string} root */
function projectAfterOneRun(root) {
  const agent = path.join(root, "agent.sh");
  writeFileSync(
    agent,
    '#!/bin/sh\ncat >/dev/null\necho "{\\"task_id\\":\\"$LOOPER_TASK_ID\\",\\"status\\":\\"done\\"}"\n',
  );
  chmodSync(agent, 0o755);
  const home = homeIn(root, {
    agents: { sh: { kind: "command", binary: agent } },
    loop: { review: false },
    log_dir: path.join(root, "logs"),
  });
  const cwd = path.join(root, "project");
  mkdirSync(cwd);
  writeBacklog(cwd, "todo");
  const env = { HOME: home };
  wall(looper(["run", "--agent", "sh"], { cwd, env }));
  const runs = path.join(root, "logs/runs");
  const [first = ""] = readdirSync(runs);
  return { cwd, env, runs, first };
}

/** @param {string} cwd @param {string} status */
function writeBacklog(cwd, status) {
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    ...{ id: `T${String(n + 1)}`, title: `Task ${String(n + 1)}`, priority: 3, status },
  }));
  writeFileSync(path.join(cwd, "to-do.json"), JSON.stringify({ schema_version: 1, source_files: [], tasks }));
}

/** The same run under other ids, one a minute, before the first; its last task is another one in each. @param {string} runs @param {string} first */
function copyRuns(runs, first) {
  const log = readFileSync(path.join(runs, first, "events.jsonl"), "utf8");
  for (let n = 1; n < RUNS; n++) {
    const at = new Date(Date.UTC(2020, 0, 1, 0, n)).toISOString().slice(0, 19);
    const run = at.replace("T", "_").replaceAll(":", "-");
    cpSync(path.join(runs, first), path.join(runs, run), { recursive: true });
    writeFileSync(
      path.join(runs, run, "events.jsonl"),
      log.replaceAll(first, run).replaceAll(`"T${String(TASKS)}"`, `"T${String(TASKS)}-${String(n)}"`),
    );
  }
}

/** The same run as if its first agent had said a gigabyte. @param {string} runs @param {string} first */
function growLog(runs, first) {
  const file = path.join(runs, first, "events.jsonl");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  const at = lines.findIndex((line) => line.includes('"type":"agent_started"')) + 1;
  /** @type {unknown} */
  const before = JSON.parse(lines[at - 1] ?? "");
  const { seq, timestamp, job, iteration, phase, task_id, agent, attempt } =
    /** @type {Record<string, unknown>} */ (before);
  const out = openSync(file, "w");
  let size = writeSync(out, `${lines.slice(0, at).join("\n")}\n`);
  let last = Number(seq);
  while (size < GB) {
    let batch = "";
    while (batch.length < 1 << 20) {
      last++;
      const facts = { job, iteration, phase, task_id, agent, attempt };
      const content = `What was done in step ${String(last)}, and why. `.repeat(1 + (last % 40));
      batch += `${JSON.stringify({ seq: last, timestamp, type: "message", role: "assistant", content, ...facts })}\n`;
    }
    size += writeSync(out, batch);
  }
  const rest = lines.slice(at).map((line) => line.replace(/^\{"seq":\d+/, () => `{"seq":${String(++last)}`));
  writeSync(out, `${rest.join("\n")}\n`);
  closeSync(out);
}

/**
 * A row whose goal is so much on top of the same command's own start.
 * @param {{ what: string, against: string, ours: number, start: number, missed?: string }} found
 * @returns {import("./measure.mjs").Row}
 */
function onTop({ what, against, ours, start, missed }) {
  const holds = ours - start <= MOST_MORE_MS;
  return {
    ...{ what, against },
    goal: `≤ + ${String(MOST_MORE_MS)} ms`,
    measured: `+ ${round(ours - start)} ms`,
    figures: `${round(ours)} against ${round(start)} ms, least of ${String(ROUNDS)}`,
    holds,
    ...(holds || missed === undefined ? {} : { cause: missed }),
  };
}

/** @param {string} what @param {number} mib @returns {import("./measure.mjs").Row} */
function bounded(what, mib) {
  const goal = `≤ ${String(MOST_RSS)} MiB`;
  return {
    what,
    against: "-",
    goal,
    measured: `${round(mib)} MiB`,
    figures: "one run",
    holds: mib <= MOST_RSS,
  };
}

/** @typedef {{ cwd: string, env: Record<string, string> }} Place */

/** Times each command in both places, in turns. @param {Record<string, string[]>} commands @param {Place} here @param {Place} there */
function compare(commands, here, there) {
  /** @type {Record<string, () => number>} */
  const sides = {};
  for (const [name, args] of Object.entries(commands)) {
    sides[`${name} here`] = () => wall(looper(args, here));
    sides[`${name} there`] = () => wall(looper(args, there));
  }
  const taken = inTurns(ROUNDS, sides);
  return (/** @type {string} */ name) => ({
    ours: least(taken(`${name} here`)),
    start: least(taken(`${name} there`)),
  });
}

/** @param {string} root @param {Place} one */
function manyRuns(root, one) {
  const { runs, first, ...many } = projectAfterOneRun(root);
  copyRuns(runs, first);
  const commands = {
    runs: ["runs"],
    show: ["show", `T${String(TASKS)}`],
    often: ["show", "T1"],
    status: ["status"],
    run: ["run", "--agent", "sh"],
  };
  const of = compare(commands, many, one);
  const count = RUNS.toLocaleString("en");
  const against = "the same after one run";
  return [
    onTop({ what: `\`looper runs\` over ${count} runs`, against, ...of("runs") }),
    onTop({
      what: `\`looper show\` of a task over ${count} runs`,
      against,
      ...of("show"),
      missed:
        "its time varies around the goal from one run of the bench to the next. Each log is opened and read; lines are parsed only in logs that name the task.",
    }),
    onTop({
      what: `\`looper show\` of a task tried in each of ${count} runs`,
      against,
      ...of("often"),
      missed:
        "six lines of each attempt are parsed, checked against their schemas and folded. All other lines are skipped unread, which saved four fifths of the time. Skipping the schema check would mean trusting the files on disk.",
    }),
    onTop({ what: `\`looper status\` after ${count} runs`, against, ...of("status") }),
    onTop({
      what: `\`looper run\` with nothing left to do, after ${count} runs`,
      against,
      ...of("run"),
      missed:
        "at its end a run measures the folders of all logs, because `log.max_bytes` is limited by default. A stored sum would be wrong after a user removes a log by hand.",
    }),
  ];
}

/** @param {string} root @param {Place} one */
function bigLog(root, one) {
  const { runs, first, ...big } = projectAfterOneRun(root);
  growLog(runs, first);
  const log = path.join(runs, first, "events.jsonl");
  const bare = inTurns(ROUNDS, {
    tail: () => wall({ command: "tail", args: ["-n", "50", log], ...big }),
    node: () => wall(node("0", big)),
  });
  const of = compare({ tail: ["tail", "-n", "50"], runs: ["runs"], run: ["run", "--agent", "sh"] }, big, one);
  const [theirs, nothing] = [least(bare("tail")), least(bare("node"))];
  const { ours, start } = of("tail");
  const against = "the same after a usual run";
  const shown = wallAndPeak(looper(["show", "T1"], big));
  return [
    atMost({
      ...{ what: "`looper tail -n 50` of a log of 1 GiB", against: "`tail -n 50`", most: 3, ours, theirs },
      unit: `ms, least of ${String(ROUNDS)}`,
      cause: `Node alone takes ${round(nothing)} ms to start and exit, \`tail\` ${round(theirs)} ms for everything, so no program that runs in Node reaches three times that. The next row shows the cost of reading the log's end without the start.`,
    }),
    atMost({
      what: "the same, without the start",
      against: "`tail -n 50`",
      ...{ most: 3, ours: Math.max(0, ours - start), theirs },
      unit: `ms; the start is \`looper tail -n 50\` of a log of 30 kB`,
    }),
    onTop({ what: "`looper runs` with a log of 1 GiB", against, ...of("runs") }),
    onTop({ what: "`looper run` with nothing left to do, after a log of 1 GiB", against, ...of("run") }),
    bounded("`looper show` of a task whose agent said 1 GiB: memory", shown.mib),
  ];
}

export function rows() {
  const all = scratch("logs");
  const [one, many, big] = ["one", "many", "big"].map((name) => path.join(all, name));
  for (const root of [one, many, big]) mkdirSync(root ?? "");
  const place = projectAfterOneRun(one ?? "");
  const found = [...manyRuns(many ?? "", place), ...bigLog(big ?? "", place)];
  rmSync(all, { recursive: true, force: true });
  return found;
}
