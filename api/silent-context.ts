// The process as a command sees it when another program calls: nothing is printed, no person is there, signals are the
// caller's. The only file of the API that uses the process.
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandContext, Signal } from "../cmd/context/command-context.js";
import { SILENT } from "../cmd/context/silent.js";
import { USUAL } from "../cmd/context/stderr.js";
import { UserError } from "../src/system/errors.js";
import { explainNoFolder } from "../src/system/files/describe-kind.js";
import { nodePorts } from "../src/system/processes/node-ports.js";
import type { CommonOptions } from "./types/shared.js";

/** Set by the bundler. */
declare const LOOPER_VERSION: string;

/** `interrupted`: called with what is to be told when the caller wants the end. */
export async function silentContext(
  { folder = ".", env = process.env, onWarning }: CommonOptions,
  interrupted: (listener: (signal: Signal) => boolean) => void = () => undefined,
): Promise<CommandContext> {
  const cwd = path.resolve(folder);
  const ports = nodePorts();
  const problem = await explainNoFolder(ports.files, cwd);
  if (problem !== undefined) throw new UserError("usage", problem, "name an existing folder");
  // In the package this file is in a folder beside looper.js and the prompts.
  const entry = fileURLToPath(new URL("../looper.js", import.meta.url));
  return {
    ports,
    version: LOOPER_VERSION,
    nodeVersion: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    node: process.execPath,
    cwd,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    home: env["HOME"] ?? homedir(),
    self: { command: process.execPath, args: [entry] },
    promptsFolder: path.join(path.dirname(entry), "prompts"),
    workflowsFolder: path.join(path.dirname(entry), "workflows"),
    ...SILENT,
    report: ({ level, lines, warning }) => {
      if (level === "warn") onWarning?.(warning ?? lines.join("\n").replace(/^looper: /, ""));
      return Promise.resolve();
    },
    log: USUAL,
    onSignal: interrupted,
  };
}
