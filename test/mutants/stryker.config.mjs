// How mutants are made and tried, for every floor; scripts/mutants.mjs adds which floor.
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // Only the tests that reach a mutant are run for it, and the first that fails ends it.
  coverageAnalysis: "perTest",
  // Every kind of mutant counts, texts of messages and descriptions too.
  ignoreStatic: false,
  disableTypeChecks: false,
  ignorePatterns: ["/dist", "/coverage", "/looper-logs", "/.mutants"],
  tempDirName: ".mutants/tmp",
  concurrency: 2,
  // Loops without end are found by counting, not by the clock; what is left must not take a busy machine for one.
  timeoutMS: 30_000,
  incremental: true,
  logLevel: "error",
};
