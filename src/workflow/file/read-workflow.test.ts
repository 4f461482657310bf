import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readWorkflow } from "./read-workflow.js";

const shipped = fileURLToPath(new URL("../../../workflows", import.meta.url));
const bytes = (text: string) => Buffer.from(text);

/** The problems of a file, as `LINE:COLUMN: MESSAGE; SUGGESTION`. */
function said(text: string | Uint8Array, yaml = false, name?: string): string[] {
  const content = typeof text === "string" ? bytes(text) : text;
  const { problems } = readWorkflow(content, { yaml, ...(name === undefined ? {} : { name }) });
  return problems.map(
    ({ line, column, message, suggestion }) =>
      `${String(line)}:${String(column)}: ${message}${suggestion === undefined ? "" : `; ${suggestion}`}`,
  );
}

/** A workflow of these stages, each on a line of its own from line 2 on. */
function withStages(stages: Readonly<Record<string, unknown>>, more: object = {}): string {
  const lines = Object.entries(stages).map(([name, stage]) => `"${name}": ${JSON.stringify(stage)}`);
  const head = { workflow: 1, name: "own", start: Object.keys(stages)[0] ?? "x", ...more };
  return `{${JSON.stringify(head).slice(1, -1)}, "stages": {\n${lines.join(",\n")}\n}}`;
}

const work = { kind: "work", prompt: "implement", next: { done: "finish" } };
const analyze = { kind: "analyze", prompt: "plan", output: "plan", next: { done: "do" } };
const ask = { kind: "ask", question: "Go?", next: { yes: "do", no: "block" } };

test.each(readdirSync(shipped))(
  "the shipped workflow %s has no problems, and says what it is for",
  (file) => {
    const name = path.basename(file, ".json");
    const read = readWorkflow(readFileSync(path.join(shipped, file)), { name, yaml: false });
    expect(read.problems).toEqual([]);
    expect(read.workflow?.about).toMatch(/^[A-Z].{10,}[^.]$/u);
  },
);

test("JSON may have comments, trailing commas and a byte order mark; the digest is that of its content", () => {
  const plain = readWorkflow(bytes(withStages({ do: work })), { yaml: false });
  const commented = `\uFEFF// mine\n${withStages({ do: work }).replace("\n}}", ", /* end */\n}}")}`;
  const read = readWorkflow(bytes(commented), { yaml: false });
  expect(read.problems).toEqual([]);
  expect(plain.workflow).toBeDefined();
  expect(read.workflow).toEqual(plain.workflow);
  expect(read).toHaveProperty("digest", "digest" in plain ? plain.digest : "");
});

test("the same workflow reads from YAML", () => {
  const yaml =
    "workflow: 1\nname: own\nstart: do\nstages:\n  do:\n    kind: work\n    prompt: implement\n    next: {done: finish}\n";
  const json = readWorkflow(bytes(withStages({ do: work })), { yaml: false });
  expect(readWorkflow(bytes(yaml), { yaml: true }).workflow).toEqual(json.workflow);
});

test.each([
  ["", "1:1: there is nothing in the file; looper workflows show implement-review prints one to begin with"],
  [
    "\n \n",
    "1:1: there is nothing in the file; looper workflows show implement-review prints one to begin with",
  ],
  ["[]", "1:1: the workflow must be an object; it is a list"],
  ["3", "1:1: the workflow must be an object; it is 3"],
  [
    '{\n "workflow": 1,\n "na',
    "3:2: not JSON: unexpected end of string; complete the text: a bracket or a quote is not closed, or the file is cut off",
  ],
  ["{'a': 1}", "1:2: not JSON: invalid symbol"],
  ['{"name": "a",\n"name": "b"}', '2:1: the key "name" is given twice; remove one of the two'],
  ["[".repeat(100_000), "1:1: it is nested too deeply"],
  ["{}\n{}", "2:1: not JSON: end of file expected; remove what follows the workflow"],
])("%.20j is not a workflow", (text, problem) => {
  expect(said(text)).toEqual([problem]);
});

test.each([
  ["a: 1\na: 2\n", "2:1: not YAML: Map keys must be unique"],
  ["a: [1,\n", "2:1: not YAML: "],
  [
    "a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]\n",
    "1:1: its aliases stand for too many values; write the values out",
  ],
  ["a: *b\n", "not YAML: "],
  ["a: 1\n---\nb: 2\n", "2:1: not YAML: it holds several documents, and one is read"],
  ["a: &x {k: 1}\nb:\n  <<: *x\n", '3:3: merge keys ("<<") are not part of YAML 1.2; write the keys out'],
  [`a: ${"[".repeat(20_000)}`, "it is nested too deeply"],
  ["a: &x\n  b: *x\n", "1:1: not YAML: an alias stands for a value that contains it"],
  ["a: !!set {x}\n", "1:4: the tag !!set is not read; remove it, or write the value as JSON would"],
  ["a: !own x\n", "1:4: the tag !own is not read; remove it"],
])("YAML %.30j is refused", (text, problem) => {
  const found = said(text, true);
  expect(found[0]).toContain(problem);
});

test("YAML 1.2 is read whatever version the file names: yes is a word, as the key of an outcome should be", () => {
  const yaml = (head: string) =>
    `${head}workflow: 1\nname: own\nstart: wait\nstages:\n  wait: {kind: ask, question: Go?, next: {yes: finish, no: block}}\n`;
  const read = readWorkflow(bytes(yaml("%YAML 1.1\n---\n")), { yaml: true });
  expect(Object.keys(read.workflow?.stages["wait"]?.next ?? {})).toEqual(["yes", "no"]);
  expect(read.workflow).toEqual(readWorkflow(bytes(yaml("")), { yaml: true }).workflow);
});

test.each([
  ["red \u001b[31m", String.raw`red \u001b[31m`],
  ["c1 \u009b31m", String.raw`c1 \u009b31m`],
  ["drow \u202e backwards", String.raw`drow \u202e backwards`],
])("%j, which could steer a terminal or turn text around, is refused with its place", (about, shown) => {
  const text = withStages({ do: { ...work, about } });
  expect(said(text)).toEqual([
    `2:${String((text.split("\n")[1] ?? "").indexOf('"about"') + 1)}: there is a control character in "${shown}"; remove it`,
  ]);
});

test("a file of a later format says which version reads it", () => {
  expect(said(withStages({ do: work }, { workflow: 2 }))).toEqual([
    expect.stringMatching(
      /: workflow must be 1; it is 2; a newer version of looper may have written it: use that version$/u,
    ),
  ]);
});

test("stages that are not an object are one problem", () => {
  expect(said('{"workflow":1,"name":"own","start":"do","stages":[]}', false, "own")).toEqual([
    "1:41: stages must be an object; it is a list",
  ]);
});

test("bytes that are not UTF-8 are refused with their place", () => {
  expect(said(new Uint8Array([0x7b, 0x0a, 0x22, 0xff]))).toEqual([
    "2:2: the file is not UTF-8: unexpected byte 0xff; save it as UTF-8",
  ]);
  expect(said(Buffer.from("\uFEFF{}", "utf16le"))[0]).toContain("it begins as UTF-16 does");
});

test("a missing or unknown key, a wrong type and an unknown kind are told at once, each in its line", () => {
  const text = withStages({
    do: { ...work, promt: "x", prompt: undefined, gate: "vrify" },
    look: { kind: "analyse", prompt: "plan", next: { done: "do" } },
    parts: { kind: "split", from: "do", workflow: "default", next: { done: "finish" } },
    wait: { ...ask, question: 3, next: { Yes: "do", no: 7 } },
    bare: { next: {} },
  });
  expect(said(text, false, "other")).toEqual([
    '2:1: stages.do.prompt is missing; add "prompt", the name of a prompt, such as "implement"',
    '2:47: the key "promt" is not known here; did you mean "prompt"?',
    '2:59: stages.do.gate must be verify, red, none, or a list of commands; it is "vrify"',
    '3:10: "analyse" is not a kind of stage; did you mean "analyze"?',
    '4:11: "split" is not a kind of stage; known: work, analyze, check, ask',
    "5:23: stages.wait.question must be a text; it is 3",
    '5:44: "Yes" cannot be the name of an outcome; a name is a lower-case letter, then at most 39 lower-case letters, digits, - and _',
    '5:55: stages.wait.next.no must be the name of a stage, finish, block, or {"to": NAME, "discard": true}; it is 7',
    "6:1: stages.bare.kind is missing; add one of work, analyze, check, ask",
  ]);
});

test("a blank command, which would always succeed, a blank question, a large number and the name constructor are refused", () => {
  const text = withStages(
    {
      do: { ...work, gate: ["npm test", " "], next: { done: "test" }, limits: { tokens: 1e300 } },
      test: {
        kind: "check",
        commands: ["\n"],
        next: { passed: "wait", failed: { to: "block", diskard: true } },
      },
      wait: { ...ask, question: "  ", next: { yes: "finish", constructor: "block" } },
    },
    {},
  );
  expect(said(text).map((line) => line.replace(/^\d+:\d+: /u, ""))).toEqual([
    "stages.do.gate[1] must not be blank",
    `stages.do.limits.tokens must be at most ${String(Number.MAX_SAFE_INTEGER)}; it is 1e+300`,
    "stages.test.commands[0] must not be blank",
    'the key "diskard" is not known here; did you mean "discard"?',
    "stages.wait.question must not be blank",
    '"constructor" cannot be the name of an outcome; this one word is kept for the program: choose another',
  ]);
});

test("a workflow is called as its file is", () => {
  expect(said(withStages({ do: work }), false, "other")).toEqual([
    '1:15: its name is "own", but the file is called "other"; give both the same name',
  ]);
});

test.each<[string, Readonly<Record<string, unknown>>, string[]]>([
  [
    "leads nowhere",
    { do: { ...work, next: { done: "revew" } }, review: { ...analyze, next: { done: "finish" } } },
    ['the outcome done leads to "revew", which is not a stage; did you mean "review"?'],
  ],
  [
    "misspelt end",
    { do: { ...work, next: { done: "finsh" } } },
    ['the outcome done leads to "finsh", which is not a stage; did you mean "finish"?'],
  ],
  [
    "work without done",
    { do: { ...work, next: { ready: "finish" } } },
    ['the outcome done of the work stage do leads nowhere; add "done" to its next'],
  ],
  [
    "check without passed",
    { do: { kind: "check", commands: ["true"], next: { pased: "finish" } } },
    [
      'the outcome passed of the check stage do leads nowhere; add "passed" to its next',
      'a check stage has the outcomes passed and failed, not pased; did you mean "passed"?',
    ],
  ],
  [
    "ask without outcomes",
    { wait: { ...ask, next: {} } },
    ['the stage wait has no outcome that a person can give; add one to its next, such as "done": "finish"'],
  ],
  [
    "ask with outcomes of the runner only",
    { wait: { ...ask, next: { skipped: "finish", failed: "block" } } },
    ['the stage wait has no outcome that a person can give; add one to its next, such as "done": "finish"'],
  ],
  [
    "unreachable stage",
    { do: work, review: { ...analyze, next: { done: "finish" } } },
    ["no stage leads to review; lead an outcome to it, or remove it"],
  ],
  [
    "circle",
    { a: { ...analyze, next: { done: "b" } }, b: { ...analyze, next: { done: "a" } } },
    ["the stages a, b lead in a circle without an exit; lead an outcome to finish or block"],
  ],
  [
    "never done",
    { do: { ...work, next: { done: "block" } } },
    [
      "no outcome leads to finish, so no task could ever be done; lead the last stage's good outcome to finish",
    ],
  ],
  [
    "an end as a stage",
    { do: work, finish: work },
    ["a stage cannot be called finish: it is one of the two ends; give it another name"],
  ],
  [
    "discard without work",
    { look: { ...analyze, next: { done: { to: "finish", discard: true } } } },
    ["discard drops the changes of a stage, and this analyze stage makes none; leave discard out"],
  ],
  [
    "when without else",
    { look: { ...analyze, next: { done: "do" } }, do: { ...work, when: { "look.summary": ["x"] } } },
    ["stage do: when has no else; add the outcome that the stage has when it is skipped"],
  ],
  [
    "when naming an unknown stage and an unknown fact",
    {
      look: { ...analyze, next: { done: "do" } },
      do: { ...work, when: { "lok.summary": ["x"], "look.sumary": ["x"], verdict: ["x"] }, else: "done" },
    },
    [
      'stage do: when names "lok", which is not a stage; did you mean "look"?',
      'stage do: the output of look has no fact "sumary"; did you mean "summary"?',
      'stage do: "verdict" is not a fact; write it as STAGE.FIELD',
    ],
  ],
  [
    "else without when, and not in next",
    { do: { ...work, else: "skip" } },
    ["stage do: else has no when; add the facts under which the stage is done, or remove it"],
  ],
  [
    "on_timeout not in next",
    { wait: { ...ask, timeout: "1h", on_timeout: "nope" }, do: work },
    ['stage wait: on_timeout is "nope", which is not in next; known: yes, no'],
  ],
  [
    "on_timeout of the runner",
    {
      wait: { ...ask, timeout: "1h", on_timeout: "failed", next: { ...ask.next, failed: "block" } },
      do: work,
    },
    ["stage wait: failed is not an outcome that a person gives; name another one"],
  ],
  [
    "on_timeout leads to work",
    { wait: { ...ask, timeout: "1h", on_timeout: "yes" }, do: work },
    [
      "stage wait: on_timeout leads to do, so work would begin although no one agreed; lead it to block, or to a stage that changes nothing",
    ],
  ],
  [
    "on_timeout leads to work after a check, or after a question that is skipped",
    {
      wait: { ...ask, timeout: "1h", on_timeout: "check", next: { ...ask.next, check: "test" } },
      test: { kind: "check", commands: ["true"], next: { passed: "sure", failed: "block" } },
      sure: { ...ask, when: { "do.verdict": ["failed"] }, else: "yes" },
      do: work,
    },
    [
      "stage wait: on_timeout leads to test, and from there to do with no question between, so work would begin although no one agreed; lead it to block, or to a stage that changes nothing",
    ],
  ],
  [
    "timeout without on_timeout, not a duration",
    { wait: { ...ask, timeout: "soon" }, do: work },
    [
      'timeout is "soon", which is not a duration; write it as 90s, 30m, 2h, 7d or 1d12h',
      "stage wait: timeout has no on_timeout; name the outcome that silence has",
    ],
  ],
  [
    "names of wrong stages",
    {
      wait: { ...ask, shows: "wait", edits: "do" },
      do: {
        ...work,
        not_agent_of: "do",
        session: "wait",
        inputs: ["plan"],
        protects: ["wait"],
      },
    },
    [
      "stage wait: shows names wait, which is an ask stage; name a stage of the kind work or analyze or check",
      "stage wait: the stage do has no output that could be edited; give do an output",
      "stage do: not_agent_of names the stage itself; name the stage that comes before",
      "stage do: session names wait, which is an ask stage; name a stage of the kind work or analyze",
      'stage do: inputs names "plan", which is not a stage; known: wait',
      "stage do: protects names wait, which is an ask stage; name a stage of the kind work",
    ],
  ],
  [
    "a reader in the session of an author",
    {
      do: { ...work, next: { done: "plan" } },
      plan: { ...analyze, next: { done: "go" } },
      go: { ...work, session: "plan", next: { done: "same" } },
      same: { ...analyze, session: "do", next: { done: "other" } },
      other: { ...analyze, session: "plan", next: { done: "own" } },
      own: { ...analyze, session: "own", next: { done: "finish" } },
    },
    [
      "stage same: session names do, a work stage: who reads its work would resume the session of its author; remove session: a new session sees the diff, the plan and the verdict",
      "stage other: the work stage go works in the session of plan too: who reads its work would resume the session of its author; remove session: a new session sees the diff, the plan and the verdict",
    ],
  ],
])("%s is a problem", (_, stages, problems) => {
  expect(
    said(withStages(stages))
      .map((line) => line.replace(/^\d+:\d+: /u, ""))
      .sort(),
  ).toEqual(problems.toSorted());
});

test("start must be a stage", () => {
  expect(said(withStages({ do: work }, { start: "go" }))).toEqual([
    '1:28: start is "go", which is not a stage; did you mean "do"?',
  ]);
});

test("a workflow of a thousand stages, and a way to the end that is longer than the visits, are refused", () => {
  const chain = (length: number) =>
    Object.fromEntries(
      Array.from({ length }, (_, at) => [
        `s${String(at)}`,
        { ...work, next: { done: at === length - 1 ? "finish" : `s${String(at + 1)}` } },
      ]),
    );
  expect(said(withStages(chain(1000)))).toEqual([
    expect.stringContaining("it has 1000 stages, and a workflow has at most 100"),
  ]);
  expect(said(withStages(chain(26)))).toEqual([
    expect.stringContaining("a task must enter at least 26 stages to be done, and may enter 25"),
  ]);
  expect(said(withStages(chain(26), { limits: { visits: 26 } }))).toEqual([]);
});

test.each(["__proto__", "constructor", "a\u001b[31mb", "Ä", "a b", "", "x".repeat(41)])(
  "%j cannot be a stage's name, and is shown without control characters",
  (name) => {
    const text = `{"workflow":1,"name":"own","start":"do","stages":{"do":${JSON.stringify(work)},${JSON.stringify(name)}:${JSON.stringify(work)}}}`;
    const found = said(text);
    expect(found[0]).toMatch(/cannot be (?:the name of a stage|a name)/u);
    expect(found.join("")).not.toMatch(/\p{Cc}/u);
  },
);

test("no arrow leads to a name that every object has", () => {
  expect(said(withStages({ do: { ...work, next: { done: "constructor" } } }))).not.toEqual([]);
});

test("a question with a control character is refused", () => {
  expect(said(withStages({ wait: { ...ask, question: "Go?\u001b[2J" }, do: work }))).toEqual([
    '2:23: there is a control character in "Go?\\u001b[2J"; remove it',
  ]);
});
