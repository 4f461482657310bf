// The tools github_triggerWorkflow and github_getWorkflowRunStatus. gh asks GitHub, with the user's own token: from the environment,
// or as the user signed in to gh.
import { z } from "zod";
import { tryParseJson } from "../../../system/text/json.js";
import { defineTool, done, failed, type Tool } from "../../tool.js";
import { describeProblem, runProgram, type ProgramRun, type ProgramWorld } from "../program.js";

const LIMIT_MS = 90_000;
const MOST_RUNS = 5;

const id = z.union([z.string().regex(/^\d{1,20}$/, "it must be a number"), z.int().min(1)]);
const workflow = z
  .union([
    z
      .string()
      .min(1)
      .max(200)
      .refine((text) => !text.startsWith("-"), "it must not begin with -"),
    z.int().min(1),
  ])
  .describe("The file name of the workflow, e.g. ci.yml, or its id");

/** The reported fields, and their names in gh's answer. */
const FIELDS = {
  id: "databaseId",
  name: "name",
  status: "status",
  conclusion: "conclusion",
  branch: "headBranch",
  commit: "headSha",
  event: "event",
  created: "createdAt",
  url: "url",
} as const;
const Run = z.record(z.string(), z.unknown());

/** Creates `github_triggerWorkflow github_getWorkflowRunStatus` for the repository of the remote `origin`. */
export function createGithubTools(world: ProgramWorld): Tool[] {
  return [
    defineTool({
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
      timeoutMs: 2 * LIMIT_MS,
      run: async (args, { signal }) => {
        const ref = args.ref ?? (await askGit(world, ["symbolic-ref", "--quiet", "--short", "HEAD"], signal));
        if (ref === "") return failed("ref: missing: no branch is checked out; name one");
        const given = Object.entries(args.inputs ?? {});
        const inputs = given.flatMap(([name, value]) => ["--raw-field", `${name}=${value}`]);
        const words = ["workflow", "run", String(args.workflow), "--ref", ref, ...inputs];
        const ran = await askGithub(world, words, signal);
        if ("problem" in ran) return failed(ran.problem);
        return done(
          `workflow ${args.workflow} was started on ${ref}; github_getWorkflowRunStatus with workflow shows the status of its runs`,
        );
      },
    }),
    defineTool({
      name: "github_getWorkflowRunStatus",
      description:
        "Shows the status of a GitHub Actions run by its run_id, of the latest runs of a workflow, or of the latest runs of all.",
      arguments: z.strictObject({
        run_id: id.optional().describe("The run's number"),
        workflow: workflow.optional(),
      }),
      aliases: { id: "run_id", workflow_id: "workflow" },
      changes: false,
      timeoutMs: 2 * LIMIT_MS,
      run: async ({ run_id: run, workflow: of }, { signal }) => {
        const fields = ["--json", Object.values(FIELDS).join(",")];
        const list = ["list", "--limit", String(MOST_RUNS)];
        if (of !== undefined) list.push("--workflow", String(of));
        const words = ["run", ...(run === undefined ? list : ["view", String(run)]), ...fields];
        const ran = await askGithub(world, words, signal);
        if ("problem" in ran) return failed(ran.problem);
        const json = tryParseJson(ran.stdout);
        const read = z.array(Run).safeParse(json.ok ? [json.value].flat() : undefined);
        if (!read.success) return failed(`cannot read the answer of gh: ${ran.stdout.slice(0, 300)}`);
        return done(read.data.length === 0 ? "no runs found" : read.data.map(formatRun).join("\n\n"));
      },
    }),
  ];
}

function formatRun(run: z.infer<typeof Run>): string {
  return Object.entries(FIELDS)
    .flatMap(([shown, field]) => {
      const value = run[field];
      return (typeof value === "string" && value !== "") || typeof value === "number"
        ? [`${shown}: ${value}`]
        : [];
    })
    .join("\n");
}

/** Runs gh about the repository of the project's remote `origin`. It sends a token only to a host that the user signed in to. */
async function askGithub(
  world: ProgramWorld,
  args: readonly string[],
  signal: AbortSignal,
): Promise<ProgramRun | { problem: string }> {
  const remote = await askGit(world, ["config", "--get", "remote.origin.url"], signal);
  // A password in the address would be among the arguments, which other users see.
  const origin = remote.replace(/\/\/[^/@]*@/, "//");
  if (origin === "") return { problem: "the remote origin is not set" };
  const quiet = { ...world, env: { ...world.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" } };
  const program = { command: "gh", args: [...args, `--repo=${origin}`], timeoutMs: LIMIT_MS };
  const ran = await runProgram(quiet, program, signal);
  if (ran.end.how === "not-found")
    return { problem: `cannot reach GitHub: install gh and sign in (${ran.end.message})` };
  const problem = describeProblem(`gh ${args.slice(0, 2).join(" ")}`, ran);
  return problem === undefined ? ran : { problem };
}

/** Returns what git prints; "" if it fails. */
async function askGit(world: ProgramWorld, args: readonly string[], signal: AbortSignal): Promise<string> {
  return (await runProgram(world, { command: "git", args, timeoutMs: LIMIT_MS }, signal)).stdout.trim();
}
