import { defineConfig } from "vitest/config";

// What Stryker runs once for each broken line: one floor's own tests (it sets the folder), no stories, nothing of size.
export default defineConfig({
  test: {
    environment: "node",
    include: ["**/*.test.ts"],
    // Tests of size say nothing about a line that the others do not; every interleaving takes minutes each time.
    exclude: ["**/sizes.test.ts", "**/explore.test.ts"],
    setupFiles: ["test/seed.ts", "test/mutants/few-cases.ts"],
    globalSetup: ["test/home.ts"],
    expect: { requireAssertions: true },
    testTimeout: 30_000,
  },
});
