// Every schema the project publishes: where it lies, and the code it is made from. schemas.mjs writes them.
import { z } from "zod";
import { Script } from "../src/agents/script.js";
import { settingsJsonSchema } from "../src/config/settings-schema.js";
import { eventJsonSchema } from "../src/logging/events.js";
import { backlogJsonSchema, summaryJsonSchema } from "../src/todo/schema.js";
import {
  capsuleJsonSchema,
  doctorJsonSchema,
  editJsonSchema,
  configJsonSchema,
  fmtJsonSchema,
  runsJsonSchema,
  whyJsonSchema,
  listJsonSchema,
  planJsonSchema,
  replayAtJsonSchema,
  replayJsonSchema,
  replayTreeJsonSchema,
  rescueDropJsonSchema,
  rescueListJsonSchema,
  rescueRestoreJsonSchema,
  rescueShowJsonSchema,
  undoJsonSchema,
  validateJsonSchema,
} from "../src/ui/shapes.js";

/** A published schema: a path from the project's root, and the function whose result the file holds. */
export interface PublishedSchema {
  path: string;
  make: () => unknown;
}

export const PUBLISHED: readonly PublishedSchema[] = [
  { path: "run.schema.json", make: backlogJsonSchema },
  { path: "schemas/cli/capsule.schema.json", make: capsuleJsonSchema },
  { path: "schemas/cli/doctor.schema.json", make: doctorJsonSchema },
  { path: "schemas/cli/ls.schema.json", make: listJsonSchema },
  { path: "schemas/cli/fmt.schema.json", make: fmtJsonSchema },
  { path: "schemas/cli/runs.schema.json", make: runsJsonSchema },
  { path: "schemas/cli/why.schema.json", make: whyJsonSchema },
  { path: "schemas/cli/config.schema.json", make: configJsonSchema },
  { path: "schemas/cli/edit.schema.json", make: editJsonSchema },
  { path: "schemas/cli/replay.schema.json", make: replayJsonSchema },
  { path: "schemas/cli/replay-at.schema.json", make: replayAtJsonSchema },
  { path: "schemas/cli/replay-tree.schema.json", make: replayTreeJsonSchema },
  { path: "schemas/cli/rescue-drop.schema.json", make: rescueDropJsonSchema },
  { path: "schemas/cli/rescue-list.schema.json", make: rescueListJsonSchema },
  { path: "schemas/cli/rescue-restore.schema.json", make: rescueRestoreJsonSchema },
  { path: "schemas/cli/rescue-show.schema.json", make: rescueShowJsonSchema },
  { path: "schemas/cli/run-dry-run.schema.json", make: planJsonSchema },
  { path: "schemas/cli/undo.schema.json", make: undoJsonSchema },
  { path: "schemas/cli/validate.schema.json", make: validateJsonSchema },
  { path: "schemas/config.schema.json", make: settingsJsonSchema },
  { path: "schemas/event.schema.json", make: eventJsonSchema },
  { path: "schemas/scripted.schema.json", make: () => titled("Script of the scripted agent", Script) },
  { path: "schemas/summary.schema.json", make: summaryJsonSchema },
];

/** The file's whole text. */
export function schemaText({ make }: PublishedSchema): string {
  return `${JSON.stringify(make(), undefined, 2)}\n`;
}

function titled(title: string, schema: z.ZodType): unknown {
  const { $schema, ...shape } = z.toJSONSchema(schema, { io: "input" });
  return { $schema, title, ...shape };
}
