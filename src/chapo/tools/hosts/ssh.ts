// ssh_execute: a command on a host the settings name by an alias. Leaves running ssh to program.ts.
import { z } from "zod";
import { defineTool, failed, type Tool } from "../../tool.js";
import { reportRun, runProgram, type ProgramWorld } from "../program.js";

const LIMIT_MS = 300_000;
const MORE_MS = 10_000;
const CONNECT_S = 15;

/** Where an alias leads. */
export interface SshHost {
  host: string;
  user?: string;
  port?: number;
  /** Absolute path of a key. */
  identity?: string;
}

/** No option, and nothing that is put into a command of ssh's own settings. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:%-]*$/;

/** The tool; `hosts` by alias. */
export function createSshTool(world: ProgramWorld, hosts: Readonly<Record<string, SshHost>>): Tool {
  return defineTool({
    name: "ssh_execute",
    description: `Runs a command on another host. Hosts: ${Object.keys(hosts).join(", ") || "none are set up"}.`,
    arguments: z.strictObject({
      host: z.string().min(1).max(200).describe("Its alias in the settings"),
      command: z
        .string()
        .min(1)
        .max(100_000)
        .refine((text) => !text.includes("\0"), "it holds a NUL character")
        .describe("What the shell there is to run"),
    }),
    aliases: { alias: "host", cmd: "command" },
    changes: true,
    subjects: ({ host, command }) => [
      { kind: "name", name: host },
      { kind: "command", text: command },
    ],
    timeoutMs: LIMIT_MS + MORE_MS,
    preview: ({ host, command }) => Promise.resolve(`on ${host}: ${command}`),
    run: async ({ host, command }, { signal }) => {
      const words = buildSshArguments(hosts, host);
      if ("refusal" in words) return failed(words.refusal);
      const args = [...words.args, command];
      const ran = await runProgram(world, { command: "ssh", args, timeoutMs: LIMIT_MS }, signal);
      // 255 is ssh's own: the command was not run, or its end was not heard.
      if (ran.end.how === "exited" && ran.end.code === 255)
        return failed(`ssh to ${host} failed: ${ran.stderr || "exit code 255"}`);
      return reportRun("ssh", ran);
    },
  });
}

/** What ssh is started with, up to the command; or why not. */
export function buildSshArguments(
  hosts: Readonly<Record<string, SshHost>>,
  alias: string,
): { args: string[] } | { refusal: string } {
  const found = Object.hasOwn(hosts, alias) ? hosts[alias] : undefined;
  if (found === undefined) {
    const known = Object.keys(hosts).join(", ");
    const there = known === "" ? "none are set up" : `there are ${known}`;
    return { refusal: `${alias}: no such host; ${there}; a person adds one to ssh.hosts in the settings` };
  }
  const { host, user, port, identity } = found;
  for (const name of [host, ...(user === undefined ? [] : [user])])
    if (!NAME.test(name)) return { refusal: `ssh.hosts.${alias}: ${name} is not the name of a host or user` };
  return {
    args: [
      // Nobody is there to be asked for a password, or whether a host is the right one.
      ...["-o", "BatchMode=yes", "-o", `ConnectTimeout=${CONNECT_S}`],
      ...(port === undefined ? [] : ["-p", String(port)]),
      ...(identity === undefined ? [] : ["-i", identity, "-o", "IdentitiesOnly=yes"]),
      ...(user === undefined ? [] : ["-l", user]),
      ...["--", host],
    ],
  };
}
