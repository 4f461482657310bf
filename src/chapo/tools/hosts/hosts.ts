// The tools that reach beyond the project: GitHub, hosts over ssh, pm2, npm, the staging log. Puts them together; leaves
// what each does to its own file.
import type { Tool } from "../../tool.js";
import type { GithubWorld } from "./github-api.js";
import { githubTools } from "./github.js";
import { npmTools } from "./npm.js";
import { pm2Tools } from "./pm2.js";
import { sshTool, type SshHost } from "./ssh.js";
import { stagingLogsTool } from "./staging-logs.js";
import { toolEnv } from "../../tool-env.js";

/** What these tools need. */
export interface HostsWorld extends GithubWorld {
  /** By alias. */
  sshHosts: Readonly<Record<string, SshHost>>;
  /** Absolute; `undefined` where none is set. */
  stagingLog: string | undefined;
}

/** `github_* ssh_execute pm2_* npm_* logs_getStagingLogs`. */
export function hostTools(world: HostsWorld): Tool[] {
  const own = { ...world, env: toolEnv(world.env) };
  return [
    ...githubTools(own),
    sshTool(own, world.sshHosts),
    ...pm2Tools(own),
    ...npmTools(own),
    stagingLogsTool(world.ports.files, world.stagingLog),
  ];
}
