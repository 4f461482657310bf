// `looper init`: asks at most three questions, and writes a task file, settings, the schemas for editors, and
// lines in .gitignore. Leaves the files to init/plan.ts, and the task file to the store.
import { initAnswer } from "../../src/ui/answers/project/project.js";
import { asResult } from "../../src/git/base/git.js";
import path from "node:path";
import { Option } from "commander";
import { type Project, warnOfGoFiles } from "../../src/config/project/open-project.js";
import { headOf } from "../../src/git/base/repository/head.js";
import { openRepository } from "../../src/git/base/repository/repository.js";
import { environmentError, usageError } from "../../src/system/errors.js";
import { withoutMarker } from "../../src/todo/model/select.js";
import { plural } from "../../src/ui/view/words/amounts.js";
import type { InitAnswer } from "../../src/ui/shapes/project.js";
import { clean, cut } from "../../src/ui/text.js";
import {
  type BacklogImport,
  beginBacklog,
  mayBegin,
  readImportFile,
  refuseOverTasks,
} from "./init/backlog.js";
import {
  ignoredFolders,
  type InitSite,
  lookAround,
  planFiles,
  type PlannedFile,
  type Wishes,
} from "./init/plan.js";
import { appendTo, printLines, shownPath, warn } from "../lookup/project.js";
import { type AnsweringCommand, type CommandAnswer, JSON_OPTION, list } from "../context/command.js";
import type { Choice, CommandContext } from "../context/command-context.js";
import { approveSettings } from "./config.js";
import type { Ports } from "../../src/system/ports.js";
import { formatStamp } from "../../src/logging/run-log.js";
import { given } from "../../src/system/given.js";
import { createAgent } from "../../src/agents/clients/registry.js";
import { AUTO_ORDER } from "../../src/config/settings/setting-row.js";
import { agentSettings, knownAgents } from "../../src/config/read/agent-settings.js";
import { AUTO } from "../../src/config/settings/settings.js";
import type { KnownCheck } from "./init/proofs.js";

type InitFile = InitAnswer["files"][number];
const KEPT = { did: "kept" as const };

interface Request {
  import?: string;
  force?: true;
  verify?: readonly string[];
  here?: true;
  skipConfig?: true;
  yes?: true;
  json?: true;
}

export const command: AnsweringCommand<Request> = {
  options: [
    new Option(
      "--import <file>",
      "take tasks from Markdown, prd.json, tasks.json, beads or gh issues; - reads stdin",
    ),
    new Option("--force", "replace existing files; keeps a copy of each"),
    list("--verify <command>", "must pass before a task counts as done; repeatable"),
    new Option("--here", "use the current folder, also inside a repository"),
    new Option("--skip-config", "do not write settings"),
    new Option("-y, --yes", "do not ask; take the check that it finds"),
    JSON_OPTION,
  ],
  examples: [
    ["looper init", "ask for the agent, the tasks and the check, then write files"],
    ['looper init --verify "npm test"', "set up with the check every task must pass"],
    ["looper init --import TODO.md", "set up with the tasks of a checklist"],
  ],
  refused: ["set up the project it works in", "report what is missing in the summary: new_tasks, blockers"],
  answer: init,
};

async function init(context: CommandContext, request: Request): Promise<CommandAnswer> {
  const commands = commandsOf(request);
  const site = await lookAround(context, request.here === true);
  if (commands.length > 0 && site.settingsFile !== undefined && request.force !== true)
    throw usageError(
      `cannot use --verify: there are settings, ${shownPath(context, site.settingsFile)}`,
      'looper config set verify.commands "npm test"',
    );
  const call = { context, request, site };
  const given = await importOf(call, request.import);
  const answers = await answersOf(call, commands);
  // The person cancelled, and nothing is written yet.
  if (answers === undefined) return { json: undefined, lines: [], end: { ending: "interrupted" } };
  const { origin } = answers;
  const imported = given ?? (await importOf(call, origin.from === "import" ? origin.file : undefined));
  const json = await setUp(call, { ...answers, imported });
  if (request.json !== true) for (const note of json.notes) await warn(context, note);
  return { json, lines: linesOf(context, site, json, asks(context, request)) };
}

interface Call {
  context: CommandContext;
  request: Request;
  site: InitSite;
}

function commandsOf(request: Request): readonly string[] {
  const commands = [...new Set((request.verify ?? []).map((command) => command.trim()))];
  if (commands.length > 0 && request.skipConfig === true)
    throw usageError("cannot use --verify with --skip-config", "leave one of them out");
  if (commands.includes(""))
    throw usageError("cannot set an empty command", 'looper init --verify "npm test"');
  return commands;
}

function asks({ stdin, out, err }: CommandContext, request: Request): boolean {
  const quiet = request.yes === true || request.json === true;
  return !quiet && stdin.isTerminal && out.isTerminal && err.isTerminal;
}

async function importOf({ context, request, site }: Call, from: string | undefined) {
  if (from === undefined) return undefined;
  const imported = await readImportFile(context, site.project, from);
  if (request.force !== true) refuseOverTasks(context, site, imported);
  return imported;
}

async function answersOf(call: Call, commands: readonly string[]): Promise<Answers | undefined> {
  const { context, request, site } = call;
  if (!asks(context, request)) return { wishes: agreeTo(call, commands), origin: { from: "nowhere" } };
  await printLines(context.out, [folderLine(site)]);
  const force = request.force === true;
  const settings = request.skipConfig !== true && (site.settingsFile === undefined || force);
  const open = {
    settings,
    origin: (force || mayBegin(site.backlog)) && request.import === undefined,
    proof: settings && commands.length === 0,
  };
  const answers = await askAll(context, site, open);
  if (answers === undefined || commands.length === 0) return answers;
  return { ...answers, wishes: { ...answers.wishes, commands } };
}

/** With `--yes` the check that was found is taken, if the settings are written and name none. */
function agreeTo({ request, site }: Call, commands: readonly string[]): Wishes {
  const { settingsFile, project, proofs } = site;
  const [proof] = proofs;
  const writes = request.skipConfig !== true && settingsFile === undefined;
  const isProven = commands.length > 0 || project.resolved.settings.verify.commands.length > 0;
  if (request.yes !== true || !writes || isProven || proof === undefined) return { commands };
  return { commands: [proof.command], setup: [proof.setup ?? []].flat(), agreed: true };
}

function folderLine({ project }: InitSite): string {
  return `project: ${clean(project.folder)}`;
}

async function setUp(
  call: Call,
  { wishes, origin, imported }: Answers & { imported: BacklogImport | undefined },
): Promise<InitAnswer> {
  const { context, request, site } = call;
  const { force = false, skipConfig = false } = request;
  const { commands = [], setup = [] } = wishes;
  const mine = [...commands, ...setup];
  const writesBacklog = force || imported !== undefined || mayBegin(site.backlog);
  const planned = planFiles(site, wishes, { force, skipConfig, writesBacklog });
  const { folder } = site.project;
  const writes = writesBacklog || planned.some(({ text }) => text !== undefined);
  if (writes && !(await context.ports.files.writable(folder)))
    throw environmentError(
      `cannot write in ${folder}: nothing was written`,
      "make it writable, or name another folder: looper -C FOLDER init",
    );
  const backlog = writesBacklog ? await beginBacklog(context, site, { force, imported }) : KEPT;
  const files: InitFile[] = [{ path: site.project.todoFile, ...backlog }];
  for (const one of planned) files.push(await writePlanned(context.ports, one));
  if (commands.length > 0)
    await approveSettings(context, ({ what, value }) => what.startsWith("verify.") && mine.includes(value));
  const there =
    site.backlog.kind === "ok" && !writesBacklog ? withoutMarker(site.backlog.backlog.tasks).length : 0;
  const tasks = imported?.tasks.length ?? there;
  const notes = [
    ...(await notesOnPlace(call)),
    ...notesOn(call, wishes, writesBacklog),
    ...(backlog.did === "kept" ? [] : (imported?.notes ?? [])),
  ];
  return initAnswer({
    project: folder,
    files,
    tasks,
    imported: imported && {
      from: imported.from,
      format: imported.drafted.format,
      left: imported.drafted.left ?? 0,
    },
    notes,
    isInvalid: !writesBacklog && site.backlog.kind === "invalid",
    draft: origin.from === "draft",
  });
}

async function notesOnPlace({ context, site: { project } }: Call): Promise<string[]> {
  const { todoFile, folder: projectDir } = project;
  const opened = await openRepository(context.ports, { projectDir, todoFile, exclude: [], env: context.env });
  const head = opened.ok ? await asResult(() => headOf(opened.value)) : undefined;
  const isUnborn = head?.ok === true && head.value.commit === undefined;
  return isUnborn ? ["the repository has no commit yet: commit what is there before the first run"] : [];
}

function notesOn({ context, request, site }: Call, wishes: Wishes, writesBacklog: boolean): string[] {
  const { project, broken, settingsFile, backlog, ignores, proofs } = site;
  const { force = false, skipConfig = false } = request;
  const notes: string[] = warnOfGoFiles(project.goFiles);
  const mended = force && !skipConfig && settingsFile?.endsWith("config.json") === true;
  if (broken !== undefined && !mended)
    notes.push(`the settings are broken: ${broken.message.replaceAll("\n", "; ")}`);
  const file = shownPath(context, project.todoFile);
  const isBroken = backlog.kind === "invalid" || (backlog.kind === "empty" && backlog.problems.length > 0);
  if (!writesBacklog && isBroken) notes.push(`${file} is not a valid backlog: looper validate shows why`);
  if (ignores === "strange")
    notes.push(`.gitignore is not a plain file; add these yourself: ${ignoredFolders(project).join(", ")}`);
  const [proof] = proofs;
  const isProven = (wishes.commands ?? []).length > 0 || project.resolved.settings.verify.commands.length > 0;
  const prepared = proof?.setup === undefined ? "" : ` after ${JSON.stringify(proof.setup)}`;
  if (proof !== undefined && wishes.agreed === true)
    notes.push(
      `each task must pass ${JSON.stringify(proof.command)}${prepared}, found by ${proof.from}: verify`,
    );
  if (proof !== undefined && settingsFile === undefined && !skipConfig && !isProven)
    notes.push(`nothing proves a task done yet; verify.commands could be ${JSON.stringify([proof.command])}`);
  if (proof === undefined && !isProven && (broken === undefined || mended))
    notes.push(
      'no check was found, so "done" would be the agent\'s word; to name one: looper config set verify.commands "COMMAND"',
    );
  return notes;
}

function linesOf(
  context: CommandContext,
  site: InitSite,
  { files, next, tasks, imported }: InitAnswer,
  named: boolean,
): string[] {
  const { out } = context;
  const fit = (line: string): string => (out.isTerminal ? cut(line, out.columns()) : line);
  const width = Math.max(...files.map(({ path: file }) => shownPath(context, file).length));
  const isNew = files.some(({ did }) => did !== "kept");
  const lines = files.map(({ path: file, did, copy }) => {
    const whence = imported === null ? "" : ` from ${clean(imported.from)}, ${imported.format}`;
    const isUnread = did === "kept" && site.backlog.kind === "invalid";
    const more = file === site.project.todoFile && !isUnread ? `: ${plural(tasks, "task")}${whence}` : "";
    const old = copy === undefined ? "" : `; what was there is in ${path.basename(copy)}`;
    return `${clean(shownPath(context, file)).padEnd(width)}  ${WORDS[did]}${more}${clean(old)}`;
  });
  return [
    ...(named ? [] : [folderLine(site)]),
    ...(isNew ? lines : ["it is set up already: nothing was changed"]).map(fit),
    ...leftLines(imported),
    ...nextLines(next).map(fit),
  ];
}

/** The note on the lines of an imported document that no task contains. */
function leftLines(imported: InitAnswer["imported"]): string[] {
  if (imported?.left === undefined) return [];
  const from = clean(imported.from);
  const draft = `\`looper run --prompt - < ${imported.from === "stdin" ? "FILE" : from}\` (remove the task file first)`;
  return [
    `${plural(imported.left, "line")} of ${from} left out: keep these tasks, or have an agent draft from it: ${draft}`,
  ];
}

function nextLines(next: readonly string[]): string[] {
  const [first = "", ...others] = next;
  if (!first.startsWith("looper add ")) return [`next: ${next.join(", or ")}`];
  return [...others.map((one) => `have an agent draft the tasks: ${one}`), `add your first task: ${first}`];
}

const WORDS: Readonly<Record<InitFile["did"], string>> = {
  written: "written",
  replaced: "replaced",
  extended: "lines added",
  kept: "kept as it is",
};

// Writes the planned files.

/** Writes a file; a copy of the old one, where needed, becomes `<file>.replaced-<time>`. */
async function writePlanned(
  ports: Pick<Ports, "clock" | "files">,
  { path: file, did, text, copy }: PlannedFile,
): Promise<InitAnswer["files"][number]> {
  const { files } = ports;
  if (text === undefined) return { path: file, did };
  await files.makeFolder(path.dirname(file));
  const kept = copy === true ? await setAside(ports, file) : undefined;
  if (did === "extended") await appendTo(files, file, text);
  else await files.writeAtomic(file, text);
  return { path: file, did, ...given({ copy: kept }) };
}

/** Moves the old file, because writing through a link would change a file elsewhere. */
async function setAside({ clock, files }: Pick<Ports, "clock" | "files">, file: string): Promise<string> {
  const wanted = `${file}.replaced-${formatStamp(clock.now())}`;
  for (let number = 1; ; number++) {
    const copy = number === 1 ? wanted : `${wanted}-${number}`;
    if ((await files.stat(copy, { link: true })) !== undefined) continue;
    await files.rename(file, copy);
    return copy;
  }
}

/** Where tasks come from. `import`: the file as typed. */
type Origin = { from: "nowhere" } | { from: "draft" } | { from: "import"; file: string };

/** The agents a run could start now, found as the run finds them. */
async function findInstalled({ ports, self, env, home }: CommandContext, project: Project) {
  const { settings } = project.resolved;
  const place = { project: project.folder, home };
  const names = [...new Set<string>([...AUTO_ORDER, ...knownAgents(settings)])];
  const found = await Promise.all(
    names.map(async (name) => {
      const agent = createAgent(agentSettings(settings, name, place), { ports, self });
      return "found" in (await agent.find(env, project.folder)) ? [name] : [];
    }),
  );
  return found.flat();
}

/** `undefined`, here and below: the person cancelled. */
async function askWho(context: CommandContext, project: Project): Promise<string | undefined> {
  const installed = await findInstalled(context, project);
  const first = installed.find((name) => AUTO_ORDER.some((known) => known === name));
  const hint =
    first === undefined
      ? "the first that is installed, or whose key is set; none is yet"
      : `the first that is installed: ${first}`;
  const choices: readonly Choice[] = [
    { value: AUTO, label: AUTO, hint },
    ...installed.map((name) => ({ value: name, label: name })),
  ];
  // Enter chooses the first: the agent of the user's own settings, if it is installed.
  const own = choices.filter(({ value }) => value === project.resolved.settings.schedule.agent);
  return context.choose("Which agent is to work?", [...own, ...choices.filter((one) => !own.includes(one))]);
}

async function askWhence(context: CommandContext): Promise<Origin | undefined> {
  const chosen = await context.choose("Where do the tasks come from?", [
    { value: "nowhere", label: "I add them", hint: "looper add, or an editor" },
    { value: "draft", label: "an agent drafts them", hint: "looper run --prompt" },
    { value: "import", label: "from a file", hint: "a checklist, prd.json, tasks.json, issues" },
  ]);
  if (chosen === undefined) return undefined;
  if (chosen === "import") {
    const file = await context.ask("Which file?", "TODO.md");
    return file === undefined ? undefined : file === "" ? { from: "nowhere" } : { from: "import", file };
  }
  return { from: chosen === "draft" ? "draft" : "nowhere" };
}

const ANOTHER = { value: "", label: "another command" };

/** The commands, which are only stored, not run. */
async function askProof(
  context: CommandContext,
  proofs: readonly KnownCheck[],
): Promise<readonly string[] | undefined> {
  const question = "What proves a task done?";
  const known = proofs.map(({ command, from }) => ({ value: command, label: command, hint: from }));
  const chosen = known.length === 0 ? "" : await context.choose(question, [...known, ANOTHER]);
  const command =
    chosen === ""
      ? await context.ask(`${question} A command; empty: nothing does yet`, "for example: npm test")
      : chosen;
  if (command === undefined) return undefined;
  return command === "" ? [] : [command];
}

/** The questions to ask; those that files or flags answer are left out. */
interface Open {
  settings: boolean;
  origin: boolean;
  proof: boolean;
}

interface Answers {
  wishes: Wishes;
  origin: Origin;
}

/** `undefined` when the person cancelled a question. */
async function askAll(
  context: CommandContext,
  { project, proofs }: { project: Project; proofs: readonly KnownCheck[] },
  open: Open,
): Promise<Answers | undefined> {
  const agent = open.settings ? await askWho(context, project) : AUTO;
  if (agent === undefined) return undefined;
  const origin = open.origin ? await askWhence(context) : { from: "nowhere" as const };
  if (origin === undefined) return undefined;
  const commands = open.proof ? await askProof(context, proofs) : [];
  if (commands === undefined) return undefined;
  const setup = proofs.flatMap((one) => (commands.includes(one.command) && one.setup) || []);
  return { wishes: { ...(open.settings ? { agent } : {}), commands, setup }, origin };
}
