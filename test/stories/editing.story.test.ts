// The editing commands, as a person types them: alone, many at once, and during a run.
import { expect, test } from "vitest";
import { EditAnswer } from "../../src/ui/shapes/backlog.js";
import { sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";
import { BIN } from "../rig/program.js";

const LINUX = process.platform === "linux";

const taskOf = (rig: Rig, id: string) => rig.readBacklog().tasks.find((task) => task.id === id);

/** The output of a command, and its exit code. */
async function say(rig: Rig, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await rig.run(words);
  return `${String(code)} ${stdout}${stderr}`;
}

test(
  "a day at the keyboard: add, set, block, todo, done, rm",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    expect(
      await say(rig, "add", "Dates", "-p", "1", "--tag", "bug", "--tag", "a,b", "--depends-on", "T1"),
    ).toBe("0 T2\n");
    expect(taskOf(rig, "T2")).toMatchObject({
      title: "Dates",
      priority: 1,
      status: "todo",
      tags: ["bug", "a", "b"],
      depends_on: ["T1"],
    });
    expect(await say(rig, "set", "T2", "title=Times", "tags-=a", "steps+=look")).toBe(
      "0 T2: title, tags, steps\n",
    );
    expect(taskOf(rig, "T2")).toMatchObject({ title: "Times", tags: ["bug", "b"], steps: ["look"] });
    expect(await say(rig, "set", "T2", "tags+=c", "tags-=b")).toBe("0 T2: tags\n");
    expect(await say(rig, "set", "T2", "tags+=b", "tags-=c")).toBe("0 T2: tags\n");
    expect(await say(rig, "block", "T2", "no key")).toBe("0 T2: todo → blocked\n");
    expect(taskOf(rig, "T2")).toMatchObject({ status: "blocked", blockers: ["no key"] });
    expect(await say(rig, "done", "T1", "T2")).toBe("0 T1: todo → done\nT2: blocked → done\n");
    expect(taskOf(rig, "T2")).not.toHaveProperty("blockers");
    expect(await say(rig, "todo", "T2")).toBe("0 T2: done → todo\n");
    expect(await say(rig, "rm", "T1")).toMatch(/^1 looper: T2 depends on T1\n +--force/);
    const removed = await rig.run(["rm", "T1", "--force", "--json"]);
    expect(EditAnswer.parse(JSON.parse(removed.stdout))).toMatchObject({
      changed: [{ id: "T1", from: "done", to: null }],
      run: null,
    });
    expect(rig.statuses()).toEqual({ T2: "todo" });
    expect(taskOf(rig, "T2")).toMatchObject({ depends_on: [] });
  }),
);

test(
  "an invalid edit exits with 2 or 1, the mistake and a suggestion; the file is unchanged",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "T2", depends_on: ["T1"] }]);
    const before = rig.read("to-do.json");
    expect(await say(rig, "done", "t2")).toMatch(/^2 looper: there is no task t2\n +did you mean "T2"\?/);
    expect(await say(rig, "set", "T1", "priority=9")).toMatch(/^2 .*from 1 to 5/);
    expect(await say(rig, "set", "T1", "prioritiy=1")).toMatch(/^2 .*\n +did you mean "priority"\?/);
    expect(await say(rig, "set", "T1", "depends_on=T2")).toMatch(/^2 .*wait for each other/);
    expect(await say(rig, "add", "x", "--depends-on", "T9")).toMatch(/^2 .*T9/);
    expect(await say(rig, "add", "  ")).toMatch(/^2 .*without a title/);
    const asAgent = await rig.run(["add", "more"], { env: { LOOPER_RUN_ID: "r" } });
    expect(asAgent).toMatchObject({ code: 1, stdout: "" });
    expect(asAgent.stderr).toMatch(/new_tasks/);
    expect(rig.read("to-do.json")).toBe(before);
  }),
);

test(
  "while an agent works: what a person types holds, and the run goes by it; what an agent writes does not",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }, { id: "T3" }, { id: "T4" }]);
    const played: string[] = [];
    puppet.play(async (turn) => {
      played.push(turn.task);
      if (turn.task === "T1") {
        expect(await say(rig, "done", "T2")).toBe("0 T2: todo → done\n");
        expect(await say(rig, "rm", "T3")).toBe("0 T3: removed\n");
        expect(await say(rig, "add", "At once", "-p", "1")).toMatch(/^0 T5\n/);
        const text = rig.read("to-do.json");
        // Not the runner's to believe.
        rig.write("to-do.json", text.replace('"T4"', '"T4", "agent": "x"'));
      }
      await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "made\n");
      await turn.report();
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(played).toEqual(["T1", "T5", "T4"]);
    expect(rig.statuses()).toEqual({ T1: "done", T2: "done", T4: "done", T5: "done" });
    const told = rig.events().filter(({ type }) => type === "backlog_edited");
    expect(told.flatMap(({ added }) => added)).toEqual(["T5"]);
    expect(told.flatMap(({ changed }) => changed)).toContain("T2");
  }),
);

test(
  "many people at once: nothing is lost",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    const titles = Array.from({ length: 5 }, (_, at) => `task ${String(at)}`);
    const ends = await Promise.all(titles.map((title) => rig.run(["add", title])));
    expect(ends.map(({ code }) => code)).toEqual(titles.map(() => 0));
    const tasks = rig.readBacklog().tasks;
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(6);
    expect(tasks.map(({ title }) => title)).toEqual(expect.arrayContaining(titles));
    expect((await rig.run(["validate"])).code).toBe(0);
  }),
);

test(
  "an agent that clears its environment still may not use what belongs to a person",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.writeBacklog([{ id: "T1" }, { id: "T2" }]);
    rig.gitInit();
    const looper = `"${process.execPath}" "${BIN}"`;
    const home = `PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME"`;
    const clearing = ["env -u LOOPER_RUN_ID", ...(LINUX ? [`env -i ${home}`] : [])];
    const all = [
      ...["done T2", "push", "stop", "undo T2", "config set loop.max_attempts 9", "clean --keep 1"],
      ...["block T2 x", "rm T2", "add more", "init --force", "rescue drop x"],
    ];
    const commands = sample(all, 6);
    const ended: string[] = [];
    puppet.play(async (turn) => {
      if (turn.task === "T1")
        for (const [at, command] of commands.entries()) {
          const clear = clearing[at % clearing.length] ?? "";
          const { code, stderr } = await turn.shell(`${clear} ${looper} ${command}`);
          ended.push(`${String(code)} ${command}: ${stderr.split("\n", 1)[0] ?? ""}`);
        }
      await turn.write(`${turn.hello.cwd}/${turn.task}.txt`, "done\n");
      await turn.report();
    });
    const { code, stderr } = await rig.run(["run", "--no-review"]);
    expect(code, stderr).toBe(0);
    expect(ended).toHaveLength(commands.length);
    for (const line of ended) expect(line).toMatch(/^1 .*looper: an agent (?:of a run )?may not /);
    expect(rig.commitsByTask()).toEqual({ T1: 1, T2: 1 });
  }),
);
