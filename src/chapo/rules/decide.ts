// Decides whether a call may run: by the rules `Tool(pattern)` in the lists deny, ask and allow (read-rules.ts), by the list of
// calls that are never run unasked (never-unasked.ts), and by the mode (modes.ts). Pure.
// session/permissions/permit.ts asks a person, and src/chapo/paths.ts refuses paths outside the project and protected files.
import type { Subject } from "../tool.js";
import type { PermissionMode } from "../../config/settings/modes.js";
import { classify, TABLE, type CallClass, type ClassedCall } from "./modes.js";
import { meetsAsEditing } from "./editing.js";
import { deletesFiles, findDanger } from "./never-unasked.js";
import {
  allowsCommand,
  namesPathBelow,
  meetsCommand,
  meetsPath,
  meetsUrl,
  strongest,
  type CommandPattern,
  type Match,
} from "./patterns.js";
import type { List, PermissionRules, PermissionRule } from "./read-rules.js";
import { findReadRule, meetsAsReading } from "./reading.js";
import { readShell, type ShellReading } from "../../shell/shell-reading.js";
import { isNamed, toCommand } from "./tool-names.js";
import { covers, STAR } from "./wildcard.js";

/** The parts of a call that rules check. */
export type JudgedCall = ClassedCall;

/** The decision on a call; `because` is the end of a sentence: "refused: …". */
export interface PermissionDecision {
  verdict: List;
  because: string;
  /** The rule that decided, as it was written; absent if the mode decided. */
  rule?: string;
  /** Whether a person is asked each time, because the call is dangerous. */
  asksEachTime?: true;
}

/** Decides on a call. Deny takes precedence over ask, and ask over allow, even if the other rule is more specific. */
export function decide(rules: PermissionRules, mode: PermissionMode, call: JudgedCall): PermissionDecision {
  const { root } = rules;
  const units = call.subjects.map(toUnit);
  const ruled = decideByRules(rules, call, units) ?? decideOnPrinted(rules, call);
  if (ruled !== undefined) return mode === "dontAsk" ? { ...ruled, verdict: "deny" } : ruled;
  const readings = units.flatMap((unit) => (unit.kind === "command" ? [unit.reading] : []));
  const place = { root, hasStrayed: call.hasStrayed === true };
  const danger =
    units
      .map((unit) => (unit.kind === "command" ? findDanger(unit.text, unit.reading, place) : undefined))
      .find((why) => why !== undefined) ??
    (readings.some(deletesFiles) ? findLinkedDeletion(call.subjects) : undefined);
  if (call.tool === "exit_plan_mode")
    return { verdict: "ask", because: "it ends plan mode", asksEachTime: true };
  const kind = danger === undefined ? classify(call, readings, root) : "dangerous";
  const effect = TABLE[mode][kind];
  if (effect === "run") return { verdict: "allow", because: describeRun(mode, kind) };
  if (effect === "refuse" && mode === "plan")
    return { verdict: "deny", because: "plan mode changes nothing until the plan is approved" };
  const named = rules.all.filter(({ tools }) => isNamed(tools, call.tool));
  const allowed = findAllowed(named, units, { root, isListed: kind === "dangerous" });
  if (allowed !== undefined) return allowed;
  const because = danger === undefined ? WHY[kind] : `${danger}; such a call is never run unasked`;
  if (effect === "refuse")
    return { verdict: "deny", because: `${because}, and the mode ${mode} does not ask` };
  return { verdict: "ask", because, ...(danger === undefined ? {} : { asksEachTime: true }) };
}

/** A link that a deletion follows may lead out of the project. */
function findLinkedDeletion(subjects: readonly Subject[]): string | undefined {
  const target = subjects.find(
    (one) => one.kind === "path" && one.use === "write" && /^(?:\/|\.\.(?:\/|$))/.test(one.path),
  );
  return target?.kind === "path"
    ? `it deletes files outside the project, behind a link (${target.path})`
    : undefined;
}

const WHY = {
  read: "a rule may apply",
  secret: "the file's name is known for secrets",
  web: "it may reach an address that you did not give",
  edit: "it may change something",
  look: "it runs a command",
  other: "it may change something",
  dangerous: "it is dangerous",
} as const satisfies Record<CallClass, string>;

function describeRun(mode: PermissionMode, kind: CallClass): string {
  if (TABLE[mode].other === "run") return "all tools are trusted";
  return kind === "read" || kind === "look" ? "it changes nothing" : `the mode ${mode} allows it`;
}

/** Returns the decision of a deny or ask rule. */
function decideByRules(
  { all, root }: PermissionRules,
  call: JudgedCall,
  units: readonly Unit[],
): PermissionDecision | undefined {
  const rules = all.filter(({ tools }) => isNamed(tools, call.tool));
  const twins = all.filter(({ tools, list }) => list !== "allow" && isNamed(tools, "bash_execute"));
  const readers = all.filter(({ isAgainstReading }) => isAgainstReading);
  const editors = all.filter(({ isAgainstEditing }) => isAgainstEditing);
  const readings = units.flatMap((unit) => (unit.kind === "command" ? [unit.reading] : []));
  const against = (list: List, match: Match): PermissionRule | undefined =>
    rules.find((rule) => rule.list === list && meets(rule, units, { call, root }) === match) ??
    twins.find((rule) => rule.list === list && meetsTwin(rule, call) === match) ??
    readers.find((rule) => rule.list === list && meetsAsReading(rule, call, { readings, root }) === match) ??
    editors.find((rule) => rule.list === list && meetsAsEditing(rule, call, { readings, root }) === match);
  const deny = against("deny", "yes");
  if (deny !== undefined) return toDecision("deny", deny, `the rule deny ${deny.text} forbids it`);
  const ask = against("ask", "yes");
  if (ask !== undefined) return toDecision("ask", ask, `the rule ask ${ask.text} requires a question`);
  const maybe = against("deny", "maybe") ?? against("ask", "maybe");
  if (maybe === undefined) return undefined;
  return toDecision(
    "ask",
    maybe,
    `its text does not show what it runs, so the rule ${maybe.list} ${maybe.text} may apply; write separate plain commands without variables`,
  );
}

/** A git command that names no files may print a file that a rule covers. */
function decideOnPrinted(
  rules: PermissionRules,
  { printed = [] }: JudgedCall,
): PermissionDecision | undefined {
  for (const file of printed) {
    const rule = findReadRule(rules, file);
    if (rule === undefined) continue;
    const how = "use git_diff, which leaves it out, or name the files to show after --";
    return toDecision(
      "ask",
      rule,
      `it may print ${file}, which git has and the rule ${rule.list} ${rule.text} covers; ${how}`,
    );
  }
  return undefined;
}

function toDecision(verdict: List, { text }: PermissionRule, because: string): PermissionDecision {
  return { verdict, because, rule: text };
}

type Unit = Exclude<Subject, { kind: "command" }> | { kind: "command"; text: string; reading: ShellReading };

function toUnit(subject: Subject): Unit {
  return subject.kind === "command" ? { ...subject, reading: readShell(subject.text) } : subject;
}

/** Finds a rule that allows every call of the tool, or rules that together allow all subjects of this call. */
function findAllowed(
  rules: readonly PermissionRule[],
  units: readonly Unit[],
  { root, isListed }: { root: string; isListed: boolean },
): PermissionDecision | undefined {
  // A call that is never run unasked needs a rule that names it.
  const allow = rules.filter(({ list, pattern }) => list === "allow" && (!isListed || pattern !== undefined));
  const whole = allow.find(({ pattern }) => pattern === undefined);
  if (whole !== undefined) return toDecision("allow", whole, `the rule allow ${whole.text}`);
  const first = allow[0];
  if (first === undefined || units.length === 0) return undefined;
  // The paths beside a shell text are only what its words link to.
  const texts = units.filter(({ kind }) => kind === "command");
  const asked = texts.length > 0 ? texts : units;
  if (!asked.every((unit) => isAllowed(unit, allow, root))) return undefined;
  return toDecision("allow", first, `the rules allow ${allow.map(({ text }) => text).join(", ")}`);
}

function isAllowed(unit: Unit, allow: readonly PermissionRule[], root: string): boolean {
  // A path that an argument only mentions does not count.
  if (unit.kind === "path" && unit.use === "mention") return true;
  if (unit.kind !== "command") return allow.some((rule) => meetsOther(rule, unit, { root, wide: false }));
  const { commands, isWhole, writes } = unit.reading;
  return (
    isWhole &&
    writes.length === 0 &&
    commands.length > 0 &&
    commands.every((command) =>
      allow.some(({ pattern }) => pattern?.command !== undefined && allowsCommand(pattern.command, command)),
    )
  );
}

/** Returns whether a rule matches the call; one matching subject is enough. */
function meets(
  rule: PermissionRule,
  units: readonly Unit[],
  { call, root }: { call: JudgedCall; root: string },
): Match {
  const { pattern } = rule;
  if (pattern === undefined) return "yes";
  return strongest(
    units.map((unit) =>
      unit.kind === "command" ? meetsReading(pattern.command, unit.reading) : meetsPlace(rule, unit),
    ),
  );

  function meetsPlace(against: PermissionRule, unit: Exclude<Unit, { kind: "command" }>): Match {
    if (meetsOther(against, unit, { root, wide: true })) return "yes";
    const goesAway = unit.kind === "path" && /^fs_(?:delete|move)$/.test(call.tool);
    return goesAway && against.pattern !== undefined && namesPathBelow(against.pattern.path, unit.path, root)
      ? "yes"
      : "no";
  }
}

function meetsTwin({ pattern }: PermissionRule, { tool, subjects }: JudgedCall): Match {
  const names = subjects.flatMap((subject) => (subject.kind === "name" ? [subject.name] : []));
  const text = toCommand(tool, names);
  if (text === undefined || pattern?.command === undefined) return "no";
  return meetsCommand(pattern.command, { calls: [text.split(" ")], mentions: [] });
}

function meetsReading(pattern: CommandPattern | undefined, reading: ShellReading): Match {
  if (pattern === undefined) return "no";
  const match = meetsCommand(pattern, reading);
  return match === "no" && !reading.isWhole ? "maybe" : match;
}

function meetsOther(
  { pattern }: PermissionRule,
  unit: Exclude<Unit, { kind: "command" }>,
  place: { root: string; wide: boolean },
): boolean {
  if (pattern === undefined) return true;
  if (unit.kind === "path") return meetsPath(pattern.path, unit.path, place);
  if (unit.kind === "url") return meetsUrl(pattern.raw, unit.url, place.wide);
  return covers(pattern.raw.replaceAll("*", STAR), unit.name);
}
