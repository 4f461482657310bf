// Checks the environment of a run: node, git, a folder for logs, disk space, a system that lists its processes.
import path from "node:path";
import type { Project } from "../../../../src/config/project/open-project.js";
import { findSandbox } from "../../../../src/system/sandbox/bubblewrap.js";
import type { Files } from "../../../../src/system/ports.js";
import type { CommandContext } from "../../../context/command-context.js";
import { bad, fine, warning, type Check } from "../../../../src/ui/answers/project/doctor.js";

const LEAST_NODE = [20, 19] as const;

export function checkNode({ nodeVersion }: CommandContext): Check {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const old = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  if (!old) return fine("node", nodeVersion);
  return bad("node", `${nodeVersion} is too old`, `install Node ${LEAST_NODE.join(".")} or later`);
}

const GIT_LIMIT_MS = 10_000;

export async function checkGit({ ports, env, cwd }: CommandContext): Promise<Check> {
  const git = await ports.processes.which("git", env["PATH"] ?? "", cwd);
  const without = "without it nothing is committed, and a review cannot be put back";
  if (git === undefined) return warning("git", `not on PATH: ${without}`, "install git");
  const { end, stdout } = await ports.processes.run(
    { command: git, args: ["--version"], cwd, env },
    { timeoutMs: GIT_LIMIT_MS },
  );
  if (end.how !== "exited" || end.code !== 0)
    return bad("git", `${git} does not answer`, "mend the installation of git");
  return fine(
    "git",
    Buffer.from(stdout)
      .toString("utf8")
      .trim()
      .replace(/^git version /, ""),
  );
}

export async function checkLogFolder(
  { ports: { files } }: CommandContext,
  { logDir }: Project,
): Promise<Check> {
  const there = await nearestFolder(files, logDir);
  if (await files.writable(there)) return fine("log folder", logDir);
  return bad(
    "log folder",
    `${there} cannot be written`,
    "make it writable, or set log_dir to another folder",
  );
}

const MB = 1024 * 1024;
const TOO_LITTLE = 50 * MB;
const LITTLE = 500 * MB;

export async function checkDisk({ ports: { files } }: CommandContext, project: Project): Promise<Check> {
  const folders = [project.folder, await nearestFolder(files, project.logDir)];
  const free = await Promise.all(folders.map((folder) => files.freeBytes(folder)));
  const least = Math.min(...free.filter((bytes) => bytes !== undefined));
  if (!Number.isFinite(least)) return warning("disk", "free room cannot be asked for here", "look yourself");
  const shown =
    least > 10 * 1024 * MB ? `${Math.floor(least / MB / 1024)} GB free` : `${Math.floor(least / MB)} MB free`;
  if (least < TOO_LITTLE) return bad("disk", shown, "free some room: logs and commits need it");
  return least < LITTLE ? warning("disk", shown, "free some room soon") : fine("disk", shown);
}

export async function checkContainment({ ports }: CommandContext): Promise<Check> {
  const containment = await ports.processes.containment();
  if (containment.by === "namespace")
    return fine("containment", "nothing outlives an agent: each has a PID namespace of its own");
  if ((await ports.processes.identity()).started !== "")
    return fine(
      "containment",
      `what an agent leaves behind is found by its parents and its mark; what hides both is not (no PID namespace: ${containment.why})`,
    );
  return warning(
    "containment",
    "this system does not tell of its processes (no /proc): what an agent leaves behind in a session of its own is not found",
    "look for such processes yourself after a run was killed",
  );
}

/** Whether the shell of Chapo can be put into a sandbox; where the settings want it, it is an error if not. */
export async function checkSandbox({ ports, env }: CommandContext, project?: Project): Promise<Check> {
  const agents = Object.entries(project?.resolved.settings.agents ?? {});
  const wanting = agents.flatMap(([name, { chapo }]) =>
    chapo.sandbox ? [`agents.${name}.chapo.sandbox`] : [],
  );
  const sandbox = await findSandbox(ports.processes, env);
  if ("found" in sandbox)
    return fine(
      "sandbox",
      `works here (${sandbox.found}): agents.<name>.chapo.sandbox puts Chapo's shell into it`,
    );
  if (wanting.length === 0) return fine("sandbox", `not available, and no agent uses it: ${sandbox.missing}`);
  return bad("sandbox", `${wanting.join(", ")} is true, but ${sandbox.missing}`, sandbox.hint);
}

/** The folder, or the nearest one above it that is there. */
async function nearestFolder(files: Files, folder: string): Promise<string> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await files.stat(at)) !== undefined || at === path.dirname(at)) return at;
  }
}
