// Reads a Looper task file, for instance of another project; its tasks keep all their values.
import type { Backlog } from "../../model/task.js";
import type { Drafted, TaskDraft } from "./draft.js";

export function readOwn({ tasks, project, meta }: Backlog): Drafted {
  return {
    format: "a task file of looper",
    drafts: tasks.map((task): TaskDraft => {
      const {
        depends_on: dependsOn = [],
        created_at,
        updated_at,
        verify,
        changes,
        agent,
        result,
        attempts,
        ...rest
      } = task;
      const { meta: own, ...fields } = rest;
      const others = { verify, changes, agent, result, attempts, meta: own };
      return {
        ...fields,
        dependsOn,
        createdAt: created_at,
        updatedAt: updated_at,
        own: Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
      };
    }),
    notes: [],
    name: project?.name,
    ...(meta === undefined ? {} : { kept: { meta } }),
  };
}
