// A folder in which the tests of runners write a project and run a check of it.
import { dirname, join } from "node:path";
import { expect, test as base } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { runCommands } from "../commands/run-commands.js";
import type { Ran } from "../verdict.js";

export const PATH = "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin";

export interface TestProject {
  cwd: string;
  /** Writes executable files. */
  write: (files: Record<string, string>) => Promise<void>;
  /** Runs a check to its end. `reports`: `verify.report`. */
  run: (command: string, reports?: string[], path?: string) => Promise<Ran>;
}

export const ports = nodePorts();

export const test = base.extend<{ project: TestProject }>({
  project: async ({}, use) => {
    const { files } = ports;
    const made = await files.makeTempFolder("runners-");
    const cwd = (await files.realPath(made)) ?? made;
    await use({
      cwd,
      write: async (texts) => {
        for (const [path, text] of Object.entries(texts)) {
          await files.makeFolder(dirname(join(cwd, path)));
          await files.remove(join(cwd, path));
          await files.writeNew(join(cwd, path), text, { mode: 0o755 });
        }
      },
      run: async (command, reports = [], path = PATH) => {
        const room = { cwd, env: { PATH: path, HOME: cwd }, redact: (text: string) => text };
        const plan = { commands: [command], own: [], timeoutMs: 0, reports };
        const ran = await runCommands(ports, room, plan, new AbortController().signal);
        if (ran === "interrupted" || ran[0] === undefined) throw new Error("nothing ran");
        expect(ran[0].tail).not.toContain("looper-report-");
        return ran[0];
      },
    });
    await files.removeTree(cwd);
  },
});
