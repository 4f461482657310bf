// `looper config`: the settings in force, and where each comes from. Leaves resolving them to src/config.
import path from "node:path";
import type { Project } from "../../src/config/open-project.js";
import { PROJECT_FILES, userFiles } from "../../src/config/places.js";
import { spellSettings } from "../../src/config/spell.js";
import { UserError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/nearest.js";
import { didYouMean } from "../../src/todo/problem.js";
import type { ConfigAnswer } from "../../src/ui/shapes.js";
import { coloursFor, wantsColour } from "../../src/ui/terminal/colours.js";
import { tableLines } from "../../src/ui/terminal/columns.js";
import { clean } from "../../src/ui/terminal/text.js";
import { printJson, printLines, projectOf } from "../project.js";
import { hasFlag, type CommandEnd, type Shell, type Typed } from "../shell.js";

const VERBS = ["get", "path"] as const;

/** Prints them all, one, or the files they are read from. */
export async function config(shell: Shell, typed: Typed): Promise<CommandEnd> {
  const [verb, key] = typed.operands;
  const project = await projectOf(shell);
  const settings = spellSettings(project.resolved.values, shell.env).map(({ source, ...one }) => ({
    ...one,
    ...source,
  }));
  const answer: ConfigAnswer = { project: project.folder, files: await filesOf(shell, project), settings };
  if (verb === undefined) return show(shell, typed, answer, allLines(shell, answer));
  if (verb === "get") return get(shell, typed, answer, key);
  if (verb !== "path")
    throw new UserError(
      "usage",
      `looper config has no verb ${verb}`,
      didYouMean(nearest(verb, VERBS), "get KEY, or path"),
    );
  if (key !== undefined)
    throw new UserError("usage", "looper config path takes no more words", "looper config path");
  const lines = answer.files.map(
    ({ path: file, exists }) => `${clean(file)}${exists ? "" : "  (not there)"}`,
  );
  return show(shell, typed, { ...answer, settings: [] }, lines);
}

async function get(
  shell: Shell,
  typed: Typed,
  answer: ConfigAnswer,
  key: string | undefined,
): Promise<CommandEnd> {
  if (key === undefined)
    throw new UserError("usage", "no setting is named", "looper config get loop.max_attempts");
  const settings = answer.settings.filter((one) => one.key === key || one.key.startsWith(`${key}.`));
  if (settings.length === 0) {
    const near = nearest(
      key,
      answer.settings.map((one) => one.key),
    );
    throw new UserError(
      "usage",
      `no setting ${key} has a value`,
      didYouMean(near, "looper config shows those that have"),
    );
  }
  const [only] = settings;
  const lines =
    settings.length === 1 && only?.key === key
      ? [plain(only.value)]
      : settings.map((one) => `${one.key} = ${plain(one.value)}`);
  return show(shell, typed, { ...answer, settings }, lines.map(clean));
}

async function show(
  shell: Shell,
  typed: Typed,
  answer: ConfigAnswer,
  lines: readonly string[],
): Promise<CommandEnd> {
  if (hasFlag(typed, "--json")) await printJson(shell, answer);
  else await printLines(shell.out, lines);
  return "ok";
}

/** The files that are looked for; those that are not there are told of where none of an owner's is. */
async function filesOf(
  { ports, env, home }: Shell,
  { folder, resolved }: Project,
): Promise<ConfigAnswer["files"]> {
  const owners = [
    { owner: "user", candidates: userFiles(env, home) },
    { owner: "project", candidates: PROJECT_FILES.map((name) => path.join(folder, name)) },
  ] as const;
  const files: ConfigAnswer["files"] = [];
  for (const { owner, candidates } of owners) {
    const found = await Promise.all(
      candidates.map(async (file) => ({
        owner,
        path: file,
        exists: (await ports.files.stat(file)) !== undefined,
      })),
    );
    const there = found.filter(({ exists }) => exists);
    // Every npm project has a package.json: it is read where it holds settings.
    const inPackage = [...resolved.values.values()].some(({ source }) =>
      source.where.startsWith("package.json:"),
    );
    if (owner === "project" && inPackage)
      there.push({ owner, path: path.join(folder, "package.json"), exists: true });
    files.push(...(there.length > 0 ? there : found.slice(0, 1)));
  }
  return files;
}

function allLines({ out, env }: Shell, { settings }: ConfigAnswer): string[] {
  const colours = coloursFor(wantsColour(env, out.isTerminal));
  const rows = settings.map(({ key, value, layer, where }) =>
    [key, plain(value), where === "" ? layer : where].map(clean),
  );
  const columns = [{ title: "setting" }, { title: "value", shrinks: true }, { title: "from" }] as const;
  const { header, lines } = tableLines(columns, rows, out.isTerminal ? out.columns() : undefined);
  return [
    colours.dim(header),
    ...lines.map((line, at) => (settings[at]?.layer === "default" ? colours.dim(line) : line)),
  ];
}

/** A text as it is, all else as JSON. */
function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
