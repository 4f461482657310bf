// Which tools a rule means by the name before its bracket: canonical, of another vocabulary, or with `*`. Pure.
import { covers, STAR } from "./wildcard.js";

/** Tools of the vocabularies whose names do not become canonical by themselves. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash_execute", "run_command"],
  bashoutput: ["bash_output"],
  killshell: ["bash_kill"],
  read: ["fs_readFile"],
  read_file: ["fs_readFile"],
  write: ["fs_writeFile"],
  write_file: ["fs_writeFile"],
  edit: ["fs_edit", "fs_multiEdit", "fs_writeFile", "notebook_edit"],
  str_replace: ["fs_edit"],
  multiedit: ["fs_multiEdit"],
  glob: ["fs_glob"],
  grep: ["fs_grep"],
  ls: ["fs_listFiles"],
  list_files: ["fs_listFiles"],
  notebookread: ["notebook_read"],
  notebookedit: ["notebook_edit"],
  todoread: ["todo_read"],
  todowrite: ["todo_write"],
  webfetch: ["web_fetch"],
  web_extract: ["web_fetch"],
  websearch: ["web_search"],
  task: ["agent_task"],
  agent: ["agent_task"],
  slashcommand: ["slash_command"],
};

/** What a rule against them means as well: whoever may not edit a file may not replace or remove it either. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  read: ["fs_grep", "fs_glob", "fs_listFiles", "notebook_read", "context_readDocument"],
  edit: ["fs_mkdir", "fs_move", "fs_delete"],
  write: ["fs_edit", "fs_multiEdit", "notebook_edit", "fs_mkdir", "fs_move", "fs_delete"],
};

/** Lower case, `_` for the dot that some write. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[.-]/g, "_");
}

/** The plain names a rule's name stands for, each maybe with `STAR`. `wide`: the rule is against them. */
export function toolsNamed(name: string, wide: boolean): readonly string[] {
  const plain = plainName(name);
  const found = Object.hasOwn(OTHER_NAMES, plain)
    ? (OTHER_NAMES[plain] ?? [])
    : [plain.replaceAll("*", STAR)];
  const more = wide && Object.hasOwn(WIDER, plain) ? (WIDER[plain] ?? []) : [];
  return [...found, ...more].map((one) => plainName(one));
}

/** Whether one of the names stands for the tool. */
export function isNamed(names: readonly string[], tool: string): boolean {
  return names.some((name) => covers(name, plainName(tool)));
}
