// The names a model calls tools by: three vocabularies for the same tools. Pure. A tool itself accepts other spellings of
// its fields.
import type { OfferedTool } from "./model.js";
import type { ToolParameters, Tool } from "./tool.js";
import { isRecord } from "../system/text/json.js";

export type Vocabulary = "chapo" | "claude" | "anvil";

/** A tool under another name, with the fields that are shown. */
interface Word {
  name: string;
  /** The tool's canonical name. */
  tool: string;
  /** `file_path=path` shows the tool's `path` as `file_path`; `?` at the end: optional. */
  fields: readonly string[];
}

const EDITED = ["old_string", "new_string", "replace_all?"];

const WORDS: Readonly<Record<Vocabulary, readonly Word[]>> = {
  // Only for the fields that are shown: the others are accepted too.
  chapo: [
    { name: "bash_execute", tool: "bash_execute", fields: ["command", "timeout?", "background?"] },
    { name: "bash_output", tool: "bash_output", fields: ["id?"] },
    { name: "bash_kill", tool: "bash_kill", fields: ["id?"] },
    { name: "fs_glob", tool: "fs_glob", fields: ["pattern"] },
    { name: "fs_grep", tool: "fs_grep", fields: ["pattern", "path?", "glob?", "flags?"] },
    { name: "agent_task", tool: "agent_task", fields: ["agent_type", "prompt"] },
    { name: "memory_search", tool: "memory_search", fields: ["query"] },
  ],
  claude: [
    { name: "Read", tool: "fs_readFile", fields: ["file_path=path", "offset?", "limit?"] },
    { name: "Write", tool: "fs_writeFile", fields: ["file_path=path", "content"] },
    { name: "Edit", tool: "fs_edit", fields: ["file_path=path", ...EDITED] },
    { name: "MultiEdit", tool: "fs_multiEdit", fields: ["file_path=path?", "edits"] },
    { name: "Glob", tool: "fs_glob", fields: ["pattern"] },
    { name: "Grep", tool: "fs_grep", fields: ["pattern", "path?", "flags?"] },
    { name: "LS", tool: "fs_listFiles", fields: ["path"] },
    { name: "Bash", tool: "bash_execute", fields: ["command", "description?", "timeout?", "background?"] },
    { name: "BashOutput", tool: "bash_output", fields: ["id"] },
    { name: "KillShell", tool: "bash_kill", fields: ["id?"] },
    { name: "TodoWrite", tool: "todo_write", fields: ["todos"] },
    { name: "TodoRead", tool: "todo_read", fields: [] },
    { name: "WebFetch", tool: "web_fetch", fields: ["url"] },
    { name: "WebSearch", tool: "web_search", fields: ["query"] },
    { name: "NotebookRead", tool: "notebook_read", fields: ["path"] },
    { name: "NotebookEdit", tool: "notebook_edit", fields: ["path", "cell_idx", "content"] },
    { name: "Task", tool: "agent_task", fields: ["agent_type", "prompt"] },
    { name: "Agent", tool: "agent_task", fields: ["agent_type", "prompt"] },
    { name: "ExitPlanMode", tool: "exit_plan_mode", fields: ["plan?"] },
    { name: "SlashCommand", tool: "slash_command", fields: ["command"] },
  ],
  anvil: [
    { name: "read_file", tool: "fs_readFile", fields: ["path", "offset?", "limit?"] },
    { name: "write_file", tool: "fs_writeFile", fields: ["path", "contents=content"] },
    { name: "str_replace", tool: "fs_edit", fields: ["path", ...EDITED] },
    { name: "grep", tool: "fs_grep", fields: ["pattern", "path?"] },
    { name: "glob", tool: "fs_glob", fields: ["pattern"] },
    { name: "list_files", tool: "fs_listFiles", fields: ["path"] },
    { name: "run_command", tool: "run_command", fields: ["command", "timeout?"] },
    { name: "web_search", tool: "web_search", fields: ["query", "page?"] },
    { name: "web_extract", tool: "web_fetch", fields: ["url"] },
  ],
};

/**
 * Returns the tools as a model is offered them. A tool without a name in the vocabulary keeps its canonical name. Each tool
 * gets an optional field `agent` with one of `agents`, unless there are none or it has such a field itself.
 */
export function offerTools(
  vocabulary: Vocabulary,
  tools: readonly Tool[],
  agents: readonly string[],
): OfferedTool[] {
  return tools.flatMap((tool) => {
    const words = WORDS[vocabulary].filter((word) => word.tool === tool.name);
    const description = translateNames(vocabulary, tool.description);
    const named =
      words.length === 0
        ? [{ name: tool.name, parameters: tool.parameters }]
        : words.map(({ name, fields }) => ({
            name,
            parameters: selectParameters(tool.parameters, fields, (text) => translateNames(vocabulary, text)),
          }));
    return named.map(({ name, parameters }) => ({
      name,
      description,
      // The schema of an MCP server's tool stays as it is.
      parameters: addAgent(tool.name.startsWith("mcp_") ? parameters : trimObject(parameters), agents),
    }));
  });
}

/** Translates a call to canonical words. Canonical names, `fs_readFile` or `fs.readFile`, are accepted in every vocabulary. */
export function toCanonicalCall(
  vocabulary: Vocabulary,
  name: string,
  args: unknown,
): { name: string; args: unknown } {
  const called = name.trim();
  const words = WORDS[vocabulary];
  const word =
    words.find((one) => one.name === called) ??
    words.find((one) => one.name.toLowerCase() === called.toLowerCase());
  if (word === undefined) return normalizeEdits({ name: called.replaceAll(".", "_"), args });
  const fields = new Map(word.fields.map(readField).map(({ shown, field }) => [shown, field]));
  const renamed = { name: word.tool, args: renameFields(args, fields) };
  return word.name === "Grep" ? toGrepFlags(renamed) : normalizeEdits(renamed);
}

/** Returns the tool that a name of another vocabulary means, in any case. */
export function findTool(name: string): string | undefined {
  const words = [...WORDS.claude, ...WORDS.anvil];
  return words.find((word) => word.name.toLowerCase() === name.toLowerCase())?.tool;
}

/** The values of `output_mode`, as flags of fs_grep. */
const OUTPUT_MODES = new Map<unknown, string>(
  Object.entries({ files_with_matches: "-l", count: "-c", content: "" }),
);

/** Translates the further fields of the claude vocabulary's Grep to the flags of fs_grep. An unknown value stays, and is refused. */
function toGrepFlags({ name, args }: { name: string; args: unknown }): { name: string; args: unknown } {
  if (!isRecord(args)) return { name, args };
  const { output_mode: mode, "-n": _always, ...rest } = args;
  const flags: string[] = typeof rest.flags === "string" ? [rest.flags] : [];
  const left: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (/^-[ABC]$/.test(key) && typeof value === "number") flags.push(`${key} ${value}`);
    else if (key === "-i" && typeof value === "boolean") flags.push(value ? "-i" : "");
    else if (key !== "flags" || typeof value !== "string") left[key] = value;
  }
  const spelled = OUTPUT_MODES.get(mode);
  if (spelled === undefined && mode !== undefined && mode !== null) left["output_mode"] = mode;
  const said = [...flags, spelled ?? ""].filter((flag) => flag !== "").join(" ");
  return { name, args: { ...left, ...(said === "" ? {} : { flags: said }) } };
}

/** Returns the names by which hooks may name a tool: its canonical one and those of Claude Code. */
export function listHookNames(tool: string): string[] {
  return [tool, ...WORDS.claude.filter((word) => word.tool === tool).map(({ name }) => name)];
}

/** Returns a call as Claude Code's hooks know it; a tool without a name there keeps its own. */
export function toHookCall(tool: string, args: unknown): { name: string; args: unknown } {
  const word = WORDS.claude.find((one) => one.tool === tool);
  if (word === undefined) return { name: tool, args };
  const fields = new Map(word.fields.map(readField).map(({ shown, field }) => [field, shown]));
  return { name: word.name, args: renameFields(args, fields) };
}

/** Translates the field `file_path` in the edits of fs_multiEdit, as in the other edits. */
function normalizeEdits({ name, args }: { name: string; args: unknown }): { name: string; args: unknown } {
  if (name !== "fs_multiEdit" || !isRecord(args) || !Array.isArray(args.edits)) return { name, args };
  const edits = args.edits.map((edit: unknown) => renameFields(edit, new Map([["file_path", "path"]])));
  return { name, args: { ...args, edits } };
}

/** Renames fields. An existing field is not overwritten. */
function renameFields(args: unknown, fields: ReadonlyMap<string, string>): unknown {
  if (!isRecord(args)) return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const field = fields.get(key) ?? key;
      return [Object.hasOwn(args, field) ? key : field, value];
    }),
  );
}

function readField(spelled: string): { shown: string; field: string; optional: boolean } {
  const optional = spelled.endsWith("?");
  const [shown = "", field = shown] = spelled.replace("?", "").split("=");
  return { shown, field, optional };
}

/** Returns a tool's parameters with the shown fields, under their names in the vocabulary. */
function selectParameters(
  parameters: ToolParameters,
  spelled: readonly string[],
  inWords: (text: string) => string,
): ToolParameters {
  const all = isRecord(parameters.properties) ? parameters.properties : {};
  const fields = spelled.map(readField).filter(({ field }) => Object.hasOwn(all, field));
  const required = fields.filter(({ optional }) => !optional).map((field) => field.shown);
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map((field) => [field.shown, translateDescription(all[field.field], inWords)]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function translateDescription(field: unknown, inWords: (text: string) => string): unknown {
  if (!isRecord(field) || typeof field.description !== "string") return field;
  return { ...field, description: inWords(field.description) };
}

/** Words of a schema that the gate checks anyway, and that cost tokens in every request. */
const CHECKED_ANYWAY = new Set([
  ...["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "additionalProperties"],
]);

/** Removes words of a tool's own schema that help no model. */
function trimObject(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (CHECKED_ANYWAY.has(key) && typeof value !== "object") return [];
      return [[key, trimValue(value)]];
    }),
  );
}

function trimValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trimValue);
  return isRecord(value) ? trimObject(value) : value;
}

function addAgent(parameters: ToolParameters, agents: readonly string[]): ToolParameters {
  const properties = isRecord(parameters.properties) ? parameters.properties : {};
  if (agents.length === 0 || Object.hasOwn(properties, "agent")) return parameters;
  const agent = {
    type: "string",
    enum: agents,
    description: "The agent that makes the call; the tool's owner if left out",
  };
  return { ...parameters, properties: { ...properties, agent } };
}

/** Replaces tools' names in a description with the offered ones. */
function translateNames(vocabulary: Vocabulary, text: string): string {
  const names = new Map(WORDS[vocabulary].map((word) => [word.tool, word.name]));
  return text.replaceAll(/\b[a-z]+_[A-Za-z]+\b/g, (name) => names.get(name) ?? name);
}
