// The tools github_triggerWorkflow and github_getWorkflowRunStatus. github-api.ts sends the requests.
import { z } from "zod";
import { defineTool, done, failed, type Tool } from "../../tool.js";
import { askGithub, type GithubWorld } from "./github-api.js";
import { runProgram } from "../program.js";

const LIMIT_MS = 90_000;
const MOST_RUNS = 5;

const id = z.union([z.string().regex(/^\d{1,20}$/, "it must be a number"), z.int().min(1)]);
const workflow = z
  .union([z.string().min(1).max(200), z.int().min(1)])
  .describe("The file name of the workflow, e.g. ci.yml, or its id");

const Run = z.object({
  id: z.number(),
  name: z.string().nullish(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  head_branch: z.string().nullish(),
  head_sha: z.string().nullish(),
  event: z.string().nullish(),
  created_at: z.string().nullish(),
  html_url: z.string().nullish(),
});
const Runs = z.object({ workflow_runs: z.array(Run) });

/** Creates `github_triggerWorkflow github_getWorkflowRunStatus` for the repository of the remote `origin`. */
export function createGithubTools(world: GithubWorld): Tool[] {
  return [createTriggerTool(world), createStatusTool(world)];
}

function createTriggerTool(world: GithubWorld): Tool {
  return defineTool({
    name: "github_triggerWorkflow",
    description: "Starts a workflow of GitHub Actions that can be started by hand (workflow_dispatch).",
    arguments: z.strictObject({
      workflow,
      ref: z
        .string()
        .min(1)
        .max(300)
        .optional()
        .describe("Branch or tag; by default the branch that is checked out"),
      inputs: z
        .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
        .optional()
        .describe("The workflow's inputs, by name"),
    }),
    aliases: { workflow_id: "workflow", branch: "ref" },
    changes: true,
    subjects: (args) => [{ kind: "name", name: String(args.workflow) }],
    timeoutMs: LIMIT_MS,
    run: async (args, { signal }) => {
      const ref = args.ref ?? (await readCurrentBranch(world, signal));
      if (ref === undefined) return failed("ref: missing: no branch is checked out; name one");
      const inputs = Object.entries(args.inputs ?? {}).map(([name, value]) => [name, String(value)] as const);
      const answer = await askGithub(
        world,
        {
          method: "POST",
          path: `/actions/workflows/${encodeURIComponent(args.workflow)}/dispatches`,
          body: { ref, inputs: Object.fromEntries(inputs) },
        },
        signal,
      );
      if ("problem" in answer) return failed(answer.problem);
      return done(
        `workflow ${args.workflow} was started on ${ref}; github_getWorkflowRunStatus with workflow shows the status of its runs`,
      );
    },
  });
}

async function readCurrentBranch(world: GithubWorld, signal: AbortSignal): Promise<string | undefined> {
  const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
  const ran = await runProgram(world, { command: "git", args, timeoutMs: LIMIT_MS }, signal);
  return ran.stdout === "" ? undefined : ran.stdout;
}

function createStatusTool(world: GithubWorld): Tool {
  return defineTool({
    name: "github_getWorkflowRunStatus",
    description:
      "Shows the status of a GitHub Actions run by its run_id, of the latest runs of a workflow, or of the latest runs of all.",
    arguments: z.strictObject({
      run_id: id.optional().describe("The run's number"),
      workflow: workflow.optional(),
    }),
    aliases: { id: "run_id", workflow_id: "workflow" },
    changes: false,
    timeoutMs: LIMIT_MS,
    run: async (args, { signal }) => {
      const answer = await askGithub(world, { method: "GET", path: buildRunsPath(args) }, signal);
      if ("problem" in answer) return failed(answer.problem);
      const shape = args.run_id === undefined ? Runs : Run.transform((run) => ({ workflow_runs: [run] }));
      const read = shape.safeParse(answer.json);
      if (!read.success)
        return failed(`GitHub's answer has an unexpected form: ${read.error.issues[0]?.message ?? ""}`);
      const runs = read.data.workflow_runs;
      return done(runs.length === 0 ? "no runs found" : runs.slice(0, MOST_RUNS).map(formatRun).join("\n\n"));
    },
  });
}

function buildRunsPath(args: {
  run_id?: string | number | undefined;
  workflow?: string | number | undefined;
}): string {
  if (args.run_id !== undefined) return `/actions/runs/${args.run_id}`;
  const of = args.workflow === undefined ? "" : `/workflows/${encodeURIComponent(args.workflow)}`;
  return `/actions${of}/runs?per_page=${MOST_RUNS}`;
}

function formatRun(run: z.infer<typeof Run>): string {
  const fields = {
    id: run.id,
    name: run.name,
    status: run.status,
    conclusion: run.conclusion,
    branch: run.head_branch,
    commit: run.head_sha,
    event: run.event,
    created: run.created_at,
    url: run.html_url,
  };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join("\n");
}
