// The schema of a stage's output.
import { shippedOutputSchema, type OutputSchema } from "../../workflow/check-output.js";
import { EffectError } from "../step/drive.js";
import type { World } from "./world.js";

/** Finds the schema by its name. */
export async function findStageSchema(
  _world: Pick<World, "ports" | "project">,
  name: string,
): Promise<OutputSchema> {
  const schema = shippedOutputSchema(name);
  if (schema === undefined) throw new EffectError("run-agent", `there is no output schema ${name}`);
  return Promise.resolve(schema);
}
