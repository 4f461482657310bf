// Finds what a check would miss: a program, a package script, a make target or a source file. Starts no process.
// Anything that only running the check can show counts as present: branches, variables, files of earlier commands.
import path from "node:path";
import { findScript, readOptionValues } from "../influence/checks/command-words.js";
import { listTargets } from "../influence/checks/protected-makefile.js";
import { isConditional } from "../../shell/conditional.js";
import { listSimpleCommands, type SimpleCommand } from "../../shell/simple-commands.js";
import { ANY } from "../../shell/words.js";
import type { Ports } from "../../system/ports.js";
import { parseJson } from "../../system/text/json.js";
import { scriptCall, unknownCommand, type ScriptCall } from "./package-script.js";

/** A program, script, target or file that a check needs and that is missing. */
export interface Lack {
  missing: string;
  remedy: string;
  /** It belongs outside the project (on PATH, for instance), so that no task can create it. */
  isOutside: boolean;
}

/** The environment in which a check runs. */
export interface CheckPlace {
  ports: { files: Pick<Ports["files"], "stat" | "read">; processes: Pick<Ports["processes"], "which"> };
  folder: string;
  /** The project's folder; a task may create missing files in it. */
  root: string;
  path: string;
  /** `verify.setup` runs before the check and may install missing programs. */
  prepared: boolean;
}

const BUILTINS: ReadonlySet<string> = new Set(
  (
    ". : [ [[ alias break builtin cd command continue declare echo eval exec exit export false getopts hash kill let local " +
    "popd printf pushd pwd read readonly return set shift shopt source test time times trap true type typeset ulimit umask unalias unset wait"
  ).split(" "),
);
const RUNNERS = /^(?:npx|bunx)$/;
/** They start a program on another root or as another user, where the lookup cannot see what exists. */
const ELSEWHERE = /^(?:chroot|su|runuser|sudo|doas|busybox)$/;
/** How many scripts that call scripts are followed. */
const DEPTH = 4;
const MOST_BYTES = 1_000_000;

/** Finds the first thing that is missing; `undefined` if, judging by the text alone, nothing is. */
export async function findLack(place: CheckPlace, text: string, depth = DEPTH): Promise<Lack | undefined> {
  if (depth === 0 || isConditional(text) || /\bPATH=|\b(?:cd|pushd)\s+["']?[$~-]/.test(text))
    return undefined;
  let mayHaveMade = false;
  for (const command of listSimpleCommands(text)) {
    const [program] = command.words;
    const unknown = [...command.through, ...command.words].some((word) => ELSEWHERE.test(word));
    if (program.includes(ANY) || unknown) return undefined;
    const folder = path.resolve(place.folder, command.folder);
    const inside = { ...place, folder };
    if (mayHaveMade && (await place.ports.files.stat(folder)) === undefined) return undefined;
    const lack = await lackOfCommand(inside, { command, mayHaveMade, depth });
    if (lack !== undefined) return lack;
    // A sourced file may define any command.
    if (program === "." || program === "source") return undefined;
    if (!BUILTINS.has(program)) mayHaveMade = true;
  }
  return undefined;
}

interface Asked {
  command: SimpleCommand;
  mayHaveMade: boolean;
  depth: number;
}

async function lackOfCommand(place: CheckPlace, asked: Asked): Promise<Lack | undefined> {
  const { command, mayHaveMade, depth } = asked;
  const [, ...args] = command.words;
  const { program } = command;
  if ((await place.ports.files.stat(place.folder))?.kind !== "folder")
    return { missing: `there is no folder ${command.folder}`, remedy: "create it", isOutside: false };
  for (const outer of command.through)
    if (!BUILTINS.has(outer) && !(await isProgram(place, outer))) return noProgram(place, outer);
  if (command.through.some((outer) => RUNNERS.test(path.basename(outer))))
    return lackOfPackage(place, program);
  if (!BUILTINS.has(program)) {
    const isMade = program.includes("/") && (mayHaveMade || place.prepared);
    if (!isMade && !(await isProgram(place, program))) return noProgram(place, program);
  }
  if (mayHaveMade) return undefined;
  const unknown = unknownCommand(program, args);
  if (unknown !== undefined) return noCommand(unknown);
  const call = scriptCall(program, args);
  if (call !== undefined) return lackOfScript(place, call, depth);
  return path.basename(program).endsWith("make") ? lackOfTarget(place, args) : lackOfFile(place, command);
}

function isProgram({ ports, folder, path: where }: CheckPlace, program: string): Promise<string | undefined> {
  return ports.processes.which(program, where, folder);
}

function noProgram({ root }: CheckPlace, program: string): Lack {
  if (program.includes("/"))
    return {
      missing: `there is no program at ${program}`,
      remedy: "create it and make it executable",
      isOutside: path.isAbsolute(program) && path.relative(root, program).startsWith(".."),
    };
  return { missing: `${program} is not on PATH`, remedy: `install ${program}`, isOutside: true };
}

function noCommand({ verb, meant }: { verb: string; meant: string | undefined }): Lack {
  const remedy = meant === undefined ? `use npm run ${verb} for a script` : `use npm ${meant}`;
  return { missing: `npm has no command "${verb}"`, remedy, isOutside: true };
}

async function lackOfPackage(place: CheckPlace, name: string): Promise<Lack | undefined> {
  const plain = name.replace(/(?<=.)@[^/]*$/, "");
  if (place.prepared || plain.includes("/") || (await isProgram(withBins(place), plain)) !== undefined)
    return undefined;
  return {
    missing: `${plain} is not installed in node_modules: npx would download it`,
    remedy: `install ${plain} in the project`,
    isOutside: false,
  };
}

/** Adds node_modules/.bin of the folder and of its parents to PATH, as package managers do. */
function withBins(place: CheckPlace): CheckPlace {
  const bins = above(place.folder).map((folder) => path.join(folder, "node_modules", ".bin"));
  return { ...place, path: [...bins, place.path].join(path.delimiter) };
}

function above(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...above(parent)];
}

async function lackOfScript(place: CheckPlace, call: ScriptCall, depth: number): Promise<Lack | undefined> {
  const { name, orProgram } = call;
  if (name.includes(ANY) || call.folder.includes(ANY)) return undefined;
  const from = path.resolve(place.folder, call.folder);
  const found = await firstText(
    place,
    above(from).map((folder) => path.join(folder, "package.json")),
  );
  if (found === undefined)
    return {
      missing: "there is no package.json",
      remedy: `create one with a script "${name}"`,
      isOutside: false,
    };
  const scripts = scriptsOf(found.text);
  if (scripts === undefined)
    return { missing: "package.json is not valid JSON", remedy: "correct it", isOutside: false };
  const inPackage = withBins({ ...place, folder: path.dirname(found.file) });
  const script = scripts.get(name);
  if (typeof script === "string") {
    const lack = place.prepared ? undefined : await findLack(inPackage, script, depth - 1);
    if (lack === undefined) return undefined;
    const remedy = lack.isOutside ? `${lack.remedy}, or install the packages of the project` : lack.remedy;
    return { missing: `script "${name}" of package.json: ${lack.missing}`, remedy, isOutside: false };
  }
  const isThere = (await isProgram(inPackage, name)) ?? (await place.ports.files.stat(path.join(from, name)));
  if (orProgram && (place.prepared || isThere !== undefined)) return undefined;
  return {
    missing: `package.json has no script "${name}"`,
    remedy: `add the script "${name}" to package.json`,
    isOutside: false,
  };
}

function scriptsOf(text: string): ReadonlyMap<string, unknown> | undefined {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  const scripts =
    typeof value === "object" && value !== null && "scripts" in value ? value.scripts : undefined;
  return new Map<string, unknown>(Object.entries(typeof scripts === "object" ? (scripts ?? {}) : {}));
}

async function lackOfTarget(place: CheckPlace, args: readonly string[]): Promise<Lack | undefined> {
  const option = /^(?:-C|--directory|-f|--(?:file|makefile))(?:=(.*))?$/;
  if (args.some((arg) => arg.includes(ANY))) return undefined;
  const folder = path.resolve(place.folder, ...readOptionValues(args, /^(?:-C|--directory)(?:=(.*))?$/));
  const named = readOptionValues(args, /^(?:-f|--(?:file|makefile))(?:=(.*))?$/);
  const names = named.length > 0 ? named : ["GNUmakefile", "makefile", "Makefile"];
  const found = await firstText(
    place,
    names.map((name) => path.join(folder, name)),
  );
  if (found === undefined)
    return { missing: `there is no ${named[0] ?? "Makefile"}`, remedy: "create it", isOutside: false };
  const values = new Set(readOptionValues(args, option));
  const targets = listTargets(found.text);
  for (const goal of args.filter((arg) => !/^-|=|^\d+$/.test(arg) && !values.has(arg))) {
    if (targets === undefined || targets.includes(goal)) continue;
    if ((await place.ports.files.stat(path.join(folder, goal))) !== undefined) continue;
    const file = path.basename(found.file);
    return {
      missing: `${file} has no target "${goal}"`,
      remedy: `add the target to ${file}`,
      isOutside: false,
    };
  }
  return undefined;
}

/** The endings that Node.js and similar programs add to a file's name. */
const ENDINGS = ["", ".js", ".mjs", ".cjs", ".json", ".ts", "/index.js", "/package.json"];
const SCRIPTS = /^(?:(?:ba|da|z|k)?sh|node|nodejs|python[\d.]*|ruby|perl|php|\.|source)$/;

async function lackOfFile(
  { ports, folder }: CheckPlace,
  { words }: SimpleCommand,
): Promise<Lack | undefined> {
  const [program, ...args] = words;
  const name = path.basename(program);
  // Behind options of the interpreter it is unknown which word is the file.
  const [first = "-"] = args;
  if (!SCRIPTS.test(name) || first.startsWith("-")) return undefined;
  const script = findScript(program, args);
  if (script === undefined || script.includes(ANY) || /[*?[]/.test(script)) return undefined;
  const endings = name.startsWith("node") ? ENDINGS : [""];
  for (const ending of endings)
    if ((await ports.files.stat(path.resolve(folder, script + ending))) !== undefined) return undefined;
  return { missing: `there is no file ${script}`, remedy: `create ${script}`, isOutside: false };
}

async function firstText(
  { ports: { files } }: CheckPlace,
  names: readonly string[],
): Promise<{ file: string; text: string } | undefined> {
  for (const file of names) {
    const stat = await files.stat(file);
    if (stat?.kind !== "file" || stat.size > MOST_BYTES) continue;
    const bytes = await files.read(file);
    if (bytes !== undefined) return { file, text: Buffer.from(bytes).toString("utf8") };
  }
  return undefined;
}
