#!/usr/bin/env node
// Starts the program for the stories: the files of dist/, which compile-dist.mjs turned into scripts, with the code that V8 kept of
// them. A start takes two thirds of the processor time, and there are thousands. start.story.test.ts starts dist/ itself, as users
// do; `make proof-node` does so in all stories.
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const vm = require("node:vm");

/** @type {Map<string, { script: vm.Script, kept: string, module: { exports: object } }>} */
const loaded = new Map();

/**
 * The exports of a file. V8 refuses code of another version, and the file is then compiled as usual.
 * @param {string} file
 */
function load(file) {
  const there = loaded.get(file);
  if (there !== undefined) return there.module.exports;
  const kept = `${file}.code`;
  const script = new vm.Script(fs.readFileSync(file, "latin1"), {
    filename: file,
    cachedData: fs.existsSync(kept) ? fs.readFileSync(kept) : undefined,
  });
  const module = { exports: {} };
  loaded.set(file, { script, kept, module });
  /** @param {string} name */
  const requireHere = (name) =>
    name.startsWith(".") ? load(path.resolve(path.dirname(file), name)) : require(name);
  /** @param {string} name */
  const importAny = (name) => import(name);
  script.runInThisContext()(module, module.exports, requireHere, importAny, pathToFileURL(__filename).href);
  return module.exports;
}

if (process.env.KEEP_CODE === "1")
  process.on("exit", () => {
    for (const { script, kept } of loaded.values()) fs.writeFileSync(kept, script.createCachedData());
  });

load(path.join(__dirname, "looper.js"));
