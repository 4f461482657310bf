// A tool as the engine sees it: its name, arguments, subjects and function. Pure.
// The gate (engine/calls/call-tool.ts) decides whether a call may run; tools/ has the tools.
import { z } from "zod";

/** The result of a call. A failure is a result too, which the model reads. */
export type ToolResult =
  | {
      success: true;
      output: string;
      /** The change of an edit as a unified diff, for a person. The model does not see it. */
      diff?: string | undefined;
    }
  | {
      success: false;
      error: string;
      /** Set if repeating the same call may succeed: a timeout, a rate limit, the network. */
      transient?: true;
    };

/** A thing that a call would touch. Rules and the path policy check it. */
export type Subject =
  | {
      kind: "path";
      /** The path as the model spelled it, absolute or relative to the project. */
      path: string;
      /** `mention`: an argument of a foreign tool that may be a path. Only rules against reading apply to it. */
      use: "read" | "write" | "mention";
    }
  | {
      kind: "command";
      /** A whole shell text. */
      text: string;
    }
  | { kind: "url"; url: string }
  | {
      kind: "name";
      /** A name that a rule may contain: a remote and branch, a host, a script. */
      name: string;
    };

/** The context of a call that is run. */
export interface CallContext {
  callId: string;
  /** Aborted at the call's timeout and at the end of the session. A tool must then end everything it started, except background commands. */
  signal: AbortSignal;
}

/** A call with valid arguments. */
export interface PreparedCall {
  subjects: readonly Subject[];
  /** The timeout in ms. */
  timeoutMs: number;
  /** Returns the preview for a person who is asked: a unified diff, or the exact command. Changes nothing. */
  preview(): Promise<string>;
  /** Returns why the call cannot succeed as things are, so that no person is asked for it. Changes nothing. */
  check?: (() => Promise<string | undefined>) | undefined;
  /** Runs the call, which must have passed the gate. An exception becomes a failed result. */
  run(context: CallContext): Promise<ToolResult>;
}

export type ToolParameters = Readonly<Record<string, unknown>>;

export interface Tool {
  /** The canonical name: `fs_readFile`. */
  name: string;
  /** Shown to the model. */
  description: string;
  /** The JSON schema of its arguments, an object; draft 2020-12. */
  parameters: ToolParameters;
  /** Whether it may change anything outside the session. In the trust mode `default` a person is asked about such a call. */
  changes: boolean;
  /** Whether it says that it reaches what is outside: what it only reads may send its arguments there. */
  reachesOut?: boolean;
  /** The most characters of a result; the gate truncates longer ones. */
  maxOutput: number;
  /** Checks the arguments against the parameters. A problem names the field. Pure. */
  prepare(args: unknown): PreparedCall | { problem: string };
}

/** The definition of a tool, with typed arguments. */
export interface ToolDefinition<A> {
  name: string;
  description: string;
  /** The schema of an object whose fields are described for the model. */
  arguments: z.ZodType<A>;
  changes: boolean;
  subjects?: (args: A) => readonly Subject[];
  /** 30 s if not set. */
  timeoutMs?: number | ((args: A) => number);
  /** 30,000 characters if not set. A tool that limits its results itself sets a little more than its limit. */
  maxOutput?: number;
  preview?: (args: A) => Promise<string>;
  check?: (args: A) => Promise<string | undefined>;
  run: (args: A, context: CallContext) => Promise<ToolResult>;
}

/** A planned call: its preview and its effect as things are. */
export interface PlannedCall {
  preview: () => string;
  apply: () => Promise<ToolResult>;
}

/**
 * Creates a tool that changes something. Each call is planned for its check, its preview and its run alike; a plan that cannot succeed
 * fails. `check`: a further look that fails where a person need not be asked.
 */
export function definePlannedTool<A>(
  definition: Omit<ToolDefinition<A>, "changes" | "check" | "preview" | "run"> & {
    plan: (args: A) => Promise<PlannedCall>;
    check?: (args: A) => Promise<void>;
  },
): Tool {
  const { plan, check, ...rest } = definition;
  return defineTool({
    ...rest,
    changes: true,
    check: async (args) => {
      try {
        await check?.(args);
        await plan(args);
        return undefined;
      } catch (error) {
        return toFailure(error).error;
      }
    },
    preview: (args) =>
      plan(args).then(
        (planned) => planned.preview(),
        (error: unknown) => `it would change nothing: ${toFailure(error).error}`,
      ),
    run: async (args) => (await plan(args)).apply(),
  });
}

const USUAL_TIMEOUT_MS = 30_000;
const USUAL_OUTPUT = 30_000;

/** Creates a tool from its definition. */
export function defineTool<A>(definition: ToolDefinition<A>): Tool {
  const { $schema: _draft, ...parameters } = z.toJSONSchema(definition.arguments, { io: "input" });
  const fields = Object.keys(parameters.properties ?? {});
  return {
    name: definition.name,
    description: definition.description,
    parameters,
    changes: definition.changes,
    maxOutput: definition.maxOutput ?? USUAL_OUTPUT,
    prepare: (raw) => {
      const given = normalizeArguments(raw, fields);
      if ("problem" in given) return given;
      const read = definition.arguments.safeParse(given.args);
      if (!read.success) return { problem: describeIssue(read.error.issues[0], fields) };
      return prepareCall(definition, read.data);
    },
  };
}

function prepareCall<A>(definition: ToolDefinition<A>, args: A): PreparedCall {
  const { timeoutMs = USUAL_TIMEOUT_MS, preview, check } = definition;
  return {
    subjects: definition.subjects?.(args) ?? [],
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : timeoutMs(args),
    preview: () =>
      preview?.(args) ?? Promise.resolve(`${definition.name} ${JSON.stringify(args, undefined, 2)}`),
    check: check === undefined ? undefined : () => check(args),
    run: (context) => definition.run(args, context).catch(toFailure),
  };
}

/** Other spellings of a field, for tools that have no such field themselves. Case, underscores and dashes are ignored anyway. */
const SPELLINGS: Readonly<Record<string, string>> = {
  path: "file_path file filename folder directory dir notebook_path document name",
  files: "file path paths",
  offset: "start_line",
  pattern: "regex query",
  glob: "include",
  query: "q search_term pattern text",
  content: "contents text note source new_source",
  promote: "promote_to_long_term",
  agent_type: "subagent_type",
  old_string: "old_str",
  new_string: "new_str",
  source: "from src",
  destination: "to dest target",
  cell_idx: "cell_index index",
  staged: "cached",
  command: "cmd",
  timeout: "timeout_ms",
  background: "run_in_background",
  id: "bash_id shell_id",
  packages: "package",
  script: "name",
  host: "alias",
  workflow: "workflow_id",
  ref: "branch",
  run_id: "id",
  url: "uri link",
};

/** Returns the arguments in the tool's own spelling. An unknown field is a problem, because ignoring it could do harm. */
function normalizeArguments(
  raw: unknown,
  fields: readonly string[],
): { args: Record<string, unknown> } | { problem: string } {
  const given = raw ?? {};
  if (typeof given !== "object" || Array.isArray(given))
    return { problem: `the arguments must be an object with ${formatFields(fields)}` };
  const known = new Map<string, string>();
  for (const field of fields)
    for (const other of SPELLINGS[field]?.split(" ") ?? []) known.set(normalizeName(other), field);
  for (const field of fields) known.set(normalizeName(field), field);
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const field = known.get(normalizeName(name));
    if (field === undefined)
      return { problem: `${name}: no such argument; it takes ${formatFields(fields)}` };
    // Models often send null for a field they leave out.
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

/** A named value of a session, which outlives its process. */
export interface SessionPart {
  /** `undefined` before the first write. */
  read(): Promise<unknown>;
  write(value: unknown): Promise<void>;
}

/** Returns a successful result; an edit has a diff. */
export function done(output: string, diff?: string): ToolResult {
  return { success: true, output, diff: diff === "" ? undefined : diff };
}

/** Returns a failed result. */
export function failed(error: string): ToolResult {
  return { success: false, error };
}

type Failure = Extract<ToolResult, { success: false }>;

/** The end of a call that failed: what the model reads. */
class CallFailure extends Error {
  readonly result: Failure;

  constructor(result: Failure) {
    super(result.error);
    this.result = result;
  }
}

/** Ends the call of a tool with a failed result. `transient`: repeating it may succeed. */
export function fail(error: string, transient = false): never {
  throw new CallFailure({ success: false, error, ...(transient ? { transient } : {}) });
}

/** Returns the result of a call that ended with `fail`; throws any other exception again. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CallFailure) return error.result;
  throw error;
}
