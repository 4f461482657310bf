// The templates of tasks: `.looper/templates/NAME.json` holds the values with which `looper add --template NAME` begins a task.
import path from "node:path";
import { readInside } from "../../src/config/workflows/read-inside.js";
import type { Project } from "../../src/config/project/open-project.js";
import { UserError } from "../../src/system/errors.js";
import { nearest } from "../../src/system/text/nearest.js";
import { parseJson } from "../../src/system/text/json.js";
import { readAssignment, type Assignment } from "../../src/todo/change/assignment.js";
import { didYouMean } from "../../src/todo/model/problem.js";
import { clean } from "../../src/ui/text.js";
import { textFlag, type CommandContext, type Typed } from "../context/command-context.js";
import { projectOf, shownPath } from "./project.js";

/** Keys that a new task has from elsewhere. */
const NOT_HERE: readonly string[] = ["title", "status", "blockers", "result"];

/** The values of the template that was typed; none without one. */
export async function readTemplate(context: CommandContext, typed: Typed): Promise<Assignment[]> {
  const name = textFlag(typed, "--template");
  if (name === undefined) return [];
  const project = await projectOf(context, { file: textFlag(typed, "--file"), quiet: true });
  if (!/^[A-Za-z0-9][\w.-]*$/u.test(name))
    throw new UserError(
      "usage",
      `${JSON.stringify(name)} is not the name of a template`,
      "name a file of .looper/templates without its ending",
    );
  const file = path.join(folderOf(project), `${name}.json`);
  if ((await context.ports.files.stat(file)) === undefined) throw await noTemplate(context, project, name);
  const shown = clean(shownPath(context, file));
  const bytes = await readInside(context.ports.files, file, project.folder);
  if (!bytes.ok)
    throw new UserError("usage", `${shown} cannot be read: ${bytes.error}`, "correct the template");
  const read = parseJson(new TextDecoder().decode(bytes.value));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw new UserError("usage", `${shown} is not a JSON object`, 'e.g. {"priority": 1, "tags": ["bug"]}');
  return Object.entries(read).flatMap(([key, value]) => readValue(shown, key, value));
}

/** The folder of the project's templates. */
function folderOf({ folder }: Project): string {
  return path.join(folder, ".looper", "templates");
}

/** The names of the project's templates. */
export async function listTemplates({ ports }: CommandContext, project: Project): Promise<string[]> {
  const names = await ports.files.list(folderOf(project));
  return names.flatMap((one) => (one.endsWith(".json") ? one.slice(0, -".json".length) : [])).sort();
}

async function noTemplate(context: CommandContext, project: Project, name: string): Promise<UserError> {
  const names = await listTemplates(context, project);
  const known = names.length === 0 ? "write .looper/templates/NAME.json" : `there are: ${names.join(", ")}`;
  return new UserError(
    "usage",
    `there is no template ${name}`,
    clean(didYouMean(nearest(name, names), known)),
  );
}

/** The value of a key, read as `looper set` reads it. */
function readValue(file: string, key: string, value: unknown): Assignment[] {
  if (NOT_HERE.includes(key))
    throw new UserError("usage", `${file}: a template cannot set ${key}`, "leave the key out");
  const texts = toTexts(value);
  if (texts === undefined) {
    const message = `${file}: ${clean(key)} must be a text, a number or a list of texts`;
    throw new UserError("usage", message, "correct the template");
  }
  return texts.map((text) => {
    const read = readAssignment(`${key}${Array.isArray(value) ? "+=" : "="}${text}`);
    if (read.ok) return read.value;
    throw new UserError("usage", clean(`${file}: ${read.error.message}`), clean(read.error.hint));
  });
}

function toTexts(value: unknown): string[] | undefined {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((one): one is string => typeof one === "string");
  return texts.length === value.length ? texts : undefined;
}
