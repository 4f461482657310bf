// A word that nothing is called by, wherever it stands: exit 2, and in one line or two what is wrong and what was meant.
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { story } from "../rig/rig.js";

/** A command line, and the expected message. */
const MISTAKES: readonly (readonly [string, RegExp])[] = [
  // Commands and flags.
  ["lss", /unknown command lss\n +did you mean ls\?/],
  ["help ru", /unknown command ru\n +did you mean run\?/],
  ["ls --statsu x", /unknown flag --statsu\n +did you mean --status\?/],
  ["--jsno ls", /unknown flag --jsno\n +did you mean --json\?/],
  ["ls --hook x", /looper ls has no flag --hook\n +looper run has/],
  ["ls --json=maybe", /--json takes no value\n +use --json alone/],
  ["list", /unknown command list\n +did you mean ls\?/],
  ["export --csv", /unknown command export\n +did you mean ls --json\?/],
  ["add Do X", /put the title in quotes: looper add "Do X"/],
  ["run T1", /T1 is a task, and run takes a task file\n +looper run --task T1\n/],
  ["block T1", /^looper block: missing argument <why>\n/],
  ["run --task", /--task needs a value/],
  ["why", /^looper why: missing argument <id>\n/],
  ["doctor now or", /too many words: now or/],
  ["rescue shwo x", /no verb shwo\n +did you mean show\?/],
  ["rescue drop", /takes one id or more/],
  ["completion tcsh", /unknown shell tcsh\n +use bash/],
  ["doctor todo.json", /no task file.*\n +did you mean to-do.json\?/],
  ["run --max-iterations 0", /allowed: a whole number, at least 1 \(--dry-run starts nothing\)\n$/],
  [
    "run --schedule a_b",
    /"a_b"; allowed: single .* pattern, or the path of a module \(.\/pick\.js\), or an agent's name/,
  ],
  ["config gte", /no verb gte\n +did you mean get\?/],
  ["completion zhs", /unknown shell zhs\n +did you mean zsh\?/],
  ["ls --log-level wran", /"wran".*\n +did you mean warn\?/],
  ["ls --log-format jsno", /"jsno".*\n +did you mean json\?/],
  // Statuses, keys, numbers.
  ["ls doen", /doen is neither.*\n +did you mean done\?/],
  ["ls --status doen", /doen is neither.*\n +did you mean done\?/],
  ["set T1 statsu=done", /no key statsu\n +did you mean "status"\?/],
  ["set T1 status=doen", /"doen" is not a status\n +did you mean "done"\?/],
  ["set T1 priority=9", /from 1 to 5/],
  ["set T1 done", /"done" is not of the form key=value/],
  ["add x -p 9", /from 1 to 5/],
  [
    "config set agents.mine.binary ./a",
    /agents\.mine\.kind is missing\n +nothing was changed; .*config set agents\.mine '\{/,
  ],
  ["config get lop.max_attempts", /did you mean loop.max_attempts\?/],
  ["tail -n x", /-n is x; allowed/],
  ["runs -n x", /-n is x; allowed/],
  ["replay --at x", /--at is x; allowed/],
  ["run --max-iterations x", /--max-iterations.*"x"; allowed/],
  ["run --max-duration 5x", /--max-duration.*"5x"; allowed/],
  ["run --schedule rund-robin", /did you mean round-robin\?/],
  ["tail --type mesage", /type mesage\n +did you mean message\?/],
  // Tasks.
  ...["show", "why", "todo", "done", "rm", "undo", "run --task"].map(
    (command) => [`${command} task-11`, /no task "?task-11.*\n +did you mean "?task-1"?\?/s] as const,
  ),
  ["block task-11 reason", /did you mean "task-1"\?/],
  ["set task-11 priority=1", /did you mean "task-1"\?/],
  ["set T1 depends-on=task-11", /did you mean "task-1"\?/],
  ["add x --depends-on task-11", /did you mean "task-1"\?/],
  ["tail --task task-11", /did you mean "task-1"\?/],
  // Agents.
  ["run --agent cluade", /"cluade"\n +did you mean claude\?/],
  ["run --odd-agent cluade", /"cluade".*did you mean claude\?/],
  ["run --rr-agents codex,cluade", /"cluade".*did you mean claude\?/],
  ["set T1 agent=cluade", /"cluade"\n +did you mean "claude"\?/],
  ["add x --agent cluade", /"cluade"\n +did you mean "claude"\?/],
  // Runs and what they left.
  ["tail nosuchrun", /no run nosuchrun.*\n +the newest is/],
  ["tail 2026-01-31_08-30-01", /no run 2026.*\n +did you mean 2026-01-31_08-30-00\?/],
  ["replay 2026-01-31_08-30-01", /did you mean 2026-01-31_08-30-00\?/],
  ["capsule", /unknown command capsule\n +each run's log is in its folder/],
  ["rescue show nosuch", /unknown rescue nosuch/],
  // Files and folders.
  ["todo.json", /no task file.*todo.json\n +did you mean to-do.json\?/],
  ["init --improt x", /unknown flag --improt\n +did you mean --import\?/],
  ["clean --keep x", /--keep.*x/],
  ["run todo.json", /no task file.*\n +did you mean to-do.json\?/],
  ["ls todo.json", /neither a status nor an existing file/],
  ["validate todo.json", /no task file.*\n +did you mean to-do.json\?/],
  ["fmt todo.json", /no task file.*\n +did you mean to-do.json\?/],
  ["why T1 --file todo.json", /no task file.*\n +did you mean to-do.json\?/],
  ["validate --schema shema.json", /no JSON Schema.*\n +did you mean schema.json\?/],
  ["run --prompt-file nosuch.md", /cannot read .*nosuch\.md/],
  ["-C nosuch ls", /find the folder .*nosuch/],
  ["-C schema.json ls", /schema\.json is a file, not a folder\n +name an existing folder\n/],
  ...["fmt plans", "fmt --fix plans", "validate plans", "show T1 --file plans", "add --import plans"].map(
    (line) => [line, /plans is a folder, not a file\n +name a file\n/] as const,
  ),
  ["add x --file plans", /plans is a folder, not a file\n +name the task file\n/],
  ["logs T1 --file nosuch.json", /no task file .*nosuch.json/],
  ["config set loop.max_wait soon", /loop.max_wait is "soon"; allowed: .*\n +nothing was changed\n$/],
];

test(
  "a word nothing is called by: exit 2, one line or two, what was meant, and no stack",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }, { id: "task-1" }]);
    rig.write("schema.json", "{}");
    rig.write("plans/plan.md", "- A task\n");
    rig.gitInit();
    rig.write("looper-logs/runs/2026-01-31_08-30-00/events.jsonl", "");
    const before = rig.read("to-do.json");
    const wrong: string[] = [];
    // Every fifth of them; in make proof all.
    const left = MISTAKES.filter((_, at) => EXHAUSTIVE || at % 5 === 0);
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [line, says] = next;
        const { code, stdout, stderr } = await rig.run(line.split(" "));
        const lines = stderr.split("\n").length - 1;
        const right =
          code === 2 && stdout === "" && lines <= 2 && says.test(stderr) && !/\n +at /.test(stderr);
        if (!right) wrong.push(`looper ${line} (${String(code)})\n${stdout}${stderr}`);
      }
    };
    await Promise.all([work(), work(), work()]);
    expect(wrong.join("\n")).toBe("");
    const latin = await rig.run(["add", "-"], { input: Buffer.from("Gr\u00fc\u00dfe", "latin1") });
    expect([latin.code, latin.stderr]).toEqual([2, expect.stringContaining("is not UTF-8")]);
    expect(rig.read("to-do.json")).toBe(before);
    // There is nothing to replay.
    rmSync(path.join(rig.project, "looper-logs"), { recursive: true });
  }),
);

test(
  "a named task file that does not exist is created only when the command gives its content",
  story(async (rig) => {
    const puppet = await rig.agent();
    rig.write("README.md", "A shop.\n");
    puppet.play((turn) => turn.report());
    puppet.play((turn) => turn.report());
    const refused = await rig.run(["run", "plan.json"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--prompt")]);
    expect(refused.stderr).not.toContain("drafting");
    expect((await rig.run(["run", "plan.json", "-y"])).stderr).toContain("drafting the task file");
  }),
);
