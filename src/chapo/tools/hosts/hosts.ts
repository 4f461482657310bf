// The tools that reach beyond the project: npm, hosts over ssh, the staging log, GitHub Actions and pm2.
import { type Tool, defineTool, done, fail, type ToolResult } from "../../tool.js";
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Sandbox } from "../sandbox.js";
import { createToolEnv } from "../../tool-env.js";
import { z } from "zod";
import { errorMessage } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import {
  reportRun,
  runProgram,
  type ProgramWorld,
  refuseFailure,
  type ProgramRun,
  toOutput,
  type Program,
} from "../program.js";
import { parseJson } from "../../../system/text/json.js";

/** The settings and ports of these tools. */
interface HostsWorld extends ProgramWorld {
  /** By alias. */
  sshHosts: SshHosts;
  /** Absolute; `undefined` if none is configured. */
  stagingLog: string | undefined;
  /** Encloses npm, which runs the project's scripts. */
  sandbox?: Sandbox;
}

/** Creates `github_* ssh_execute pm2_* npm_* logs_getStagingLogs`. */
export function createHostTools(world: HostsWorld): Tool[] {
  const own = { ...world, env: createToolEnv(world.env) };
  return [
    ...createGithubTools(own),
    createSshTool(own, world.sshHosts),
    ...createPm2Tools(own),
    ...createNpmTools(own, world.sandbox),
    createStagingLogsTool(world.ports.files, world.stagingLog),
  ];
}

const USUAL_LINES = 100;
const MOST_LINES = 5_000;
const MOST_BYTES = 28_000;

/** Creates the tool. `file` is absolute, or `undefined` if none is configured. */
function createStagingLogsTool(files: Files, file: string | undefined): Tool {
  return defineTool({
    name: "logs_getStagingLogs",
    description: "Returns the last lines of the staging log.",
    arguments: z.strictObject({
      lines: z.int().min(1).max(MOST_LINES).optional().describe(`How many; ${USUAL_LINES} by default`),
    }),
    changes: false,
    run: async ({ lines = USUAL_LINES }) => {
      if (file === undefined)
        fail("no staging log is configured: a person can set logs.staging in the settings");
      const read = readLastLines(files, file, lines);
      return done(
        await read.catch((error: unknown) =>
          fail(`cannot read the staging log (logs.staging): ${errorMessage(error)}`),
        ),
      );
    },
  });
}

async function readLastLines(files: Files, file: string, count: number): Promise<string> {
  const stat = await files.stat(file);
  if (stat === undefined) throw new Error(`${file}: no such file`);
  if (stat.size === 0) return "(the log is empty)";
  const from = Math.max(0, stat.size - MOST_BYTES);
  const bytes = await files.readRange(file, from, stat.size - from);
  // The first line may be incomplete; then it is left out.
  const lines = new TextDecoder().decode(bytes).replace(/\n$/, "").split("\n");
  if (from > 0 && lines.length > 1) lines.shift();
  const shown = lines.slice(-count);
  const isCut = from > 0 && shown.length < count;
  if (isCut) shown.unshift(`[the last ${shown.length} lines; more do not fit into a result]`);
  return shown.join("\n");
}

const NPM_MS = 600_000;
const NPM_MORE_MS = 20_000;

const word = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.startsWith("-"), "it must not begin with -");

/** Creates `npm_install npm_run`, which work in the project's root. */
function createNpmTools(world: ProgramWorld, sandbox?: Sandbox): Tool[] {
  const run = async (args: readonly string[], signal: AbortSignal): ReturnType<typeof runProgram> => {
    const words = (await sandbox?.wrap("npm", args)) ?? { command: "npm", args };
    return runProgram(world, { ...words, timeoutMs: NPM_MS, leavesNothing: true }, signal);
  };
  return [
    defineTool({
      name: "npm_install",
      description:
        "Installs the packages of package.json, or adds packages to it. Answers with exit_code, stdout and stderr.",
      arguments: z.strictObject({
        packages: z
          .union([word, z.array(word).max(100)])
          .optional()
          .describe("Names, with an optional version; without them the packages of package.json"),
      }),
      changes: true,
      subjects: ({ packages = [] }) => [packages].flat().map((one) => ({ kind: "name", name: one })),
      timeoutMs: NPM_MS + NPM_MORE_MS,
      preview: ({ packages = [] }) => Promise.resolve(["npm install", ...[packages].flat()].join(" ")),
      run: async ({ packages = [] }, { signal }) =>
        reportRun(
          "npm install",
          await run(["install", "--no-fund", "--no-audit", "--", ...[packages].flat()], signal),
        ),
    }),
    defineTool({
      name: "npm_run",
      description:
        "Runs a script of package.json, at most 10 minutes. Answers with exit_code, stdout and stderr.",
      arguments: z.strictObject({
        script: word.describe("The name of the script"),
        args: z.array(z.string().max(10_000)).max(100).optional().describe("Passed on to the script"),
      }),
      changes: true,
      subjects: ({ script }) => [{ kind: "name", name: script }],
      timeoutMs: NPM_MS + NPM_MORE_MS,
      preview: ({ script, args = [] }) => Promise.resolve(["npm run", script, ...args].join(" ")),
      run: async ({ script, args = [] }, { signal }) =>
        reportRun(
          `npm run ${script}`,
          await run(["run", script, ...(args.length > 0 ? ["--", ...args] : [])], signal),
        ),
    }),
  ];
}

const SSH_MS = 300_000;
const SSH_MORE_MS = 10_000;
const CONNECT_S = 15;

type SshHosts = ChapoSettings["ssh"]["hosts"];

/** A host or user name that ssh cannot take for an option or expand in a command of its configuration. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:%-]*$/;

/** Creates the tool; `hosts` by alias. */
function createSshTool(world: ProgramWorld, hosts: SshHosts): Tool {
  return defineTool({
    name: "ssh_execute",
    description: `Runs a command on another host. Hosts: ${Object.keys(hosts).join(", ") || "none are configured"}.`,
    arguments: z.strictObject({
      host: z.string().min(1).max(200).describe("The alias of the host in the settings"),
      command: z
        .string()
        .min(1)
        .max(100_000)
        .refine((text) => !text.includes("\0"), "it holds a NUL character")
        .describe("The command for the remote shell"),
    }),
    changes: true,
    subjects: ({ host, command }) => [
      { kind: "name", name: host },
      { kind: "command", text: command },
    ],
    timeoutMs: SSH_MS + SSH_MORE_MS,
    preview: ({ host, command }) => Promise.resolve(`on ${host}: ${command}`),
    run: async ({ host, command }, { signal }) => {
      const args = [...buildSshArguments(hosts, host), command];
      const ran = await runProgram(world, { command: "ssh", args, timeoutMs: SSH_MS }, signal);
      // Exit code 255 comes from ssh itself: the command was not run, or the connection was lost.
      if (ran.end.how === "exited" && ran.end.code === 255)
        fail(`ssh to ${host} failed: ${ran.stderr || "exit code 255"}`);
      return reportRun("ssh", ran);
    },
  });
}

/** Builds the arguments of ssh before the command, or fails. */
function buildSshArguments(hosts: SshHosts, alias: string): string[] {
  const known = Object.keys(hosts).join(", ");
  const there = known === "" ? "none are configured" : `available: ${known}`;
  const { host, user, port, identity } =
    (Object.hasOwn(hosts, alias) ? hosts[alias] : undefined) ??
    fail(`${alias}: no such host; ${there}; a person can add one to ssh.hosts in the settings`);
  for (const name of [host, ...(user === undefined ? [] : [user])])
    if (!NAME.test(name)) fail(`ssh.hosts.${alias}: ${name} is not a valid host or user name`);
  return [
    // Without a terminal ssh cannot ask for a password or for the confirmation of a host key.
    ...["-o", "BatchMode=yes", "-o", `ConnectTimeout=${CONNECT_S}`],
    ...(port === undefined ? [] : ["-p", String(port)]),
    ...(identity === undefined ? [] : ["-i", identity, "-o", "IdentitiesOnly=yes"]),
    ...(user === undefined ? [] : ["-l", user]),
    ...["--", host],
  ];
}

const GITHUB_MS = 90_000;
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
function createGithubTools(world: ProgramWorld): Tool[] {
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
      changes: true,
      subjects: (args) => [{ kind: "name", name: String(args.workflow) }],
      timeoutMs: 2 * GITHUB_MS,
      run: async (args, { signal }) => {
        const ref = args.ref ?? (await askGit(world, ["symbolic-ref", "--quiet", "--short", "HEAD"], signal));
        if (ref === "") fail("ref: missing: no branch is checked out; name one");
        const given = Object.entries(args.inputs ?? {});
        const inputs = given.flatMap(([name, value]) => ["--raw-field", `${name}=${value}`]);
        const words = ["workflow", "run", String(args.workflow), "--ref", ref, ...inputs];
        await askGithub(world, words, signal);
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
      changes: false,
      timeoutMs: 2 * GITHUB_MS,
      run: async ({ run_id: run, workflow: of }, { signal }) => {
        const fields = ["--json", Object.values(FIELDS).join(",")];
        const list = ["list", "--limit", String(MOST_RUNS)];
        if (of !== undefined) list.push("--workflow", String(of));
        const words = ["run", ...(run === undefined ? list : ["view", String(run)]), ...fields];
        const answer = await askGithub(world, words, signal);
        const read = z.array(Run).safeParse([parseJson(answer)].flat());
        if (!read.success) fail(`cannot read the answer of gh: ${answer.slice(0, 300)}`);
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

/**
 * Runs gh about the repository of the project's remote `origin`, and returns what it prints. It sends a token only to a host that the
 * user signed in to.
 */
async function askGithub(world: ProgramWorld, args: readonly string[], signal: AbortSignal): Promise<string> {
  const remote = await askGit(world, ["config", "--get", "remote.origin.url"], signal);
  // A password in the address would be among the arguments, which other users see.
  const origin = remote.replace(/\/\/[^/@]*@/, "//");
  if (origin === "") fail("the remote origin is not set");
  const quiet = { ...world, env: { ...world.env, GH_PROMPT_DISABLED: "1", NO_COLOR: "1" } };
  const program = { command: "gh", args: [...args, `--repo=${origin}`], timeoutMs: GITHUB_MS };
  const ran = await runProgram(quiet, program, signal);
  if (ran.end.how === "not-found") fail(`cannot reach GitHub: install gh and sign in (${ran.end.message})`);
  refuseFailure(`gh ${args.slice(0, 2).join(" ")}`, ran);
  return ran.stdout;
}

/** Returns what git prints; "" if it fails. */
async function askGit(world: ProgramWorld, args: readonly string[], signal: AbortSignal): Promise<string> {
  return (await runProgram(world, { command: "git", args, timeoutMs: GITHUB_MS }, signal)).stdout.trim();
}

const PM2_MS = 60_000;
const PM2_MORE_MS = 10_000;
const LIST_BYTES = 8 * 1024 * 1024;
const MOST_LISTED = 100;

/** The reported fields of `pm2 jlist`. The rest holds each process's environment with its secrets. */
const Listed = z.array(
  z.object({
    name: z.string(),
    pm_id: z.number(),
    pid: z.number().nullish(),
    pm2_env: z
      .object({ status: z.string(), restart_time: z.number().nullish(), pm_uptime: z.number().nullish() })
      .partial()
      .nullish(),
    monit: z.object({ memory: z.number(), cpu: z.number() }).partial().nullish(),
  }),
);

const processName = word.describe("The name or number of the process; all for every process");
const Named = z.strictObject({ name: processName });

/** The tools that run pm2 with one word. */
const VERBS: readonly (readonly [verb: string, description: string])[] = [
  ["restart", "Restarts a pm2 process."],
  ["stop", "Stops a pm2 process; it stays in the list."],
  ["start", "Starts a stopped pm2 process, or a script or ecosystem file of the project."],
];

/** Creates `pm2_status pm2_restart pm2_stop pm2_start pm2_logs pm2_reloadAll pm2_save`. */
function createPm2Tools(world: ProgramWorld): Tool[] {
  const tell = async (words: readonly string[], signal: AbortSignal): Promise<ToolResult> =>
    toOutput(`pm2 ${words[0] ?? ""}`, await runPm2(world, words, signal));
  const ofAll = (tool: string, words: readonly string[], description: string): Tool =>
    defineTool({
      ...{ name: tool, description, arguments: z.strictObject({}), changes: true },
      timeoutMs: PM2_MS + PM2_MORE_MS,
      preview: () => Promise.resolve(["pm2", ...words].join(" ")),
      run: (_none, { signal }) => tell(words, signal),
    });
  return [
    createPm2StatusTool(world),
    ...VERBS.map(([verb, description]) =>
      defineTool({
        ...{ name: `pm2_${verb}`, description, arguments: Named, changes: true },
        subjects: (args) => [{ kind: "name", name: args.name }],
        timeoutMs: PM2_MS + PM2_MORE_MS,
        preview: (args) => Promise.resolve(`pm2 ${verb} ${args.name}`),
        run: (args, { signal }) => tell([verb, args.name], signal),
      }),
    ),
    ofAll("pm2_reloadAll", ["reload", "all"], "Reloads all of pm2's processes, one after the other."),
    ofAll("pm2_save", ["save"], "Saves pm2's list of processes so that they start again after a reboot."),
    defineTool({
      name: "pm2_logs",
      description: "Returns the last lines that pm2's processes, or one of them, wrote.",
      arguments: z.strictObject({
        name: processName.optional(),
        lines: z.int().min(1).max(5000).optional().describe("How many; 100 by default"),
      }),
      changes: false,
      timeoutMs: PM2_MS + PM2_MORE_MS,
      run: ({ name: asked = [], lines = 100 }, { signal }) =>
        tell(["logs", asked, "--lines", String(lines), "--nostream"].flat(), signal),
    }),
  ];
}

function runPm2(
  world: ProgramWorld,
  args: readonly string[],
  signal: AbortSignal,
  keep?: Program["keep"],
): Promise<ProgramRun> {
  const quiet = { ...world, env: { ...world.env, NO_COLOR: "1", FORCE_COLOR: "0" } };
  const program = { command: "pm2", args, timeoutMs: PM2_MS, keep };
  return runProgram(quiet, program, signal);
}

function createPm2StatusTool(world: ProgramWorld): Tool {
  return defineTool({
    name: "pm2_status",
    description: "Lists the processes of pm2: name, number, status, pid, restarts, memory, load.",
    arguments: z.strictObject({ name: processName.optional() }),
    changes: false,
    timeoutMs: PM2_MS + PM2_MORE_MS,
    run: async ({ name: asked }, { signal }) => {
      const ran = await runPm2(world, ["jlist"], signal, { head: LIST_BYTES, tail: 0 });
      refuseFailure("pm2 jlist", ran);
      const listed =
        readList(ran.stdout) ?? fail(`cannot read the answer of pm2 jlist: ${ran.stdout.slice(0, 300)}`);
      const meant = listed.filter(
        (one) => asked === undefined || asked === "all" || one.name === asked || String(one.pm_id) === asked,
      );
      if (meant.length === 0)
        return asked === undefined ? done("pm2 has no processes") : fail(`${asked}: no such process`);
      return done(meant.slice(0, MOST_LISTED).map(formatProcess).join("\n"));
    },
  });
}

/** pm2 may print notices before the list. */
function readList(text: string): z.infer<typeof Listed> | undefined {
  for (const line of [text, ...text.split("\n").filter((one) => one.startsWith("["))]) {
    const read = Listed.safeParse(parseJson(line));
    if (read.success) return read.data;
  }
  return undefined;
}

function formatProcess(one: z.infer<typeof Listed>[number]): string {
  const { name, pm_id: id, pid, pm2_env: env, monit } = one;
  const memory = monit?.memory === undefined ? [] : [`memory ${Math.round(monit.memory / 1024 / 1024)} MiB`];
  const load = monit?.cpu === undefined ? [] : [`cpu ${monit.cpu} %`];
  return [
    `${name} (${id}): ${env?.status ?? "unknown"}`,
    `pid ${pid ?? 0}`,
    `restarts ${env?.restart_time ?? 0}`,
    ...memory,
    ...load,
  ].join(", ");
}
