import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A file system of its own. */
export interface Mount {
  makeReadOnly(): void;
  unmount(): void;
}

/** Mounts an empty tmpfs of so many KiB at a folder; answers why not where that is not permitted. */
export function mountTmpfs(folder: string, kib: number): Mount | string {
  const mount = (...args: string[]) => {
    execFileSync("mount", args, { stdio: "pipe" });
  };
  mkdirSync(folder, { recursive: true });
  try {
    mount("-t", "tmpfs", "-o", `size=${kib}k`, "tmpfs", folder);
  } catch (error) {
    return `no tmpfs can be mounted here: ${String(error)}`;
  }
  return {
    makeReadOnly: () => {
      mount("-o", "remount,ro", folder);
    },
    unmount: () => {
      // Lazily: the rig ends processes that are still in it afterwards.
      execFileSync("umount", ["-l", folder], { stdio: "pipe" });
    },
  };
}
