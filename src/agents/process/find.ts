// Looks for the programs behind agents. Starts nothing.
import path from "node:path";
import type { Ports } from "../../system/ports.js";
import type { Client, Engine, FoundProgram, Place } from "./client.js";

interface Wanted {
  /** The program's name on PATH, where the settings have no binary. */
  name: string;
  /** How to get it. */
  install: string;
}

/** Finds the program of a kind, on PATH or where the settings say. */
export function onPath(name: string, install: string): Client["find"] {
  return (engine, place) => findProgram(engine, { name, install }, place);
}

async function findProgram({ settings, ports }: Engine, wanted: Wanted, place: Place): Promise<FoundProgram> {
  const binary = settings.binary ?? wanted.name;
  const found = await ports.processes.which(binary, place.env.PATH ?? "", place.cwd);
  if (found !== undefined) return (await findLack(found, ports, place)) ?? { found };
  const kind = binary.includes("/")
    ? (await ports.files.stat(path.resolve(place.cwd, binary)))?.kind
    : undefined;
  if (kind === "file")
    return {
      missing: `${binary} is not executable`,
      hint: `chmod +x ${binary}, or correct agents.${settings.name}.binary`,
    };
  const missing = binary.includes("/") ? `cannot find the program ${binary}` : `${binary} is not on PATH`;
  return {
    missing: kind === "folder" ? `${binary} is a folder, and no program` : missing,
    hint:
      settings.binary === undefined
        ? wanted.install
        : `correct agents.${settings.name}.binary, or ${wanted.install}`,
  };
}

/** Finds the program the settings name, of a kind that has none of its own. `program`: what it is. */
export function findBinary(program: string): Client["find"] {
  return async (engine, place) => {
    const { binary, name } = engine.settings;
    if (binary !== undefined) return findProgram(engine, { name: binary, install: "install it" }, place);
    const hint = `set it to ${program}, and agents.<name>.args to its arguments`;
    return { missing: `agents.${name}.binary is not set`, hint };
  };
}

/** A file an agent is made of: a module, or a script of steps. */
export async function findFile({ settings, ports }: Engine, key: "module" | "script"): Promise<FoundProgram> {
  const file = settings[key];
  if (file === undefined)
    return { missing: `agents.${settings.name}.${key} is not set`, hint: "set it to the path of a file" };
  if ((await ports.files.stat(file))?.kind === "file") return { found: file };
  return { missing: `cannot find the file ${file}`, hint: `correct agents.${settings.name}.${key}` };
}

const WRAPPER = path.join("@openai", "codex", "bin", "codex.js");

/**
 * The native program behind codex's npm wrapper, or the given program: a SIGKILL of the wrapper would leave the native one
 * running. It is in a platform package beside the wrapper's package or below it; npm installs only the one that fits.
 */
export async function nativeCodex(found: string, ports: Ports): Promise<string> {
  const wrapper = await ports.files.realPath(found);
  if (wrapper?.endsWith(WRAPPER) !== true) return found;
  const home = path.dirname(path.dirname(wrapper));
  const natives: string[] = [];
  for (const scope of [path.join(home, "node_modules", "@openai"), path.dirname(home)]) {
    for (const name of await ports.files.list(scope)) {
      if (name.startsWith("codex-"))
        natives.push(...(await listNatives(path.join(scope, name, "vendor"), ports)));
    }
    if (natives.length > 0) break;
  }
  // More than one: which one fits is the wrapper's to know.
  return natives.length === 1 ? (natives[0] ?? found) : found;
}

async function listNatives(vendor: string, ports: Ports): Promise<string[]> {
  const natives: string[] = [];
  for (const triple of await ports.files.list(vendor)) {
    for (const name of ["codex", "codex.exe"]) {
      const native = path.join(vendor, triple, "bin", name);
      if ((await ports.files.stat(native))?.kind === "file") natives.push(native);
    }
  }
  return natives;
}

// Whether a script can be run at all: the system says of one whose interpreter is missing that the script is not
// there.

/** The bytes of a first line that Linux reads. */
const MOST_BYTES = 256;

/** Finds the missing interpreter of an existing, executable script by its first line; the program is an absolute path. */
async function findLack(
  program: string,
  { files, processes }: Pick<Ports, "files" | "processes">,
  { env, cwd }: Place,
): Promise<{ missing: string; hint: string } | undefined> {
  const wanted = interpretersOf(await readHead(program, files));
  for (const name of wanted) {
    if ((await processes.which(name, env.PATH ?? "", cwd)) !== undefined) continue;
    const [bare = ""] = name.split("\r");
    const place = bare.includes("/") ? "there" : "on PATH";
    return bare === name
      ? {
          missing: `${program} cannot be run: its interpreter ${name} is not ${place}`,
          hint: `install it, or correct the first line of ${program}`,
        }
      : {
          missing: `${program} cannot be run: its first line, which names the interpreter ${bare}, ends in CRLF`,
          hint: `give ${program} line ends of LF`,
        };
  }
  return undefined;
}

/** Reads the beginning of a program; "" when it may be run but not read. */
async function readHead(program: string, files: Ports["files"]): Promise<string> {
  const bytes = await files.readRange(program, 0, MOST_BYTES).catch(() => new Uint8Array());
  return Buffer.from(bytes).toString("latin1");
}

/** The programs that a script with this beginning needs: its interpreter, and the one that `env` looks up. */
function interpretersOf(head: string): string[] {
  const [line = ""] = head.split("\n", 1);
  const [, program = "", rest = ""] = /^#![ \t]*([^ \t]+)[ \t]*([^]*)$/.exec(line) ?? [];
  // A line that continues beyond the bytes read may be cut inside a name.
  if (program === "" || line.length === head.length) return [];
  const interpreter = program.includes("/") ? program : `./${program}`;
  if (path.basename(program) !== "env") return [interpreter];
  const looked = /^(?:-S[ \t]*)?([^-=\s][^=\s]*\r?)(?:[ \t]|$)/.exec(rest)?.[1];
  return looked === undefined ? [interpreter] : [interpreter, looked];
}
