#!/usr/bin/env node
// Loads the program, and reports it where a part of it cannot be loaded. Imports nothing of it: that fails
// too.
import { writeSync } from "node:fs";
import module from "node:module";

/** Node 22 and later can cache compiled code, which saves 12 to 40 ms a start. */
function keepCompiled(): void {
  // Node 20 has no such cache, and looking for it takes time.
  if (process.versions.node.startsWith("20.")) return;
  const enable: unknown = Reflect.get(module, "enableCompileCache");
  if (typeof enable === "function") Reflect.apply(enable, module, []);
}

function report(error: NodeJS.ErrnoException): never {
  const isLimit = error.code === "EMFILE" || error.code === "ENFILE";
  const told = isLimit
    ? `too many open files (${error.code})\n  raise the limit of open files, e.g. ulimit -n 1024 (ulimit -n shows it)`
    : `internal error; install looper again, and report it if it comes back\n  ${error.stack ?? error.message}`;
  try {
    writeSync(2, `looper: ${told}\n`);
  } finally {
    process.exit(isLimit ? 3 : 70);
  }
}

keepCompiled();
import("./looper.js").then(({ runProgram }) => {
  runProgram(import.meta.url);
}, report);
