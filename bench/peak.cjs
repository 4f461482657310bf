// Preloaded into a measured process: says at its end what memory it held at most, in KiB. Silent in its children.
const { writeFileSync } = require("node:fs");

const { BENCH_PEAK: file, BENCH_PARENT: parent } = process.env;
if (file !== undefined && String(process.ppid) === parent)
  process.on("exit", () => {
    writeFileSync(file, String(process.resourceUsage().maxRSS));
  });
