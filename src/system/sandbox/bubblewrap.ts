// Starts a command in a sandbox of bubblewrap (bwrap), and finds out whether that works here. Leaves what is writable and what
// is hidden to its users.
import type { Processes } from "../ports.js";

/** The view of a command in the sandbox. All paths are absolute; symlinks of mounted paths are resolved. */
export interface SandboxView {
  /** Where it starts. */
  cwd: string;
  /** Files and folders it can write; everything else is read-only. */
  writable: readonly string[];
  /** Folders inside a writable one, or inside `/tmp`, that it can read only. */
  readOnly: readonly string[];
  /** Folders it sees as empty. */
  hiddenFolders: readonly string[];
  /** Files it sees as empty, and the empty file it sees instead. */
  hiddenFiles: { paths: readonly string[]; empty: string };
  /** The folder it sees as `/tmp`. */
  temp: string;
  network: boolean;
  isRoot: boolean;
}

/** Variables that name a place which is not in the sandbox. */
const LOST = ["TMPDIR", "TMP", "TEMP", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS"];

/** Files that resolve names, and NixOS's programs. */
const KEPT_OF_RUN = [
  ...["systemd/resolve", "NetworkManager/resolv.conf", "resolvconf", "connman"],
  ...["current-system", "wrappers"],
].map((name) => `/run/${name}`);

/** Root in the sandbox writes files of others, where they are writable, and has no other privilege. */
const KEPT_OF_ROOT = ["CAP_DAC_OVERRIDE", "CAP_CHOWN", "CAP_FOWNER"].flatMap((name) => ["--cap-add", name]);

/** The arguments that start `command` in the sandbox. A deeper mount wins over the one around it. */
export function buildSandboxArgs(view: SandboxView, command: readonly string[]): string[] {
  const mounts: Mount[] = [
    { at: "/tmp", words: ["--bind", view.temp, "/tmp"] },
    ...view.writable.map((at) => ({ at, words: ["--bind", at, at] })),
    ...view.readOnly.map((at) => ({ at, words: ["--ro-bind", at, at] })),
    ...view.hiddenFolders.map((at) => ({ at, words: ["--tmpfs", at] })),
    ...view.hiddenFiles.paths.map((at) => ({ at, words: ["--ro-bind", view.hiddenFiles.empty, at] })),
  ];
  return [
    ...startOf(view),
    ...sortByDepth(mounts).flatMap(({ words }) => words),
    ...view.hiddenFolders.flatMap((at) => ["--remount-ro", at]),
    ...LOST.flatMap((name) => ["--unsetenv", name]),
    ...["--chdir", view.cwd, "--", ...command],
  ];
}

interface Mount {
  at: string;
  words: string[];
}

/** Of two at the same place the later one wins. */
function sortByDepth(mounts: readonly Mount[]): Mount[] {
  const depth = ({ at }: Mount): number => at.split("/").filter((part) => part !== "").length;
  return [...mounts].sort((one, other) => depth(one) - depth(other));
}

/** Sockets in /run lead out of the sandbox: Docker's, systemd's. */
function startOf({ network, isRoot }: Pick<SandboxView, "network" | "isRoot">): string[] {
  return [
    ...["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--new-session"],
    ...(network ? [] : ["--unshare-net"]),
    ...(isRoot ? ["--cap-drop", "ALL", ...KEPT_OF_ROOT] : []),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"],
    ...KEPT_OF_RUN.flatMap((at) => ["--ro-bind-try", at, at]),
  ];
}

/** The program that makes the sandbox, or why there is none and what to do. */
type FoundSandbox = { found: string } | { missing: string; hint: string };

const PROBE_MS = 10_000;
const INSTALL = "install bubblewrap (Debian and Ubuntu: apt-get install bubblewrap), or set sandbox to false";
const ALLOW =
  "allow user namespaces here (in a container: run it with them, or outside), or set sandbox to false";

/** Finds bwrap on PATH and starts a command that does nothing in a sandbox without network. */
export async function findSandbox(
  processes: Pick<Processes, "which" | "run">,
  env: Readonly<Record<string, string>>,
): Promise<FoundSandbox> {
  // A relative entry of PATH could name a program of the project.
  const found = await processes.which("bwrap", env["PATH"] ?? "", "/");
  if (found === undefined) return { missing: "bubblewrap (bwrap) is not on PATH", hint: INSTALL };
  const args = [...startOf({ network: false, isRoot: isRoot() }), "--tmpfs", "/tmp", "--", "sh", "-c", ":"];
  const ran = await processes.run({ command: found, args, cwd: "/", env }, { timeoutMs: PROBE_MS });
  if (ran.end.how === "exited" && ran.end.code === 0) return { found };
  const said = ran.stderr.trim().split("\n")[0]?.slice(0, 300) ?? "";
  const why = ran.timedOut ? "no answer in 10 s" : said;
  return {
    missing: `bubblewrap (${found}) does not work here: ${why === "" ? "it failed" : why}`,
    hint: ALLOW,
  };
}

/** Whether this process is root's. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
