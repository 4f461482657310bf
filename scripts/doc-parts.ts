// The parts of the documents that are generated from the code: which document, which part, and how it is written.
// docs.mjs writes them between `<!-- generated: NAME -->` and `<!-- /generated -->`.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import PROOF from "../docs/proof.json" with { type: "json" };
import { EXIT_CODES } from "../cmd/context/exit-codes.js";
import type { Option } from "commander";
import { commonOptions } from "../cmd/context/command.js";
import { COMMANDS } from "../cmd/commands.js";
import { ROUTES } from "../cmd/serve/routes.js";
import { spellArgument } from "../cmd/context/commander.js";
import { ROWS } from "../src/config/settings/settings.js";
import type { Row } from "../src/config/settings/setting-row.js";
import { duration, readValue } from "../src/config/settings/types.js";
import { StepEvent, type RunEvent } from "../src/logging/events/events.js";
import { ToldEvent } from "../src/logging/events/told-events.js";
import { drawMermaid } from "../src/workflow/file/draw.js";
import { Workflow } from "../src/workflow/workflow.js";
import { drawWalk } from "./draw-walk.js";
import { EFFECT_GLOSSARY } from "./effect-glossary.js";
import { EVENT_EXAMPLES } from "./event-examples.js";
import { code, list, table, wrap } from "./markdown.js";

const PROOFS: readonly Proof[] = PROOF;
const DECISIONS = path.join("docs", "decisions");

/** One part: its document (a path from the root), its name there, and its text. */
export interface DocumentPart {
  file: string;
  name: string;
  make: () => string;
}

const WALK = path.join("src", "loop", "testing", "testdata", "workflow-walk.txt");

const SHOWN = await Promise.all(
  COMMANDS.filter(({ hidden }) => hidden !== true).map(async ({ name, summary, load }) => {
    const { arguments: words = [], options = [], examples = [] } = (await load()).command;
    const usage = ["looper", name, ...words.map(spellArgument)].join(" ");
    return { name, summary, usage, words, options, examples };
  }),
);

/** The README's commands; docs/COMMANDS.md has them all. */
const EVERYDAY: Readonly<Record<string, readonly string[]>> = {
  Work: ["run", "questions", "approve", "status", "stop"],
  Backlog: ["ls", "add", "why"],
  Runs: ["tail", "rescue", "undo"],
  Project: ["init", "workflows", "config", "doctor", "mcp"],
};
/** The README's figures: those of the line at its head, and the rows of its table. */
const HEADLINES = ["cheats", "crashes", "replays"];
const FIVE_PROOFS = ["cheats", "crashes", "edits", "replays", "clients"];

export const PARTS: readonly DocumentPart[] = [
  { file: "README.md", name: "figures", make: figureLine },
  { file: "README.md", name: "pains", make: painList },
  { file: "README.md", name: "commands", make: everydayTable },
  { file: "README.md", name: "proof", make: shortProofTable },
  { file: "docs/COMMANDS.md", name: "overview", make: commandTable },
  { file: "docs/COMMANDS.md", name: "exit codes", make: exitCodeTable },
  { file: "docs/COMMANDS.md", name: "commands", make: commandReference },
  { file: "docs/SETTINGS.md", name: "settings", make: settingSections },
  { file: "docs/proof.md", name: "proof", make: proofList },
  { file: "docs/ARCHITECTURE.md", name: "events", make: eventList },
  { file: "docs/ARCHITECTURE.md", name: "walk", make: walk },
  { file: "docs/EVENTS.md", name: "deciding events", make: () => glossaryOf(StepEvent.options) },
  { file: "docs/EVENTS.md", name: "other events", make: () => glossaryOf(ToldEvent.options) },
  { file: "docs/EVENTS.md", name: "effects", make: effectList },
  { file: "docs/serve.md", name: "routes", make: routeTable },
  { file: "docs/decisions/README.md", name: "decisions", make: decisionList },
  { file: "docs/workflows.md", name: "shipped workflows", make: workflowSections },
];

/** The routes of `looper serve`, with the errors that not every route has. */
function routeTable(): string {
  const rows = ROUTES.map(({ method, path: where, role, does, errors }) => [
    code(`${method} ${where}`),
    role,
    does,
    errors.join(", "),
  ]);
  return table(["route", "role", "what it does", "errors"], rows);
}

/** A document with its generated parts brought up to date. Throws where a part has no markers. */
export function fillDocument(file: string, text: string): string {
  return PARTS.filter((part) => part.file === file).reduce(
    (filled, part) => fillPart(filled, part.name, part.make(), file),
    text,
  );
}

/** `text` with the text between a part's markers replaced. `file` is for the error. */
export function fillPart(text: string, name: string, body: string, file: string): string {
  const open = `<!-- generated: ${name} -->`;
  const close = "<!-- /generated -->";
  const from = text.indexOf(open);
  const to = text.indexOf(close, from);
  if (from < 0 || to < 0) throw new Error(`${file} has no ${open} … ${close}`);
  return `${text.slice(0, from)}${open}\n\n${body.trim()}\n\n${text.slice(to)}`;
}

/** A section for each workflow that Looper brings. */
function workflowSections(): string {
  return readdirSync("workflows")
    .sort()
    .map((file) => Workflow.parse(JSON.parse(readFileSync(path.join("workflows", file), "utf8"))))
    .map((workflow) =>
      [
        `### ${workflow.name}`,
        wrap(`${workflow.about ?? ""}.`),
        `\`\`\`mermaid\n${drawMermaid(workflow).join("\n")}\n\`\`\``,
      ].join("\n\n"),
    )
    .join("\n\n");
}

/** One task through the stages of a workflow, as a transcript of the tests has it. */
function walk(): string {
  return `\`\`\`mermaid\n${drawWalk(readFileSync(WALK, "utf8"))}\n\`\`\``;
}

function commandTable(): string {
  return table(
    ["command", "does"],
    [
      ...SHOWN.map(({ name, usage, summary }) => [`[${code(usage)}](#${name})`, summary]),
      [code("looper help [command]"), "show help for looper or a command"],
    ],
  );
}

function everydayTable(): string {
  const rows = Object.entries(EVERYDAY).flatMap(([group, names]) =>
    names.map((name, at) => {
      const command = SHOWN.find((one) => one.name === name);
      if (command === undefined) throw new Error(`no command is called ${name}`);
      return [at === 0 ? `**${group}**` : "", code(command.usage), command.summary];
    }),
  );
  return table(["", "command", "does"], rows);
}

function commandReference(): string {
  const parts = SHOWN.map(({ name, usage, summary, words, options, examples }) => {
    const rows = [
      ...words.map((word) => [code(spellArgument(word)), word.description]),
      ...options
        .filter(({ hidden }) => !hidden)
        .map((option) => [spelling(option, options), option.description]),
    ];
    const lines = examples.map(([line, does]) => `# ${does}\n${line}`).join("\n\n");
    return [
      `## ${name}`,
      wrap(`${code(`${usage}${options.length === 0 ? "" : " [flags]"}`)}: ${summary}.`),
      ...(rows.length === 0 ? [] : [table(["argument or flag", "meaning"], rows)]),
      ...(lines === "" ? [] : [`\`\`\`sh\n${lines}\n\`\`\``]),
    ].join("\n\n");
  });
  const everywhere = table(
    ["flag of every command", "meaning"],
    [
      ...commonOptions().map(({ flags, description }) => [code(flags), description]),
      [code("-h, --help"), "show help for looper or a command"],
    ],
  );
  return [everywhere, ...parts].join("\n\n");
}

/** With the hidden option that takes it back. */
function spelling(option: Option, all: readonly Option[]): string {
  const opposite = all.find(
    (one) => one !== option && one.hidden && one.attributeName() === option.attributeName(),
  );
  return opposite === undefined ? code(option.flags) : `${code(option.flags)} or ${code(opposite.flags)}`;
}

function exitCodeTable(): string {
  return table(
    ["exit code", "meaning"],
    EXIT_CODES.map(({ codes, means }) => [codes.join(", "), means]),
  );
}

/** A section for each group of settings, in the order of the table. */
function settingSections(): string {
  const groups = new Map<string, string[]>();
  for (const [key, row] of ROWS) {
    const group = groupOf(key);
    groups.set(group, [...(groups.get(group) ?? []), settingItem(key, row)]);
  }
  return [...groups].map(([group, items]) => `## ${group}\n\n${list(items)}`).join("\n\n");
}

/** The heading under which a setting is listed. */
function groupOf(key: string): string {
  if (!key.includes(".")) return "General";
  if (key.startsWith("agents.*.chapo.")) return "agents.NAME.chapo";
  return key.startsWith("agents.") ? "agents.NAME" : (key.split(".")[0] ?? key);
}

function settingItem(key: string, row: Row): string {
  const name = code(key.replace("env.*", "env.<VARIABLE>").replaceAll("*", "<name>"));
  const initial = row.default === undefined ? "" : ` (default ${code(shown(row.default))})`;
  const own = `LOOPER_${key.toUpperCase().replaceAll(".", "_")}`;
  const short = Object.keys(row.env ?? {}).filter((name) => name !== own);
  const flag = row.flag === undefined ? "" : ` Flag ${code(row.flag.name)}.`;
  const variables = short.length === 0 ? "" : ` Also ${short.map(code).join(", ")}.`;
  return `${name}${initial}: ${meaningOf(row)}${flag}${variables}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The sentence of the table, with the values to choose from. */
function meaningOf(row: Row): string {
  const choices = / \| /.test(allowed(row)) && row.type !== duration ? allowed(row).split(" | ") : [];
  return choices.length === 0 ? row.doc : `${row.doc} One of ${choices.map(code).join(", ")}.`;
}

/** The values it accepts, in the words of its own error. */
function allowed({ type }: Row): string {
  const read = readValue(type, undefined);
  return read.ok ? "" : read.allowed;
}

/** One entry of docs/proof.json, whose sentences are Markdown already. */
interface Proof {
  id: string;
  tried: string;
  result: string;
  /** Details that the README leaves out. */
  more?: string;
  /** A document with the single figures, from the root. */
  page?: string;
  command: string;
  measured: string;
}

function proofOf(id: string): Proof {
  const proof = PROOFS.find((one) => one.id === id);
  if (proof === undefined) throw new Error(`docs/proof.json has no ${id}`);
  return proof;
}

/** The line of figures below the README's first sentence. */
function figureLine(): string {
  return HEADLINES.map((id) => `**${proofOf(id).result}**`).join(" · ");
}

/** Why one would want Looper: three pains, each with its answer and the figure for it. */
function painList(): string {
  return list([
    '**The agent says "done", and it is not.** A task is done when your checks pass, not when the agent ' +
      "says so. In a cold room the checks run in a fresh copy of the commit with the original tests, so weakening a test does not help " +
      `(${proofOf("cheats").result}).`,
    "**A crash loses the night's work.** Kill Looper at any moment and start it again: it continues where " +
      `it was, and each task is committed exactly once (${proofOf("crashes").result}). Abandoned work is ` +
      "saved, not deleted.",
    "**The morning brings a surprise: a bill, or a decision that cannot be explained.** A run stops at its " +
      "budget of time, tokens or dollars. Every decision is logged with its reason and can be replayed " +
      `(${proofOf("replays").result}).`,
  ]);
}

function shortProofTable(): string {
  return table(
    ["test", "result", "command"],
    FIVE_PROOFS.map(proofOf).map(({ tried, result, command }) => [tried, result, code(command)]),
  );
}

/** Every figure of docs/proof.json, for a page in docs/. */
function proofList(): string {
  return list(
    PROOFS.map(({ tried, result, more, page, command, measured }) => {
      const link = page === undefined ? "" : ` ([${page}](${path.posix.relative("docs", page)}))`;
      const details = more === undefined ? "" : `; ${more}`;
      return `${tried}: **${result}**${details}${link}. Measured on ${measured} by ${code(command)}.`;
    }),
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
interface DescribedEvent {
  description?: string | undefined;
  shape: { type: { value: RunEvent["type"] } };
}

function glossaryOf(options: readonly DescribedEvent[]): string {
  return options
    .map(({ description = "", shape }) => {
      const type = shape.type.value;
      const example = JSON.stringify(EVENT_EXAMPLES[type]);
      return `### ${type}\n\n${wrap(description)}\n\n\`\`\`text\n${example}\n\`\`\``;
    })
    .join("\n\n");
}

function effectList(): string {
  return list(
    Object.entries(EFFECT_GLOSSARY).map(([kind, { sentence, endsIn }]) => {
      const events = [...endsIn, "effect_failed"].map(code).join(", ");
      return `${code(kind)}: ${sentence} Ends in ${events}.`;
    }),
  );
}

function eventList(): string {
  const deciding = StepEvent.options.map(({ shape }) => code(shape.type.value));
  const others = ToldEvent.options.map(({ shape }) => code(shape.type.value));
  return [
    wrap(`\`step\` decides on ${deciding.join(", ")}.`),
    wrap(`Only logged, for readers of the log: ${others.join(", ")}.`),
  ].join("\n\n");
}
