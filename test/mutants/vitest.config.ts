// The tests that Stryker runs for each mutant: the floor's own tests (it names the folder), the small files first. No stories: they run
// the program in a process of its own, where no mutant is switched on.
import { statSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Most mutants are found by what takes no time; the rest need not be started then. */
class SmallFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sizeOf = ({ moduleId }: TestSpecification): number => statSync(moduleId).size;
    return Promise.resolve(files.toSorted((a, b) => sizeOf(a) - sizeOf(b)));
  }
}

/** Tests of the gate that run commands, and prepare rooms for them: each takes seconds, for each mutant. */
const ROOMS = [
  "**/{cold-gate,hidden,integrity,missing-cases,room-home,run-commands,setup,own-report,wrappers}.test.ts",
];

export default defineConfig({
  test: {
    environment: "node",
    include: ["**/*.test.ts"],
    // Sizes say nothing of single lines. Every interleaving and every law take minutes for each mutant, and of 2,000 mutants
    // the laws found 8 that the transcripts had not.
    exclude: ["**/sizes.test.ts", "**/explore.test.ts", "**/laws.test.ts", ...ROOMS],
    setupFiles: ["test/rig/seed.ts", "test/mutants/few-cases.ts"],
    globalSetup: ["test/rig/home.ts"],
    sequence: { sequencer: SmallFirst },
    expect: { requireAssertions: true },
    testTimeout: 30_000,
  },
});
