// The schema of a stage's output, as it was found when the run started.
import { findOutputSchema } from "../../../config/workflows/find-output-schema.js";
import type { OutputSchema } from "../../../workflow/outputs/check-output.js";
import { EffectError } from "../../step/drive.js";
import type { World } from "../world.js";

/** Finds the schema by its name. One that is gone or broken since the start fails the effect. */
export async function findStageSchema(
  { ports, project }: Pick<World, "ports" | "project">,
  name: string,
): Promise<OutputSchema> {
  const places = { project: project.folder, user: project.paths.userFolder };
  const found = await findOutputSchema(ports.files, places, name);
  if (found.ok) return found.value;
  throw new EffectError("run-agent", `${found.error.message}; ${found.error.hint}`);
}
