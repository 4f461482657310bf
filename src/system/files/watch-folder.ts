// Watches a folder with chokidar: reports that something in it changed, not what. Leaves looking, and polling where watching
// fails, to change-watch.ts.
import { basename } from "node:path";
import type { Files, FolderWatch } from "../ports.js";

/** Resolves once changes are reported. */
export const watchFolder: Files["watchFolder"] = async (folder, entry, onChange) => {
  // Every command has these ports, and few watch.
  const { watch } = await import("chokidar");
  let failed = false;
  const watcher = watch(folder, {
    depth: 0,
    ignoreInitial: true,
    followSymlinks: false,
    // Of the folder itself chokidar must know; each other file it would watch one by one.
    ignored: (path) => path !== folder && entry !== undefined && basename(path) !== entry,
  });
  const watching: FolderWatch = {
    failed: () => failed,
    close: () => watcher.close(),
  };
  return new Promise((resolve) => {
    watcher
      .on("all", onChange)
      // A file that is replaced by rename twice in a row is reported by the system, but not as a change of it.
      .on("raw", (_, name: string | null) => {
        if (entry === undefined || name === null || name === entry) onChange();
      })
      .on("ready", () => {
        resolve(watching);
      })
      // The limit of inotify is reached, or the system has none.
      .on("error", () => {
        failed = true;
        onChange();
        resolve(watching);
      });
  });
};
