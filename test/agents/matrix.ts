// The adapter matrix as text: for the terminal, and for docs/agents.md. Pure.
import type { Case } from "./case.js";

export interface Row {
  agent: string;
  version: string;
  name: string;
  outcome: string;
  wanted: string;
  /** Checks that failed. */
  problems: readonly string[];
}

/** Whether it came as it must. */
export function isOk({ outcome, wanted, problems }: Row): boolean {
  return outcome === wanted && problems.length === 0;
}

/** One line for the terminal. */
export function lineOf(row: Row, seconds: number): string {
  const time = `${seconds.toFixed(1)} s`;
  const words = [row.agent, row.version, row.name].map((word, at) => word.padEnd([12, 9, 22][at] ?? 0));
  const verdict = isOk(row) ? "ok " : "NOT";
  const wanted = row.outcome === row.wanted ? "" : `  wanted: ${row.wanted}`;
  return [
    `${verdict} ${words.join(" ")} ${row.outcome}${wanted}  (${time})`,
    ...row.problems.map((text) => `    ${text}`),
  ].join("\n");
}

const HEAD = `# Agents: the adapter matrix

This page shows how \`looper run\` handles the real clients. Each client talks to a scripted model on
this machine (\`test/model-server\`): no key, no provider, no cost.

- \`npm run test:agents -- --write\` runs every case and writes this page.
- A nightly workflow runs every case. It fails when an outcome is not the wanted one, or when this
  page is out of date.

*Outcome* is the ending of the run. After a colon come the reasons of its failed attempts
([their names](limits.md#failures-of-an-agent)).

In every case:

- The run has \`--max-attempts 1 --no-review\`, and \`loop.max_wait: 1s\` where a provider fails. A run
  that would wait ends as \`waiting\`, and its task stays in hand.
- No process may be left when the run is over.
- Looper must know every line that the client prints.

## Limits, networks and sign-in

Looper looks for the reason of a failure in this order:

1. the client's own fields, codes and HTTP statuses, in any language;
2. the client's sentences, in English.

The sentences are at most 60 phrases in \`src/agents/limits/sentences.ts\`. Words that mean the same are one
word there, and a table of messages that were recorded from clients is the judge.

- \`rate-limited\`, \`overloaded\` and \`network\` do not count as an attempt. The run waits until the
  time that the message names, or for 1, 2, 4 … 30 minutes.
- \`not-signed-in\` and \`no-credit\` (an empty balance, 402, \`insufficient_quota\`, a disabled
  organization) drop the agent from the run at once.
- A certificate that is not accepted is a problem of settings: the attempt fails.
- A connection to a service of the project (a database's port, \`ENOTFOUND redis\`) is not the
  provider's network.
- From stderr, and from the text output of kind \`command\`, Looper reads only the last lines of a
  program that failed without printing a summary. It looks there for:
  - a provider's exception (\`openai.RateLimitError\`, \`litellm.RateLimitError\`,
    \`google.api_core.exceptions.ResourceExhausted\`, \`ThrottlingException\`);
  - a status with its name;
  - a sentence of a known client;
  - a network library's message about a dead network.
`;

/** The whole page. */
export function pageOf(rows: readonly Row[], cases: readonly Case[]): string {
  const names = cases.filter(({ name }) => rows.some((row) => row.name === name));
  return [
    HEAD,
    "## The cases\n",
    ...table(
      ["case", "what happens"],
      names.map(({ name, about }) => [`\`${name}\``, about]),
    ),
    "\n## What came out\n",
    ...table(
      ["agent", "version", "case", "outcome", "wanted", "ok"],
      rows.map((row) => [
        row.agent,
        row.version,
        row.name,
        [row.outcome, ...row.problems].join("; "),
        row.wanted,
        isOk(row) ? "yes" : "**no**",
      ]),
    ),
    "",
  ].join("\n");
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), line(heads.map(() => "---")), ...rows.map(line)];
}
