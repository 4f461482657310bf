// Decides whether a call may run: by the rules `Tool(pattern)` in the lists deny, ask and allow, and by the trust mode. Pure.
// session/permit.ts asks a person, and src/chapo/paths.ts refuses paths outside the project and protected files.
import { never } from "../../system/never.js";
import type { Subject } from "../tool.js";
import {
  allowsCommand,
  compileCommandPattern,
  namesPathBelow,
  meetsCommand,
  meetsPath,
  meetsUrl,
  compilePathPattern,
  type CommandPattern,
  type Match,
  type PathPattern,
} from "./patterns.js";
import { readShell, type ShellReading } from "../../shell/shell-reading.js";
import { isNamed, listNamedTools, expandName, toCommand } from "./tool-names.js";
import { covers, STAR } from "./wildcard.js";

/** `trusted`: calls run unless a rule forbids them or asks. `default`: a person is asked about changes that no rule allows. */
export type TrustMode = "trusted" | "default";

type List = "allow" | "ask" | "deny";

interface Rule {
  list: List;
  /** The rule as it was written. */
  text: string;
  tools: readonly string[];
  /** Absent: the rule applies to every call of the tools. */
  pattern?: { raw: string; command: CommandPattern | undefined; path: PathPattern };
}

/** The rules of all lists. */
export interface PermissionRules {
  readonly all: readonly Rule[];
  readonly root: string;
}

/** The parts of a call that rules check. */
export interface JudgedCall {
  /** The tool's canonical name. */
  tool: string;
  changes: boolean;
  subjects: readonly Subject[];
}

/** The decision on a call; `because` is the end of a sentence: "refused: …". */
export interface PermissionDecision {
  verdict: List;
  because: string;
  /** The rule that decided, as it was written; absent if the trust mode decided. */
  rule?: string;
}

const LONGEST_RULE = 1_000;

/**
 * Reads the lists. `root`: the project's folder, absolute; patterns of paths are relative to it. `tools`: the canonical names of
 * the session's tools. Each problem names an invalid rule and the reason.
 */
export function readRules(
  lists: Readonly<Partial<Record<List, readonly string[]>>>,
  place: { root: string; tools: readonly string[] },
): { rules: PermissionRules; problems: string[] } {
  const all: Rule[] = [];
  const problems: string[] = [];
  for (const list of ["deny", "ask", "allow"] as const) {
    for (const text of lists[list] ?? []) {
      const read = readRule(list, text.trim(), place);
      if ("problem" in read)
        problems.push(`rules.${list}: ${JSON.stringify(text.slice(0, 200))} ${read.problem}`);
      else all.push(read);
    }
  }
  return { rules: { all, root: place.root }, problems };
}

function readRule(
  list: List,
  text: string,
  { root, tools }: { root: string; tools: readonly string[] },
): Rule | { problem: string } {
  const found = /^([\w.*-]+)(?:\(([^]*)\))?$/.exec(text);
  if (found === null || text.length > LONGEST_RULE)
    return {
      problem: "is not a rule; write Tool or Tool(pattern), such as Bash(npm test) or fs_edit(src/**)",
    };
  const [, name = "", raw] = found;
  const names = expandName(name, list !== "allow");
  const meant = listNamedTools(names, tools);
  // The tools of an MCP server may be missing in this session.
  if (meant.length === 0 && !/^mcp/i.test(name))
    return { problem: `is not valid: no tool is called ${name}` };
  if (raw === undefined || raw === "*" || raw === "**") return { list, text, tools: names };
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
    pattern: { raw, command: "problem" in command ? undefined : command, path },
  };
}

const TAKE_COMMANDS: ReadonlySet<string> = new Set(["bash_execute", "run_command"]);

/** Decides on a call. Deny takes precedence over ask, and ask over allow, even if the other rule is more specific. */
export function decide(
  { all, root }: PermissionRules,
  mode: TrustMode,
  call: JudgedCall,
): PermissionDecision {
  const units = call.subjects.map(toUnit);
  const rules = all.filter(({ tools }) => isNamed(tools, call.tool));
  const twins = all.filter(({ tools, list }) => list !== "allow" && isNamed(tools, "bash_execute"));
  const against = (list: List, match: Match): Rule | undefined =>
    rules.find((rule) => rule.list === list && meets(rule, units, { call, root }) === match) ??
    twins.find((rule) => rule.list === list && meetsTwin(rule, call) === match);
  const deny = against("deny", "yes");
  if (deny !== undefined) return toDecision("deny", deny, `the rule deny ${deny.text} forbids it`);
  const ask = against("ask", "yes");
  if (ask !== undefined) return toDecision("ask", ask, `the rule ask ${ask.text} requires a question`);
  const maybe = against("deny", "maybe") ?? against("ask", "maybe");
  if (maybe !== undefined)
    return toDecision(
      "ask",
      maybe,
      `its text does not show what it runs, so the rule ${maybe.list} ${maybe.text} may apply; write separate plain commands without variables`,
    );
  if (mode === "trusted") return { verdict: "allow", because: "all tools are trusted" };
  if (!call.changes) return { verdict: "allow", because: "it changes nothing" };
  return findAllowed(rules, units, root) ?? { verdict: "ask", because: "it may change something" };
}

function toDecision(verdict: List, { text }: Rule, because: string): PermissionDecision {
  return { verdict, because, rule: text };
}

type Unit = Exclude<Subject, { kind: "command" }> | { kind: "command"; reading: ShellReading };

function toUnit(subject: Subject): Unit {
  return subject.kind === "command" ? { kind: "command", reading: readShell(subject.text) } : subject;
}

/** Finds a rule that allows every call of the tool, or rules that together allow all subjects of this call. */
function findAllowed(
  rules: readonly Rule[],
  units: readonly Unit[],
  root: string,
): PermissionDecision | undefined {
  const allow = rules.filter(({ list }) => list === "allow");
  const whole = allow.find(({ pattern }) => pattern === undefined);
  if (whole !== undefined) return toDecision("allow", whole, `the rule allow ${whole.text}`);
  const first = allow[0];
  if (first === undefined || units.length === 0) return undefined;
  if (!units.every((unit) => isAllowed(unit, allow, root))) return undefined;
  return toDecision("allow", first, `the rules allow ${allow.map(({ text }) => text).join(", ")}`);
}

function isAllowed(unit: Unit, allow: readonly Rule[], root: string): boolean {
  if (unit.kind !== "command") return allow.some((rule) => meetsOther(rule, unit, { root, wide: false }));
  const { commands, isWhole, writes } = unit.reading;
  return (
    isWhole &&
    !writes &&
    commands.some(({ runs }) => runs !== "nothing") &&
    commands.every((command) =>
      allow.some(({ pattern }) => pattern?.command !== undefined && allowsCommand(pattern.command, command)),
    )
  );
}

/** Returns whether a rule matches the call; one matching subject is enough. */
function meets(
  rule: Rule,
  units: readonly Unit[],
  { call, root }: { call: JudgedCall; root: string },
): Match {
  const { pattern } = rule;
  if (pattern === undefined) return "yes";
  let match: Match = "no";
  for (const unit of units) {
    const one =
      unit.kind === "command" ? meetsReading(pattern.command, unit.reading) : meetsPlace(rule, unit);
    if (one === "yes") return "yes";
    if (one === "maybe") match = "maybe";
  }
  return match;

  function meetsPlace(against: Rule, unit: Exclude<Unit, { kind: "command" }>): Match {
    if (meetsOther(against, unit, { root, wide: true })) return "yes";
    const goesAway = unit.kind === "path" && /^fs_(?:delete|move)$/.test(call.tool);
    return goesAway && against.pattern !== undefined && namesPathBelow(against.pattern.path, unit.path, root)
      ? "yes"
      : "no";
  }
}

function meetsTwin({ pattern }: Rule, { tool, subjects }: JudgedCall): Match {
  const names = subjects.flatMap((subject) => (subject.kind === "name" ? [subject.name] : []));
  const text = toCommand(tool, names);
  if (text === undefined || pattern?.command === undefined) return "no";
  return meetsCommand(pattern.command, { text, spellings: [text], runs: "itself" });
}

function meetsReading(pattern: CommandPattern | undefined, { commands, isWhole }: ShellReading): Match {
  if (pattern === undefined) return "no";
  const matches = commands.map((command) => meetsCommand(pattern, command));
  if (matches.includes("yes")) return "yes";
  return matches.includes("maybe") || !isWhole ? "maybe" : "no";
}

function meetsOther(
  { pattern }: Rule,
  unit: Exclude<Unit, { kind: "command" }>,
  place: { root: string; wide: boolean },
): boolean {
  if (pattern === undefined) return true;
  switch (unit.kind) {
    case "path":
      return meetsPath(pattern.path, unit.path, place);
    case "url":
      return meetsUrl(pattern.raw, unit.url, place.wide);
    case "name":
      return covers(pattern.raw.replaceAll("*", STAR), unit.name);
    default:
      return never(unit);
  }
}
