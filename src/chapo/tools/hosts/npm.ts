// The tools npm_install and npm_run, which may take longer than other tools. program.ts runs npm.
import { z } from "zod";
import { defineTool, type Tool } from "../../tool.js";
import type { Sandbox } from "../sandbox.js";
import { reportRun, runProgram, type ProgramWorld } from "../program.js";

const LIMIT_MS = 600_000;
const MORE_MS = 20_000;

const word = z
  .string()
  .min(1)
  .max(300)
  .refine((text) => !text.startsWith("-"), "it must not begin with -");

/** Creates `npm_install npm_run`, which work in the project's root. */
export function createNpmTools(world: ProgramWorld, sandbox?: Sandbox): Tool[] {
  const run = async (args: readonly string[], signal: AbortSignal): ReturnType<typeof runProgram> => {
    const words = (await sandbox?.wrap("npm", args)) ?? { command: "npm", args };
    return runProgram(world, { ...words, timeoutMs: LIMIT_MS, leavesNothing: true }, signal);
  };
  return [
    defineTool({
      name: "npm_install",
      description:
        "Installs the packages of package.json, or adds packages to it. Answers with exit_code, stdout and stderr.",
      arguments: z.strictObject({
        packages: z
          .union([word, z.array(word).max(100)])
          .optional()
          .describe("Names, with an optional version; without them the packages of package.json"),
      }),
      aliases: { package: "packages" },
      changes: true,
      subjects: ({ packages = [] }) => [packages].flat().map((one) => ({ kind: "name", name: one })),
      timeoutMs: LIMIT_MS + MORE_MS,
      preview: ({ packages = [] }) => Promise.resolve(["npm install", ...[packages].flat()].join(" ")),
      run: async ({ packages = [] }, { signal }) =>
        reportRun(
          "npm install",
          await run(["install", "--no-fund", "--no-audit", "--", ...[packages].flat()], signal),
        ),
    }),
    defineTool({
      name: "npm_run",
      description:
        "Runs a script of package.json, at most 10 minutes. Answers with exit_code, stdout and stderr.",
      arguments: z.strictObject({
        script: word.describe("The name of the script"),
        args: z.array(z.string().max(10_000)).max(100).optional().describe("Passed on to the script"),
      }),
      aliases: { name: "script" },
      changes: true,
      subjects: ({ script }) => [{ kind: "name", name: script }],
      timeoutMs: LIMIT_MS + MORE_MS,
      preview: ({ script, args = [] }) => Promise.resolve(["npm run", script, ...args].join(" ")),
      run: async ({ script, args = [] }, { signal }) =>
        reportRun(
          `npm run ${script}`,
          await run(["run", script, ...(args.length > 0 ? ["--", ...args] : [])], signal),
        ),
    }),
  ];
}
