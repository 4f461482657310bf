// The stage that an agent works in: what it may do there, how it reports, which session it resumes.
import type { StageRequest } from "../../../agents/agent.js";
import { findOutputSchema } from "../../../config/workflows/find-output-schema.js";
import type { ReportingStage } from "../../../prompts/stage-report.js";
import { stageJsonSchema, stageStrictJsonSchema } from "../../../todo/check/schema.js";
import type { OutputSchema } from "../../../workflow/outputs/check-output.js";
import { findTarget, findWayBack, listOwnOutcomes } from "../../../workflow/advance.js";
import { PERMISSIONS, type Permissions } from "../../../workflow/words.js";
import { isWork } from "../../../workflow/stage-kinds.js";
import type { Stage } from "../../../workflow/workflow.js";
import { EffectError } from "../../step/drive.js";
import type { JobFacts } from "../../step/effects.js";
import { getProgress, getStage, type JobStage } from "../stage-of.js";
import type { Expected } from "./stage-report.js";
import type { World } from "../world.js";

/** A stage with an agent. */
export interface AgentStage {
  at: JobStage;
  stage: Stage & { prompt: string };
  request: StageRequest;
  reporting: ReportingStage;
  expected: Expected;
}

type StageWorld = Pick<World, "ports" | "project" | "memory" | "workflows">;

/** The stage of a job; `undefined` outside workflows. */
export async function openAgentStage(world: StageWorld, job: JobFacts): Promise<AgentStage | undefined> {
  const at = getStage(world, job);
  if (at === undefined) return undefined;
  const { prompt } = at.stage ?? {};
  if (at.stage === undefined || prompt === undefined)
    throw new EffectError("run-agent", `the stage ${at.name} has no agent`);
  const stage = { ...at.stage, prompt };
  const schema = stage.output === undefined ? undefined : await findStageSchema(world, stage.output);
  const outcomes = listOwnOutcomes(stage);
  return {
    at,
    stage,
    request: {
      name: at.name,
      visit: at.visit,
      round: getProgress(world, job)?.visits?.[at.name] ?? 1,
      outcomes,
      ...makeSchemas(outcomes, schema),
    },
    reporting: {
      kind: stage.kind,
      outcomes: outcomes.map((name) => ({
        name,
        to: findTarget(at.workflow, { stage: at.name }, name)?.to ?? "block",
      })),
      output: schema && { name: schema.name, schema: schema.schema },
    },
    expected: {
      ...{ kind: stage.kind, outcomes, schema },
      way: isWork(stage.kind) ? undefined : findWayBack(at.workflow, at.name),
    },
  };
}

/** Finds the schema by its name. One that is gone or broken since the start fails the effect. */
async function findStageSchema({ ports, project }: StageWorld, name: string): Promise<OutputSchema> {
  const places = { project: project.folder, user: project.paths.userFolder };
  const found = await findOutputSchema(ports.files, places, name);
  if (found.ok) return found.value;
  throw new EffectError("run-agent", `${found.error.message}; ${found.error.hint}`);
}

function makeSchemas(
  outcomes: readonly string[],
  schema: OutputSchema | undefined,
): Pick<StageRequest, "schema" | "strict"> {
  const shape = { outcomes, ...(schema === undefined ? {} : { output: { ...schema.schema } }) };
  return { schema: stageJsonSchema(shape), strict: stageStrictJsonSchema(shape) };
}

/** The permissions of the agent in the stage: those of its settings, narrowed by the stage. One whose agent changes nothing only reads unless it says otherwise. */
export function narrowPermissions(
  own: Permissions,
  { kind, permissions = isWork(kind) ? "full" : "read-only" }: Pick<Stage, "kind" | "permissions">,
): Permissions {
  return PERMISSIONS[Math.min(PERMISSIONS.indexOf(own), PERMISSIONS.indexOf(permissions))] ?? "read-only";
}
