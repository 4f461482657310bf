// What a tool is to the engine: what it is called, what it takes, what it would touch, and how it is run. Pure.
// Leaves who may call it, and whether, to the gate (engine/call-tool.ts), and the tools themselves to tools/.
import { z } from "zod";

/** How a call ended. A miss is a result like any other: the model reads it and goes on. */
export type ToolResult =
  | { success: true; output: string }
  | {
      success: false;
      error: string;
      /** Trying the very same again may succeed: a timeout, a rate limit, the network. */
      transient?: true;
    };

/** What a call would touch; rules and the path policy look at it. */
export type Subject =
  | {
      kind: "path";
      /** As the model spelled it; absolute, or relative to the project. */
      path: string;
      use: "read" | "write";
    }
  | {
      kind: "command";
      /** A whole shell text. */
      text: string;
    }
  | { kind: "url"; url: string }
  | {
      kind: "name";
      /** What else a rule may name: a remote and branch, a host, a script. */
      name: string;
    };

/** What a tool knows of the call it is run for. */
export interface CallContext {
  /** The session's. */
  session: string;
  callId: string;
  /** Who calls: `looper`, a sub-agent's type. */
  agent: string;
  /** Aborted when the call's time is over, or the session ends. Contract: nothing a call started goes on after that, but what is in the background on purpose. */
  signal: AbortSignal;
}

/** A call whose arguments are right. */
export interface PreparedCall {
  subjects: readonly Subject[];
  /** The longest it may take, ms. */
  timeoutMs: number;
  /** What a person who is asked is shown: a unified diff, or the exact command. Changes nothing. */
  preview(): Promise<string>;
  /** Contract: the gate has let it through. What it throws becomes a failed result. */
  run(context: CallContext): Promise<ToolResult>;
}

export type ToolParameters = Readonly<Record<string, unknown>>;

export interface Tool {
  /** Canonical: `fs_readFile`. */
  name: string;
  /** For the model. */
  description: string;
  /** Of its arguments, an object; draft 2020-12. */
  parameters: ToolParameters;
  /** Whether it may change anything outside of the session: such a call is asked about in the trust mode `default`. */
  changes: boolean;
  /** How many characters of a result a model is given; beyond that the gate cuts. */
  maxOutput: number;
  /** Holds the arguments against the parameters; a problem names the field. Pure. */
  prepare(args: unknown): PreparedCall | { problem: string };
}

/** A tool as it is written down, with its arguments typed. */
export interface ToolDefinition<A> {
  name: string;
  description: string;
  /** An object; each field described for the model. */
  arguments: z.ZodType<A>;
  /** Further spellings of fields, e.g. `{ from: "source" }`; another case or underscores are taken anyway. */
  aliases?: Readonly<Record<string, string>>;
  changes: boolean;
  subjects?: (args: A) => readonly Subject[];
  /** 30 s where nothing is said. */
  timeoutMs?: number | ((args: A) => number);
  /** Of a tool that bounds its results itself, a little more than that; 30,000 characters where nothing is said. */
  maxOutput?: number;
  preview?: (args: A) => Promise<string>;
  run: (args: A, context: CallContext) => Promise<ToolResult>;
}

const USUAL_TIMEOUT_MS = 30_000;
const USUAL_OUTPUT = 30_000;

/** The tool of a definition. */
export function defineTool<A>(definition: ToolDefinition<A>): Tool {
  const { $schema: _draft, ...parameters } = z.toJSONSchema(definition.arguments, { io: "input" });
  const fields = listFields(parameters);
  return {
    name: definition.name,
    description: definition.description,
    parameters,
    changes: definition.changes,
    maxOutput: definition.maxOutput ?? USUAL_OUTPUT,
    prepare: (raw) => {
      const given = normalizeArguments(raw, fields, definition.aliases ?? {});
      if ("problem" in given) return given;
      const read = definition.arguments.safeParse(given.args);
      if (!read.success) return { problem: describeIssue(read.error.issues[0], fields) };
      return prepareCall(definition, read.data);
    },
  };
}

function prepareCall<A>(definition: ToolDefinition<A>, args: A): PreparedCall {
  const { timeoutMs = USUAL_TIMEOUT_MS, preview } = definition;
  return {
    subjects: definition.subjects?.(args) ?? [],
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : timeoutMs(args),
    preview: () =>
      preview?.(args) ?? Promise.resolve(`${definition.name} ${JSON.stringify(args, undefined, 2)}`),
    run: (context) => definition.run(args, context),
  };
}

function listFields(schema: ToolParameters): readonly string[] {
  const { properties } = schema;
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

/** The arguments with every field as the tool spells it; a field nobody knows is a problem: ignoring it could do harm. */
function normalizeArguments(
  raw: unknown,
  fields: readonly string[],
  aliases: Readonly<Record<string, string>>,
): { args: Record<string, unknown> } | { problem: string } {
  const given = raw ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    return { problem: `the arguments must be an object with ${formatFields(fields)}` };
  const known = new Map<string, string>();
  for (const [alias, field] of Object.entries(aliases)) known.set(normalizeName(alias), field);
  for (const field of fields) known.set(normalizeName(field), field);
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = known.get(normalizeName(name));
    if (field === undefined)
      return { problem: `${name}: no such argument; it takes ${formatFields(fields)}` };
    // What a model leaves out it often says as null.
    if (value !== null) args[field] = value;
  }
  return { args };
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

function formatFields(fields: readonly string[]): string {
  return fields.length === 0 ? "none" : fields.join(", ");
}

function describeIssue(issue: z.core.$ZodIssue | undefined, fields: readonly string[]): string {
  if (issue === undefined) return `wrong arguments; it takes ${formatFields(fields)}`;
  const where = issue.path.map(String).join(".");
  const missing = issue.code === "invalid_type" && issue.message.includes("received undefined");
  if (missing) return `${where}: missing; it takes ${formatFields(fields)}`;
  return where === "" ? issue.message : `${where}: ${issue.message}`;
}

/** It worked. */
export function done(output: string): ToolResult {
  return { success: true, output };
}

/** It did not, and why. */
export function failed(error: string): ToolResult {
  return { success: false, error };
}
