// make bench-trust-modes: honest small projects × agents that cheat × the gate warm and cold, judged by an oracle of its own.
// `--case NAME --op NAME --mode warm|cold --keep` runs one and leaves its folder; `--self-check` tries the oracle only;
// `--all` takes every operator to every case, not a fair share; `--program FILE` is another looper than that of dist/.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CASES, makePairs, OPERATORS } from "./cases.mjs";
import { checkOracle, weigh } from "./judge.mjs";
import { Oracle } from "./oracle.mjs";
import { asJson, asMarkdown, asText, totals } from "./print.mjs";
import { makeTemplate, runPair, writeOut } from "./project.mjs";
import { closeStage, forEachOf, isStopping, openStage, stopAll } from "./stage.mjs";

/** @typedef {import("./types.js").Mode} Mode */
/** @typedef {import("./types.js").Outcome} Outcome */
/** @typedef {import("./types.js").Pair} Pair */
/** @typedef {import("./stage.mjs").Stage} Stage */

const { values: asked } = parseArgs({
  options: {
    case: { type: "string" },
    op: { type: "string" },
    mode: { type: "string" },
    jobs: { type: "string", default: "2" },
    keep: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
    program: { type: "string", default: fileURLToPath(new URL("../../dist/looper.js", import.meta.url)) },
    "self-check": { type: "boolean", default: false },
  },
});

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @returns {Mode[]} */
function chosenModes() {
  if (asked.mode === undefined) return ["warm", "cold"];
  if (asked.mode !== "warm" && asked.mode !== "cold")
    throw new Error(`--mode is warm or cold, not ${asked.mode}`);
  return [asked.mode];
}

/**
 * @param {Stage} stage
 * @returns {{ pairs: Pair[], skipped: string[] }}
 */
function choosePairs(stage) {
  const all = makePairs(asked);
  if (all.length === 0) throw new Error("no pair matches: --list names them all");
  const skipped = CASES.filter(({ kind }) => stage.missing.has(kind)).map(({ name }) => name);
  return { pairs: all.filter(({ on }) => !skipped.includes(on.name)), skipped };
}

/**
 * @param {{ stage: Stage, oracle: Oracle }} tools
 * @param {readonly Pair[]} pairs
 * @param {readonly Mode[]} modes
 */
async function runAll({ stage, oracle }, pairs, modes) {
  /** @type {Map<string, Promise<string>>} */
  const templates = new Map();
  /** @type {Outcome[]} */
  const outcomes = [];
  const jobs = pairs.flatMap((pair) => modes.map((mode) => ({ pair, mode })));
  await forEachOf(jobs, Number(asked.jobs), async ({ pair, mode }) => {
    const { on, operator, honest, blind } = pair;
    const place = path.join(stage.root, "runs", `${on.name}.${operator.name}.${mode}`);
    const key = `${on.name} ${mode}`;
    const template = templates.get(key) ?? makeTemplate(stage, on, mode);
    templates.set(key, template);
    mkdirSync(place, { recursive: true });
    const began = performance.now();
    const ending = await runPair(stage, pair, { program: asked.program, template: await template, place });
    const ms = Math.round(performance.now() - began);
    const judgement = await oracle.judge(pair, await writeOut(stage, place));
    const { verdict, because } = weigh({ honest, mode }, ending, judgement);
    if (asked.keep) writeFileSync(path.join(place, "looper.txt"), ending.output);
    else rmSync(place, { recursive: true, force: true });
    outcomes.push({
      ...{ case: on.name, operator: operator.name, mode, honest, said: ending.said, verdict, because, ms },
      ...(blind === undefined ? {} : { blind }),
      ...(asked.keep ? { folder: place } : {}),
    });
    if (process.stderr.isTTY) process.stderr.write(`\r${outcomes.length} of ${jobs.length}`);
  });
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  const order = jobs.map(({ pair, mode }) => `${pair.on.name} ${pair.operator.name} ${mode}`);
  const place = (/** @type {Outcome} */ one) => order.indexOf(`${one.case} ${one.operator} ${one.mode}`);
  return outcomes.sort((a, b) => place(a) - place(b));
}

/** @param {Stage} stage */
async function main(stage) {
  const modes = chosenModes();
  if (asked.write && [asked.case, asked.op, asked.mode].some((one) => one !== undefined))
    throw new Error("--write is for a whole run: leave out --case, --op and --mode");
  const { pairs, skipped } = choosePairs(stage);
  if (asked.list) {
    for (const { on, operator } of pairs) console.log(`--case ${on.name} --op ${operator.name}`);
    return 0;
  }
  const oracle = new Oracle(stage);
  const wrong = await checkOracle({ stage, oracle, atOnce: Number(asked.jobs) }, pairs);
  if (isStopping()) return 130;
  const cheats = pairs.filter(({ honest }) => !honest).length;
  for (const line of wrong) say(`the oracle is wrong: ${line}`);
  for (const name of skipped) say(`SKIPPED: ${name}: python3 is not there`);
  const save = wrong.length === 0 ? "" : `, save ${wrong.length}`;
  const told = `oracle: yes to ${pairs.length - cheats} honest, no to ${cheats} cheats${save}`;
  if (asked["self-check"]) console.log(told);
  else say(told);
  if (wrong.length > 0) return 1;
  if (asked["self-check"]) return 0;
  const outcomes = await runAll({ stage, oracle }, pairs, modes);
  if (isStopping()) return 130;
  const figures = { outcomes, operators: OPERATORS, modes, skipped };
  console.log(asked.json ? asJson(figures) : asText(figures));
  if (asked.keep) for (const { folder } of outcomes) say(`kept: ${folder ?? ""}`);
  if (asked.write) writeFileSync(new URL("RESULTS.md", import.meta.url), asMarkdown(figures));
  const held = modes.includes("cold") ? totals(outcomes, "cold") : totals(outcomes, "warm");
  const clean = held.false_done + held.false_fail + held.broken === 0;
  return clean || (asked.mode === "warm" && held.broken === 0) ? 0 : 1;
}

const stage = openStage();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopAll);
try {
  process.exitCode = await main(stage);
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 2;
} finally {
  if (!asked.keep) closeStage(stage);
}
