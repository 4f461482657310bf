// The request of a run from the command line, the same for `looper run` and `looper push`.
import path from "node:path";
import type { Project } from "../../src/config/project/open-project.js";
import type { Flags } from "../../src/config/read/resolve.js";
import { ROWS } from "../../src/config/settings/settings.js";
import { given } from "../../src/system/given.js";
import { agentFlag, hasFlag, listFlag, type CommandContext, type Typed } from "../context/command-context.js";
import type { RunToWatch } from "./watch-run.js";

/** The flags that set settings; paths are relative to the current folder. */
export function pickSettingFlags({ cwd }: CommandContext, typed: Typed): Flags {
  const known = new Set([...ROWS.values()].map(({ flag }) => flag?.name));
  const flags = Object.entries(typed.flags).filter(([flag]) => known.has(flag));
  return Object.fromEntries(
    flags.map(([flag, value]) => [
      flag,
      flag === "--prompt-file" && typeof value === "string" ? path.resolve(cwd, value) : value,
    ]),
  );
}

/** The request without a task, an idea or a release. */
export function makeRunRequest(context: CommandContext, typed: Typed, project: Project): RunToWatch {
  const { ports, cwd, env, home, version, self, promptsFolder, workflowsFolder } = context;
  const agent = agentFlag(typed);
  return {
    ports,
    project,
    cwd,
    env,
    home,
    version,
    self,
    promptsFolder,
    workflowsFolder,
    ...given({ agent }),
    skip: listFlag(typed, "--skip"),
    autoApprove: listFlag(typed, "--auto-approve"),
    trust: hasFlag(typed, "--trust") || env["CI"] === "true",
    yes: hasFlag(typed, "-y"),
  };
}
