// Moves a project of the Go program over and reports it. Leaves the plan to from-go.ts.
import { moveOverAnswer } from "../../../../src/ui/answers/project/init.js";
import path from "node:path";
import { findGoProgram, MOVE_OVER } from "../../../../src/config/go-program/find.js";
import { GO_BACKLOG } from "../../../../src/config/read/places.js";
import { findLiveRun } from "../../../../src/loop/runs/live-run.js";
import { UserError } from "../../../../src/system/errors.js";
import { given } from "../../../../src/system/given.js";
import { parseJson } from "../../../../src/system/text/json.js";
import { openStore } from "../../../../src/todo/store/store.js";
import { plural } from "../../../../src/ui/view/words/amounts.js";
import type { InitAnswer } from "../../../../src/ui/shapes/project.js";
import { clean } from "../../../../src/ui/text.js";
import { printJson, printLines, shownPath } from "../../../lookup/project.js";
import {
  hasFlag,
  textFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../../context/command-context.js";
import { mayBegin } from "./backlog.js";
import { homely, ORIGINALS, planMove, type ProjectMove } from "./from-go.js";
import { planFiles, type PlannedFile } from "./plan.js";
import { lookAround, type InitSite } from "./site.js";
import { writePlanned } from "./write.js";

type Files = InitAnswer["files"];
type Original = NonNullable<InitAnswer["from_looper_go"]>["originals"][number];

/** `looper init --from-looper-go`. Changes nothing when nothing is left to move. */
export async function moveOver(
  context: CommandContext,
  typed: Typed,
  site: InitSite,
): Promise<CommandOutcome> {
  if (textFlag(typed, "--import") !== undefined)
    throw new UserError(
      "usage",
      "cannot use --import with --from-looper-go",
      "import the other tasks afterwards",
    );
  if (site.broken !== undefined) throw site.broken;
  const { project } = site;
  const place = { folder: project.folder, home: context.home, env: context.env, todoFile: project.todoFile };
  const found = await findGoProgram(context.ports.files, place);
  const move = await planMove(context, site, found, { force: hasFlag(typed, "--force") });
  const isDry = hasFlag(typed, "--dry-run");
  const done =
    isDry || isNothing(move) ? await foresee(context, site, move) : await carryOut(context, site, move);
  const answer = moveOverAnswer(
    { ...done, project: project.folder, notes: [...move.notes, ...done.notes] },
    { settings: move.moved, left: move.left, originals: done.originals },
  );
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else
    await printLines(
      context.out,
      isNothing(move) ? [nothingLine(site)] : linesOf(context, answer, { move, isDry }),
    );
  return "ok";
}

function isNothing({ backlog, settings, originals }: ProjectMove): boolean {
  return backlog === undefined && settings.length === 0 && originals.length === 0;
}

function nothingLine({ project }: InitSite): string {
  return `nothing of the Go program is left to move in ${clean(project.folder)}: nothing was changed`;
}

interface Done {
  files: Files;
  tasks: number;
  originals: readonly Original[];
  notes: readonly string[];
}

async function foresee(
  context: CommandContext,
  { project, backlog }: InitSite,
  move: ProjectMove,
): Promise<Done> {
  const writes = move.backlog?.isThere === false;
  const did = backlog.kind === "missing" ? ("written" as const) : ("replaced" as const);
  const there = backlog.kind === "ok" ? backlog.backlog.tasks.length : 0;
  return {
    files: [
      { path: project.todoFile, did: writes ? did : "kept" },
      ...move.settings.map(({ path: file, isNew }) => ({
        path: file,
        did: isNew ? did : ("replaced" as const),
      })),
    ],
    tasks: writes ? tasksIn(move.backlog?.bytes) : there,
    originals: await Promise.all(
      move.originals.map(async (from) => ({ from, to: await freeOriginal(context, project.folder, from) })),
    ),
    notes: [],
  };
}

/** Writes the new files first, so that an interrupted move loses nothing and can be repeated. */
async function carryOut(context: CommandContext, site: InitSite, move: ProjectMove): Promise<Done> {
  const { ports } = context;
  const { folder, todoFile } = site.project;
  const live = await findLiveRun(ports, site.project);
  if (live !== undefined)
    throw new UserError(
      "environment",
      `cannot move the project: run ${live.run} is in progress`,
      "wait for its end",
    );
  if (!(await ports.files.writable(folder)))
    throw new UserError("environment", `cannot write in ${folder}`, "make it writable");
  const files: Files = [];
  if (move.backlog?.isThere === false) files.push(await writeBacklog(context, site, move.backlog.bytes));
  for (const one of move.settings) {
    const did = one.isNew ? ("written" as const) : ("replaced" as const);
    const planned: PlannedFile = {
      path: one.path,
      did,
      text: one.text,
      ...(one.isNew ? {} : { copy: true }),
    };
    files.push(await writePlanned(ports, planned));
  }
  const originals: Original[] = [];
  for (const from of move.originals) {
    const to = await freeOriginal(context, folder, from);
    await ports.files.makeFolder(path.dirname(to));
    await ports.files.rename(from, to);
    originals.push({ from, to });
  }
  const now = await lookAround(context);
  const rest = planFiles(now, {}, { force: false, skipConfig: false, writesBacklog: false });
  for (const one of rest)
    if (!files.some(({ path: file }) => file === one.path)) files.push(await writePlanned(ports, one));
  if (!files.some(({ path: file }) => file === todoFile)) files.unshift({ path: todoFile, did: "kept" });
  const { backlog } = now;
  const isValid = backlog.kind === "ok" || backlog.kind === "empty";
  return {
    files,
    tasks: backlog.kind === "ok" ? backlog.backlog.tasks.length : tasksIn(move.backlog?.bytes),
    originals,
    notes: isValid ? [] : [`${shownPath(context, todoFile)} is not valid yet: \`looper validate\` shows why`],
  };
}

/** Moves an invalid task file unchanged; a later repair keeps a copy. */
async function writeBacklog(
  context: CommandContext,
  site: InitSite,
  bytes: Uint8Array,
): Promise<Files[number]> {
  const { ports } = context;
  const { todoFile, lockDir } = site.project;
  const isNew = site.backlog.kind === "missing";
  const begun = await openStore(ports, todoFile, { lockFolder: lockDir }).begin(() => bytes);
  if (begun.ok) {
    const { copy } = begun.value;
    return { path: todoFile, did: isNew ? "written" : "replaced", ...given({ copy }) };
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const copies = isNew || mayBegin(site.backlog) ? {} : { copy: true as const };
  return writePlanned(ports, { path: todoFile, did: isNew ? "written" : "replaced", text, ...copies });
}

/** The place of an original: its own path, with a number when an earlier move used it. */
async function freeOriginal({ ports }: CommandContext, folder: string, from: string): Promise<string> {
  const wanted = path.join(folder, ORIGINALS, path.relative(folder, from));
  for (let number = 1; ; number++) {
    const file = number === 1 ? wanted : `${wanted}-${String(number)}`;
    if ((await ports.files.stat(file, { link: true })) === undefined) return file;
  }
}

function tasksIn(bytes: Uint8Array | undefined): number {
  const value = parseJson(bytes);
  const tasks: unknown = typeof value === "object" && value !== null ? Reflect.get(value, "tasks") : [];
  return Array.isArray(tasks) ? tasks.length : 0;
}

const WORDS: Readonly<Record<Files[number]["did"], string>> = {
  written: "written",
  replaced: "replaced",
  extended: "lines added",
  kept: "kept as it is",
};

function linesOf(
  context: CommandContext,
  answer: InitAnswer,
  { move, isDry }: { move: ProjectMove; isDry: boolean },
): string[] {
  const { files, tasks, notes, next, from_looper_go: moved } = answer;
  const shown = (file: string): string => clean(homely(context, answer.project, file));
  const [todo] = files;
  const fileLines = files.map(({ path: file, did, copy }) => {
    const count = file === todo?.path ? `: ${plural(tasks, "task")}` : "";
    const from =
      file === todo?.path && did !== "kept" && move.backlog !== undefined ? ` from ${GO_BACKLOG}` : "";
    const old = copy === undefined ? "" : `; what was there is in ${clean(path.basename(copy))}`;
    return `${shown(file)}  ${WORDS[did]}${count}${from}${old}`;
  });
  const settings = (moved?.settings ?? []).map(
    ({ file, from, to, value }) =>
      `${clean(file)}: ${from} is now ${clean(`${to} ${JSON.stringify(value)}`)}`,
  );
  const left = (moved?.left ?? []).map(
    ({ file, from, value, why }) =>
      `${clean(file)}: ${clean(`${from} ${JSON.stringify(value)}`)} was not moved: ${clean(why)}`,
  );
  const originals = (moved?.originals ?? []).map(({ from, to }) => `${shown(from)}  kept as ${shown(to)}`);
  return [
    ...(isDry ? [`${MOVE_OVER} would do this; nothing was changed:`] : []),
    ...fileLines,
    ...settings,
    ...left,
    ...originals,
    ...notes.map(clean),
    "logs of the Go program stay where they are, in ~/.looper; looper does not read them",
    `next: ${next.join(", then ")}`,
  ];
}
