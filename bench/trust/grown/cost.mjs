// Measures the cost of a cold gate in a large project: 10,000 files and a check of one second. The bound is in docs/gate.md.
// The check's own time is measured in the same run, in the project itself.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runLooper } from "./work.mjs";

/** @typedef {import("../stage.mjs").Stage} Stage */
/** @typedef {import("./types.js").GrownCase} GrownCase */
/** @typedef {import("./types.js").Tree} Tree */

const FILES = 10_000;
const SECONDS = 1;
/** More than the check itself may a gate take that needs one room. */
const BOUND = 1.5;

/** @returns {GrownCase} */
function largeCase() {
  /** @type {Record<string, string>} */
  const base = {
    "README.md": "# large\n",
    ".gitignore": "looper-logs/\n",
    "package.json": '{ "name": "large", "version": "1.0.0", "type": "module", "main": "src/index.js" }\n',
    "check.sh": `sleep ${SECONDS}\n[ "$(node src/index.js)" = right ]\n`,
    "src/index.js": 'import { first } from "./first.js";\n\nconsole.log(first);\n',
    "src/first.js": 'export const first = "wrong";\n',
  };
  for (let at = 0; at < FILES; at += 1)
    base[`src/parts/${Math.floor(at / 100)}/part-${at}.js`] = `export const part = ${at};\n`;
  return {
    ...{
      name: "cost/large/red",
      ecosystem: "cost",
      operator: "large",
      group: "source",
      color: "red",
      kind: "honest",
    },
    ...{
      tools: ["node"],
      title: "It prints right",
      base,
      baseCommands: [],
      command: "sh check.sh",
      verify: {},
    },
    attempt: { files: { "src/first.js": 'export const first = "right";\n' }, outside: {}, commands: [] },
    ...{ checks: false, planted: [], probe: "true", unseen: true },
  };
}

/** @param {readonly number[]} all */
const least = (all) => Math.min(...all);

/**
 * @param {Stage} stage
 * @param {{ program: string, cold: string, rounds: number }} how
 */
export async function measureCost(stage, { program, cold, rounds }) {
  const one = largeCase();
  const gates = [];
  const checks = [];
  for (let round = 0; round < rounds; round += 1) {
    const place = path.join(stage.root, "cost", String(round));
    mkdirSync(place, { recursive: true });
    const { done, gate, output } = await runLooper(stage, one, { program, place, cold });
    if (!done || gate?.verdict !== "passed" || gate.duration_ms === undefined) {
      writeFileSync(path.join(place, "looper.txt"), output);
      throw new Error(
        `the large project is not verified: ${gate?.verdict ?? "no gate"}: ${output.slice(-400)}`,
      );
    }
    gates.push(gate.duration_ms / 1000);
    checks.push(...(gate.commands ?? []).map(({ duration_ms }) => duration_ms / 1000));
  }
  const more = least(gates) - least(checks);
  return {
    files: FILES,
    gate: least(gates),
    check: least(checks),
    more,
    ratio: least(gates) / least(checks),
    bound: BOUND,
    holds: more <= BOUND,
  };
}

/** @param {Awaited<ReturnType<typeof measureCost>>} figures */
export const costLine = ({ files, gate, check, more, ratio, bound, holds }) =>
  `a cold gate of ${files} files: ${gate.toFixed(2)} s for a check of ${check.toFixed(2)} s: ${ratio.toFixed(2)}×, ${more.toFixed(2)} s more (${holds ? "within" : "MORE THAN"} ${bound} s)`;
