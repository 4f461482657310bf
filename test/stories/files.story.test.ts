// Task files as people and other programs leave them: taken as they are, changed only where a run changes something, or
// turned away with all that is wrong (contract §3). Each is given to `looper validate` and to `looper run`.
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { exhaustively, sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const Verdict = z.object({
  ok: z.boolean(),
  problems: z.array(
    z.object({
      rule: z.string(),
      pointer: z.string(),
      line: z.int(),
      column: z.int(),
      message: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
});

async function validate(rig: Rig): Promise<z.infer<typeof Verdict>> {
  const { code, stdout, stderr } = await rig.run(["validate", "--json"]);
  const verdict = Verdict.parse(JSON.parse(stdout));
  expect({ code, stderr }).toEqual({ code: verdict.ok ? 0 : 1, stderr: "" });
  return verdict;
}

const good = { default: [{ summary: { status: "done" as const } }] };

/** The lines of `before` that are not in `after`, in order. */
function missingLines(before: string, after: string): string[] {
  const left = after.split("\n");
  return before.split("\n").filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(0, at + 1);
    return at < 0;
  });
}

// As the Go program writes it: four spaces, keys in an order of its own, short lists in one line, no `meta`.
const UPSTREAM = `{
    "schema_version": 1,
    "project": { "name": "shop", "root": "." },
    "source_files": ["README.md"],
    "tasks": [
        {
            "id": "T002",
            "title": "Sell things \\u2014 now",
            "status": "todo",
            "priority": 2,
            "depends_on": ["T001"],
            "tags": ["shop", "ui"],
            "steps": [ "one",   "two" ],
            "created_at": "2025-01-01T00:00:00Z"
        },
        {
            "title": "Have things",
            "id": "T001",
            "priority": 4,
            "description": "",
            "details": "long\\tstory",
            "reference": "README.md#things",
            "files": [],
            "blockers": [],
            "status": "doing",
            "updated_at": "2025-01-02T00:00:00+02:00"
        }
    ]
}
`;

test(
  "a backlog of upstream's runs unchanged: only what the run did differs",
  story(async (rig) => {
    rig.write("to-do.json", UPSTREAM);
    expect(await validate(rig)).toEqual({ ok: true, problems: [] });
    const { code } = await rig.run(["run", "--no-review"], { env: rig.clis(good) });
    expect(code).toBe(0);
    expect(missingLines(UPSTREAM, rig.read("to-do.json")).map((line) => line.trim())).toEqual([
      '"status": "todo",',
      '"created_at": "2025-01-01T00:00:00Z"',
      '"status": "doing",',
      '"updated_at": "2025-01-02T00:00:00+02:00"',
    ]);
    expect(rig.read("to-do.json")).toContain('"created_at": "2025-01-01T00:00:00Z",\n            "');
    expect(rig.statuses()).toEqual({ T002: "done", T001: "done" });
  }),
);

test(
  "a BOM, CRLF and tabs stay as they are",
  story(async (rig) => {
    const text = UPSTREAM.replaceAll("    ", "\t").replaceAll("\n", "\r\n");
    rig.write("to-do.json", `\ufeff${text}`);
    expect(await validate(rig)).toEqual({ ok: true, problems: [] });
    rig.gitInit();
    const { code } = await rig.run(["run"], { env: rig.clis(good) });
    expect(code).toBe(0);
    const after = rig.read("to-do.json");
    expect(after.startsWith("\ufeff{\r\n\t")).toBe(true);
    expect(after.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(missingLines(text, after)).toHaveLength(5);
    // The commit holds the file as it is on disk.
    expect(rig.git("show", "HEAD:to-do.json")).toBe(after);
    expect(after).toContain("PROJECT-DONE");
  }),
);

const STRANGE_IDS = sample(
  [
    "T1.2",
    "T1.10",
    "..",
    "-rf",
    "@{u}",
    "$(exit)",
    "__proto__",
    "é",
    "%41",
    "HEAD",
    "x.lock",
    "a/b",
    "a:b",
    "*",
  ],
  5,
);

test(
  "ids like T1.2 and stranger ones are names like any other",
  story(async (rig) => {
    rig.writeBacklog(
      STRANGE_IDS.map((id, at) => ({ id, depends_on: STRANGE_IDS.slice(Math.max(0, at - 1), at) })),
    );
    rig.gitInit();
    expect(await validate(rig)).toEqual({ ok: true, problems: [] });
    const { code, stderr } = await rig.run(["run"], { env: rig.clis(good) });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(rig.readBacklog().tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(
      [...STRANGE_IDS, "PROJECT-DONE"].map((id) => `${id} done`),
    );
    // Each in the order it waits for, with a commit of its own, and nothing left of its checkpoint.
    const trailers = rig.git("log", "--reverse", "--format=%(trailers:key=Looper-Task,valueonly)");
    expect(trailers.split("\n").filter((line) => line !== "")).toEqual(STRANGE_IDS);
    expect(rig.unfinished()).toBe("");
    expect(rig.git("status", "--porcelain")).toBe("");
  }),
);

const task = (id: string, rest: Record<string, unknown> = {}) => ({
  id,
  title: id,
  priority: 3,
  status: "todo",
  ...rest,
});
const backlog = (tasks: unknown[], rest: Record<string, unknown> = {}) =>
  JSON.stringify({ schema_version: 1, source_files: [], tasks, ...rest }, undefined, 1);
const CYCLE = ["E5", "E3", "E1", "E4", "E2"];
const DEEP = "[".repeat(100_000);

const BROKEN: {
  name: string;
  text: string | Buffer;
  problems: [rule: string, pointer: string, says: RegExp][];
  /** Given to a run as well. */
  runs?: true;
}[] = [
  {
    name: "unknown keys",
    runs: true,
    text: backlog([task("T1", { Titel: "x" }), task("T2", { notes: [] })], { task: [] }),
    problems: [
      ["unknown-key", "/tasks/0/Titel", /"Titel".*did you mean "title"/],
      ["unknown-key", "/tasks/1/notes", /"notes"/],
      ["unknown-key", "/task", /"task".*did you mean "tasks"/],
    ],
  },
  {
    name: "duplicate ids",
    runs: true,
    text: backlog([task("T1"), task("T2"), task("T1"), task("T1")]),
    problems: [
      ["duplicate-id", "/tasks/2/id", /"T1".*\/tasks\/0/],
      ["duplicate-id", "/tasks/3/id", /"T1".*\/tasks\/0/],
    ],
  },
  {
    name: "a duplicate key",
    text: backlog([task("T1")]).replace('"priority"', '"title": "other",\n   "priority"'),
    problems: [["duplicate-key", "/tasks/0/title", /title/]],
  },
  {
    name: "a cycle of 5",
    runs: true,
    text: backlog(CYCLE.map((id, at) => task(id, { depends_on: [CYCLE[(at + 1) % 5]] }))),
    problems: [["cycle", "/tasks/2/depends_on/0", /E1 → E4 → E2 → E5 → E3 → E1/]],
  },
  {
    name: "a dependency on nothing, and one on itself",
    text: backlog([task("T1", { depends_on: ["T10"] }), task("T2", { depends_on: ["T2"] }), task("T11")]),
    problems: [
      ["unknown-dependency", "/tasks/0/depends_on/0", /"T10"/],
      ["self-dependency", "/tasks/1/depends_on/0", /"T2"/],
    ],
  },
  {
    name: "[ 100,000 times",
    runs: true,
    text: DEEP,
    problems: [
      ["nesting", "/0".repeat(200), /200/],
      ["syntax", "", /100000/],
    ],
  },
  {
    name: "[ 100,000 times, and closed, within a task",
    text: backlog([task("T1", { meta: "@" })]).replace('"@"', DEEP + DEEP.replaceAll("[", "]")),
    problems: [["nesting", `/tasks/0/meta${"/0".repeat(197)}`, /200/]],
  },
  {
    name: "bytes that are not UTF-8",
    text: Buffer.from(backlog([task("T1", { description: "caf\u00e9" })]), "latin1"),
    problems: [["utf-8", "", /UTF-8/]],
  },
  {
    name: "a number that does not stay what it is",
    text: backlog([task("T1", { meta: "@" })]).replace('"@"', "12345678901234567890"),
    problems: [["number", "/tasks/0/meta", /12345678901234567890/]],
  },
];

for (const { name, text, problems } of sample(BROKEN, 3)) {
  test(
    `turned away with all that is wrong, and left as it is: ${name}`,
    story(async (rig) => {
      rig.write("to-do.json", text);
      const verdict = await validate(rig);
      expect(verdict.ok).toBe(false);
      expect(verdict.problems.map(({ rule, pointer }) => [rule, pointer])).toEqual(
        problems.map(([rule, pointer]) => [rule, pointer]),
      );
      for (const [index, [, , says]] of problems.entries()) {
        const { message, suggestion, line, column } = verdict.problems[index] ?? { line: 0, column: 0 };
        expect(`${message ?? ""} ${suggestion ?? ""}`).toMatch(says);
        expect([line, column].every((place) => place >= 1)).toBe(true);
      }
      expect((await rig.run(["validate", "--json"])).stdout).toBe(
        JSON.stringify(verdict, undefined, 2) + "\n",
      );
    }),
  );
}

for (const { name, text } of sample(
  BROKEN.filter((one) => one.runs === true),
  1,
)) {
  test(
    `a run has the file repaired, asks twice, and leaves it unchanged when neither agent repairs it: ${name}`,
    story(async (rig) => {
      rig.write("to-do.json", text);
      const log = path.join(rig.root, "starts.jsonl");
      const env = { ...rig.clis({ repair: [{ prose: "I cannot mend this." }] }), FAKE_AGENT_LOG: log };
      const { code, stdout, stderr } = await rig.run(["run"], { env });
      expect({ code, stdout }).toEqual({
        code: 2,
        stdout: expect.stringContaining("unusable-backlog") as string,
      });
      expect(stderr).toMatch(/still not valid after 2 repairs/);
      expect(rig.readBytes("to-do.json").equals(Buffer.from(text))).toBe(true);
      expect(rig.readBytes("../starts.jsonl").toString().trim().split("\n")).toHaveLength(2);
    }),
  );
}

exhaustively(
  "100,000 tasks in one chain are valid",
  story(async (rig) => {
    const ids = Array.from({ length: 100_000 }, (_, i) => `T${i}`);
    // The first waits for the second, and so on: a recursive search would be 100,000 calls deep.
    rig.write(
      "to-do.json",
      backlog(ids.map((id, at) => task(id, { depends_on: ids.slice(at + 1, at + 2) }))),
    );
    expect(await validate(rig)).toEqual({ ok: true, problems: [] });
    const { code, stdout } = await rig.run(["ls", "--ready", "--json"]);
    const listed = z.object({ tasks: z.array(z.object({ id: z.string() })) }).parse(JSON.parse(stdout));
    expect({ code, ids: listed.tasks.map(({ id }) => id) }).toEqual({ code: 0, ids: ["T99999"] });
  }),
);
