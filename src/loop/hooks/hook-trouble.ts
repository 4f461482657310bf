// Finds out why a hook's program cannot start. The system reports "not found" also for a script whose interpreter is missing.
import { isAbsolute, join, resolve } from "node:path";
import type { Files } from "../../system/ports.js";

export interface HookPlace {
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** The reason in one sentence with a hint; `undefined` if none was found. */
export async function findHookTrouble(
  files: Files,
  program: string,
  place: HookPlace,
): Promise<string | undefined> {
  const { cwd } = place;
  if (!program.includes("/")) {
    if ((await findOnPath(files, program, place)) !== undefined) return undefined;
    const beside = (await files.stat(join(cwd, program)))?.kind === "file";
    const hint = beside ? `the file in ${cwd} is named ./${program}` : "name it by its path, or install it";
    return `cannot run ${program}: not found on PATH; ${hint}`;
  }
  const file = resolve(cwd, program);
  const stat = await files.stat(file);
  const cannot = `cannot run ${program}`;
  if (stat === undefined)
    return `${cannot}: the file does not exist${isAbsolute(program) ? "" : ` in ${cwd}`}`;
  if (stat.kind !== "file") return `${cannot}: it is not a file`;
  if ((stat.mode & 0o111) === 0) return `${cannot}: it is not executable; run chmod +x ${program}`;
  const { first, interpreter } = await readFirstLine(files, file);
  if (first?.endsWith("\r") === true)
    return `${cannot}: its first line ends with a carriage return (CRLF); save the file with LF line ends`;
  if (interpreter !== undefined && (await files.stat(interpreter)) === undefined)
    return `${cannot}: its interpreter ${interpreter} does not exist; correct its first line`;
  return undefined;
}

async function findOnPath(
  files: Files,
  program: string,
  { cwd, env }: HookPlace,
): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(":")) {
    const file = resolve(cwd, folder, program);
    const stat = await files.stat(file);
    if (stat?.kind === "file" && (stat.mode & 0o111) !== 0) return file;
  }
  return undefined;
}

async function readFirstLine(files: Files, file: string): Promise<{ first?: string; interpreter?: string }> {
  const head = Buffer.from(await files.readRange(file, 0, 256)).toString("latin1");
  const [first = ""] = head.split("\n");
  if (!first.startsWith("#!")) return {};
  const interpreter = first.slice(2).trim().split(/\s+/)[0] ?? "";
  return { first, ...(interpreter.startsWith("/") ? { interpreter } : {}) };
}
