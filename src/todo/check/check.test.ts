import fc from "fast-check";
import { expect, test } from "vitest";
import { checkBacklog, type CheckOptions, type CheckResult } from "./check.js";
import type { UnplacedProblem, Problem } from "../model/problem.js";
import { joinText } from "../json/file-text.js";
import { backlog, task } from "../testing/testing.js";
import { compileUserSchema } from "./user-schema.js";

function check(text: string | Uint8Array, options?: CheckOptions): CheckResult {
  return checkBacklog(typeof text === "string" ? Buffer.from(text, "utf8") : text, options);
}

function problemsOf(text: string | Uint8Array, options?: CheckOptions): Problem[] {
  const result = check(text, options);
  if (result.kind === "ok") throw new Error("it is valid");
  return result.problems;
}

/** A list of problems, short enough to compare. */
function brief(problems: readonly Problem[]): string[] {
  return problems.map((p) => `${p.line}:${p.column} ${p.rule} ${p.pointer}`);
}

function withTasks(...tasks: unknown[]): string {
  return JSON.stringify({ schema_version: 1, source_files: [], tasks }, null, 2);
}

const upstream = `{
  "schema_version": 1,
  "project": { "name": "x", "root": "." },
  "source_files": ["README.md"],
  "tasks": [
    { "id": "T1.2", "title": "é", "priority": 1, "status": "todo", "steps": [], "created_at": "2026-01-02T03:04:05.678Z" },
    { "id": "T1.10", "title": "b", "priority": 5, "status": "blocked", "depends_on": ["T1.2"], "updated_at": "2024-02-29T03:04:05+09:00" }
  ]
}`;

test.each([
  ["as upstream writes it", upstream],
  ["CRLF", upstream.replaceAll("\n", "\r\n")],
  ["minified", JSON.stringify(JSON.parse(upstream))],
  ["anything in meta", withTasks(task("T1", { meta: JSON.parse('{"__proto__":1,"2":[],"1":{"":null}}') }))],
])("valid: %s", (_, text) => {
  const result = check(text);
  expect(result).toMatchObject({ kind: "ok", bom: false });
  expect(result.kind === "ok" && joinText(result.text)).toBe(text);
  expect(result.kind === "ok" && result.backlog).toEqual(JSON.parse(text));
  expect(check(`\ufeff${text}`)).toMatchObject({ ...result, bom: true });
});

test.each([
  ["", false],
  [" \r\n\t\n", false],
  ["\ufeff", false],
  ["{}", false],
  ['{"tasks": []}', false],
  [JSON.stringify(backlog()), true],
])("no tasks at all: %j, valid: %j", (text, valid) => {
  const result = check(text);
  expect(result.kind).toBe("empty");
  expect(result.kind === "empty" && result.problems.length === 0).toBe(valid);
  expect(result.kind === "empty" && result.backlog !== undefined).toBe(valid);
});

test("a file with another key for its tasks is not empty", () => {
  expect(problemsOf('{"schema_version":1,"source_files":[],"task":[{"id":"T1"}]}')).toEqual([
    expect.objectContaining({ rule: "missing-key", pointer: "", message: '"tasks" is missing' }),
    expect.objectContaining({ rule: "unknown-key", pointer: "/task", suggestion: 'did you mean "tasks"?' }),
  ]);
  for (const text of ['{"task":[]}', '{"tasks":""}', '{"tasks":{}}', "null", "7", "[]", "[[]]"])
    expect(check(text)).toMatchObject({ kind: "invalid", readable: [] });
});

test("the problem of an empty file explains what belongs in it", () => {
  expect(problemsOf(" \n ")).toEqual([
    {
      rule: "syntax",
      pointer: "",
      line: 1,
      column: 1,
      message: "there is nothing in the file",
      suggestion: "expected a JSON object",
    },
  ]);
});

test("an error in the text does not hide an error in the shape", () => {
  const text = withTasks(task("T1")).replace('"todo"', '"wip", "status": "wop"');
  expect(brief(problemsOf(text))).toEqual([
    "9:24 duplicate-key /tasks/0/status",
    "9:34 bad-value /tasks/0/status",
  ]);
});

test("every problem of the shape at once, in file order, with its place", () => {
  const text = `{
  "schema_version": 2,
  "tasks": [
    {"id": "a b", "title": "", "priority": 9, "status": "wip", "stauts": 1},
    {"id": "T2", "title": "x", "priority": 1.5, "status": "don", "steps": {"a": 1}, "attempts": -1},
    7,
    {"id": "T3", "title": 3, "priority": "1", "status": "todo", "created_at": "2026-02-30T00:00:00Z", "__proto__": 1}
  ],
  "source_files": ["a", 1]
}`;
  expect(brief(problemsOf(text))).toEqual([
    "2:21 bad-value /schema_version",
    "4:12 bad-value /tasks/0/id",
    "4:28 bad-value /tasks/0/title",
    "4:44 bad-value /tasks/0/priority",
    "4:57 bad-value /tasks/0/status",
    "4:64 unknown-key /tasks/0/stauts",
    "5:44 bad-value /tasks/1/priority",
    "5:59 bad-value /tasks/1/status",
    "5:75 wrong-type /tasks/1/steps",
    "5:97 bad-value /tasks/1/attempts",
    "6:5 wrong-type /tasks/2",
    "7:27 wrong-type /tasks/3/title",
    "7:42 wrong-type /tasks/3/priority",
    "7:79 bad-value /tasks/3/created_at",
    "7:103 unknown-key /tasks/3/__proto__",
    "9:25 wrong-type /source_files/1",
  ]);
});

test("an invalid date has a problem of its own", () => {
  expect(brief(problemsOf(withTasks(task("T1", { updated_at: "yesterday" }))))).toEqual([
    "10:21 bad-value /tasks/0/updated_at",
  ]);
});

test("problems have helpful suggestions", () => {
  const said = (text: string): string[] =>
    problemsOf(text).map((p) => `${p.message} | ${p.suggestion ?? ""}`);
  expect(said(withTasks({ id: "T 1", title: "x", priority: 9, status: "don", depend_on: [] }))).toEqual([
    'an id is not empty and has no white space or control characters; it is "T 1" | write "T-1"',
    "priority must be 5 or less; it is 9 | ",
    'status must be one of todo, doing, blocked, done; it is "don" | did you mean "done"?',
    'the key "depend_on" is not known here | did you mean "depends_on"?',
  ]);
  expect(said('{"tasks":[{"id":"T1","title":"x","steps":["a",null]}]}')).toEqual([
    '"schema_version" is missing | add "schema_version": 1',
    '"source_files" is missing | add "source_files": []',
    '"priority" is missing | add "priority": 3',
    '"status" is missing | add "status": "todo"',
    "steps[1] must be a string; it is null | ",
  ]);
  expect(said("[]")).toEqual(["the file must be an object; it is an array | "]);
  expect(said("null")).toEqual(["the file must be an object; it is null | "]);
});

test("problems of ids and dependencies are reported", () => {
  const text = withTasks(
    task("T1", { depends_on: ["T1"] }),
    task("T2", { depends_on: ["T1", "T22", "zebra"] }),
    task("T1"),
  );
  expect(problemsOf(text)).toMatchObject([
    { rule: "self-dependency", pointer: "/tasks/0/depends_on/0" },
    { rule: "unknown-dependency", pointer: "/tasks/1/depends_on/1", suggestion: 'did you mean "T2"?' },
    {
      rule: "unknown-dependency",
      pointer: "/tasks/1/depends_on/2",
      suggestion: "remove it, or add that task",
    },
    { rule: "duplicate-id", pointer: "/tasks/2/id", message: 'the id "T1" is taken by the task at /tasks/0' },
  ]);
});

test("a cycle of 5 is reported once from its lowest id, without the tasks that wait for it", () => {
  const text = withTasks(
    task("T10", { depends_on: ["T9"] }),
    task("T9", { depends_on: ["T8"] }),
    task("T8", { depends_on: ["T2"] }),
    task("T2", { depends_on: ["T77", "T11"] }),
    task("T11", { depends_on: ["T10"] }),
    task("T1", { depends_on: ["T2"] }),
    task("T77"),
  );
  expect(problemsOf(text)).toMatchObject([
    {
      rule: "cycle",
      pointer: "/tasks/3/depends_on/1",
      message: "these tasks wait for each other: T2 → T11 → T10 → T9 → T8 → T2",
    },
  ]);
});

test("two cycles are reported as two problems", () => {
  const pair = (a: string, b: string): unknown[] => [
    task(a, { depends_on: [b] }),
    task(b, { depends_on: [a] }),
  ];
  const text = withTasks(...pair("T4", "T3"), ...pair("T1", "T2"));
  expect(problemsOf(text).map((p) => p.message)).toEqual([
    "these tasks wait for each other: T3 → T4 → T3",
    "these tasks wait for each other: T1 → T2 → T1",
  ]);
});

test("duplicate keys, numbers that do not round-trip and deep nesting are problems", () => {
  const deep = "[".repeat(201) + "]".repeat(201);
  const text = `{"schema_version":1,"source_files":[],"tasks":[
{"id":"T1","title":"a","priority":1,"status":"todo","t\\u0069tle":"b"},
{"id":"T2","title":"a","priority":1,"status":"todo","meta":[1e400,12345678901234567890,0.1,1.50,-0,1e2,5e-324,1e-400,0.30000000000000004,123456789012345680]}],
"meta":${deep}}`;
  expect(brief(problemsOf(text))).toEqual([
    "2:53 duplicate-key /tasks/0/title",
    "3:61 number /tasks/1/meta/0",
    "3:67 number /tasks/1/meta/1",
    "3:111 number /tasks/1/meta/7",
    `4:207 nesting /meta${"/0".repeat(199)}`,
  ]);
  expect(check(withTasks(task("T1")).replace('"id"', `"meta": ${deep.slice(4, -4)}, "id"`)).kind).toBe("ok");
});

test("errors after a clear syntax error are reported too", () => {
  const text = '{\n"a": [1, 2,], // x\n"b": [{} {}],\n"b": None\n';
  expect(brief(problemsOf(text))).toEqual([
    "2:11 syntax ",
    "2:15 syntax ",
    "3:10 syntax ",
    "4:1 duplicate-key /b",
    "4:6 syntax ",
    "5:1 syntax ",
  ]);
});

test("a file that is not UTF-8 is a problem", () => {
  const latin = Buffer.from(withTasks(task("T1", { title: "xé" })), "latin1");
  const wide = Buffer.from(`\ufeff${withTasks(task("T1"))}`, "utf16le");
  const cut = Buffer.from('{"a": "é', "utf8").subarray(0, -1);
  expect(brief(problemsOf(latin))).toEqual(["7:18 utf-8 "]);
  expect(check(latin)).toMatchObject({ kind: "invalid", readable: [] });
  expect(brief(problemsOf(cut))).toEqual(["1:8 utf-8 "]);
  const said = (bytes: Buffer): string[] =>
    problemsOf(bytes).map((p) => `${p.message} | ${p.suggestion ?? ""}`);
  expect(said(latin)).toEqual(["the file is not UTF-8: unexpected byte 0xe9 | save it as UTF-8"]);
  for (const bytes of [wide, Buffer.from(wide).swap16()])
    expect(said(bytes)).toEqual(["the file is not UTF-8: it begins as UTF-16 does | save it as UTF-8"]);
  for (const half of ["ff41", "fe41", "41fe", "41ff"].map((hex) => Buffer.from(hex, "hex")))
    expect(said(half)[0]).toContain("unexpected byte 0xf");
});

test("the first byte that is not UTF-8 is found at any offset", () => {
  const some = fc.string({ unit: fc.constantFrom("a", "\n", "é", "…", "😀"), maxLength: 40 });
  fc.assert(
    fc.property(
      some,
      some,
      fc.constantFrom(0x80, 0xc3, 0xff),
      fc.boolean(),
      (before, after, byte, marked) => {
        const bytes = Buffer.concat([
          Buffer.from(`${marked ? "\ufeff" : ""}{${before}`),
          Buffer.from([byte]),
          Buffer.from(`a${after}`),
        ]);
        const lines = `{${before}`.split("\n");
        expect(problemsOf(bytes)).toMatchObject([
          { rule: "utf-8", line: lines.length, column: (lines.at(-1) ?? "").length + 1 },
        ]);
      },
    ),
  );
});

test("an unknown agent and a violation of the user's schema are problems", () => {
  const text = withTasks(task("T1", { agent: "clade" }), task("T2", { agent: "codex" }));
  const agentNames = ["codex", "claude"];
  expect(problemsOf(text, { agentNames })).toMatchObject([
    {
      rule: "unknown-agent",
      pointer: "/tasks/0/agent",
      message: 'there is no agent "clade"',
      suggestion: 'did you mean "claude"?',
    },
  ]);
  const strange = withTasks(task("T1", { agent: "zebra" }), task("T2"));
  expect(problemsOf(strange, { agentNames })).toMatchObject([
    { pointer: "/tasks/0/agent", suggestion: "known are codex, claude" },
  ]);
  const compiled = compileUserSchema({
    $schema: "http://json-schema.org/draft-07/schema#",
    properties: { tasks: { items: { properties: { id: { pattern: "^X" } }, required: ["steps"] } } },
  });
  if (!compiled.ok) throw new Error(compiled.error);
  expect(brief(problemsOf(text, { schema: compiled.value }))).toEqual([
    "5:5 schema /tasks/0",
    "6:13 schema /tasks/0/id",
    "12:5 schema /tasks/1",
    "13:13 schema /tasks/1/id",
  ]);
});

test("the user's schema checks every file that is not nested too deep", () => {
  const asked: unknown[] = [];
  const schema = (value: unknown): [] => {
    asked.push(value);
    return [];
  };
  const twice = '{"schema_version":1,"source_files":[],"source_files":[],"tasks":[]}';
  check(twice, { schema });
  check(twice.replace('"tasks"', `"meta":${"[".repeat(201)}${"]".repeat(201)},"tasks"`), { schema });
  expect(asked).toEqual([JSON.parse(twice)]);
});

test("problems at one place are sorted by rule, pointer and message; problems without a place come first", () => {
  const found = [
    ["schema", "/y", "1"],
    ["schema", "/x", "2"],
    ["schema", "/x", "1"],
    ["cycle", "/z", "1"],
    ["schema", "/x", "1"],
  ] as const;
  const schema = (): UnplacedProblem[] =>
    found.map(([rule, pointer, message]) => ({ rule, pointer, message, suggestion: null, atKey: true }));
  const problems = problemsOf(withTasks(task("T1")), { schema });
  expect(problems.map((p) => `${p.line}:${p.column} ${p.rule} ${p.pointer} ${p.message}`)).toEqual([
    "1:1 cycle /z 1",
    "1:1 schema /x 1",
    "1:1 schema /x 1",
    "1:1 schema /x 2",
    "1:1 schema /y 1",
  ]);
});

test("an invalid file still has its readable tasks", () => {
  const readable = (text: string): unknown => {
    const result = check(text);
    return result.kind === "invalid" ? result.readable.map(({ id, title }) => [id, title]) : result.kind;
  };
  const tasks = [task("T1"), { ...task("T2"), foo: 1 }, { ...task("T3"), status: "wip" }, { title: "x" }, 4];
  expect(readable(withTasks(...tasks))).toEqual([
    ["T1", "Title of T1"],
    ["T2", "Title of T2"],
  ]);
  expect(readable(withTasks(task("T1"), task("T2")).slice(0, -12))).toEqual([["T1", "Title of T1"]]);
  expect(readable('{"tasks":[{"id":"T1",},{"id":"T2"}')).toEqual([]);
});

test("every problem has its exact place, and the same bytes have the same problems", () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>("T1", "T2", "", "todo", 1, 9, null),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const anyTask = fc.dictionary(
    fc.constantFrom("id", "title", "priority", "status", "steps", "depends_on", "a/~b"),
    value,
  );
  const files = fc.record(
    { tasks: fc.array(anyTask), schema_version: value, extra: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(files, fc.constantFrom(0, 2), (file, indent) => {
      const text = JSON.stringify(file, null, indent);
      const result = check(text);
      expect(check(text)).toEqual(result);
      const problems = result.kind === "ok" ? [] : result.problems;
      const lines = text.split("\n");
      for (const { line, column, pointer, rule } of problems) {
        const rest = (lines[line - 1] ?? "").slice(column - 1);
        const last = pointer.split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "";
        if (rule === "unknown-key") expect(rest.startsWith(JSON.stringify(last))).toBe(true);
        else expect(rest).toMatch(/^[[{"\w-]/);
      }
      const places = problems.map((p) => [p.line, p.column]);
      expect(places).toEqual([...places].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    }),
  );
});
