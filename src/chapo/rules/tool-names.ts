// Expands the tool's name in a rule: canonical, of another vocabulary, or with `*`. Pure.
import { findTool } from "../vocabulary.js";
import { covers, STAR } from "./wildcard.js";

/** The names of other vocabularies that mean more than one tool in a rule. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash_execute", "run_command"],
  edit: ["fs_edit", "fs_multiEdit", "fs_writeFile", "notebook_edit"],
};

/** Further tools that a rule against these names matches: a file that may not be edited may not be replaced or removed either. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  read: ["fs_grep", "fs_glob", "fs_listFiles", "notebook_read", "context_readDocument"],
  edit: ["fs_mkdir", "fs_move", "fs_delete"],
  write: ["fs_edit", "fs_multiEdit", "notebook_edit", "fs_mkdir", "fs_move", "fs_delete"],
};

/** All possible tools, because a rule may name one that this session does not have. */
const CANONICAL: readonly string[] = [
  "fs_listFiles fs_readFile fs_writeFile fs_edit fs_multiEdit fs_mkdir fs_move fs_delete fs_glob fs_grep",
  "bash_execute bash_output bash_kill run_command git_status git_diff git_add git_commit git_push git_pull",
  "github_triggerWorkflow github_getWorkflowRunStatus ssh_execute npm_install npm_run logs_getStagingLogs",
  "pm2_status pm2_restart pm2_stop pm2_start pm2_logs pm2_reloadAll pm2_save web_fetch web_search",
  "todo_write todo_read notebook_read notebook_edit context_listDocuments context_readDocument",
  "context_searchDocuments memory_remember memory_search memory_readToday agent_task slash_command exit_plan_mode",
].flatMap((line) => line.split(" "));

/** Lists the tools that a rule's names match, without those of MCP servers. */
export function listNamedTools(names: readonly string[]): string[] {
  return CANONICAL.filter((tool) => isNamed(names, tool));
}

/**
 * Returns the shell command that a call is equal to, so that a rule against `git push` also applies to `git_push`.
 * `names`: the names among the call's subjects.
 */
export function toCommand(tool: string, names: readonly string[]): string | undefined {
  const [, program, verb] = /^(git|npm|pm2)_([a-z]+)/.exec(tool) ?? [];
  return program === undefined || verb === undefined
    ? undefined
    : [program, verb, ...names].filter((word) => word !== "").join(" ");
}

/** Converts to lower case, with `_` instead of dots and dashes. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[.-]/g, "_");
}

/** Returns the normalized names that a rule's name means, possibly with `STAR`. `wide`: for a rule against them. */
export function expandName(name: string, wide: boolean): readonly string[] {
  const plain = normalizeName(name);
  const tool = findTool(plain);
  const one = tool === undefined ? [plain.replaceAll("*", STAR)] : [tool];
  const found = Object.hasOwn(SEVERAL, plain) ? (SEVERAL[plain] ?? []) : one;
  const more = wide && Object.hasOwn(WIDER, plain) ? (WIDER[plain] ?? []) : [];
  return [...found, ...more].map((one) => normalizeName(one));
}

/** Returns whether one of the names matches the tool. */
export function isNamed(names: readonly string[], tool: string): boolean {
  return names.some((name) => covers(name, normalizeName(tool)));
}

/**
 * Returns the patterns of canonical names that a name in a list of tools means, in any vocabulary: `Read`, `fs.readFile`, `git_*`,
 * `mcp__server__tool`. Empty for an unknown name.
 */
export function toToolPatterns(name: string): readonly string[] {
  const said = name.trim().replaceAll(/[.]/g, "_");
  if (said.endsWith("*") || /^mcp_/i.test(said)) return [said.replaceAll(/__+/g, "_")];
  return listNamedTools(expandName(said, false));
}
