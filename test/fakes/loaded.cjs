// Preloaded into the program: says at its end which files it loaded, into the file LOADED names. Silent in its children.
const { writeFileSync } = require("node:fs");

const { LOADED: file, LOADED_PARENT: parent } = process.env;
if (file !== undefined && String(process.ppid) === parent)
  process.on("exit", () => {
    writeFileSync(file, JSON.stringify(Object.keys(require.cache)));
  });
