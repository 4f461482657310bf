// The flags of `looper run` that set a setting: name, help, default and type from the table of settings.
import { Option } from "commander";
import { ROWS, namesAgents, takesList } from "../../src/config/settings/settings.js";
import type { Row, SettingFlag } from "../../src/config/settings/setting-row.js";
import { list } from "./command.js";

/** In the order of the table; behind a switch the hidden one that turns it off. */
export const SETTING_OPTIONS: readonly Option[] = [...ROWS.values()].flatMap((row) =>
  row.flag === undefined ? [] : toOptions(row, row.flag),
);

/** The option of this name, for another command that takes it too; `help` for what it means there. */
export function settingOption(name: string, help?: string): Option {
  for (const row of ROWS.values()) {
    if (row.flag?.name !== name) continue;
    const [option] = toOptions(row, help === undefined ? row.flag : { ...row.flag, help });
    if (option !== undefined) return option;
  }
  throw new Error(`no setting has the flag ${name}`);
}

function toOptions(row: Row, { name, value, help }: SettingFlag): Option[] {
  const said = help ?? firstClause(row.doc);
  if (value === undefined) return [new Option(name, said), new Option(oppositeOf(name)).hideHelp()];
  const spelled = `${name} <${value}>`;
  if (takesList(row) && !namesAgents(row)) return [list(spelled, `${said}; repeatable${defaultText(row)}`)];
  return [new Option(spelled, `${said}${defaultText(row)}`)];
}

/** The beginning of a setting's sentence, without its marks of code. */
function firstClause(doc: string): string {
  const [clause = ""] = doc.split(/[;.](?:\s|$)/, 1);
  return `${clause.charAt(0).toLowerCase()}${clause.slice(1)}`.replaceAll("`", "");
}

function defaultText({ default: value }: Row): string {
  const text = Array.isArray(value) ? value.join(",") : value;
  const isShown = (typeof text === "string" && text !== "") || typeof text === "number";
  return isShown ? ` (default: ${String(text)})` : "";
}

function oppositeOf(name: string): string {
  return name.startsWith("--no-") ? `--${name.slice("--no-".length)}` : name.replace("--", "--no-");
}
