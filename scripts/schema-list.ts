// Every schema the project publishes: its path in the package, and the code it is made from. The build writes them into dist/;
// schemas.mjs keeps the few that people read in the repository.
import { Workflow } from "../src/workflow/workflow.js";
import { z } from "zod";
import { Script } from "../src/agents/hosted/script.js";
import { ChapoEvent } from "../src/chapo/engine/events.js";
import { ChapoScript } from "../src/chapo/models/scripted.js";
import { settingsJsonSchema } from "../src/config/settings/settings-schema.js";
import { eventJsonSchema } from "../src/logging/events/events.js";
import { backlogJsonSchema, summaryJsonSchema } from "../src/todo/check/schema.js";
import { QuestionsAnswer } from "../src/ui/shapes/questions.js";
import { EditAnswer, FmtAnswer, ListAnswer, ValidateAnswer, WhyAnswer } from "../src/ui/shapes/backlog.js";
import {
  ChapoPendingAnswer,
  ChapoUndoAnswer,
  ChapoPromptsAnswer,
  ChapoSessionsAnswer,
  ChapoToolsAnswer,
} from "../src/ui/shapes/chapo.js";
import { LogsAnswer } from "../src/ui/shapes/logs.js";
import { CompletionAnswer, ConfigAnswer, DoctorAnswer, InitAnswer } from "../src/ui/shapes/project.js";
import { PushAnswer } from "../src/ui/shapes/release.js";
import {
  CleanAnswer,
  PlanAnswer,
  ReplayAnswer,
  ReplayAtAnswer,
  RunsAnswer,
  ShowAnswer,
  StatusAnswer,
  StopAnswer,
} from "../src/ui/shapes/runs.js";
import {
  RescueDropAnswer,
  RescueListAnswer,
  RescueRestoreAnswer,
  RescueShowAnswer,
  UndoAnswer,
} from "../src/ui/shapes/work.js";
import {
  WorkflowAnswer,
  WorkflowCheckAnswer,
  WorkflowCopyAnswer,
  WorkflowsAnswer,
} from "../src/ui/shapes/workflows.js";
import { OUTPUTS, outputJsonSchema, type OutputName } from "../src/workflow/outputs/outputs.js";

/** A published schema: the path by which the package exports it, and the function whose result the file holds. */
export interface PublishedSchema {
  path: string;
  make: () => unknown;
}

/** The output of commands with `--json`: `schemas/cli/<name>.schema.json`, its title, its shape. */
const CLI: readonly (readonly [string, string, z.ZodType])[] = [
  ["chapo", "looper chapo --json: one line", ChapoEvent],
  ["chapo-prompts", "looper chapo prompts --json", ChapoPromptsAnswer],
  ["chapo-pending", "looper chapo pending --json", ChapoPendingAnswer],
  ["chapo-sessions", "looper chapo sessions --json", ChapoSessionsAnswer],
  ["chapo-undo", "looper chapo undo SESSION --json", ChapoUndoAnswer],
  ["chapo-tools", "looper chapo tools --json", ChapoToolsAnswer],
  ["clean", "looper clean --json", CleanAnswer],
  ["completion", "looper completion SHELL --json", CompletionAnswer],
  ["config", "looper config --json", ConfigAnswer],
  ["doctor", "looper doctor --json", DoctorAnswer],
  ["edit", "looper add, set, block, todo, done, rm, accept --json", EditAnswer],
  ["fmt", "looper fmt --json", FmtAnswer],
  ["init", "looper init --json", InitAnswer],
  ["logs", "looper logs ID --json", LogsAnswer],
  ["ls", "looper ls --json", ListAnswer],
  ["push", "looper push --json", PushAnswer],
  ["replay", "looper replay --json", ReplayAnswer],
  ["replay-at", "looper replay --at SEQ --json", ReplayAtAnswer],
  ["rescue-drop", "looper rescue drop ID --json", RescueDropAnswer],
  ["rescue-list", "looper rescue --json", RescueListAnswer],
  ["rescue-restore", "looper rescue restore ID --json", RescueRestoreAnswer],
  ["rescue-show", "looper rescue show ID --json", RescueShowAnswer],
  ["run-dry-run", "looper run --dry-run --json", PlanAnswer],
  ["runs", "looper runs --json", RunsAnswer],
  ["show", "looper show ID --json", ShowAnswer],
  ["status", "looper status --json", StatusAnswer],
  ["stop", "looper stop --json", StopAnswer],
  ["undo", "looper undo --json", UndoAnswer],
  ["validate", "looper validate --json", ValidateAnswer],
  ["why", "looper why --json", WhyAnswer],
  ["questions", "looper questions --json", QuestionsAnswer],
  ["workflows", "looper workflows --json", WorkflowsAnswer],
  ["workflows-check", "looper workflows check FILE --json", WorkflowCheckAnswer],
  ["workflows-copy", "looper workflows copy NAME --json", WorkflowCopyAnswer],
  ["workflows-show", "looper workflows show NAME --json", WorkflowAnswer],
];

export const PUBLISHED: readonly PublishedSchema[] = [
  { path: "run.schema.json", make: backlogJsonSchema },
  ...CLI.map(([name, title, shape]) => ({
    path: `schemas/cli/${name}.schema.json`,
    make: () => titled(title, shape),
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
