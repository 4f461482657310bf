// Runs every module of a built program but the entry's first, which would start it; says how many, and which failed.
const path = require("node:path");
const fs = require("node:fs");

const dist = process.argv[2] ?? "";
const text = fs.readFileSync(path.join(dist, "looper.js"), "utf8").replace(/^#!.*\n/, "");
const entry = text.slice(0, text.lastIndexOf("if(require.main"));

/** @param {string} name @returns {unknown[]} */
function near(name) {
  return require(name.startsWith(".") ? path.resolve(dist, name) : name);
}

/** @type {[(pack: number, at: number) => Record<string, unknown>, string[], (file: string) => unknown[], unknown[]]} */
const [use, files, open, own] = new Function(
  "require",
  "__filename",
  "__dirname",
  `${entry};return [looperUse, files, open, own];`,
)(near, path.join(dist, "looper.js"), dist);
/** @type {string[]} */
const failed = [];
let ran = 0;
for (const [pack, file] of files.entries()) {
  const modules = open(file);
  for (const at of modules.keys()) {
    if (modules === own && at === 0) continue;
    try {
      const made = use(pack, at);
      for (const name in made) void made[name];
      ran += 1;
    } catch (error) {
      failed.push(`${file} ${String(at)}: ${String(error)}`);
    }
  }
}
process.stdout.write(JSON.stringify({ ran, failed }), () => process.exit(0));
