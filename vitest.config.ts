import { availableParallelism } from "node:os";
import path from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest: they start first, so that no worker is still in one when the others are done. */
const LONGEST = [
  "test/stories/torture.story.test.ts",
  "src/loop/testing/explore.test.ts",
  "test/stories/install.story.test.ts",
  "test/stories/docs.story.test.ts",
  "test/stories/chapo-run.story.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.indexOf(path.relative(this.ctx.config.root, moduleId));
      return found === -1 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

const shared = {
  environment: "node" as const,
  pool: "forks" as const,
  // A worker keeps the modules it loaded for its next file: loading them anew for each took a fifth of the time. Modules of
  // the program hold no state that a test could leave behind.
  isolate: false,
  // Limits end what hangs. They decide nothing: a machine that is ten times slower passes.
  expect: { requireAssertions: true, poll: { timeout: 300_000 } },
  testTimeout: 900_000,
  hookTimeout: 900_000,
  setupFiles: ["test/rig/seed.ts", "test/rig/collect.ts"],
  execArgv: ["--expose-gc"],
  // More than there are cores, because stories also wait. The same for both projects: then they run as one group, and no worker
  // waits for the last file of the other project.
  maxWorkers: availableParallelism() + 2,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // A module is compiled once for its content, not once for each run: a third of the time of a run of a few files.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: path.join(import.meta.dirname, "build", "test-modules"),
    },
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: [
            "{src,page}/**/*.test.ts",
            "cmd/**/*.test.ts",
            "test/{promises,replay,rig,model-server}/*.test.ts",
          ],
          globalSetup: ["test/rig/home.ts"],
        },
      },
      {
        test: {
          ...shared,
          name: "stories",
          include: ["test/stories/*.story.test.ts"],
          globalSetup: ["test/rig/home.ts", "test/rig/built.ts"],
        },
      },
    ],
    coverage: { include: ["src/**", "cmd/**"], reporter: ["text-summary", "html"] },
  },
});
