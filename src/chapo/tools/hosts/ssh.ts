// The tool ssh_execute runs a command on a host that the settings name by an alias. program.ts runs ssh.
import { z } from "zod";
import { defineTool, failed, type Tool } from "../../tool.js";
import { reportRun, runProgram, type ProgramWorld } from "../program.js";

const LIMIT_MS = 300_000;
const MORE_MS = 10_000;
const CONNECT_S = 15;

/** The host of an alias. */
export interface SshHost {
  host: string;
  user?: string;
  port?: number;
  /** The absolute path of a key. */
  identity?: string;
}

/** A host or user name that ssh cannot take for an option or expand in a command of its configuration. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.:%-]*$/;

/** Creates the tool; `hosts` by alias. */
export function createSshTool(world: ProgramWorld, hosts: Readonly<Record<string, SshHost>>): Tool {
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
    timeoutMs: LIMIT_MS + MORE_MS,
    preview: ({ host, command }) => Promise.resolve(`on ${host}: ${command}`),
    run: async ({ host, command }, { signal }) => {
      const words = buildSshArguments(hosts, host);
      if ("refusal" in words) return failed(words.refusal);
      const args = [...words.args, command];
      const ran = await runProgram(world, { command: "ssh", args, timeoutMs: LIMIT_MS }, signal);
      // Exit code 255 comes from ssh itself: the command was not run, or the connection was lost.
      if (ran.end.how === "exited" && ran.end.code === 255)
        return failed(`ssh to ${host} failed: ${ran.stderr || "exit code 255"}`);
      return reportRun("ssh", ran);
    },
  });
}

/** Builds the arguments of ssh before the command, or returns the reason for a refusal. */
export function buildSshArguments(
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
