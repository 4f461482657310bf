// `looper init`: a task file, settings, the schemas editors read, and lines in .gitignore. Leaves looking around to init/site.ts,
// what is to be written to init/plan.ts, and the task file to the store.
import path from "node:path";
import { backlogText, MOVE_OVER } from "../../src/config/go-program/find.js";
import { openProject } from "../../src/config/open-project.js";
import type { TrustLine } from "../../src/config/trust.js";
import { UserError } from "../../src/system/errors.js";
import type { ReadResult } from "../../src/todo/writer.js";
import { plural } from "../../src/ui/amounts.js";
import type { InitAnswer } from "../../src/ui/shapes/project.js";
import { cut, clean } from "../../src/ui/terminal/text.js";
import { approve } from "../approve.js";
import { exitCodeOfSignal } from "../exit-codes.js";
import { beginBacklog, mayBegin, readImportFile, refuseOverTasks, type Import } from "../init/backlog.js";
import { moveOver } from "../init/move-over.js";
import { ignoredFolders, planFiles, type Wishes } from "../init/plan.js";
import { askAll, type Answers } from "../init/questions.js";
import { lookAround, type Site } from "../init/site.js";
import { writePlanned } from "../init/write.js";
import { printJson, printLines, shownPath } from "../project.js";
import { hasFlag, textFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

type InitFile = InitAnswer["files"][number];

export async function init(shell: Shell, typed: Typed): Promise<CommandEnd> {
  if (shell.env["LOOPER_RUN_ID"] !== undefined)
    throw new UserError(
      "no",
      "an agent of a run may not set up the project it works in",
      "report what is missing in the summary: new_tasks, blockers",
    );
  const site = await lookAround(shell);
  if (hasFlag(typed, "--from-looper-go")) return moveOver(shell, typed, site);
  if (hasFlag(typed, "--dry-run"))
    throw new UserError(
      "usage",
      "--dry-run is for --from-looper-go",
      "leave it out, or add --from-looper-go",
    );
  refuseOverGoTasks(typed, site);
  const given = await importOf(shell, typed, site, textFlag(typed, "--import"));
  const answers = await answersOf(shell, typed, site);
  // Nothing is written yet.
  if (answers === undefined) return { exitCode: exitCodeOfSignal("SIGINT") };
  const { origin } = answers;
  const imported =
    given ?? (await importOf(shell, typed, site, origin.from === "import" ? origin.file : undefined));
  const answer = await setUp(shell, typed, site, { ...answers, imported });
  if (hasFlag(typed, "--json")) await printJson(shell, answer);
  else await tell(shell, site, answer);
  return "ok";
}

/** A new, empty task file beside the old one would hide it. */
function refuseOverGoTasks(typed: Typed, { project, backlog }: Site): void {
  const old = project.goProgram?.backlog;
  if (old === undefined || hasFlag(typed, "--force") || backlog.kind === "ok") return;
  throw new UserError(
    "usage",
    `${backlogText(old.tasks)}: nothing was written`,
    `move them with \`${MOVE_OVER}\`; --force sets up a new project beside them`,
  );
}

async function importOf(
  shell: Shell,
  typed: Typed,
  site: Site,
  from: string | undefined,
): Promise<Import | undefined> {
  if (from === undefined) return undefined;
  const imported = await readImportFile(shell, site.project, from);
  if (!hasFlag(typed, "--force")) refuseOverTasks(shell, site, imported);
  return imported;
}

const NO_ANSWERS: Answers = { wishes: {}, origin: { from: "nowhere" } };

async function answersOf(shell: Shell, typed: Typed, site: Site): Promise<Answers | undefined> {
  const { stdin, out, err } = shell;
  const quiet = hasFlag(typed, "--yes") || hasFlag(typed, "--json");
  if (quiet || !stdin.isTerminal || !out.isTerminal || !err.isTerminal) return NO_ANSWERS;
  const force = hasFlag(typed, "--force");
  const open = {
    settings: !hasFlag(typed, "--skip-config") && (site.settingsFile === undefined || force),
    origin: (force || mayBegin(site.backlog)) && textFlag(typed, "--import") === undefined,
  };
  return askAll(shell, site, open);
}

async function setUp(
  shell: Shell,
  typed: Typed,
  site: Site,
  { wishes, origin, imported }: Answers & { imported: Import | undefined },
): Promise<InitAnswer> {
  const force = hasFlag(typed, "--force");
  const bounds = { force, skipConfig: hasFlag(typed, "--skip-config") };
  const writesBacklog = force || imported !== undefined || mayBegin(site.backlog);
  const planned = planFiles(site, wishes, { ...bounds, writesBacklog });
  const { folder } = site.project;
  if (writesBacklog || planned.some(({ text }) => text !== undefined)) await mustBeWritable(shell, folder);
  const backlog = writesBacklog
    ? await beginBacklog(shell, site, { force, imported })
    : { did: "kept" as const };
  const files: InitFile[] = [{ path: site.project.todoFile, ...backlog }];
  for (const one of planned) files.push(await writePlanned(shell.ports, one));
  if (wishes.commands !== undefined && wishes.commands.length > 0) await trust(shell, wishes.commands);
  const there = site.backlog.kind === "ok" && !writesBacklog ? site.backlog.backlog.tasks.length : 0;
  const tasks = imported?.tasks.length ?? there;
  const notes = [
    ...notesOn(shell, site, { ...bounds, wishes, writesBacklog }),
    ...(backlog.did === "kept" ? [] : (imported?.notes ?? [])),
  ];
  return {
    project: folder,
    files,
    tasks,
    imported: imported === undefined ? null : { from: imported.from, format: imported.drafted.format },
    notes,
    next:
      !writesBacklog && site.backlog.kind === "invalid"
        ? ["looper validate"]
        : nextOf(tasks, { draft: origin.from === "draft", copied: files[0]?.copy !== undefined }),
  };
}

async function mustBeWritable({ ports: { files } }: Shell, folder: string): Promise<void> {
  if (await files.writable(folder)) return;
  throw new UserError(
    "environment",
    `cannot write in ${folder}: nothing was written`,
    "make it writable, or name another folder: looper -C FOLDER init",
  );
}

/** The commands a person chose here are approved: the first run does not ask about them. Nothing else is. */
async function trust(shell: Shell, commands: readonly string[]): Promise<void> {
  const { ports, env, home, cwd } = shell;
  const project = await openProject(ports.files, { cwd, env, home, flags: {} });
  const isMine = ({ what, value }: TrustLine): boolean =>
    what === "verify.commands" && commands.includes(value);
  await approve(shell, { project, tasks: [], isMine });
}

function notesOn(
  shell: Shell,
  { project, broken, settingsFile, backlog, ignores, proofs }: Site,
  did: { force: boolean; skipConfig: boolean; wishes: Wishes; writesBacklog: boolean },
): string[] {
  const notes: string[] = (project.goProgram?.settings ?? []).map(
    (old) => `${shownPath(shell, old)} holds settings of the Go program: move them with \`${MOVE_OVER}\``,
  );
  const mended = did.force && !did.skipConfig && settingsFile?.endsWith("config.json") === true;
  if (broken !== undefined && !mended)
    notes.push(`the settings are broken: ${broken.message.replaceAll("\n", "; ")}`);
  const file = shownPath(shell, project.todoFile);
  if (!did.writesBacklog && (backlog.kind === "invalid" || problemsOf(backlog) > 0))
    notes.push(`${file} is no valid backlog: looper validate shows why`);
  if (ignores === "strange")
    notes.push(`.gitignore is no plain file; these are to be ignored: ${ignoredFolders(project).join(", ")}`);
  const [proof] = proofs;
  const isProven =
    (did.wishes.commands ?? []).length > 0 || project.resolved.settings.verify.commands.length > 0;
  if (proof !== undefined && settingsFile === undefined && !did.skipConfig && !isProven)
    notes.push(`nothing proves a task done yet; verify.commands could be ${JSON.stringify([proof.command])}`);
  return notes;
}

function problemsOf(read: ReadResult): number {
  return read.kind === "empty" ? read.problems.length : 0;
}

function nextOf(tasks: number, { draft, copied }: { draft: boolean; copied: boolean }): string[] {
  const [adds, drafts] = ['looper add "what is to be done"', 'looper run --prompt "what to build"'];
  if (tasks > 0) return ["looper run"];
  // A run drafts nothing while a copy still has tasks.
  if (copied) return [adds];
  return draft ? [drafts] : [adds, drafts];
}

/** More of them nobody reads. */
const MOST_NOTES = 12;

async function tell(
  shell: Shell,
  site: Site,
  { files, notes, next, tasks, imported }: InitAnswer,
): Promise<void> {
  const { out, err } = shell;
  const fit = (line: string): string => (out.isTerminal ? cut(line, out.columns()) : line);
  const width = Math.max(...files.map(({ path: file }) => shownPath(shell, file).length));
  const isNew = files.some(({ did }) => did !== "kept");
  const lines = files.map(({ path: file, did, copy }) => {
    const whence = imported === null ? "" : ` from ${clean(imported.from)}, ${imported.format}`;
    const isUnread = did === "kept" && site.backlog.kind === "invalid";
    const more = file === site.project.todoFile && !isUnread ? `: ${plural(tasks, "task")}${whence}` : "";
    const old = copy === undefined ? "" : `; what was there is in ${path.basename(copy)}`;
    return `${clean(shownPath(shell, file)).padEnd(width)}  ${WORDS[did]}${more}${clean(old)}`;
  });
  await printLines(
    err,
    [
      ...notes.slice(0, MOST_NOTES),
      ...(notes.length > MOST_NOTES
        ? [`and ${notes.length - MOST_NOTES} more notes: --json shows them`]
        : []),
    ].map((note) => `looper: ${clean(note)}`),
  );
  await printLines(out, [
    ...(isNew ? lines : [`${clean(site.project.folder)} is set up already: nothing was changed`]).map(fit),
    fit(`next: ${next.join(", or ")}`),
  ]);
}

const WORDS: Readonly<Record<InitFile["did"], string>> = {
  written: "written",
  replaced: "replaced",
  extended: "lines added",
  kept: "kept as it is",
};
