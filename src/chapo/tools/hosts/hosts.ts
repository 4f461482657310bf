// The tools that reach beyond the project: npm, hosts over ssh and the staging log, with those of github.ts and pm2.ts.
import { type Tool, defineTool, done, failed } from "../../tool.js";
import { createGithubTools } from "./github.js";
import { createPm2Tools } from "./pm2.js";
import type { Sandbox } from "../sandbox.js";
import { createToolEnv } from "../../tool-env.js";
import { z } from "zod";
import { errorMessage } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import { reportRun, runProgram, type ProgramWorld } from "../program.js";

/** The settings and ports of these tools. */
interface HostsWorld extends ProgramWorld {
  /** By alias. */
  sshHosts: Readonly<Record<string, SshHost>>;
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
        return failed("no staging log is configured: a person can set logs.staging in the settings");
      try {
        return done(await readLastLines(files, file, lines));
      } catch (error) {
        return failed(`cannot read the staging log (logs.staging): ${errorMessage(error)}`);
      }
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
  return [
    ...(isCut ? [`[the last ${shown.length} lines; more do not fit into a result]`] : []),
    ...shown,
  ].join("\n");
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
      aliases: { package: "packages" },
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
      aliases: { name: "script" },
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

/** The host of an alias. */
interface SshHost {
  host: string;
  user?: string;
  port?: number;
  /** The absolute path of a key. */
  identity?: string;
}

/** A host or user name that ssh cannot take for an option or expand in a command of its configuration. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:%-]*$/;

/** Creates the tool; `hosts` by alias. */
function createSshTool(world: ProgramWorld, hosts: Readonly<Record<string, SshHost>>): Tool {
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
    aliases: { alias: "host", cmd: "command" },
    changes: true,
    subjects: ({ host, command }) => [
      { kind: "name", name: host },
      { kind: "command", text: command },
    ],
    timeoutMs: SSH_MS + SSH_MORE_MS,
    preview: ({ host, command }) => Promise.resolve(`on ${host}: ${command}`),
    run: async ({ host, command }, { signal }) => {
      const words = buildSshArguments(hosts, host);
      if ("refusal" in words) return failed(words.refusal);
      const args = [...words.args, command];
      const ran = await runProgram(world, { command: "ssh", args, timeoutMs: SSH_MS }, signal);
      // Exit code 255 comes from ssh itself: the command was not run, or the connection was lost.
      if (ran.end.how === "exited" && ran.end.code === 255)
        return failed(`ssh to ${host} failed: ${ran.stderr || "exit code 255"}`);
      return reportRun("ssh", ran);
    },
  });
}

/** Builds the arguments of ssh before the command, or returns the reason for a refusal. */
function buildSshArguments(
  hosts: Readonly<Record<string, SshHost>>,
  alias: string,
): { args: string[] } | { refusal: string } {
  const found = Object.hasOwn(hosts, alias) ? hosts[alias] : undefined;
  if (found === undefined) {
    const known = Object.keys(hosts).join(", ");
    const there = known === "" ? "none are configured" : `available: ${known}`;
    return { refusal: `${alias}: no such host; ${there}; a person can add one to ssh.hosts in the settings` };
  }
  const { host, user, port, identity } = found;
  for (const name of [host, ...(user === undefined ? [] : [user])])
    if (!NAME.test(name)) return { refusal: `ssh.hosts.${alias}: ${name} is not a valid host or user name` };
  return {
    args: [
      // Without a terminal ssh cannot ask for a password or for the confirmation of a host key.
      ...["-o", "BatchMode=yes", "-o", `ConnectTimeout=${CONNECT_S}`],
      ...(port === undefined ? [] : ["-p", String(port)]),
      ...(identity === undefined ? [] : ["-i", identity, "-o", "IdentitiesOnly=yes"]),
      ...(user === undefined ? [] : ["-l", user]),
      ...["--", host],
    ],
  };
}
