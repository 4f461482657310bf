// The demo's project: a small backlog and the initial files. Data only.

/** The backlog; ids are shuffled to show that the runner chooses the order. */
export const BACKLOG = {
  schema_version: 1,
  project: { name: "text-facts" },
  source_files: ["README.md"],
  tasks: [
    {
      id: "D5",
      title: "Print a report on a text",
      priority: 1,
      status: "todo",
      details: "src/report.js: words, sentences, minutes to read, the longest sentence.",
      depends_on: ["D3", "D4"],
    },
    {
      id: "D1",
      title: "Count the words of a text",
      priority: 1,
      status: "todo",
      details: "src/words.js exports countWords(text). White space of any kind separates words.",
    },
    {
      id: "D2",
      title: "Split a text into sentences",
      priority: 2,
      status: "todo",
      details: "src/sentences.js exports splitSentences(text).",
    },
    {
      id: "D3",
      title: "Estimate how long it takes to read",
      priority: 2,
      status: "todo",
      details:
        "src/minutes.js exports minutesToRead(text): whole minutes at 200 words each, never 0 for a text with words.",
      depends_on: ["D1"],
    },
    {
      id: "D4",
      title: "Find the longest sentence",
      priority: 3,
      status: "todo",
      details: "src/longest.js exports longestSentence(text), by number of words.",
      depends_on: ["D1", "D2"],
    },
    {
      id: "D6",
      title: "Say in the README how it is used",
      priority: 4,
      status: "todo",
      depends_on: ["D5"],
    },
  ],
} as const;

/** The agents of the demo: a script, and the built-in engine with a scripted model. */
const AGENTS = {
  scripted: { script: "../agent.json" },
  chapo: { model: "scripted/demo", chapo: { script: "../agent.json" } },
} as const;

/** The project's settings, with one of these agents. */
export function configOf(agent: keyof typeof AGENTS): string {
  const settings = {
    schedule: { agent },
    agents: { [agent]: AGENTS[agent] },
    verify: { commands: ["node --test --test-reporter=tap"], report: "stdout" },
  };
  return `${JSON.stringify(settings, undefined, 2)}\n`;
}

/** The other initial files, by path. */
export const FILES: Readonly<Record<string, string>> = {
  "README.md": "# text-facts\n\nFacts about a text.\n",
  "package.json": `${JSON.stringify({ name: "text-facts", private: true, type: "module", scripts: { test: "node --test" } }, undefined, 2)}\n`,
  "to-do.json": `${JSON.stringify(BACKLOG, undefined, 2)}\n`,
};
