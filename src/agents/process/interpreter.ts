// Whether a script can be run at all: the system says of one whose interpreter is missing that the script is not there.
import path from "node:path";
import type { Ports } from "../../system/ports.js";

/** The bytes of a first line that Linux reads. */
const MOST_BYTES = 256;

/** Finds the missing interpreter of an existing, executable script by its first line; the program is an absolute path. */
export async function findLack(
  program: string,
  { files, processes }: Pick<Ports, "files" | "processes">,
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd: string },
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
