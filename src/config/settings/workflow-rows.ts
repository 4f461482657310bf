// The rows of the settings table about workflows and the people in them. Leaves all other rows to settings.ts.
import { row } from "./setting-row.js";
import { convertWith, eitherType, listType, textType } from "./value-type.js";
import { path, text, texts } from "./value-types.js";
import { DEFAULT_WORKFLOW, NAME_PATTERN } from "../../workflow/words.js";

const nameRule = "a name (a small letter, then at most 39 small letters, digits, dashes and underscores)";
const name = textType(nameRule, { pattern: NAME_PATTERN });
const names = listType(name, "a list of stages' names");

const receiverRule = "a command line or a URL, or a list of these";
const receivers = eitherType(
  receiverRule,
  listType(text, receiverRule),
  convertWith(text, (one) => [one], receiverRule),
  "list",
);

export const WORKFLOW_ROWS = {
  workflow: row(name, "The workflow of tasks that name none; `looper workflows` lists them.", {
    default: DEFAULT_WORKFLOW,
    flag: { name: "--workflow", value: "name", help: "the workflow of tasks" },
  }),
  tasks_dir: row(
    path,
    "The folder of the documents and outputs of tasks in a workflow, relative to the project.",
    { default: ".looper/tasks" },
  ),
  "ask.to": row(texts, "The people who are asked, as notifications name them.", { default: [] }),
  "ask.auto_approve": row(
    names,
    "Stages whose question is answered with its first outcome; each is recorded.",
    {
      default: [],
    },
  ),
  "hooks.notification": row(
    receivers,
    "Commands (event as JSON on stdin) or URLs (POST) told when a person is asked, a task is blocked or merged, or a run ends.",
    { default: [] },
  ),
} as const;
