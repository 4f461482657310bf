// Whether a script can be run at all: the system says of one whose interpreter is missing that the script is not there.
import path from "node:path";
import type { Ports } from "../../system/ports.js";

/** What Linux reads of a first line. */
const MOST_BYTES = 256;

/** What is missing of a program that is there and may be run, as far as its first line tells; the program is an absolute path. */
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

/** Who may not read a program may run it all the same. */
async function readHead(program: string, files: Ports["files"]): Promise<string> {
  const bytes = await files.readRange(program, 0, MOST_BYTES).catch(() => new Uint8Array());
  return Buffer.from(bytes).toString("latin1");
}

/** What must be there to run a script with this beginning: its interpreter, and what `env` looks up. */
function interpretersOf(head: string): string[] {
  const [line = ""] = head.split("\n", 1);
  const [, program = "", rest = ""] = /^#![ \t]*([^ \t]+)[ \t]*([^]*)$/.exec(line) ?? [];
  // A line that goes on beyond what was read may be cut in the midst of a name.
  if (program === "" || line.length === head.length) return [];
  const interpreter = program.includes("/") ? program : `./${program}`;
  if (path.basename(program) !== "env") return [interpreter];
  const looked = /^(?:-S[ \t]*)?([^-=\s][^=\s]*\r?)(?:[ \t]|$)/.exec(rest)?.[1];
  return looked === undefined ? [interpreter] : [interpreter, looked];
}
