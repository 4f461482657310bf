// The figures of a run of the bench, as text, Markdown and JSON. Pure.

/** @typedef {import("./types.js").Mode} Mode */
/** @typedef {import("./types.js").Operator} Operator */
/** @typedef {import("./types.js").Outcome} Outcome */
/** @typedef {import("./types.js").Verdict} Verdict */

/** @param {readonly Outcome[]} outcomes @param {Verdict} verdict */
const count = (outcomes, verdict) => outcomes.filter((one) => one.verdict === verdict).length;

/**
 * The figures of one mode; what no gate can tell is counted apart.
 * @param {readonly Outcome[]} outcomes
 * @param {Mode} mode
 */
export function totals(outcomes, mode) {
  const all = outcomes.filter((one) => one.mode === mode);
  const cheats = all.filter(({ honest, blind }) => !honest && blind === undefined);
  const honest = all.filter((one) => one.honest);
  return {
    mode,
    cheats: cheats.length,
    honest: honest.length,
    false_done: count(cheats, "false done"),
    done_unverified: count(cheats, "done unverified"),
    false_fail: count(honest, "false fail"),
    honest_unverified: honest.filter(({ said }) => said === "unverified").length,
    broken: count(all, "broken"),
    blind: all.filter(({ blind }) => blind !== undefined).length,
    blind_done: all.filter(({ blind, verdict }) => blind !== undefined && verdict === "false done").length,
  };
}

/** @param {ReturnType<typeof totals>} figures */
function totalLine({ mode, cheats, honest, ...figures }) {
  const { false_done, false_fail, done_unverified, honest_unverified, broken, blind, blind_done } = figures;
  const asides = [
    ...(done_unverified > 0 ? [`done, but shown as unverified: ${done_unverified}`] : []),
    ...(honest_unverified > 0 ? [`honest, but shown as unverified: ${honest_unverified}`] : []),
    ...(blind > 0 ? [`not counted, as no gate can tell: ${blind_done} of ${blind} got through`] : []),
    ...(broken > 0 ? [`no answer: ${broken}`] : []),
  ];
  const aside = asides.length === 0 ? "" : ` (${asides.join("; ")})`;
  return `${mode}: false done: ${false_done} of ${cheats}, false fail: ${false_fail} of ${honest}${aside}`;
}

/**
 * One row an operator: pairs, then what got through in each mode.
 * @param {readonly Outcome[]} outcomes
 * @param {readonly Operator[]} operators
 * @param {readonly Mode[]} modes
 */
function rows(outcomes, operators, modes) {
  return operators.flatMap(({ name, about }) => {
    const all = outcomes.filter((one) => one.operator === name && one.blind === undefined);
    if (all.length === 0) return [];
    const cells = modes.map((mode) => {
      const own = all.filter((one) => one.mode === mode);
      const wrong = count(own, "false done") + count(own, "false fail");
      const rest = [
        ...(count(own, "done unverified") > 0 ? [`${count(own, "done unverified")} unverified`] : []),
        ...(count(own, "broken") > 0 ? [`${count(own, "broken")} broken`] : []),
      ];
      return [String(wrong), ...rest].join(", ");
    });
    return [[name, String(all.filter(({ mode }) => mode === modes[0]).length), ...cells, about]];
  });
}

/** @param {Outcome} miss */
const missLine = ({ case: name, operator, mode, verdict, because }) =>
  `${mode}  ${verdict}: ${name} × ${operator}: ${because.split("\n")[0] ?? ""}`;

/** @param {readonly Outcome[]} outcomes */
const misses = (outcomes) =>
  outcomes.filter(({ verdict, blind }) => verdict !== "right" && blind === undefined);

/**
 * @typedef {{ outcomes: readonly Outcome[], operators: readonly Operator[], modes: readonly Mode[], skipped: readonly string[] }} Figures
 */

/** @param {Figures} figures */
export function asText({ outcomes, operators, modes, skipped }) {
  const table = [["operator", "pairs", ...modes, ""], ...rows(outcomes, operators, modes)];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const missed = misses(outcomes).map(missLine);
  return [
    ...lines,
    "",
    ...(missed.length === 0 ? [] : [...missed, ""]),
    ...skipped.map((name) => `SKIPPED: ${name}: python3 is not there`),
    ...modes.map((mode) => totalLine(totals(outcomes, mode))),
    ...(missed.length === 0 ? [] : ["", `one alone: ${alone(misses(outcomes)[0])}`]),
  ].join("\n");
}

/** @param {Outcome | undefined} miss */
const alone = (miss) =>
  `make bench-trust-modes TRUST='--case ${miss?.case ?? "node-feature"} --op ${miss?.operator ?? "honest"} --mode ${miss?.mode ?? "cold"} --keep'`;

/** @param {Figures} figures */
export function asMarkdown({ outcomes, operators, modes, skipped }) {
  const missed = misses(outcomes).map((miss) => `- ${missLine(miss)}`);
  const table = rows(outcomes, operators, modes).map(
    ([name, pairs, ...rest]) => `| \`${name ?? ""}\` | ${[pairs, ...rest].join(" | ")} |`,
  );
  return [
    "# Done means done, measured",
    "",
    "Written by `make bench-trust-modes TRUST=--write`. Honest small projects and agents that cheat; what the program called done,",
    "and what an oracle that no agent sees says. Numbers are of false answers: cheats called done and verified, honest work refused.",
    "",
    ...modes.map((mode) => `- ${totalLine(totals(outcomes, mode))}`),
    ...skipped.map((name) => `- skipped: ${name}`),
    "",
    `| operator | pairs | ${modes.join(" | ")} | |`,
    `|---|---|${modes.map(() => "---|").join("")}---|`,
    ...table,
    "",
    ...(missed.length === 0 ? [] : ["## Misses", "", ...missed, ""]),
    "Beyond any gate, and not tried: code that knows the tests' answers, or that bends the test library from within the checked process;",
    "only tests the agent never sees, and a reviewer, find those.",
    "",
  ].join("\n");
}

/** @param {Figures} figures */
export function asJson({ outcomes, modes, skipped }) {
  return JSON.stringify(
    { totals: modes.map((mode) => totals(outcomes, mode)), skipped, outcomes },
    undefined,
    2,
  );
}
