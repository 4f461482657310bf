// Keeps in build/green the commit that make test last passed on, whole and without changes beside it.
// Without arguments: prints the commit, or nothing where files differ from it. With that commit and the flags of vitest: writes
// it, if nothing changed meanwhile and no flag left tests out.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";

/** The commit that all files are as in, or "". */
function cleanCommit() {
  const [status, head] = [git("status", "--porcelain"), git("rev-parse", "HEAD")];
  return status === "" && head !== undefined ? head : "";
}

/** @param {string[]} args */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** @param {string[]} flags */
function runAll(flags) {
  return flags.every((flag) => /^--(?:reporter|outputFile)\b/.test(flag));
}

const [, , before, ...flags] = process.argv;
if (before === undefined) console.log(cleanCommit());
else if (before !== "" && runAll(flags) && before === cleanCommit()) {
  mkdirSync("build", { recursive: true });
  writeFileSync("build/green", `${before}\n`);
}
