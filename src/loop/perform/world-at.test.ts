import { asResult } from "../../git/base/git.js";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { checkpoint } from "../../git/checkpoint/checkpoint.js";
import { openRepository } from "../../git/base/repository/repository.js";
import { nodePorts } from "../../system/processes/node-ports.js";
import { backlog, task } from "../../todo/testing/testing.js";
import { openStore } from "../../todo/store/store.js";
import { setWorldTime } from "../start/open-run.js";
import type { World } from "./world.js";

const AT = Date.parse("2026-01-02T03:04:05.678Z");

test("an effect's writes to the backlog and its commits carry the time of its decision", async () => {
  const ports = nodePorts();
  const folder = await mkdtemp(path.join(tmpdir(), "looper-at-"));
  try {
    const todoFile = path.join(folder, "to-do.json");
    await writeFile(todoFile, JSON.stringify(backlog(task("T1"))));
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    await ports.processes.run({ command: "git", args: ["init", "-q"], cwd: folder, env });
    const opened = await openRepository(ports, { projectDir: folder, todoFile, exclude: [], env });
    if (!opened.ok) throw new Error(opened.error.message);
    const store = openStore(ports, todoFile, { lockFolder: path.join(folder, ".looper") });
    const { store: storeThen, repo } = setWorldTime({ ports, store, repo: opened.value } as World, AT);
    const changed = await storeThen.change([{ op: "claim", id: task("T1").id, expect: "todo" }], {
      while: "idle",
      finished: new Set(),
    });
    expect(changed.ok && changed.value.backlog.tasks[0]?.updated_at).toBe("2026-01-02T03:04:05.678Z");
    if (repo === undefined) throw new Error("the repository is gone");
    const taken = await asResult(() => checkpoint(repo, { id: "T1", run: "r", reuse: false }));
    if (!taken.ok) throw new Error(taken.error.message);
    const args = ["show", "-s", "--format=%at %ct", taken.value.base];
    const shown = await ports.processes.run({ command: "git", args, cwd: folder, env });
    expect(Buffer.from(shown.stdout).toString()).toBe(
      `${String(AT / 1000).replace(/\..*/, "")} 1767323045\n`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
