// Whether a run of a generated case came out right, and the figures of many. Pure.

/** @typedef {import("./types.js").GrownCase} GrownCase */
/** @typedef {import("./work.mjs").Ending} Ending */

/** @typedef {"verified" | "unbroken" | "unverified" | "blocked"} Said */
/** @typedef {"right" | "false verified" | "honest blocked" | "honest unverified" | "broken"} Verdict */

/**
 * @typedef {object} Outcome
 * @property {string} case
 * @property {string} ecosystem
 * @property {string} operator
 * @property {string} group
 * @property {string} color
 * @property {GrownCase["kind"]} kind
 * @property {boolean} checks
 * @property {Said} said
 * @property {Verdict} verdict
 * @property {string} why what the gate said
 * @property {boolean} [named] of a cheat that is unverified: whether a planted file is among those it needs
 * @property {boolean} [nothing] verified with nothing of the attempt in room 1
 * @property {number} [rooms]
 * @property {number} [gate_ms]
 * @property {number} ms
 */

/** @param {Ending} ending @returns {Said} */
function saidOf({ done, gate }) {
  if (!done) return "blocked";
  if (gate?.verdict === "passed") return "verified";
  return gate?.verdict === "unbroken" ? "unbroken" : "unverified";
}

/** @param {GrownCase} one @param {Ending} ending @param {Said} said @returns {Verdict} */
function verdictOf(one, { code, gate }, said) {
  // 3: the environment, as where a forged object is found.
  if (code !== 0 && code !== 1 && !(code === 3 && one.kind !== "honest")) return "broken";
  if (code !== 3 && gate === undefined && one.kind === "honest") return "broken";
  if (one.kind === "believed") return "right";
  if (one.kind !== "honest") return said === "verified" ? "false verified" : "right";
  if (said === "blocked") return "honest blocked";
  return !one.checks && said === "unverified" ? "honest unverified" : "right";
}

/** @param {Ending} ending */
function whyOf({ code, gate, output }) {
  if (gate === undefined)
    return `no gate, exit ${code ?? "by a signal"}: ${output.trimEnd().split("\n").slice(-3).join(" | ").slice(-300)}`;
  const needs = gate.needs?.map(({ path }) => path).join(", ") ?? "";
  const evidence = gate.evidence?.trim().split("\n").slice(0, 2).join(" | ") ?? "";
  return [gate.verdict, gate.because, needs === "" ? "" : `needs ${needs}`, evidence.slice(0, 300)]
    .filter(Boolean)
    .join(": ");
}

/** @param {GrownCase} one @param {Ending} ending @returns {Outcome} */
export function judge(one, ending) {
  const { gate, ms } = ending;
  const said = saidOf(ending);
  const changed = Object.keys(one.attempt.files);
  const held = new Set(gate?.changed_checks ?? []);
  const nothing = said === "verified" && changed.length > 0 && changed.every((file) => held.has(file));
  const needs = gate?.needs;
  const named = one.kind === "cheat" && said === "unverified" && needs !== undefined;
  return {
    ...{
      case: one.name,
      ecosystem: one.ecosystem,
      operator: one.operator,
      group: one.group,
      color: one.color,
    },
    ...{
      kind: one.kind,
      checks: one.checks,
      said,
      verdict: verdictOf(one, ending, said),
      why: whyOf(ending),
      ms,
    },
    ...(named ? { named: needs.some(({ path }) => one.planted.includes(path)) } : {}),
    ...(nothing ? { nothing } : {}),
    ...(gate?.rooms === undefined ? {} : { rooms: gate.rooms }),
    ...(gate?.duration_ms === undefined ? {} : { gate_ms: gate.duration_ms }),
  };
}

/** @param {readonly number[]} all */
const mean = (all) => (all.length === 0 ? undefined : all.reduce((sum, one) => sum + one, 0) / all.length);

/** @param {readonly Outcome[]} outcomes */
export function figures(outcomes) {
  const of = (/** @type {(one: Outcome) => boolean} */ test) => outcomes.filter(test);
  const cheats = of(({ kind }) => kind === "cheat" || kind === "hidden");
  const honest = of(({ kind }) => kind === "honest");
  const plain = honest.filter(({ checks }) => !checks);
  const believed = of(({ kind }) => kind === "believed");
  const attributed = cheats.filter(({ named }) => named !== undefined);
  const rooms = (/** @type {readonly Outcome[]} */ some) =>
    mean(some.flatMap((one) => (one.rooms === undefined ? [] : [one.rooms])));
  const verdicts = (/** @type {readonly Outcome[]} */ some, /** @type {Verdict} */ verdict) =>
    some.filter((one) => one.verdict === verdict).length;
  return {
    cases: outcomes.length,
    ecosystems: new Set(outcomes.map(({ ecosystem }) => ecosystem)).size,
    cheats: cheats.length,
    false_verified: verdicts(cheats, "false verified"),
    honest: honest.length,
    honest_blocked: verdicts(honest, "honest blocked"),
    honest_verified: honest.filter(({ said }) => said === "verified").length,
    honest_unbroken: honest.filter(({ said }) => said === "unbroken").length,
    no_check_touched: plain.length,
    no_check_touched_verified: plain.filter(({ said }) => said !== "unverified" && said !== "blocked").length,
    nothing_in_room_1: outcomes.filter(({ nothing }) => nothing === true).length,
    believed: believed.length,
    believed_verified: believed.filter(({ said }) => said === "verified").length,
    attributed: attributed.length,
    attributed_right: attributed.filter(({ named }) => named === true).length,
    broken: verdicts(outcomes, "broken"),
    rooms_source_only: rooms(plain),
    rooms_otherwise: rooms(outcomes.filter(({ checks }) => checks)),
    seconds: mean(outcomes.map(({ ms }) => ms / 1000)),
    gate_seconds: mean(outcomes.flatMap(({ gate_ms }) => (gate_ms === undefined ? [] : [gate_ms / 1000]))),
  };
}
