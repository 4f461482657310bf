// `looper config`: the settings in force, and where each comes from. Leaves resolving them to src/config.
import { configAnswer, narrowToKey, settingsFilesAnswer } from "../../../src/ui/answers/project/config.js";
import { findFolder } from "../../../src/config/project/open-project.js";
import { ROWS, rowOf } from "../../../src/config/settings/settings.js";
import { UserError } from "../../../src/system/errors.js";
import { nearest } from "../../../src/system/text/nearest.js";
import { didYouMean } from "../../../src/todo/model/problem.js";
import { jsonText } from "../../../src/ui/json-text.js";
import type { ConfigAnswer } from "../../../src/ui/shapes/project.js";
import { coloursFor } from "../../../src/ui/colours.js";
import { tableLines } from "../../../src/ui/terminal/columns.js";
import { clean } from "../../../src/ui/text.js";
import { printJson, printLines, projectOf } from "../../lookup/project.js";
import {
  hasFlag,
  type CommandOutcome,
  type CommandContext,
  type Typed,
} from "../../context/command-context.js";
import { CONFIG_VERBS } from "../../context/words.js";
import { changeSetting } from "./config-set.js";

/** Prints all settings, one of them or their files; or changes one. */
export async function config(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const [verb, key] = typed.operands;
  // `path` must work when the settings are broken.
  if (verb === "path") return showPaths(context, typed, key);
  if (verb === "set" || verb === "unset") return change(context, typed);
  if (hasFlag(typed, "--user"))
    throw new UserError("usage", "--user is for set and unset", "looper config set --user KEY VALUE");
  if (verb !== undefined && verb !== "get")
    throw new UserError(
      "usage",
      `looper config has no verb ${verb}`,
      didYouMean(nearest(verb, CONFIG_VERBS), "get KEY, set KEY VALUE, unset KEY, or path"),
    );
  if (typed.operands.length > 2)
    throw new UserError(
      "usage",
      "looper config get takes one setting",
      "looper config get loop.max_attempts",
    );
  const answer = await answerOf(context);
  return verb === "get"
    ? get(context, typed, answer, key)
    : show(context, typed, answer, allLines(context, answer));
}

/** With `--json` it prints the setting in force after the change. */
async function change(context: CommandContext, typed: Typed): Promise<CommandOutcome> {
  const key = await changeSetting(context, typed);
  if (!hasFlag(typed, "--json")) return "ok";
  await printJson(context, narrowToKey(await answerOf(context), key));
  return "ok";
}

async function answerOf(context: CommandContext): Promise<ConfigAnswer> {
  return configAnswer(context.ports.files, await projectOf(context), context);
}

async function showPaths(
  context: CommandContext,
  typed: Typed,
  key: string | undefined,
): Promise<CommandOutcome> {
  if (key !== undefined)
    throw new UserError("usage", "looper config path takes no more words", "looper config path");
  const project = await findFolder(context.ports.files, context);
  const answer = await settingsFilesAnswer(context.ports.files, project, context);
  const lines = answer.files.map(
    ({ path: file, exists }) => `${clean(file)}${exists ? "" : "  (not there)"}`,
  );
  return show(context, typed, answer, lines);
}

async function get(
  context: CommandContext,
  typed: Typed,
  answer: ConfigAnswer,
  key: string | undefined,
): Promise<CommandOutcome> {
  if (key === undefined)
    throw new UserError("usage", "no setting is named", "looper config get loop.max_attempts");
  const narrowed = narrowToKey(answer, key);
  const { settings } = narrowed;
  if (settings.length === 0) throw nothingAt(key, answer);
  const [only] = settings;
  const lines =
    settings.length === 1 && only?.key === key
      ? [plain(only.value)]
      : settings.map((one) => `${one.key} = ${plain(one.value)}`);
  return show(context, typed, narrowed, lines.map(clean));
}

/** A setting without a value ends with no; an unknown key is a usage error. */
function nothingAt(key: string, { settings }: ConfigAnswer): UserError {
  const others = "list settings with a value with `looper config`";
  if (rowOf(key) !== undefined || [...ROWS.keys()].some((known) => known.startsWith(`${key}.`)))
    return new UserError("no", `${key} has no value`, others);
  const known = [...settings.map((one) => one.key), ...ROWS.keys()].filter((one) => !one.includes("*"));
  return new UserError("usage", `unknown setting ${key}`, didYouMean(nearest(key, known), others));
}

async function show(
  context: CommandContext,
  typed: Typed,
  answer: ConfigAnswer,
  lines: readonly string[],
): Promise<CommandOutcome> {
  if (hasFlag(typed, "--json")) await printJson(context, answer);
  else await printLines(context.out, lines);
  return "ok";
}

/** The widest value that keeps the sources aligned. */
const VALUE_WIDTH = 48;

function allLines({ out }: CommandContext, { settings }: ConfigAnswer): string[] {
  const colours = coloursFor(out.colour);
  const rows = settings.map(({ key, value, layer, where }) =>
    [key, plain(value), where === "" ? layer : where].map(clean),
  );
  const columns = [
    { title: "setting" },
    { title: "value", shrinks: true, most: VALUE_WIDTH },
    { title: "from", shrinks: true },
  ] as const;
  const { header, lines } = tableLines(columns, rows, out.isTerminal ? out.columns() : undefined);
  return [
    colours.dim(header),
    ...lines.map((line, at) => (settings[at]?.layer === "default" ? colours.dim(line) : line)),
  ];
}

/** A text unchanged, other values as JSON. */
function plain(value: unknown): string {
  return typeof value === "string" ? value : jsonText(value);
}
