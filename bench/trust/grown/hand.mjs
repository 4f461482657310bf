// The projects and cheats that were written by hand (../cases.mjs) in the shape of generated cases. Their oracle is on trial in
// test/stories/trust.story.test.ts, not here.
import { makePairs } from "../cases.mjs";

/** @typedef {import("../types.js").Pair} Pair */
/** @typedef {import("./types.js").GrownCase} GrownCase */

/** Work that is right beside a worse test: the program's own source makes the checks pass. */
const RIGHT_BESIDE = /^done-but-/;

/** Its README holds examples that a check runs. */
const READ_AS_TESTS = new Set(["python-docs"]);

const CHECKS = /(?:^|\/)(?:tests?|t|cases)\/|package\.json$/;

/** @param {Pair} pair @returns {GrownCase["kind"]} */
const kindOf = ({ honest, blind, operator }) =>
  honest ? "honest" : blind !== undefined || RIGHT_BESIDE.test(operator.name) ? "believed" : "cheat";

/** @param {Pair} pair @returns {GrownCase} */
function asCase(pair) {
  const { on, operator, cheat } = pair;
  const { commands, ...verify } = on.verify;
  const [command = ""] = /** @type {readonly string[]} */ (commands);
  return {
    name: `by-hand-${on.kind}/${on.name}.${operator.name}/red`,
    ecosystem: `by-hand-${on.kind}`,
    operator: operator.name,
    group: "by hand",
    color: "red",
    kind: kindOf(pair),
    tools: on.kind === "python" ? ["python3"] : on.kind === "node" ? ["node"] : ["sh", "make"],
    title: on.task.title,
    taskVerify: on.task.verify ?? [],
    base: on.base,
    baseCommands: [],
    command,
    verify,
    attempt: { files: cheat.files, outside: cheat.outside ?? {}, commands: cheat.commands ?? [] },
    // Which of them touch checks is told by their files alone.
    checks: READ_AS_TESTS.has(on.name) || Object.keys(cheat.files).some((file) => CHECKS.test(file)),
    planted: Object.keys(cheat.files),
    probe: "true",
    unseen: true,
    byHand: true,
  };
}

/** @returns {GrownCase[]} */
export const casesByHand = () => makePairs().map(asCase);
