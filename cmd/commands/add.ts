// `looper add TITLE`: adds a task; `-`: one per line of stdin; `--import`: the tasks of a file. Prints the
// ids. `.looper/templates/NAME.json` holds the values with which `--template NAME` begins a task.
import path from "node:path";
import { Option } from "commander";
import type { Project } from "../../src/config/project/open-project.js";
import { readInside } from "../../src/system/files/read-inside.js";
import { UserError, usageError } from "../../src/system/errors.js";
import { parseJson } from "../../src/system/text/json.js";
import { hintOn } from "../../src/system/text/nearest.js";
import { readAssignment, type Assignment, insertTasks } from "../../src/todo/change/person-edits.js";
import { planImport } from "../../src/todo/exchange/import/plan.js";
import type { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { clean } from "../../src/ui/text.js";
import { agentOption, list, Sentence } from "../context/command.js";
import type { CommandContext } from "../context/command-context.js";
import { edit, EDITING, type EditingCommand, type SaidEdit } from "../lookup/edit.js";
import { projectOf, shownPath, warn } from "../lookup/project.js";
import { readImportFile } from "./init/backlog.js";

interface Request {
  title?: string;
  import?: string;
  template?: string;
  priority?: string;
  dependsOn?: readonly string[];
  tag?: readonly string[];
  details?: string;
  verify?: readonly string[];
  changes?: readonly string[];
  agent?: string;
  workflow?: string;
  file?: string;
}

const OPTIONS = [
  new Option("--import <file>", "add the tasks of a file (see init); - reads stdin"),
  new Option("--template <name>", "begin as .looper/templates/<name>.json says"),
  new Option("-p, --priority <n>", "1 (first) to 5 (default: 3)"),
  list("--depends-on <ids>", "tasks to do first, as A,B; repeatable"),
  list("--tag <tag>", "a tag; repeatable"),
  new Option("--details <text>", "what an agent must know; - reads stdin"),
  list("--verify <command>", "must pass before it counts as done; repeatable"),
  list("--changes <pattern>", "tests or configuration it may change; repeatable"),
  agentOption("the agent that works on it"),
  new Option("--workflow <name>", "the workflow that it goes through"),
];

export const command: EditingCommand<Request> = {
  ...EDITING,
  arguments: [new Sentence("[title]", "the task in one line; - reads one title a line from stdin", "title")],
  options: [...OPTIONS, ...EDITING.options],
  examples: [
    ['looper add "Dates are right in leap years" -p 1 --tag bug', "add an urgent task"],
    [
      'looper add "Release it" --depends-on T3,T4 --details - < notes.md',
      "add a task that waits for T3 and T4, with details from a file",
    ],
  ],
  answer: async (context, request) => {
    if (request.import !== undefined) return addImported(context, request, request.import);
    const { title = "", details, workflow, verify = [] } = request;
    if (title === "-" && details === "-")
      throw usageError("stdin holds either the titles or the details", "give one of them as a word");
    const titles =
      title === "-"
        ? (await context.stdin.readAll()).split("\n").flatMap((line) => line.trim() || [])
        : [title.trim()];
    if (titles.length === 0 || titles.includes(""))
      throw usageError("a task without a title", 'say what is to be done: looper add "fix the date"');
    const assignments: Assignment[] = [
      ...assign("priority", "=", "3"),
      ...(await readTemplate(context, request)),
      ...assign("priority", "=", request.priority),
      ...assign("details", "=", details === "-" ? (await context.stdin.readAll()).trim() : details),
      ...assign("agent", "=", request.agent),
      ...assign("workflow", "=", workflow),
      ...assign("depends_on", "+=", ...(request.dependsOn ?? [])),
      ...assign("tags", "+=", ...(request.tag ?? [])),
      ...assign("verify", "+=", ...verify),
      ...assign("changes", "+=", ...(request.changes ?? [])),
    ];
    return edit(context, request, {
      decide: insertTasks(titles, assignments),
      say: context.out.isTerminal ? newTasks : newIds,
      commands: verify,
      workflow: {
        names: [assignments.findLast(({ key }) => key === "workflow")?.value],
        namedBy: workflow === undefined ? "--template" : "--workflow",
      },
    });
  },
};

function assign(key: Assignment["key"], how: Assignment["how"], ...values: readonly (string | undefined)[]) {
  return values.flatMap((value) => (value === undefined ? [] : [{ key, how, value }]));
}

/** For a person; a script takes the ids. */
function newTasks({ changed, tasks }: EditAnswer): string[] {
  const added = tasks.filter(({ id }) => changed.some((one) => one.id === id && one.from === null));
  return added.map(({ id, priority, title }) => `${id}  p${String(priority)}  ${clean(title)}`);
}

function newIds({ changed }: EditAnswer): string[] {
  return changed.filter(({ from }) => from === null).map(({ id }) => id);
}

async function addImported(context: CommandContext, request: Request, from: string): Promise<SaidEdit> {
  const given = OPTIONS.find((one) => one.long !== "--import" && one.attributeName() in request);
  const beside = request.title ?? given?.long;
  if (beside !== undefined)
    throw usageError(`cannot use --import with ${beside}`, "looper add --import FILE");
  const project = await projectOf(context, { file: request.file, quiet: true });
  const { drafted } = await readImportFile(context, project, from);
  let notes: readonly string[] = [];
  const answer = await edit(context, request, {
    decide: ({ tasks }) => {
      const planned = planImport(drafted, tasks);
      ({ notes } = planned);
      return planned.tasks.map((task) => ({ op: "insert", task }));
    },
    say: newIds,
  });
  for (const note of notes) await warn(context, note);
  return answer;
}

/** Keys that a new task has from elsewhere. */
const NOT_HERE: readonly string[] = ["title", "status", "blockers", "result"];

/** The values of the template that was typed; none without one. */
async function readTemplate(context: CommandContext, { template: name, file: todoFile }: Request) {
  if (name === undefined) return [];
  const project = await projectOf(context, { file: todoFile, quiet: true });
  if (!/^[A-Za-z0-9][\w.-]*$/u.test(name))
    throw usageError(
      `${JSON.stringify(name)} is not the name of a template`,
      "name a file of .looper/templates without its ending",
    );
  const file = path.join(folderOf(project), `${name}.json`);
  if ((await context.ports.files.stat(file)) === undefined) throw await noTemplate(context, project, name);
  const shown = clean(shownPath(context, file));
  const bytes = await readInside(context.ports.files, file, project.folder);
  if (!bytes.ok) throw usageError(`${shown} cannot be read: ${bytes.error}`, "correct the template");
  const read = parseJson(new TextDecoder().decode(bytes.value));
  if (typeof read !== "object" || read === null || Array.isArray(read))
    throw usageError(`${shown} is not a JSON object`, 'e.g. {"priority": 1, "tags": ["bug"]}');
  return Object.entries(read).flatMap(([key, value]) => readValue(shown, key, value));
}

function folderOf({ folder }: Project): string {
  return path.join(folder, ".looper", "templates");
}

async function noTemplate({ ports }: CommandContext, project: Project, name: string): Promise<UserError> {
  const files = (await ports.files.list(folderOf(project))).filter((one) => one.endsWith(".json"));
  const names = files.map((one) => one.slice(0, -".json".length)).sort();
  const known = names.length === 0 ? "write .looper/templates/NAME.json" : `there are: ${names.join(", ")}`;
  return usageError(`there is no template ${name}`, clean(hintOn(name, names, known)));
}

/** The value of a key, read as `looper set` reads it. */
function readValue(file: string, key: string, value: unknown): Assignment[] {
  if (NOT_HERE.includes(key)) throw usageError(`${file}: a template cannot set ${key}`, "leave the key out");
  const texts = toTexts(value);
  if (texts === undefined) {
    const message = `${file}: ${clean(key)} must be a text, a number or a list of texts`;
    throw usageError(message, "correct the template");
  }
  return texts.map((text) => {
    try {
      return readAssignment(`${key}${Array.isArray(value) ? "+=" : "="}${text}`);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw usageError(clean(`${file}: ${error.message}`), clean(error.hint ?? ""));
    }
  });
}

function toTexts(value: unknown): string[] | undefined {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((one): one is string => typeof one === "string");
  return texts.length === value.length ? texts : undefined;
}
