// The tools for a person's own client: they read and edit the backlog as the commands do, so that a run in
// progress is told, and answer questions where the person allowed it.
import { z } from "zod";
import { usageError } from "../../../src/system/errors.js";
import { given } from "../../../src/system/given.js";
import { requireTask, type PersonEdit } from "../../../src/todo/change/person-edits.js";
import { STATUSES } from "../../../src/todo/model/status.js";
import { OptionalKey, TaskValues } from "../../../src/todo/model/changes/person-change.js";
import { addTasks, edit } from "../../lookup/edit.js";
import { nameOfUser } from "../../lookup/caller.js";
import type { CommandContext } from "../../context/command-context.js";
import { makeReader, makeTool, type McpOffer, type McpTool } from "./serve.js";
import type { CommandAnswer } from "../../context/command.js";

interface PersonSite {
  context: CommandContext;
  /** The task file as typed. */
  file: string | undefined;
  allowAnswers: boolean;
}

const INSTRUCTIONS =
  "Looper works through a backlog of tasks with coding agents. These tools list, show, add and edit its tasks and show the state of its runs. They do not start a run: that is `looper run`.";

const { status: _status, blockers: _blockers, result: _result, workflow, ...VALUES } = TaskValues.shape;
const CLEARED = OptionalKey.exclude(["workflow", "result"]);

export function personOffer(site: PersonSite): McpOffer {
  const tools = [
    ...readingTools(site),
    ...editingTools(site),
    ...(site.allowAnswers ? [answerTool(site)] : []),
  ];
  return { version: site.context.version, instructions: INSTRUCTIONS, tools };
}

function readingTools(site: PersonSite): McpTool[] {
  const { context, file } = site;
  return [
    listTool(site),
    makeReader(
      "show_task",
      "Shows a task with all of its fields and every attempt at it.",
      { id: z.string() },
      async ({ id }) => {
        const { command } = await import("../show.js");
        return askCommand(command.answer(context, { id, file }));
      },
    ),
    makeReader(
      "status",
      "The run in progress or the last one, and how many tasks are left.",
      {},
      async () => {
        const { command } = await import("../status.js");
        return askCommand(command.answer(context, {}));
      },
    ),
    makeReader("questions", "The questions that wait for a person, the oldest first.", {}, async () => {
      const { command } = await import("../questions.js");
      return askCommand(command.answer(context, { file, json: true }));
    }),
  ];
}

function listTool({ context, file }: PersonSite): McpTool {
  return makeReader(
    "list_tasks",
    "Lists tasks in the order a run takes them, without their long texts.",
    {
      status: z.enum(STATUSES).optional(),
      tag: z.string().optional(),
      ready: z.boolean().optional().describe("Only tasks that a run could take now"),
      offset: z.int().min(0).optional(),
      limit: z.int().min(1).max(1000).optional().describe("50, unless given"),
    },
    async ({ offset = 0, limit = 50, status, tag, ready }) => {
      const list = await import("../ls.js");
      const wanted = { words: file === undefined ? [] : [file], status, tag, ready };
      return briefly(await askCommand(list.answer(context, wanted)), offset, limit);
    },
  );
}

/** A page of the list, with the short fields of each task. */
function briefly(answer: Record<string, unknown>, offset: number, limit: number): object {
  const all = z.array(z.looseObject({ id: z.string(), title: z.string() })).parse(answer["tasks"]);
  const keys = "id title status priority ready waits_for tags agent workflow blockers".split(" ");
  const tasks = all
    .slice(offset, offset + limit)
    .map((task) =>
      Object.fromEntries(keys.flatMap((key) => (task[key] === undefined ? [] : [[key, task[key]]]))),
    );
  const rest = given({ wrong: answer["wrong"], warnings: answer["warnings"] });
  return { file: answer["file"], total: all.length, offset, tasks, ...rest };
}

function editingTools(site: PersonSite): McpTool[] {
  return [
    makeTool(
      {
        name: "add_task",
        description:
          "Adds a task. Commands in `verify` are asked about by the next run before anything runs them.",
      },
      { ...VALUES, workflow, title: z.string().trim().min(1) },
      (values) => makeEdit(site, addTasks([values]), values.workflow),
    ),
    makeTool(
      {
        name: "edit_task",
        description:
          "Changes a task: the given keys get the given values. Status `todo` makes it a task again, `done` marks it as done by hand.",
      },
      {
        id: z.string(),
        ...VALUES,
        status: z.enum(["todo", "blocked", "done"]).optional(),
        blockers: z.array(z.string()).optional().describe("Why it is blocked"),
        clear: z.array(CLEARED).optional().describe("Keys that are removed"),
      },
      ({ id, clear = [], ...set }) => {
        if (Object.keys(set).length === 0 && clear.length === 0)
          throw usageError("edit_task: nothing is to be changed", "give a key and its value");
        const isOpenAgain = (set.status === "todo" || set.status === "done") && set.blockers === undefined;
        const cleared = isOpenAgain ? [...new Set([...clear, "blockers" as const])] : clear;
        return makeEdit(site, ({ tasks }) => [
          { op: "edit", id: requireTask(tasks, id).id, set, clear: cleared },
        ]);
      },
    ),
  ];
}

/** As the editing commands do. Its checks are not approved: a client is not the person at the keyboard. */
function makeEdit({ context, file }: PersonSite, decide: PersonEdit, name?: string): Promise<object> {
  const workflow = { names: [name], namedBy: "workflow" };
  return askCommand(edit(context, { file }, { decide, say: () => [], workflow }));
}

function answerTool(site: PersonSite): McpTool {
  return makeTool(
    {
      name: "answer",
      description:
        "Answers an open question in the name of the person. Only after the person said what the answer is.",
    },
    {
      id: z.string().describe("The task, or the question's id"),
      outcome: z.string().optional().describe("One of the question's outcomes"),
      text: z.string().optional().describe("The answer to a question without outcomes"),
      comment: z.string().optional().describe("A remark for those who work on it next"),
      shown_sha256: z.string().optional().describe("The digest of what was shown to the person"),
    },
    async ({ id, outcome, text, comment, shown_sha256: shown }) => {
      if (outcome !== undefined && text !== undefined)
        throw usageError("answer: give the outcome or the text, not both");
      const { context, file } = site;
      const person = { by: nameOfUser(context.env), via: "mcp" as const };
      const said = given({ outcome: outcome ?? text, message: comment, shown, file });
      const { command } = await import("../answer.js");
      return askCommand(command.answer({ ...context, person }, { id, ...said }));
    },
  );
}

/** The JSON that a command answers, with the problem of the file that it read. */
async function askCommand(
  asking: Promise<Pick<CommandAnswer, "json" | "problem">>,
): Promise<Record<string, unknown>> {
  const { json, problem } = await asking;
  const answer = json as Record<string, unknown>;
  return problem === undefined ? answer : { ...answer, warnings: [problem] };
}
