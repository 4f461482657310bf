// make bench-trust: small projects in many ecosystems, agents that cheat and honest ones, judged by what the gate said of each.
// `--ecosystem vitest,jest --op 'test-*' --color red` selects; `--every 10 --from 3` is a sample (of a whole run: every third),
// `--all` everything; `--review` measures what a reviewer adds; `--self-check` tries the cases without Looper; `--cost` measures a large project; `--install` fetches the
// runners of npm once; `--keep DIR` leaves the folders of what went wrong; `--cold false` is another setting of `verify.cold`.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { cpus } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { closeStage, forEachOf, isStopping, stopAll } from "../stage.mjs";
import { chooseCases, SHARE } from "./cases.mjs";
import { costLine, measureCost } from "./cost.mjs";
import { judge } from "./judge.mjs";
import { asJson, asMarkdown, asText, missLine } from "./print.mjs";
import { measureReview, reviewLines } from "./review.mjs";
import { CHECKED, installPackages, missingTools, openGrownStage } from "./tools.mjs";
import { checkOutside, keep, runLooper } from "./work.mjs";

/** @typedef {import("./judge.mjs").Outcome} Outcome */
/** @typedef {import("./types.js").GrownCase} GrownCase */
/** @typedef {import("../stage.mjs").Stage} Stage */

const { values: asked } = parseArgs({
  options: {
    ecosystem: { type: "string" },
    op: { type: "string" },
    color: { type: "string" },
    every: { type: "string" },
    all: { type: "boolean", default: false },
    from: { type: "string", default: "0" },
    jobs: { type: "string", default: String(cpus().length) },
    cold: { type: "string", default: "" },
    keep: { type: "string" },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    cost: { type: "boolean", default: false },
    review: { type: "boolean", default: false },
    install: { type: "boolean", default: false },
    "self-check": { type: "boolean", default: false },
    program: { type: "string", default: fileURLToPath(new URL("../../../dist/looper.js", import.meta.url)) },
  },
});

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {Stage} stage */
function choose(stage) {
  const selects = asked.all || [asked.ecosystem, asked.op, asked.color].some((one) => one !== undefined);
  const every = asked.every === undefined ? (selects ? 1 : SHARE) : Number(asked.every);
  const all = chooseCases({ ...asked, every, from: Number(asked.from) });
  if (all.length === 0) throw new Error("no case matches: --list names them all");
  const missing = missingTools(
    stage,
    all.flatMap(({ tools }) => tools),
  );
  const cases = all.filter(({ tools }) => !tools.some((tool) => missing.has(tool)));
  const skipped = [...missing].map((tool) => {
    const lost = all.filter(({ tools }) => tools.includes(tool));
    const hint = tool.startsWith("node:") ? ", install it with --install" : "";
    return `SKIPPED: ${lost.length} cases of ${[...new Set(lost.map(({ ecosystem }) => ecosystem))].join(", ")}: ${tool} is not there${hint}`;
  });
  return { cases, skipped };
}

/**
 * The cases on trial: checks as told at the base and green after the attempt, and the work done where it should be.
 * @param {Stage} stage
 * @param {GrownCase} one
 */
async function wrongWith(stage, one) {
  if (one.byHand === true) return "";
  const key = createHash("sha256").update(JSON.stringify(one)).digest("hex");
  const known = path.join(CHECKED, key);
  if (existsSync(known)) return readFileSync(known, "utf8");
  const place = path.join(stage.root, "checked", key);
  const { before, after, done } = await checkOutside(stage, one, place);
  const tail = (/** @type {{ stdout: string, stderr: string }} */ { stdout, stderr }) =>
    (stdout + stderr).trimEnd().slice(-400);
  rmSync(place, { recursive: true, force: true });
  const wrong = [
    ...((before.code === 0) === (one.greenAtBase ?? before.code === 0)
      ? []
      : [`the base is ${before.code === 0 ? "green" : "red"}: ${tail(before)}`]),
    ...(after.code === 0 || one.unseen ? [] : [`the attempt is red: ${tail(after)}`]),
    ...(done === (one.kind === "honest" || one.honestWork === true)
      ? []
      : [`the work is ${done ? "done" : "not done"}`]),
  ].join("; ");
  if (wrong === "" && !isStopping()) {
    mkdirSync(CHECKED, { recursive: true });
    writeFileSync(known, "");
  }
  return wrong;
}

/** @param {Stage} stage @param {readonly GrownCase[]} cases */
async function checkAll(stage, cases) {
  /** @type {string[]} */
  const wrong = [];
  await forEachOf(cases, Number(asked.jobs), async (one) => {
    const said = await wrongWith(stage, one).catch((/** @type {unknown} */ error) => String(error));
    if (said !== "") wrong.push(`${one.name}: ${said}`);
  });
  return wrong.sort();
}

/** @param {Stage} stage @param {readonly GrownCase[]} cases */
async function runAll(stage, cases) {
  /** @type {Outcome[]} */
  const outcomes = [];
  await forEachOf(cases, Number(asked.jobs), async (one) => {
    const place = path.join(stage.root, "runs", one.name.replaceAll("/", "."));
    const ending = await runLooper(stage, one, { program: asked.program, place, cold: asked.cold });
    if (isStopping()) return;
    const outcome = judge(one, ending);
    outcomes.push(outcome);
    if (outcome.verdict !== "right") say(missLine(outcome));
    if (asked.keep !== undefined && outcome.verdict !== "right") {
      writeFileSync(path.join(place, "looper.txt"), ending.output);
      keep(place, path.join(asked.keep, one.name.replaceAll("/", ".")));
    }
    rmSync(place, { recursive: true, force: true });
    if (process.stderr.isTTY) process.stderr.write(`\r${outcomes.length} of ${cases.length}`);
  });
  const order = new Map(cases.map(({ name }, at) => [name, at]));
  return outcomes.sort((a, b) => (order.get(a.case) ?? 0) - (order.get(b.case) ?? 0));
}

/** @param {Stage} stage @param {readonly GrownCase[]} cases */
async function reviewAll(stage, cases) {
  const { program, cold } = asked;
  const measured = await measureReview(stage, cases, { program, cold, jobs: Number(asked.jobs) });
  if (isStopping()) return 130;
  console.log(asked.json ? JSON.stringify(measured) : reviewLines(measured));
  return measured.different.length === 0 ? 0 : 1;
}

/** @param {Stage} stage */
async function main(stage) {
  if (asked.install) installPackages();
  if (asked.cost) {
    const cost = await measureCost(stage, { program: asked.program, cold: asked.cold, rounds: 3 });
    console.log(asked.json ? JSON.stringify(cost) : costLine(cost));
    return cost.holds ? 0 : 1;
  }
  const { cases, skipped } = choose(stage);
  if (asked.list) {
    for (const { name, kind, group } of cases) console.log(`${name}  ${kind}: ${group}`);
    return 0;
  }
  const wrong = await checkAll(stage, cases);
  if (isStopping()) return 130;
  for (const line of wrong) say(`a broken case: ${line}`);
  if (asked["self-check"]) {
    for (const line of skipped) console.log(line);
    console.log(`cases: ${cases.length - wrong.length} of ${cases.length} are as they should be`);
    return wrong.length === 0 ? 0 : 1;
  }
  const sound = cases.filter(({ name }) => !wrong.some((line) => line.startsWith(`${name}: `)));
  if (asked.review) return reviewAll(stage, sound);
  const outcomes = await runAll(stage, sound);
  if (isStopping()) {
    console.log(`broken off: ${outcomes.length} of ${sound.length} cases ran`);
    if (outcomes.length > 0) console.log(asText({ outcomes, skipped }));
    return 130;
  }
  console.log(asked.json ? asJson({ outcomes, skipped }) : asText({ outcomes, skipped }));
  if (asked.write) writeFileSync(new URL("RESULTS.md", import.meta.url), asMarkdown({ outcomes, skipped }));
  return wrong.length === 0 && outcomes.every(({ verdict }) => verdict === "right") ? 0 : 1;
}

const stage = openGrownStage();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stopAll);
try {
  process.exitCode = await main(stage);
} catch (error) {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 2;
} finally {
  closeStage(stage);
}
