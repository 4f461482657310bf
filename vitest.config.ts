import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const cores = availableParallelism();

const shared = {
  environment: "node" as const,
  pool: "forks" as const,
  // A worker keeps the modules it loaded for its next file: loading them anew for each took a fifth of the time. Modules of
  // the program hold no state that a test could leave behind.
  isolate: false,
  expect: { requireAssertions: true },
  setupFiles: ["test/rig/seed.ts"],
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          maxWorkers: cores + 1,
          include: ["src/**/*.test.ts", "cmd/**/*.test.ts", "test/{promises,rig,model-server}/*.test.ts"],
          globalSetup: ["test/rig/home.ts"],
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: "stories",
          include: ["test/stories/*.story.test.ts"],
          globalSetup: ["test/rig/home.ts", "test/rig/built.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          // They wait more than they compute.
          maxWorkers: cores + 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: { include: ["src/**", "cmd/**"], reporter: ["text-summary", "html"] },
  },
});
