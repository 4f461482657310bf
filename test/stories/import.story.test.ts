// Tasks taken over from other programs (`looper init --import`): the real program.
import { spawnSync } from "node:child_process";
import { writeFileSync, truncateSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { InitAnswer } from "../../src/ui/shapes/project.js";
import { Backlog } from "../../src/todo/model/task.js";
import { sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const FILES: Readonly<Record<string, string>> = {
  "TODO.md": "# Shop\n\n- [ ] Log in (P1)\n  - [ ] form\n- [x] Set up\n",
  "PRD.md": "# Shop\n\n## User Stories\n\n### US-001: Basket\n\nAs a buyer.\n",
  "prd.json":
    '{"project":"Shop","userStories":[{"id":"US-001","title":"Basket","priority":2,"passes":false}]}',
  "tasks.json":
    '{"master":{"tasks":[{"id":1,"title":"A","status":"pending","priority":"high","dependencies":[],"subtasks":[{"id":1,"title":"B"}]}]}}',
  "plain.json": '{"tasks":[{"id":1,"title":"A","status":"done"}]}',
  "issues.jsonl":
    '{"id":"bd-1","title":"A","status":"open","priority":1,"issue_type":"bug"}\n{"id":"bd-2","title":"B","status":"closed","priority":2,"issue_type":"task","dependencies":[{"issue_id":"bd-2","depends_on_id":"bd-1","type":"blocks"}]}\n',
  "gh.json":
    '[{"number":7,"title":"Slow","body":"b","labels":[{"name":"bug"}],"state":"OPEN","url":"https://example.org/7"}]',
};

const ids = (rig: Rig, folder: string): string[] =>
  Backlog.parse(JSON.parse(rig.read(`${folder}/to-do.json`))).tasks.map(
    ({ id, status }) => `${id} ${status}`,
  );

test(
  "each format becomes a valid backlog; the same again is refused, and changes nothing",
  story(async (rig) => {
    const made: Record<string, string[]> = {};
    // src/todo/exchange/import reads each of them; in make proof the program does, too.
    const some = sample(Object.entries(FILES), 3);
    for (const [name, text] of some) {
      const folder = name.replace(".", "-");
      rig.write(`${folder}/${name}`, text);
      const done = await rig.run(["init", "--import", name], { cwd: folder });
      expect(done.code, name + done.stderr).toBe(0);
      expect(done.stdout).toMatch(
        new RegExp(`\\nto-do\\.json +written: \\d tasks? from ${name}, (?:a|issues)`),
      );
      made[name] = ids(rig, folder);
    }
    const all: Record<string, string[]> = {
      "TODO.md": ["T1 todo", "T2 done"],
      "PRD.md": ["US-001 todo"],
      "prd.json": ["US-001 todo"],
      "tasks.json": ["1.1 todo", "1 todo"],
      "plain.json": ["1 done"],
      "issues.jsonl": ["bd-1 todo", "bd-2 done"],
      "gh.json": ["GH-7 todo"],
    };
    expect(made).toEqual(Object.fromEntries(some.map(([name]) => [name, all[name]])));
    expect((await rig.run(["validate"], { cwd: "TODO-md" })).code).toBe(0);
    expect(Backlog.parse(JSON.parse(rig.read("TODO-md/to-do.json"))).source_files).toEqual(["TODO.md"]);
    const before = rig.read("TODO-md/to-do.json");
    const again = await rig.run(["init", "--import", "TODO.md"], { cwd: "TODO-md" });
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("looper add --import TODO.md")]);
    expect(rig.read("TODO-md/to-do.json")).toBe(before);
  }),
);

test(
  "from stdin, into a file without tasks; over tasks only with --force, and a copy stays",
  story(async (rig) => {
    expect(await rig.run(["init"])).toMatchObject({ code: 0 });
    const input = FILES["gh.json"] ?? "";
    const first = await rig.run(["init", "--import", "-", "--json"], { input });
    const answer = InitAnswer.parse(JSON.parse(first.stdout));
    expect(answer).toMatchObject({
      tasks: 1,
      imported: { from: "stdin", format: "issues of GitHub" },
      next: ["looper run"],
    });
    const old = rig.read("to-do.json");
    rig.write("TODO.md", FILES["TODO.md"] ?? "");
    const refused = await rig.run(["init", "--import", "TODO.md"]);
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toBe(
      "looper: to-do.json has 1 task already: nothing was imported\n  add to it with `looper add --import TODO.md`; --force replaces it and keeps a copy\n",
    );
    expect(rig.read("to-do.json")).toBe(old);
    const forced = await rig.run(["init", "--import", "TODO.md", "--force", "--json"]);
    const [{ copy = "" } = {}] = InitAnswer.parse(JSON.parse(forced.stdout)).files;
    expect([rig.read(path.relative(rig.project, copy)), ids(rig, ".")]).toEqual([
      old,
      ["T1 todo", "T2 done"],
    ]);
    expect((await rig.run(["config"])).code).toBe(0);
  }),
);

test(
  "an import that cannot be read exits with 2 and two lines, and writes nothing",
  story(async (rig) => {
    const files: Record<string, string | Buffer> = {
      empty: "",
      cut: '{"userStories":[{"id":',
      bytes: Buffer.from([0x2d, 0x20, 0xff]),
      deep: "[".repeat(200_000),
    };
    for (const [name, content] of Object.entries(files)) rig.write(`../${name}`, content);
    writeFileSync(path.join(rig.root, "huge"), "");
    truncateSync(path.join(rig.root, "huge"), 200 * 1024 * 1024);
    for (const name of sample(["huge", "missing", ...Object.keys(files)], 4)) {
      const { code, stdout, stderr } = await rig.run(["init", "--import", `../${name}`]);
      expect([name, code, stdout]).toEqual([name, 2, ""]);
      expect(stderr, name).toMatch(/^looper: [^\n]+\n(?: {2}[^\n]+\n)?$/);
    }
    expect(spawnSync("ls", ["-A", rig.project], { encoding: "utf8" }).stdout).toBe("");
  }),
);

test(
  "add --import adds the tasks of a file to those there are; a title that is there already is left out",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1", title: "One" }]);
    rig.write("TODO.md", "- [ ] one\n- [ ] **T1**: Two (P1)\n- [ ] Three (after T1)\n");
    const added = await rig.run(["add", "--import", "TODO.md"]);
    expect([added.code, added.stdout]).toEqual([0, "T2\nT3\n"]);
    expect(added.stderr).toContain("since T1 has the same title");
    expect(rig.readBacklog().tasks).toMatchObject([
      { id: "T1", title: "One" },
      { id: "T2", title: "Two", priority: 1 },
      { id: "T3", title: "Three", depends_on: ["T2"] },
    ]);
    const again = await rig.run(["add", "--import", "-"], { input: "- [ ] Four\n- [ ] one\n" });
    expect([again.code, again.stdout]).toEqual([0, "T4\n"]);
    expect((await rig.run(["add", "Five", "--import", "TODO.md"])).code).toBe(2);
    expect((await rig.run(["add", "--import", "none.md"])).code).toBe(2);
    expect((await rig.run(["add"])).code).toBe(2);
    expect((await rig.run(["validate"])).code).toBe(0);
  }),
);

test(
  "of a document that holds more than its tasks the lines left out are counted, and a draft is proposed",
  story(async (rig) => {
    const table = "| id | what |\n| --- | --- |\n| 1 | a |\n| 2 | b |\n";
    rig.write(
      "PRD.md",
      `# Shop\n\n## Requirements\n\nFR-1 The shop opens.\nFR-2 It closes.\n\n${table}\n- Payment\n`,
    );
    const { code, stdout } = await rig.run(["init", "--import", "PRD.md"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/written: 1 task from PRD\.md/);
    expect(stdout).toMatch(
      /\n6 lines of PRD\.md left out: .*or have an agent draft from it: `looper run --prompt - < PRD\.md`.*\nnext: looper run\n$/,
    );
  }),
);

test(
  "of a checklist steps that are done are left out and named, and titles lose the marks of Markdown",
  story(async (rig) => {
    rig.write(
      "TODO.md",
      "- [ ] Fix the **login** ~~page~~ in `src/__init__.py`\n  - [x] reproduce\n  - [ ] write a *test*\n- [ ] src/** and __main__.py\n",
    );
    const { code, stderr } = await rig.run(["init", "--import", "TODO.md"]);
    expect(code).toBe(0);
    expect(stderr.split("\n").slice(1)).toEqual([
      'looper: left out of "Fix the login page in src/__init__.py": reproduce, which is done',
      "",
    ]);
    const { tasks } = rig.readBacklog();
    expect(tasks.map(({ title }) => title)).toEqual([
      "Fix the login page in src/__init__.py",
      "src/** and __main__.py",
    ]);
    expect(tasks[0]?.steps).toEqual(["write a test"]);
  }),
);
