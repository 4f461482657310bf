// A task that is done and not verified: `show` and `ls` name the reason, as far as the logs hold it.
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

interface Listed {
  tasks: { id: string; verified: boolean; unverified_because: string[] }[];
}

async function runOnce(rig: Rig, commands: string[], more: object = {}): Promise<void> {
  const puppet = await rig.agent({}, { verify: { commands, ...more } });
  rig.write("out.txt", "before\n");
  rig.writeBacklog([{ id: "T1" }]);
  rig.gitInit();
  puppet.play(async (turn) => {
    await turn.write(`${turn.hello.cwd}/out.txt`, "after\n");
    await turn.report();
  });
  expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
}

/** The reasons of `ls --json`. */
async function listed(rig: Rig): Promise<string[]> {
  const { tasks } = JSON.parse((await rig.run(["ls", "--json"])).stdout) as Listed;
  return tasks.find(({ id }) => id === "T1")?.unverified_because ?? [];
}

/** The same, once `ls`, `show` and `show --json` agree with them. */
async function reasons(rig: Rig, verdict = "unverified"): Promise<string[]> {
  const found = await listed(rig);
  const shown = JSON.parse((await rig.run(["show", "T1", "--json"])).stdout) as { task: object };
  expect(shown.task).toMatchObject({ unverified_because: found });
  const { stdout: ls } = await rig.run(["ls"]);
  const { stdout: show } = await rig.run(["show", "T1"]);
  expect(ls).toContain(found.length === 0 ? "Do T1" : `Do T1  ${verdict}: ${found.join("; ")}\n`);
  for (const reason of found) expect(show).toContain(`\n  ${reason}\n`);
  expect(show.includes(`why it is ${verdict}`)).toBe(found.length > 0);
  return found;
}

test(
  "a task without checks is unverified because none are configured; without the log it is only unverified",
  story(async (rig) => {
    await runOnce(rig, []);
    expect(await reasons(rig)).toEqual(["no checks are configured"]);
    rmSync(path.join(rig.project, "looper-logs"), { recursive: true });
    expect((await rig.run(["ls"])).stdout).toMatch(/Do T1 {2}unverified\n/);
  }),
);

exhaustively(
  "a check that was red and still is, and one that cannot run, are named with their exit codes",
  story(async (rig) => {
    await runOnce(rig, ["echo two tests fail; exit 3", "nosuchprogram --all", "true"]);
    expect(await reasons(rig, "unbroken")).toEqual([
      '"echo two tests fail; exit 3" failed before the work and still fails (exit code 3): two tests fail',
      expect.stringMatching(/^"nosuchprogram --all" cannot run \(exit code 127\): .*not found/) as string,
    ]);
  }),
);

test(
  "tracked files that change while the checks run are the reason, with their names",
  story(async (rig) => {
    await runOnce(rig, ["grep -q before out.txt || echo more >> out.txt"], { cold: true });
    expect((await listed(rig)).join()).toMatch(/out\.txt changed while the checks ran/);
  }),
);

exhaustively(
  "a verified task, an open task and one that a person marked as done have no reasons",
  story(async (rig) => {
    await runOnce(rig, ["grep -q after out.txt"], { protected: ["!out.txt"] });
    expect(await reasons(rig)).toEqual([]);
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    expect((await rig.run(["done", "T2"])).code).toBe(0);
    const { tasks } = JSON.parse((await rig.run(["ls", "--json"])).stdout) as Listed;
    expect(tasks.map(({ unverified_because: why }) => why)).toEqual([[], []]);
    expect((await rig.run(["ls"])).stdout).toMatch(/Do T2 {2}unverified\n/);
  }),
);

test(
  "a file whose program and tests cannot be told apart leaves the task unverified",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["python3 -m doctest box.py"] } });
    const code = (body: string): string => `def edge(w, h):\n    return ${body}\n`;
    rig.write("box.py", `"""\n>>> edge(2, 3)\n10\n"""\n\n\n${code("2 * (w + h)")}`);
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/box.py`, code("w + h"));
      await turn.report();
    });
    expect(await rig.run(["run", "--no-review"])).toMatchObject({ code: 0 });
    expect((await listed(rig)).join()).toContain(
      "program and tests cannot be told apart in what it changed: box.py",
    );
  }),
);

exhaustively(
  "a home-made runner is named before the work; why names the change that the checks need, with its row",
  story(async (rig) => {
    const puppet = await rig.agent({}, { verify: { commands: ["sh run.sh", "node probe.mjs"] } });
    rig.write("run.sh", "grep -q after test/kept.txt\n");
    rig.write("probe.mjs", 'import { readdirSync } from "node:fs";\nreaddirSync("src/probes");\n');
    rig.write("src/probes/one.mjs", "export default 1;\n");
    rig.write("test/kept.txt", "before\n");
    rig.writeBacklog([{ id: "T1" }]);
    rig.gitInit();
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/test/kept.txt`, "after\n");
      await turn.report();
    });
    const { stderr } = await rig.run(["run", "--no-review"]);
    expect(stderr).toContain(
      "probe.mjs looks for its tests by itself, and files in src/probes count as source",
    );
    expect(stderr).toContain("looper config set verify.protected 'src/probes/**'");
    const { stdout } = await rig.run(["why", "T1"]);
    expect(stdout).toContain("T1 is done, unverified\nit passes only with test/kept.txt (+after)\n");
    expect(stdout).toContain("it needs test/kept.txt (row 6: it is named like a test)\n");
    expect((await rig.run(["show", "T1"])).stdout).toContain(
      "it needs test/kept.txt (row 6: it is named like",
    );
    expect(JSON.parse((await rig.run(["why", "T1", "--json"])).stdout)).toMatchObject({
      needs: [{ path: "test/kept.txt", row: 6 }],
    });
  }),
);
