// Preloaded into the program: says at its end which files it loaded, into the file LOADED names. Silent in its children.
const fs = require("node:fs");

const { LOADED: file, LOADED_PARENT: parent } = process.env;
if (file !== undefined && String(process.ppid) === parent) {
  // The program reads some of its files as texts, and compiles parts of them.
  const texts = new Set();
  const { readFileSync, writeFileSync } = fs;
  fs.readFileSync = new Proxy(readFileSync, {
    apply: (target, that, args) => {
      if (typeof args[0] === "string" && args[0].endsWith(".js")) texts.add(args[0]);
      return Reflect.apply(target, that, args);
    },
  });
  process.on("exit", () => {
    writeFileSync(file, JSON.stringify([...new Set([...Object.keys(require.cache), ...texts])]));
  });
}
