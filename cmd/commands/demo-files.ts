// The demo: its project, a small backlog and the initial files; and the script of its agent, which writes real files, runs their
// tests, and reports its first try at D3 as done although a test fails. Pure.
import type { Action, Script } from "../../src/agents/hosted/script.js";

const todo = (
  id: string,
  priority: number,
  title: string,
  more: { details?: string; depends_on?: readonly string[] },
) => ({ id, title, priority, status: "todo", ...more });

/** The backlog; ids are shuffled to show that the runner chooses the order. */
const BACKLOG = {
  schema_version: 1,
  project: { name: "text-facts" },
  source_files: ["README.md"],
  tasks: [
    todo("D4", 1, "Print a report on a text", {
      details: "src/report.js: words, sentences, minutes to read.",
      depends_on: ["D2", "D3"],
    }),
    todo("D1", 1, "Count the words of a text", {
      details: "src/words.js exports countWords(text). White space of any kind separates words.",
    }),
    todo("D2", 2, "Split a text into sentences", {
      details: "src/sentences.js exports splitSentences(text).",
    }),
    todo("D3", 2, "Estimate how long it takes to read", {
      details:
        "src/minutes.js exports minutesToRead(text): whole minutes at 200 words each, never 0 for a text with words.",
      depends_on: ["D1"],
    }),
  ],
};

/** The project's settings. */
const SETTINGS = {
  schedule: { agent: "scripted" },
  agents: { scripted: { script: "../agent.json" } },
  verify: { commands: ["node --test --test-reporter=tap"], report: "stdout" },
};

export const FILES: Readonly<Record<string, string>> = {
  ".looper/config.json": `${JSON.stringify(SETTINGS, undefined, 2)}\n`,
  "README.md": "# text-facts\n\nFacts about a text.\n",
  "package.json": `${JSON.stringify({ name: "text-facts", private: true, type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  "to-do.json": `${JSON.stringify(BACKLOG, undefined, 2)}\n`,
};

/** An import of one of the files below. */
function use(name: string, file: string): string {
  return `import { ${name} } from "${file}";`;
}

const HEAD = `import assert from "node:assert/strict";\nimport { test } from "node:test";\n`;

const pause: Action = { delay: "250ms" };

function report(task: string, summary: string, files: readonly string[]): Action {
  return { summary: { task_id: task, status: "done", summary, files } };
}

/** The actions for a task: say, write, test, report. */
function work(task: string, plan: string, files: Readonly<Record<string, string>>, end: string): Action[] {
  const tests = Object.keys(files).filter((file) => file.startsWith("test/"));
  return [
    { say: plan },
    pause,
    ...Object.entries(files).map(([file, content]): Action => ({ write: file, content })),
    ...tests.map((file): Action => ({ run: "node", args: ["--test", file] })),
    pause,
    report(task, end, Object.keys(files)),
  ];
}

const WORDS = work(
  "D1",
  "A word is what white space separates; an empty text has none.",
  {
    "src/words.js": `/** How many words a text has. */
export function countWords(text) {
  return text.split(/\\s+/u).filter((word) => word !== "").length;
}
`,
    "test/words.test.js": `${HEAD}${use("countWords", "../src/words.js")}

test("white space of any kind separates words", () => {
  assert.equal(countWords("one two\\n\\tthree"), 3);
});

test("an empty text has none", () => {
  assert.equal(countWords("  "), 0);
});
`,
  },
  "countWords splits at white space and drops what is empty.",
);

const SENTENCES = work(
  "D2",
  "Intl.Segmenter knows where sentences end, better than a pattern would.",
  {
    "src/sentences.js": `const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of a text, in order. */
export function splitSentences(text) {
  return [...segmenter.segment(text)].map(({ segment }) => segment.trim()).filter((sentence) => sentence !== "");
}
`,
    "test/sentences.test.js": `${HEAD}${use("splitSentences", "../src/sentences.js")}

test("sentences end where they end", () => {
  assert.deepEqual(splitSentences("It rains. Does it? Yes!"), ["It rains.", "Does it?", "Yes!"]);
});
`,
  },
  "splitSentences uses Intl.Segmenter.",
);

const MINUTES_TEST = `${HEAD}${use("minutesToRead", "../src/minutes.js")}

test("200 words are a minute", () => {
  assert.equal(minutesToRead("word ".repeat(400)), 2);
});

test("a few words are a minute, not none", () => {
  assert.equal(minutesToRead("three short words"), 1);
});
`;

const MINUTES = ["src/minutes.js", "test/minutes.test.js"];

/** The failing first try: it rounds down and reports success although its own test fails. */
const MINUTES_FIRST: Action[] = [
  { say: "Words divided by 200, in whole minutes." },
  pause,
  {
    write: "src/minutes.js",
    content: `${use("countWords", "./words.js")}

/** Whole minutes it takes to read a text, at 200 words each. */
export function minutesToRead(text) {
  return Math.floor(countWords(text) / 200);
}
`,
  },
  { write: "test/minutes.test.js", content: MINUTES_TEST },
  pause,
  report("D3", "All tests pass.", MINUTES),
];

const MINUTES_SECOND: Action[] = [
  {
    say: "A text of three words takes a minute, not none: the attempt before rounded down. Rounding up gives a short text its minute.",
  },
  pause,
  { replace: "src/minutes.js", find: "Math.floor", with: "Math.ceil" },
  { run: "node", args: ["--test", "test/minutes.test.js"] },
  pause,
  report("D3", "minutesToRead rounds up, so that no text with words takes 0 minutes.", MINUTES),
];

const REPORT = work(
  "D4",
  "Everything it needs is done: one line for each fact.",
  {
    "src/report.js": `${use("minutesToRead", "./minutes.js")}
${use("splitSentences", "./sentences.js")}
${use("countWords", "./words.js")}

/** The facts about a text, one a line. */
export function report(text) {
  return [
    \`words: \${countWords(text)}\`,
    \`sentences: \${splitSentences(text).length}\`,
    \`minutes: \${minutesToRead(text)}\`,
  ].join("\\n");
}
`,
    "test/report.test.js": `${HEAD}${use("report", "../src/report.js")}

test("one fact a line", () => {
  const lines = report("It rains. I stay at home.").split("\\n");
  assert.deepEqual(lines, ["words: 6", "sentences: 2", "minutes: 1"]);
});
`,
  },
  "report puts the three facts together.",
);

const REVIEW: Action[] = [
  { say: "Reading what was built, and running all of its tests." },
  { run: "node", args: ["--test"] },
  pause,
  {
    summary: {
      task_id: null,
      status: "reviewed",
      summary: "Four tasks, their tests pass together; nothing is missing.",
      new_tasks: [],
    },
  },
];

export const SCRIPT: Script = {
  tasks: {
    D1: [WORDS],
    D2: [SENTENCES],
    D3: [MINUTES_FIRST, MINUTES_SECOND],
    D4: [REPORT],
  },
  review: [REVIEW],
};
