// Draws a workflow: as lines of text for a terminal, or as a mermaid diagram for a page. Pure.
import { fillQuestion, isEnd, listOwnOutcomes, toTarget } from "../advance.js";
import { STAGE_KINDS } from "../stage-kinds.js";
import type { Stage, Workflow } from "../workflow.js";

/** The stages in the file's order, each with where its outcomes lead. */
export function drawText({ start, stages }: Workflow): string[] {
  const names = Object.keys(stages);
  const wide = Math.max(...names.map((name) => name.length));
  return Object.entries(stages).flatMap(([name, stage]) => {
    const outcomes = Object.entries(stage.next);
    const widest = Math.max(0, ...outcomes.map(([outcome]) => outcome.length));
    const condition = conditionOf(stage);
    return [
      `${name === start ? ">" : " "} ${name.padEnd(wide)}  ${describeStage(stage)}`,
      ...(condition === undefined ? [] : [`${" ".repeat(wide + 4)}only when ${condition}`]),
      ...outcomes.map(([outcome, target]) => {
        const { to, discard } = toTarget(target);
        const dropped = discard === true ? " (its changes are dropped)" : "";
        return `${" ".repeat(wide + 4)}${outcome.padEnd(widest)} -> ${to}${dropped}`;
      }),
    ];
  });
}

/** The work of a stage, in a line. */
export function describeStage(stage: Stage): string {
  const { question, commands = [], protects } = stage;
  const said = question === undefined ? commands.join("; ") : fillQuestion(question);
  return [
    said === "" ? stage.kind : `${stage.kind}: ${said}`,
    ...(stage.agent === undefined ? [] : [`by ${stage.agent}`]),
    ...(stage.not_agent_of === undefined ? [] : [`(not the agent of ${stage.not_agent_of})`]),
    ...gateOf(stage.gate),
    ...(stage.permissions === undefined ? [] : [`with ${stage.permissions} permissions`]),
    ...(protects === undefined ? [] : [`keeping the tests of ${protects.join(", ")}`]),
    ...(stage.shows === undefined ? [] : [`(shows ${stage.shows})`]),
    ...(stage.timeout === undefined ? [] : [`${stage.on_timeout ?? ""} after ${stage.timeout}`]),
  ].join(" ");
}

function gateOf(gate: Stage["gate"]): string[] {
  if (gate === undefined || gate === "verify") return [];
  if (gate === "none") return ["without a gate"];
  return gate === "red" ? ["until a new test fails"] : [`checked by ${gate.join("; ")}`];
}

function conditionOf(stage: Stage): string | undefined {
  if (stage.when === undefined) return undefined;
  const facts = Object.entries(stage.when).map(([fact, values]) => `${fact} is ${values.join(" or ")}`);
  return `${facts.join(" and ")}, else ${stage.else ?? ""}`;
}

/** A flowchart: agents' stages are boxes, people's are hexagons, checks are rounded, the two ends are circles. */
export function drawMermaid({ start, stages }: Workflow): string[] {
  const ids = new Map(Object.keys(stages).map((name, at) => [name, `s${String(at)}`]));
  const idOf = (name: string): string => (isEnd(name) ? name : (ids.get(name) ?? name));
  const reached = new Set<string>();
  const arrows = Object.entries(stages).flatMap(([name, stage]) =>
    group(stage).map(({ to, label }) => {
      reached.add(to);
      return `  ${idOf(name)} -->|"${quoted(label)}"| ${idOf(to)}`;
    }),
  );
  return [
    "flowchart TD",
    `  start(("task")) --> ${idOf(start)}`,
    ...Object.entries(stages).map(([name, stage]) => `  ${idOf(name)}${shapeOf(name, stage)}`),
    ...(reached.has("finish") ? ['  finish((("done")))'] : []),
    ...(reached.has("block") ? ['  block((("blocked")))'] : []),
    ...arrows,
  ];
}

/** One arrow for each target, with the outcomes that lead along it. */
function group(stage: Stage): { to: string; label: string }[] {
  const own = listOwnOutcomes(stage);
  const labels = new Map<string, string[]>();
  for (const [outcome, target] of Object.entries(stage.next)) {
    const { to, discard } = toTarget(target);
    const words = `${outcome}${own.includes(outcome) ? "" : " (runner)"}${discard === true ? ", changes dropped" : ""}`;
    labels.set(to, [...(labels.get(to) ?? []), words]);
  }
  return [...labels].map(([to, outcomes]) => ({ to, label: outcomes.join(" / ") }));
}

function shapeOf(name: string, { kind, question = "" }: Stage): string {
  const { open, words, close } = STAGE_KINDS[kind].box;
  return `${open}"<b>${name}</b><br/>${words === "" ? quoted(fillQuestion(question)) : words}"${close}`;
}

/** A text inside quotes of a diagram: mermaid takes entities. */
function quoted(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("#", "&num;")
    .replaceAll(/\s+/gu, " ");
}
