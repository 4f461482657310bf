// The level and format of diagnostics: from the flag, else the environment, else the default. Pure.
import type { Flags } from "../../src/config/read/resolve.js";
import { UserError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";
import { LEVELS, LOG_FORMATS, type Diagnostics } from "../../src/ui/terminal/diagnostics.js";

type Env = Readonly<Record<string, string | undefined>>;

const LEVEL = { flag: "--log-level", env: "LOOPER_LOG_LEVEL", words: LEVELS } as const;
const FORMAT = { flag: "--log-format", env: "LOOPER_LOG_FORMAT", words: LOG_FORMATS } as const;

/** The default. */
export const USUAL: Diagnostics = { level: "info", format: "text" };

/** The diagnostics of flags and environment; an unknown word is a `usage` error. */
export function diagnosticsOf(flags: Flags, env: Env): Diagnostics {
  return {
    level: chosen(LEVEL, flags, env) ?? USUAL.level,
    format: chosen(FORMAT, flags, env) ?? USUAL.format,
  };
}

/** A guess for a command line that could not be parsed, to print its error. Never throws. */
export function guessDiagnostics(argv: readonly string[], env: Env): Diagnostics {
  const words = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const at = words.findLastIndex((word) => word === FORMAT.flag || word.startsWith(`${FORMAT.flag}=`));
  const word = words[at];
  const said =
    word === FORMAT.flag ? words[at + 1] : (word?.slice(FORMAT.flag.length + 1) ?? env[FORMAT.env]);
  return { ...USUAL, format: FORMAT.words.find((format) => format === said) ?? USUAL.format };
}

function chosen<T extends string>(
  { flag, env: name, words }: { flag: string; env: string; words: readonly T[] },
  flags: Flags,
  env: Env,
): T | undefined {
  const given = flags[flag];
  const [said, where] = typeof given === "string" ? [given, flag] : [env[name] ?? "", name];
  if (said.trim() === "" && where === name) return undefined;
  const plain = said.trim().toLowerCase();
  const found = words.find((word) => word === plain);
  if (found !== undefined) return found;
  const near = nearest(said, words);
  const known = `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;
  throw new UserError(
    "usage",
    `${where} is ${JSON.stringify(said)}, which is not ${known}`,
    near === undefined ? `use ${known}` : `did you mean ${near}?`,
  );
}
