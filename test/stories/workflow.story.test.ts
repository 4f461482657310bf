// In CI: what the log of a GitHub workflow is told, and the job's summary; and the JUnit report, wherever it runs.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readJUnit } from "../../src/gate/report/junit.js";
import { type Rig, story } from "../rig/rig.js";

/** The commands that the runner of a workflow obeys. */
const OBEYED = /^[\s\u0085]*::|##\w*\[/u;
const OURS = /^::(group|endgroup|error|warning)( title=[^:]*)?::/u;

function obeyed(text: string): string[] {
  return text.split(/\r\n|[\r\n]/).filter((line) => OBEYED.test(line));
}

/** T1 is done, `::stop-commands::x` is blocked, T3 waits for it; all in words meant for the runner. */
async function stage(rig: Rig): Promise<Record<string, string>> {
  rig.writeBacklog([
    { id: "T1", title: "##[error]One | <b>`x`</b>\u0000]]>", priority: 1 },
    { id: "::stop-commands::x", title: "::error::boo", priority: 2 },
    { id: "T3", depends_on: ["::stop-commands::x"] },
  ]);
  const puppet = await rig.agent(
    {},
    { verify: { commands: ["echo ::error::from the gate; test ! -f red"] } },
  );
  puppet.play(async (turn) => {
    await turn.say("::stop-commands::said");
    if (turn.task !== "T1")
      return turn.report({ status: "blocked", blockers: ["::error::a,\n::warning::b", "##[add-mask]c"] });
    if (turn.hello.env["LOOPER_ATTEMPT"] === "1") await turn.write("red", "");
    else await turn.remove("red");
    return turn.report({ summary: "::set-output name=a::b" });
  });
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: rig.root,
    GITHUB_STEP_SUMMARY: path.join(rig.root, "summary"),
  };
}

test(
  "in a GitHub workflow: a group for each task, an error for each that is blocked, a summary, and no commands of others",
  story(async (rig) => {
    const env = await stage(rig);
    const run = await rig.run(["run", "--no-review", "--junit", "out/report.xml", "--log-level", "debug"], {
      env,
    });
    expect(run.code).toBe(1);
    expect(obeyed(run.stdout)).toEqual([]);
    const told = obeyed(run.stderr);
    for (const line of told) expect(line).toMatch(OURS);
    expect(told.filter((line) => !line.startsWith("::warning"))).toEqual([
      "::group::T1 ##[error]One | <b>`x`</b> ]]>",
      "::endgroup::",
      "::group::::stop-commands::x ::error::boo",
      "::endgroup::",
      "::error title=%3A%3Astop-commands%3A%3Ax %3A%3Aerror%3A%3Aboo%3A blocked::::error::a, ::warning::b; ##[add-mask]c",
    ]);
    const [group = ""] = run.stderr.split("::endgroup::");
    expect(group).toMatch(/gate ✗ echo .+\n {2}\| ::error::from the gate\n/);
    expect(group).toMatch(/attempt 2\n[^]*gate ✓/);
    const summary = readFileSync(path.join(rig.root, "summary"), "utf8");
    expect(summary).toContain(
      "| T1 | \\#\\#\\[error\\]One \\| &lt;b&gt;\\`x\\`&lt;/b&gt; \\]\\]&gt; | ➖ done, unbroken | 2 |",
    );
    expect(summary).toContain("| **Total** | | 1 of 3 tasks done | 3 |");
    expect(readJUnit(rig.read("out/report.xml"), (name) => name)).toEqual({
      how: "read",
      cases: [
        { name: "looper > fake > T1 ##[error]One | <b>`x`</b> ]]>", status: "passed" },
        { name: "looper > fake > ::stop-commands::x ::error::boo", status: "failed" },
        { name: "looper > T3 Do T3", status: "skipped" },
      ],
    });
    for (const words of [["ls"], ["ls", "--json"], ["tail"], ["tail", "--raw"], ["fmt"], ["show", "T1"]]) {
      const { stdout, stderr } = await rig.run(words, { env });
      expect(obeyed(stdout + stderr), words.join(" ")).toEqual([]);
      if (words.includes("--json"))
        expect(JSON.parse(stdout)).toMatchObject({ tasks: expect.anything() as unknown });
    }
  }),
);

test(
  "in a GitHub workflow --quiet leaves the errors, --json nothing; a summary that cannot be written is a warning",
  story(async (rig) => {
    const env = await stage(rig);
    const quiet = await rig.run(["run", "--no-review", "--quiet"], { env });
    expect(quiet.code).toBe(1);
    expect(quiet.stderr).toMatch(/^::error title=[^\n]+\n$/);
    const file = path.join(rig.root, "summary");
    writeFileSync(file, " ".repeat(1024 * 1024 - 10));
    const full = await rig.run(["run", "--no-review", "--log-level", "warn"], { env });
    expect(full.code).toBe(1);
    expect(full.stderr).toContain("looper: the job summary could not be written: ");
    expect(readFileSync(file).length).toBe(1024 * 1024 - 10);
    const folder = await rig.run(["run", "--no-review", "--json"], { env });
    expect(folder).toMatchObject({ code: 1, stderr: "" });
    expect(
      folder.stdout
        .trimEnd()
        .split("\n")
        .every((line) => line.startsWith("{")),
    ).toBe(true);
    expect(obeyed(folder.stdout)).toEqual([]);
  }),
);

test(
  "problems of the task file are shown at their place, seen from the checkout",
  story(async (rig) => {
    rig.write(
      "to-do.json",
      '{"schema_version": 1, "source_files": [],\n "tasks": [{"id": "T1", "title": []}]}',
    );
    const puppet = await rig.agent();
    puppet.play((turn) => turn.report());
    const env = { GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: rig.root };
    const { code, stderr } = await rig.run(["run", "--junit", "r.xml"], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^::error title=[^,]+,file=project\/to-do\.json,line=2,col=\d+::/m);
    expect(readJUnit(rig.read("r.xml"), (name) => name)).toMatchObject({ cases: [{ status: "failed" }] });
  }),
);

test(
  "--junit is looked at before the run, from the current folder; an interrupted run writes it too",
  story(async (rig) => {
    rig.writeBacklog([{ id: "T1" }]);
    rig.write("a-file", "");
    mkdirSync(path.join(rig.project, "sub"));
    const puppet = await rig.agent();
    for (const [named, code] of [
      ["", 2],
      ["sub", 2],
      ["to-do.json", 2],
      ["/dev/null", 2],
      ["a-file/r.xml", 3],
    ] as const) {
      const refused = await rig.run(["run", "--junit", named]);
      expect([named, refused.code]).toEqual([named, code]);
      expect(refused.stderr).toMatch(/^looper: --junit.+\n {2}\S/);
    }
    expect(rig.runs()).toEqual([]);
    const run = rig.start(["run", "--junit=deep/er/r.xml"], { cwd: "sub" });
    const turn = await puppet.next();
    run.signal("SIGTERM");
    expect((await run.ended).code).toBe(143);
    await turn.gone;
    expect(existsSync(path.join(rig.project, "deep"))).toBe(false);
    const xml = rig.read("sub/deep/er/r.xml");
    expect(xml).toContain('<property name="ending" value="interrupted"/>');
    expect(readJUnit(xml, (name) => name)).toMatchObject({ cases: [{ status: "skipped" }] });
  }),
);

test(
  "in a GitHub workflow a command that cannot begin is an error as well; one that says no is none",
  story(async (rig) => {
    const env = { GITHUB_ACTIONS: "true" };
    rig.writeBacklog([{ id: "T1" }]);
    const wrong = await rig.run(["run", "--agent", "%0A::nobody"], { env });
    expect(wrong.code).toBe(2);
    expect(obeyed(wrong.stderr)).toEqual([
      expect.stringMatching(/^::error title=looper::[^:]*%250a::nobody/),
    ]);
    const json = await rig.run(["ls", "nothing.json"], { env: { ...env, LOOPER_LOG_FORMAT: "json" } });
    expect([json.code, obeyed(json.stderr)]).toEqual([2, []]);
    const no = await rig.run(["stop"], { env });
    expect([no.code, obeyed(no.stderr)]).toEqual([1, []]);
  }),
);
