// Reads a file of KEY=VALUE lines (`env_file`). Leaves the precedence of variables to others.
import { usageError } from "../../system/errors.js";

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/;

/**
 * The variables of an env file, later lines winning. `#` begins a comment at the start of a line or after white space;
 * '…' is taken as it stands, in "…" `\n \r \t \" \\ \$` are undone; nothing is expanded. `name` is the file as shown.
 * A line that is neither is a `usage` error naming file and line, without showing it: it may hold a secret.
 */
export function parseEnvFile(name: string, text: string): Record<string, string> {
  const variables = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [, key, spelled] = ASSIGNMENT.exec(trimmed) ?? [];
    const value = spelled === undefined ? undefined : readValue(spelled.trimStart());
    if (key === undefined || value === undefined) {
      const what = key === undefined ? "not KEY=VALUE" : `the quotes of ${key} do not match`;
      throw usageError(`${name}:${String(index + 1)}: ${what}`, "write one KEY=VALUE on each line");
    }
    variables.set(key, value);
  }
  return Object.fromEntries(variables);
}

const QUOTED = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(?:#.*)?$/;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** `undefined` when quotes are left open or followed by more. */
function readValue(spelled: string): string | undefined {
  if (!/^['"]/.test(spelled)) return spelled.replace(/(?:^|(?<!\s)\s+)#.*$/, "");
  const [, single, double] = QUOTED.exec(spelled) ?? [];
  return single ?? double?.replace(/\\([nrt"\\$])/g, (_, letter: string) => ESCAPES.get(letter) ?? letter);
}
