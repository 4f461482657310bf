// Collects the tools that reach beyond the project: GitHub, hosts over ssh, pm2, npm and the staging log.
import type { Tool } from "../../tool.js";
import type { GithubWorld } from "./github-api.js";
import { createGithubTools } from "./github.js";
import { createNpmTools } from "./npm.js";
import { createPm2Tools } from "./pm2.js";
import { createSshTool, type SshHost } from "./ssh.js";
import { createStagingLogsTool } from "./staging-logs.js";
import type { Sandbox } from "../sandbox.js";
import { createToolEnv } from "../../tool-env.js";

/** The settings and ports of these tools. */
export interface HostsWorld extends GithubWorld {
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
