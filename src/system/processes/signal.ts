import { spawn } from "node:child_process";
import { errorCode } from "../errors.js";
import type { RunningProcess } from "../ports.js";

/** Signals a process, or its whole group; nothing happens once it is gone. */
export function sendSignal(pid: number, ...[signal, target]: Parameters<RunningProcess["signal"]>): void {
  if (process.platform === "win32") {
    endOnWindows(pid, signal);
    return;
  }
  try {
    process.kill(target === "group" ? -pid : pid, signal);
  } catch (error) {
    const code = errorCode(error);
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

/** Windows knows no signals and no groups: the process and what it started are asked to end, or ended. */
function endOnWindows(pid: number, signal: NodeJS.Signals): void {
  const force = signal === "SIGKILL" ? ["/F"] : [];
  const ending = spawn("taskkill", ["/PID", String(pid), "/T", ...force], {
    stdio: "ignore",
    windowsHide: true,
  });
  // Without taskkill there is nothing else to ask.
  ending.on("error", () => undefined);
}
