// Reads the rules `Tool(pattern)` of the lists deny, ask and allow, and tells what they are about as a whole: the paths they guard,
// and the network of a sandbox. Pure. decide.ts applies them to calls.
import {
  compileCommandPattern,
  compilePathPattern,
  type CommandPattern,
  type PathPattern,
  meetsPath,
} from "./patterns.js";
import { expandName, isNamed, listNamedTools } from "./tool-names.js";
import { hasSecretName } from "../../system/text/secrets/secret-names.js";
import { ONE, STAR } from "./wildcard.js";

/** The lists of rules. */
export type List = "allow" | "ask" | "deny";

/** One rule. */
export interface PermissionRule {
  list: List;
  /** The rule as it was written. */
  text: string;
  tools: readonly string[];
  /** Whether it is a rule against reading files, which applies to everything that returns a file's content. */
  isAgainstReading: boolean;
  /** Whether it is a rule against editing files, which also applies to shell texts that change them. */
  isAgainstEditing: boolean;
  /** Absent: the rule applies to every call of the tools. */
  pattern?: { raw: string; command: CommandPattern | undefined; path: PathPattern };
}

/** The rules of all lists. */
export interface PermissionRules {
  readonly all: readonly PermissionRule[];
  readonly root: string;
}

const LONGEST_RULE = 1_000;

/**
 * Reads the lists. `root`: the project's folder, absolute; patterns of paths are relative to it. Each problem names an invalid
 * rule and the reason.
 */
export function readRules(
  lists: Readonly<Partial<Record<List, readonly string[]>>>,
  root: string,
): { rules: PermissionRules; problems: string[] } {
  const all: PermissionRule[] = [];
  const problems: string[] = [];
  for (const list of ["deny", "ask", "allow"] as const) {
    for (const text of lists[list] ?? []) {
      const read = readRule(list, text.trim(), root);
      if ("problem" in read)
        problems.push(`rules.${list}: ${JSON.stringify(text.slice(0, 200))} ${read.problem}`);
      else all.push(read);
    }
  }
  return { rules: { all, root }, problems };
}

function readRule(list: List, text: string, root: string): PermissionRule | { problem: string } {
  const found = /^([\w.*-]+)(?:\(([^]*)\))?$/.exec(text);
  if (found === null || text.length > LONGEST_RULE)
    return {
      problem: "is not a rule; write Tool or Tool(pattern), such as Bash(npm test) or fs_edit(src/**)",
    };
  const [, name = "", raw] = found;
  const names = expandName(name, list !== "allow");
  const meant = listNamedTools(names);
  // The tools of an MCP server may be missing in this session.
  if (meant.length === 0 && !/^mcp/i.test(name))
    return { problem: `is not valid: no tool is called ${name}` };
  const isAgainst = (tool: string): boolean => list !== "allow" && isNamed(names, tool);
  const uses = {
    isAgainstReading: isAgainst("fs_readFile"),
    isAgainstEditing: isAgainst("fs_edit") || isAgainst("fs_writeFile"),
  };
  if (raw === undefined || raw === "*" || raw === "**") return { list, text, tools: names, ...uses };
  if (raw.trim() === "") return { problem: "has an empty pattern; remove the brackets to match every call" };
  const command = compileCommandPattern(raw);
  const takesCommands = meant.length > 0 && meant.every((tool) => TAKE_COMMANDS.has(tool));
  if ("problem" in command && takesCommands) return command;
  const path = compilePathPattern(raw, root);
  if ("problem" in path) return path;
  return {
    list,
    text,
    tools: names,
    ...uses,
    pattern: { raw, command: "problem" in command ? undefined : command, path },
  };
}

const TAKE_COMMANDS: ReadonlySet<string> = new Set(["bash_execute", "run_command"]);

/** Returns whether a deny or ask rule names the path, or its name is known for secrets. */
export function isGuarded({ all, root }: PermissionRules, path: string): boolean {
  const isRuled = all.some(
    ({ list, pattern }) =>
      list !== "allow" && pattern !== undefined && meetsPath(pattern.path, path, { root, wide: true }),
  );
  return isRuled || hasSecretName(path);
}

/** Returns the paths that deny and ask rules name in full. They may be where no search for files looks. */
export function listGuardedPaths({ all }: PermissionRules): string[] {
  const paths = all
    .filter(({ list }) => list !== "allow")
    .flatMap(({ pattern }) => pattern?.path.ways.map((way) => way.join("/")) ?? []);
  return paths.filter((one) => one !== "" && !one.includes(STAR) && !one.includes(ONE));
}

/**
 * Returns whether an allow rule is for `web_fetch` without a pattern, and no other rule is about it: a sandbox cannot tell one
 * host from another.
 */
export function allowsNetwork({ all }: PermissionRules): boolean {
  const rules = all.filter(({ tools }) => isNamed(tools, "web_fetch"));
  return (
    rules.some(({ list, pattern }) => list === "allow" && pattern === undefined) &&
    rules.every(({ list }) => list === "allow")
  );
}
