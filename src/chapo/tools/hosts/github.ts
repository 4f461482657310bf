// The tools github_triggerWorkflow and github_getWorkflowRunStatus. The token for GitHub's API is the user's own: from the
// environment, otherwise that of gh.
import { z } from "zod";
import { defineTool, done, failed, type Tool } from "../../tool.js";
import { runProgram, type ProgramWorld } from "../program.js";
import type { NetworkAnswer, NetworkRequest } from "../../../system/network.js";
import { tryParseJson } from "../../../system/text/json.js";

const LIMIT_MS = 90_000;
const MOST_RUNS = 5;

const id = z.union([z.string().regex(/^\d{1,20}$/, "it must be a number"), z.int().min(1)]);
const workflow = z
  .union([z.string().min(1).max(200), z.int().min(1)])
  .describe("The file name of the workflow, e.g. ci.yml, or its id");

const Run = z.looseObject({ id: z.number() });
const Runs = z.object({ workflow_runs: z.array(Run) });

/** The reported fields, and their names in GitHub's answer. */
const FIELDS = {
  id: "id",
  name: "name",
  status: "status",
  conclusion: "conclusion",
  branch: "head_branch",
  commit: "head_sha",
  event: "event",
  created: "created_at",
  url: "html_url",
} as const;

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
  return Object.entries(FIELDS)
    .flatMap(([shown, field]) => {
      const value = run[field];
      return typeof value === "string" || typeof value === "number" ? [`${shown}: ${value}`] : [];
    })
    .join("\n");
}

const USUAL_BASE = "https://api.github.com";
const MOST_BYTES = 2 * 1024 * 1024;
const ASK_MS = 30_000;

/** The ports and environment of a request. `GITHUB_API_URL` in the environment replaces the address of GitHub's API. */
export interface GithubWorld extends ProgramWorld {
  network: { request(request: NetworkRequest): Promise<NetworkAnswer> };
}

/** A request; `path` is relative to the repository: `/actions/runs/1`. */
interface GithubAsk {
  method: "GET" | "POST";
  path: string;
  body?: unknown;
}

/** The JSON of the answer, `undefined` if it is empty; or the problem. */
type GithubAnswer = { json: unknown } | { problem: string };

/** Sends a request about the repository of the project's remote `origin`. */
async function askGithub(world: GithubWorld, ask: GithubAsk, signal: AbortSignal): Promise<GithubAnswer> {
  const repository = await findRepository(world, signal);
  if ("problem" in repository) return repository;
  const token = await findToken(world, repository.host, signal);
  if (token === undefined)
    return { problem: "cannot reach GitHub: install gh and sign in, or set GITHUB_TOKEN" };
  return askOverNetwork(world, { ...ask, path: `repos/${repository.name}${ask.path}` }, { token, signal });
}

/** Returns the user's token; `undefined` if there is none. */
async function findToken(world: GithubWorld, host: string, signal: AbortSignal): Promise<string | undefined> {
  const set = world.env["GITHUB_TOKEN"] ?? world.env["GH_TOKEN"];
  if (set !== undefined) return set;
  const args = ["auth", "token", "--hostname", host];
  const ran = await runProgram(world, { command: "gh", args, timeoutMs: ASK_MS }, signal);
  return ran.end.how === "exited" && ran.end.code === 0 && ran.stdout !== "" ? ran.stdout : undefined;
}

/** Finds `owner/name`. A token is sent to GitHub or to the address in the user's environment, never to an address in a repository's settings. */
async function findRepository(
  world: GithubWorld,
  signal: AbortSignal,
): Promise<{ host: string; name: string } | { problem: string }> {
  const args = ["config", "--get", "remote.origin.url"];
  const ran = await runProgram(world, { command: "git", args, timeoutMs: ASK_MS }, signal);
  const url = ran.stdout.trim();
  const found = readRemote(url);
  if (found === undefined)
    return { problem: `the remote origin is not a GitHub repository: ${url === "" ? "it is not set" : url}` };
  if (found.host !== "github.com" && world.env["GITHUB_API_URL"] === undefined)
    return { problem: `the remote origin is at ${found.host}: set GITHUB_API_URL to the address of its API` };
  return found;
}

/** Reads host and `owner/name` from a remote's address: `https://…`, `ssh://…`, `git@host:owner/name.git`. */
export function readRemote(url: string): { host: string; name: string } | undefined {
  const part = "[A-Za-z0-9._-]+";
  const [, host, name] =
    new RegExp(`^(?:(?:https?|ssh|git)://)?(?:[^@/\\s]+@)?(${part})(?::\\d+)?[:/](${part}/${part})/?$`).exec(
      url,
    ) ?? [];
  if (host === undefined || name === undefined) return undefined;
  const plain = name.replace(/\.git$/, "");
  if (plain.split("/").some((one) => one === "." || one === "..")) return undefined;
  return { host: host.toLowerCase(), name: plain };
}

async function askOverNetwork(
  { network, env }: GithubWorld,
  { method, path, body }: GithubAsk,
  { token, signal }: { token: string; signal: AbortSignal },
): Promise<GithubAnswer> {
  const base = env["GITHUB_API_URL"] ?? USUAL_BASE;
  if (!URL.canParse(`${base}/${path}`)) return { problem: `GITHUB_API_URL: ${base} is not an address` };
  const answer = await network.request({
    url: new URL(`${base.replace(/\/$/, "")}/${path}`),
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${token}`,
      "user-agent": "looper",
      "x-github-api-version": "2022-11-28",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal,
    maxBytes: MOST_BYTES,
    // The user may set an address in any network.
    mayConnect: () => true,
  });
  if ("failed" in answer) return { problem: `cannot reach GitHub: ${answer.message}` };
  const text = new TextDecoder().decode(answer.body);
  if (answer.status < 200 || answer.status > 299)
    return { problem: `GitHub answers ${answer.status} to ${method} ${path}: ${text.slice(0, 500)}` };
  return readJson(text);
}

function readJson(text: string): GithubAnswer {
  if (text.trim() === "") return { json: undefined };
  const json = tryParseJson(text);
  return json.ok ? { json: json.value } : { problem: `GitHub's answer is not JSON: ${text.slice(0, 200)}` };
}
