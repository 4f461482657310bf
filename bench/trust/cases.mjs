// All cases, all operators, and the pairs they make.
import { bugfix, extend, feature } from "./cases-node.mjs";
import { flaky, junit, preRed, refactor, scripts } from "./cases-node-more.mjs";
import { pythonDocs, pythonTap } from "./cases-python-more.mjs";
import { pythonBugfix, pythonJunit } from "./cases-python.mjs";
import { SHELL_CASES } from "./cases-shell.mjs";
import { HONEST_OPERATORS } from "./operators-honest.mjs";
import { PROJECT_OPERATORS } from "./operators-project.mjs";
import { RUNTIME_OPERATORS } from "./operators-runtime.mjs";
import { TEST_OPERATORS } from "./operators-tests.mjs";

/** @typedef {import("./types.js").Case} Case */
/** @typedef {import("./types.js").Operator} Operator */
/** @typedef {import("./types.js").Pair} Pair */

/** @type {readonly Case[]} */
export const CASES = [
  feature,
  extend,
  bugfix,
  refactor,
  scripts,
  junit,
  preRed,
  flaky,
  pythonJunit,
  pythonBugfix,
  pythonDocs,
  pythonTap,
  ...SHELL_CASES,
];

/** @type {readonly Operator[]} */
export const OPERATORS = [...HONEST_OPERATORS, ...PROJECT_OPERATORS, ...TEST_OPERATORS, ...RUNTIME_OPERATORS];

/** Tried in every case: what it hangs on differs from one to the next. */
const EVERYWHERE = new Set(["honest", "does-nothing", "source-exits-0"]);

// About as many cases an operator takes, every other or every third one in turn, unless all are asked for.
const SHARE = 4;

/**
 * Each case with each operator that has a place to act there.
 * @param {Operator} operator
 * @returns {Pair[]}
 */
function pairsOf(operator) {
  return CASES.flatMap((on) => {
    const cheat = operator.apply(on);
    if (cheat === undefined) return [];
    const blind = operator.blind?.(on);
    return [
      { on, operator, cheat, honest: operator.honest === true, ...(blind === undefined ? {} : { blind }) },
    ];
  });
}

/**
 * The pairs of a run: all of a case or an operator that is named, or when `all` is asked for; else a fair share of each.
 * @param {{ case?: string | undefined, op?: string | undefined, all?: boolean }} [only]
 * @returns {Pair[]}
 */
export function makePairs(only = {}) {
  const whole = only.all === true || only.case !== undefined || only.op !== undefined;
  const share = OPERATORS.flatMap((operator, at) => {
    const pairs = pairsOf(operator);
    const step = whole || EVERYWHERE.has(operator.name) ? 1 : Math.round(pairs.length / SHARE);
    return step < 2 ? pairs : pairs.filter((_, nth) => (nth + at) % step === 0);
  });
  const named = share.filter(
    ({ on, operator }) => (only.case ?? on.name) === on.name && (only.op ?? operator.name) === operator.name,
  );
  const order = (/** @type {Pair} */ { on }) => CASES.indexOf(on);
  return named.sort((a, b) => order(a) - order(b));
}
