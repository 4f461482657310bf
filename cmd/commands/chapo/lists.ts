// The lists of `looper chapo`: prompts, sessions, tools. Leaves collecting them to src/chapo.
import { sessionsAnswer, toolsAnswer } from "../../../src/ui/answers/project/chapo.js";
import { openListing } from "../../../src/chapo/session/open-session.js";
import { readChapoPrompts } from "../../../src/chapo/prompt/prompts.js";
import { collectPromptPlaces } from "../../../src/chapo/prompt/prompt-places.js";
import { listSessions } from "../../../src/chapo/session/sessions.js";
import { nodeNetwork } from "../../../src/system/network.js";
import { showCost, showCount, showMoment } from "../../../src/ui/view/words/amounts.js";
import type { ChapoPromptsAnswer, ChapoSessionsAnswer } from "../../../src/ui/shapes/chapo.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { tableLines, type Column } from "../../../src/ui/terminal/columns.js";
import { clean } from "../../../src/ui/text.js";
import { printJson, printLines } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { trustSite, type ChapoSite } from "./site.js";

/** Each prompt's text by its name: one flat map. */
export async function listPrompts(
  context: CommandContext,
  typed: Typed,
  { settings }: ChapoSite,
): Promise<CommandOutcome> {
  const places = collectPromptPlaces(context.promptsFolder, settings);
  const prompts: ChapoPromptsAnswer = await readChapoPrompts(context.ports.files, places);
  if (hasFlag(typed, "--json")) await printJson(context, prompts);
  else {
    const colours = coloursFor(context.out.colour);
    const lines = Object.entries(prompts).flatMap(([name, text]) => [
      colours.bold(name),
      ...text.split("\n").map((line) => `  ${line}`.trimEnd()),
      "",
    ]);
    await printLines(context.out, lines);
  }
  return "ok";
}

/** The sessions of this project, the newest first; ends with no when one cannot be read. */
export async function listSessionsHere(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  const { ports } = context;
  const listed = await listSessions({ ports, folder: site.sessionsFolder });
  const answer: ChapoSessionsAnswer = sessionsAnswer(listed);
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const now = ports.clock.now();
    const rows = answer.sessions.map((one) => [
      one.id,
      showMoment(Date.parse(one.changed), now),
      one.state.replaceAll("_", " "),
      one.tokens === 0 ? "" : showCount(one.tokens),
      one.cost_usd === null || one.cost_usd === 0 ? "" : showCost(one.cost_usd),
      clean(one.question ?? one.title),
    ]);
    const columns: Column[] = [
      { title: "session" },
      { title: "changed" },
      { title: "state" },
      { title: "tokens", right: true },
      { title: "cost", right: true },
      { title: "about", shrinks: true },
    ];
    await printTable(context, { columns, rows, empty: "no sessions yet" });
    await warnOfBroken(context, answer.broken);
  }
  return answer.broken.length === 0 ? "ok" : "no";
}

/** Names the sessions that cannot be read, a line each. */
export async function warnOfBroken(
  { report }: CommandContext,
  broken: ChapoSessionsAnswer["broken"],
): Promise<void> {
  for (const { id, why } of broken)
    await report({
      level: "warn",
      lines: [`looper: the session ${clean(id)} cannot be read: ${clean(why)}`],
    });
}

/** Every tool, also those of MCP servers, which are started for it. */
export async function listTools(
  context: CommandContext,
  typed: Typed,
  site: ChapoSite,
): Promise<CommandOutcome> {
  const { ports } = context;
  const { settings, env, project, agent, redact } = site;
  if (Object.keys(settings.mcp.servers).length > 0) await trustSite(context, typed, site);
  const listing = await openListing({
    signal: new AbortController().signal,
    ports,
    network: nodeNetwork(),
    root: project.folder,
    home: context.home,
    env,
    settings,
    redact,
    permissions: agent.permissions,
    onWarning: (text) => {
      void context.report({ level: "warn", lines: [`looper: ${clean(redact(text))}`] });
    },
  });
  const answer = toolsAnswer(listing.tools, settings);
  await listing.close();
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else {
    const rows = answer.tools.map(({ name, agent: owner, asks_first: first, parameters }) => [
      name,
      owner,
      first ? "asks" : "",
      fieldsOf(parameters),
    ]);
    const columns: Column[] = [
      { title: "tool" },
      { title: "agent" },
      { title: "first" },
      { title: "takes", shrinks: true },
    ];
    await printTable(context, { columns, rows, empty: "no tools" });
  }
  return "ok";
}

/** The fields of a schema; optional ones have a question mark. */
function fieldsOf({ properties, required }: Readonly<Record<string, unknown>>): string {
  if (typeof properties !== "object" || properties === null) return "";
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  return clean(
    Object.keys(properties)
      .map((field) => (needed.has(field) ? field : `${field}?`))
      .join(", "),
  );
}

async function printTable(
  { out }: CommandContext,
  {
    columns,
    rows,
    empty,
  }: { columns: readonly Column[]; rows: readonly (readonly string[])[]; empty: string },
): Promise<void> {
  if (rows.length === 0) return printLines(out, [empty]);
  const { header, lines } = tableLines(columns, rows, out.isTerminal ? out.columns() : undefined);
  await printLines(out, [coloursFor(out.colour).dim(header), ...lines]);
}
