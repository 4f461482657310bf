// Required before the program: notes each wait for the disk, and each process that it starts itself, in a file.
"use strict";
const childProcess = require("node:child_process");
const fs = require("node:fs");

const file = process.env["COUNTED"];
const note = fs.appendFileSync;

/**
 * @param {Record<string, any>} place
 * @param {string} name
 */
function count(place, name) {
  const real = place[name];
  place[name] = (/** @type {unknown[]} */ ...args) => {
    note(file ?? "", `${name}\n`);
    return real(...args);
  };
}

// Programs it starts inherit the variable, and are none of it.
if (/\blooper\.c?js$/.test(process.argv[1] ?? "")) {
  for (const name of ["fsync", "fsyncSync", "fdatasync", "fdatasyncSync"]) count(fs, name);
  count(childProcess, "spawn");
}
