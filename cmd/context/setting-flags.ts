// The flags of `looper run` that set a setting: name, help, default and type from the table of settings.
import { ROWS, namesAgents, takesList, takesPath } from "../../src/config/settings/settings.js";
import type { Row, SettingFlag } from "../../src/config/settings/setting-row.js";
import type { Completes, FlagDefinition } from "./definition.js";

/** In the order of the table. */
export const SETTING_FLAGS: readonly FlagDefinition[] = [...ROWS].flatMap(([key, row]) =>
  row.flag === undefined ? [] : [toDefinition(key, row, row.flag)],
);

/** The flag of this name, for another command that takes it too. */
export function settingFlag(name: string): FlagDefinition {
  const found = SETTING_FLAGS.find(({ spelled }) => spelled.split(" ")[0] === name);
  if (found === undefined) throw new Error(`no setting has the flag ${name}`);
  return found;
}

function toDefinition(key: string, row: Row, { name, value, help }: SettingFlag): FlagDefinition {
  const completes = completesOf(key, row);
  const isRepeatable = takesList(row) && !namesAgents(row);
  const texts = [help ?? firstClause(row.doc), ...(isRepeatable ? ["repeatable"] : [])];
  return {
    spelled: value === undefined ? name : `${name} <${value}>`,
    help: `${texts.join("; ")}${defaultText(row)}`,
    ...(value === undefined ? { opposite: oppositeOf(name) } : {}),
    ...(completes === undefined ? {} : { completes }),
    ...(isRepeatable ? { repeatable: true } : {}),
  };
}

/** The beginning of a setting's sentence, without its marks of code. */
function firstClause(doc: string): string {
  const [clause = ""] = doc.split(/[;.](?:\s|$)/, 1);
  return `${clause.charAt(0).toLowerCase()}${clause.slice(1)}`.replaceAll("`", "");
}

/** A switch shows no default: its name says what it changes. */
function defaultText({ default: value }: Row): string {
  const text = Array.isArray(value) ? value.join(",") : value;
  const isShown = (typeof text === "string" && text !== "") || typeof text === "number";
  return isShown ? ` (default: ${String(text)})` : "";
}

function oppositeOf(name: string): string {
  return name.startsWith("--no-") ? `--${name.slice("--no-".length)}` : name.replace("--", "--no-");
}

function completesOf(key: string, row: Row): Completes | undefined {
  if (key === "schedule.strategy") return "schedule";
  if (key === "workflow") return "workflow";
  if (namesAgents(row)) return takesList(row) ? "agents" : "agent";
  return takesPath(row) ? "file" : undefined;
}
