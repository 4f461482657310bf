// The copies of the schemas that editors read: git ignores them, so a fresh clone has none.
import path from "node:path";
import { planSchemas } from "../init/plan.js";
import { lookAround } from "../init/site.js";
import { writePlanned } from "../init/write.js";
import type { CommandContext } from "../../../context/command-context.js";
import { fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";

/** Whether those that the project's files name are there; with `fix` they are written. */
export async function checkSchemas(context: CommandContext, fix: boolean): Promise<Check[]> {
  const planned = planSchemas(await lookAround(context));
  if (planned.length === 0) return [];
  const names = planned.map(({ path: file }) => path.basename(file)).join(", ");
  if (!fix)
    return [
      warning(
        "schemas",
        `copies in .looper that editors read are missing or old: ${names}`,
        "looper doctor --fix",
      ),
    ];
  for (const one of planned) await writePlanned(context.ports, one);
  return [fine("schemas", `copies written to .looper: ${names}`)];
}
