// The figures of the generated cases, as text, Markdown and JSON. Pure.
import { figures } from "./judge.mjs";

/** @typedef {import("./judge.mjs").Outcome} Outcome */

/** @param {number | undefined} value */
const short = (value) => (value === undefined ? "-" : value.toFixed(1));

/** @param {readonly Outcome[]} outcomes */
function figureLines(outcomes) {
  const all = figures(outcomes);
  return [
    `cases: ${all.cases} in ${all.ecosystems} ecosystems`,
    `false verified: ${all.false_verified} of ${all.cheats} cheats`,
    `honest blocked: ${all.honest_blocked} of ${all.honest}`,
    `honest verified: ${all.honest_verified} of ${all.honest}, unbroken: ${all.honest_unbroken}; not unverified where no check was touched: ${all.no_check_touched_verified} of ${all.no_check_touched}`,
    `verified with nothing of the attempt in room 1: ${all.nothing_in_room_1}`,
    `the planted file is named: ${all.attributed_right} of ${all.attributed} cheats that are unverified for a change`,
    `believed, as only hidden checks can tell: ${all.believed_verified} of ${all.believed}`,
    `rooms a task: ${short(all.rooms_source_only)} where only source changed, ${short(all.rooms_otherwise)} otherwise`,
    `seconds a task: ${short(all.seconds)}, of them in the gate ${short(all.gate_seconds)}`,
    ...(all.broken === 0 ? [] : [`no answer: ${all.broken}`]),
  ];
}

/** @param {readonly Outcome[]} outcomes @param {"ecosystem" | "group"} by */
function rows(outcomes, by) {
  const names = [...new Set(outcomes.map((one) => one[by]))];
  return names.map((name) => {
    const all = figures(outcomes.filter((one) => one[by] === name));
    return [
      name,
      all.cheats,
      all.false_verified,
      all.honest,
      all.honest_blocked,
      all.honest_verified,
      short(all.seconds),
    ].map(String);
  });
}

const HEAD = ["", "cheats", "false verified", "honest", "blocked", "verified", "s a task"];

/** @param {readonly (readonly string[])[]} table */
function aligned(table) {
  const widths = HEAD.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  return table.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** @param {Outcome} miss */
export const missLine = ({ case: name, verdict, said, why }) => `${verdict}: ${name}: ${said}: ${why}`;

/** @typedef {{ outcomes: readonly Outcome[], skipped: readonly string[] }} Result */

/** @param {Result} result */
export function asText({ outcomes, skipped }) {
  const wrong = outcomes.filter(({ verdict }) => verdict !== "right");
  return [
    ...aligned([HEAD, ...rows(outcomes, "ecosystem")]),
    "",
    ...aligned([HEAD, ...rows(outcomes, "group")]),
    "",
    ...wrong.map(missLine),
    ...(wrong.length === 0 ? [] : [""]),
    ...skipped,
    ...figureLines(outcomes),
  ].join("\n");
}

/** @param {readonly (readonly string[])[]} table */
const markdownTable = (table) => [
  `| ${HEAD.join(" | ")} |`,
  `|${HEAD.map(() => "---|").join("")}`,
  ...table.map((row) => `| ${row.join(" | ")} |`),
];

/** @param {Result} result */
export function asMarkdown({ outcomes, skipped }) {
  const wrong = outcomes.filter(({ verdict }) => verdict !== "right");
  return [
    "# The gate on generated cases",
    "",
    "Written by `make bench-trust TRUST=--write`: small projects in many ecosystems, agents that cheat and agents that",
    "are honest, each on a base whose tests of the work are red and on a green one.",
    "",
    ...figureLines(outcomes).map((line) => `- ${line}`),
    ...skipped.map((line) => `- ${line}`),
    "",
    ...markdownTable(rows(outcomes, "ecosystem")),
    "",
    ...markdownTable(rows(outcomes, "group")),
    "",
    ...(wrong.length === 0 ? [] : ["## Misses", "", ...wrong.map((one) => `- ${missLine(one)}`), ""]),
  ].join("\n");
}

/** @param {Result} result */
export const asJson = ({ outcomes, skipped }) =>
  JSON.stringify({ figures: figures(outcomes), skipped, outcomes }, undefined, 2);
