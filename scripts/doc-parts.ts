// The parts of the documents that are made from the code: which document, which part, and how it is written.
// docs.mjs writes them between `<!-- generated: NAME -->` and `<!-- /generated -->`.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import PROOF from "../docs/proof.json" with { type: "json" };
import { EXIT_CODES } from "../cmd/context/exit-codes.js";
import {
  COMMON_FLAGS,
  HELP_COMMAND,
  HELP_FLAG,
  isShown,
  type CommandDefinition,
} from "../cmd/context/definition.js";
import { COMMANDS } from "../cmd/line/definitions.js";
import { variablesOf } from "../src/config/read/env-layer.js";
import { ROWS, takesDuration } from "../src/config/table/settings.js";
import type { Row } from "../src/config/table/table.js";
import { EVENT_GLOSSARY } from "../src/logging/event-glossary.js";
import { StepEvent, type RunEvent } from "../src/logging/events.js";
import { ToldEvent } from "../src/logging/told-events.js";
import { EFFECT_GLOSSARY } from "../src/loop/step/effect-glossary.js";

const DECISIONS = path.join("docs", "decisions");

/** One part: its document (a path from the root), its name there, and its text. */
export interface DocumentPart {
  file: string;
  name: string;
  make: () => string;
}

const SHOWN = COMMANDS.filter(isShown);

export const PARTS: readonly DocumentPart[] = [
  { file: "README.md", name: "commands", make: commandTable },
  { file: "README.md", name: "exit codes", make: exitCodeTable },
  { file: "README.md", name: "settings", make: settingsTable },
  { file: "README.md", name: "proof", make: proofTable },
  { file: "docs/COMMANDS.md", name: "commands", make: commandReference },
  { file: "docs/ARCHITECTURE.md", name: "events", make: eventList },
  { file: "docs/EVENTS.md", name: "deciding events", make: () => glossaryOf(StepEvent.options) },
  { file: "docs/EVENTS.md", name: "other events", make: () => glossaryOf(ToldEvent.options) },
  { file: "docs/EVENTS.md", name: "effects", make: effectTable },
  { file: "docs/decisions/README.md", name: "decisions", make: decisionList },
];

/** A document with its parts as the code wants them. Throws where one has no markers. */
export function fillDocument(file: string, text: string): string {
  return PARTS.filter((part) => part.file === file).reduce(
    (filled, part) => fillPart(filled, part.name, part.make(), file),
    text,
  );
}

/** `text` with what stands between a part's markers replaced. `file` is for the error. */
export function fillPart(text: string, name: string, body: string, file: string): string {
  const open = `<!-- generated: ${name} -->`;
  const close = "<!-- /generated -->";
  const from = text.indexOf(open);
  const to = text.indexOf(close, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no ${open} … ${close}`);
  return `${text.slice(0, from)}${open}\n\n${body.trim()}\n\n${text.slice(to)}`;
}

function commandTable(): string {
  return table(
    ["command", "does"],
    [...[...SHOWN, HELP_COMMAND].map((command) => [code(usage(command)), command.help])],
  );
}

function commandReference(): string {
  const parts = SHOWN.map((command) => {
    const { name, help, operands, flags, examples = [] } = command;
    const rows = [...operands, ...flags].map((word) => [spelling(word), word.help]);
    const lines = examples.map(({ line, help: does }) => `# ${does}\n${line}`).join("\n\n");
    return [
      `## ${name}`,
      `${code(`${usage(command)}${flags.length === 0 ? "" : " [flags]"}`)}: ${help}.`,
      ...(rows.length === 0 ? [] : [table(["word", "means"], rows)]),
      ...(lines === "" ? [] : [`\`\`\`sh\n${lines}\n\`\`\``]),
    ].join("\n\n");
  });
  const everywhere = table(
    ["on every command", "means"],
    [...COMMON_FLAGS, HELP_FLAG].map(({ spelled, help }) => [code(spelled), help]),
  );
  return [everywhere, ...parts].join("\n\n");
}

function spelling({ spelled, opposite }: { spelled: string; opposite?: string }): string {
  return opposite === undefined ? code(spelled) : `${code(spelled)} or ${code(opposite)}`;
}

function usage({ name, operands }: Pick<CommandDefinition, "name" | "operands">): string {
  return ["looper", name, ...operands.map(({ spelled }) => spelled)].join(" ");
}

function exitCodeTable(): string {
  return table(
    ["exit", "means"],
    EXIT_CODES.map(({ codes, means }) => [codes.join(", "), means]),
  );
}

function settingsTable(): string {
  return table(
    ["setting", "default", "means", "flag", "variable"],
    [...ROWS].map(([key, row]) => [
      code(key.replace("env.*", "env.<VARIABLE>").replaceAll("*", "<name>")),
      defaultOf(row),
      meaningOf(row),
      row.flag === undefined ? "" : code(row.flag.name),
      variablesOf(key).map(code).join(" "),
    ]),
  );
}

function defaultOf(row: Row): string {
  const { default: value } = row;
  if (value === undefined) return "";
  return code(typeof value === "string" ? value : JSON.stringify(value));
}

/** The sentence of the table, with what a choice is between. */
function meaningOf(row: Row): string {
  const choices = / \| /.test(allowed(row)) && !takesDuration(row) ? allowed(row).split(" | ") : [];
  return choices.length === 0 ? row.doc : `${row.doc} One of ${choices.map(code).join(", ")}.`;
}

/** The values it accepts, in the words of its own error. */
function allowed({ type }: Row): string {
  const read = type.read(undefined);
  return read.ok ? "" : read.faults[0].allowed;
}

/** The figures of docs/proof.json, whose sentences are Markdown already. */
function proofTable(): string {
  return table(
    ["What is tried", "Figure", "Command", "Measured"],
    PROOF.map(({ tried, figure, command, measured }) => [tried, figure, code(command), measured]),
  );
}

/** A row for each decision, from the head of its page. */
function decisionList(): string {
  const rows = readdirSync(DECISIONS)
    .filter((name) => /^\d{4}-/.test(name))
    .toSorted()
    .map((name) => {
      const text = readFileSync(path.join(DECISIONS, name), "utf8");
      const [, number = "", title = ""] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
      const [, date = "", status = ""] = /^Date: (\S+)\. Status: (.+)\.$/m.exec(text) ?? [];
      return [number, `[${title}](${name})`, date, status];
    });
  return table(["number", "decision", "date", "status"], rows);
}

/** A section for each event: its sentence, and an example line. */
function glossaryOf(options: readonly { shape: { type: { value: RunEvent["type"] } } }[]): string {
  return options
    .map(({ shape }) => shape.type.value)
    .map((type) => {
      const { sentence, example } = EVENT_GLOSSARY[type];
      return `### ${type}\n\n${sentence}\n\n\`\`\`text\n${JSON.stringify(example)}\n\`\`\``;
    })
    .join("\n\n");
}

function effectTable(): string {
  return table(
    ["effect", "does", "ends in"],
    Object.entries(EFFECT_GLOSSARY).map(([kind, { sentence, endsIn }]) => [
      code(kind),
      sentence,
      [...endsIn, "effect_failed"].map(code).join(" "),
    ]),
  );
}

function eventList(): string {
  const decidedOn = StepEvent.options.map(({ shape }) => code(shape.type.value));
  const told = ToldEvent.options.map(({ shape }) => code(shape.type.value));
  return [
    `\`step\` decides on ${decidedOn.join(", ")}.`,
    `Only told, for whoever reads the log: ${told.join(", ")}.`,
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`);
}

function code(text: string): string {
  return `\`${text}\``;
}
