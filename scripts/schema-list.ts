// Every schema the project publishes: its path in the package, and the code it is made from. The build writes them into dist/;
// schemas.mjs keeps the few that people read in the repository.
import { Workflow } from "../src/workflow/workflow.js";
import { z } from "zod";
import { Script } from "../src/agents/hosted/play.js";
import { ChapoEvent } from "../src/chapo/engine/events.js";
import { ChapoScript } from "../src/chapo/models/scripted.js";
import { settingsJsonSchema } from "../src/config/settings/settings-schema.js";
import { eventJsonSchema } from "../src/logging/events/events.js";
import { backlogJsonSchema, summaryJsonSchema } from "../src/todo/check/schema.js";
import * as backlog from "../src/ui/shapes/backlog.js";
import * as chapo from "../src/ui/shapes/project.js";
import * as logs from "../src/ui/shapes/runs.js";
import * as project from "../src/ui/shapes/project.js";
import * as questions from "../src/ui/shapes/workflows.js";
import * as release from "../src/ui/shapes/project.js";
import * as runs from "../src/ui/shapes/runs.js";
import * as work from "../src/ui/shapes/work.js";
import * as workflows from "../src/ui/shapes/workflows.js";
import { OUTPUTS, outputJsonSchema, type OutputName } from "../src/workflow/outputs/outputs.js";

/** A published schema: the path by which the package exports it, and the function whose result the file holds. */
export interface PublishedSchema {
  path: string;
  make: () => unknown;
}

/**
 * The output of commands with `--json`: each shape of src/ui/shapes that is called so, `RescueShowAnswer` as
 * `schemas/cli/rescue-show.schema.json`.
 */
const CLI = Object.entries({
  ...backlog,
  ...chapo,
  ...logs,
  ...project,
  ...questions,
  ...release,
  ...runs,
  ...work,
  ...workflows,
})
  .flatMap(([name, shape]) =>
    name.endsWith("Answer") && shape instanceof z.ZodType ? [{ name, shape }] : [],
  )
  .map(({ name, shape }) => ({ words: wordsOf(name), shape }));

/** `RescueShowAnswer`: rescue, show. */
function wordsOf(name: string): string[] {
  return (name.slice(0, -"Answer".length).match(/[A-Z][a-z]*/g) ?? []).map((word) => word.toLowerCase());
}

export const PUBLISHED: readonly PublishedSchema[] = [
  { path: "run.schema.json", make: backlogJsonSchema },
  { path: "schemas/cli/chapo.schema.json", make: () => titled("looper chapo --json: one line", ChapoEvent) },
  ...CLI.map(({ words, shape }) => ({
    path: `schemas/cli/${words.join("-")}.schema.json`,
    make: () => titled(`looper ${words.join(" ")} --json`, shape),
  })),
  {
    path: "schemas/chapo-script.schema.json",
    make: () => titled("Script of Chapo's scripted model", ChapoScript),
  },
  { path: "schemas/config.schema.json", make: settingsJsonSchema },
  { path: "schemas/event.schema.json", make: eventJsonSchema },
  ...Object.keys(OUTPUTS).map((name) => ({
    path: `schemas/output/${name}.schema.json`,
    make: () => outputJsonSchema(name as OutputName),
  })),
  { path: "schemas/scripted.schema.json", make: () => titled("Script of the scripted agent", Script) },
  { path: "schemas/summary.schema.json", make: summaryJsonSchema },
  { path: "schemas/workflow.schema.json", make: () => titled("Workflow", Workflow) },
];

/** Those that are also in the repository, at the same path: readers and editors use them there. */
export const STORED: readonly PublishedSchema[] = PUBLISHED.filter(({ path }) =>
  /^(?:run|schemas\/(?:config|event|workflow|output\/[^/]+))\.schema\.json$/.test(path),
);

/** The file's whole text. */
export function schemaText({ make }: PublishedSchema): string {
  return `${JSON.stringify(make(), undefined, 2)}\n`;
}

function titled(title: string, schema: z.ZodType): unknown {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, title, ...shape };
}
