// Draws a transcript of one task as a mermaid sequence: which floor performs each effect of each stage. Pure.
const FLOORS: Readonly<Record<string, string>> = {
  "change-backlog": "todo",
  checkpoint: "git",
  "run-agent": "agents",
  snapshot: "git",
  "run-gate": "gate",
  "save-work": "git",
  restore: "git",
  commit: "git",
  finish: "cmd",
};

const HEAD = [
  "sequenceDiagram",
  "  actor person",
  "  participant step as loop/step",
  "  participant todo",
  "  participant git",
  "  participant agents",
  "  participant gate",
  "  participant cmd",
];

/** The diagram of a transcript of src/loop/testing; a note for each stage that the task enters. */
export function drawWalk(transcript: string): string {
  return [...HEAD, ...transcript.split("\n").flatMap(drawLine)].join("\n");
}

function drawLine(line: string): string[] {
  const [, stage, visit = ""] = /^ {2}! stage_entered T1 (\S+), (visit \d+)/u.exec(line) ?? [];
  if (stage !== undefined) return [`  Note over step: ${stage}, ${visit}`];
  const [, answer] = /^person answer T1 (\S+)/u.exec(line) ?? [];
  if (answer !== undefined) return [`  person->>todo: answer ${answer}`];
  const [, effect = "", rest = ""] = /^ {2}\+ (\S+)(.*)/u.exec(line) ?? [];
  const label = labelOf(effect, rest);
  const floor = FLOORS[effect];
  return floor === undefined || label === undefined ? [] : [`  step->>${floor}: ${label}`];
}

/** The words on an arrow; `undefined` for a look at the task file that changes nothing. */
function labelOf(effect: string, rest: string): string | undefined {
  if (effect === "finish") return `end the run: ${/\w+/u.exec(rest)?.[0] ?? ""}`;
  if (effect !== "change-backlog") return effect;
  const [, outcome, to] = /advance T1 by (\S+)(?: as answered)? to (\S+)/u.exec(rest) ?? [];
  if (outcome !== undefined) return `${outcome}: next ${to ?? ""}`;
  const [, first] = /enter \S+ T1 at (\S+),/u.exec(rest) ?? [];
  if (first !== undefined) return `enter ${first}, claim`;
  return /claim T1/u.test(rest) ? "claim" : undefined;
}
