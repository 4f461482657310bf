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

What \`looper run\` makes of the real clients, each against a scripted model on this machine (\`test/model-server\`): no key, no provider, no cost.
\`npm run test:agents -- --write\` runs every case and writes this page; a nightly workflow runs it and fails when an outcome is not the wanted one, or this page no longer says what comes out.

*Outcome* is the ending of the run, and after a colon the reasons of its failed attempts (CONTRACT, §4). In every case \`--max-attempts 1 --no-review\` and, where a provider fails, \`loop.max_wait: 1s\`: a run that
would wait ends as \`waiting\`, and its task stays in hand. In every case, too, no process may be left when the run is over, and no line of the client's may be unknown.

## Limits, networks and sign-in

Looper looks for the reason of a failure in this order: the client's own fields, codes and HTTP statuses, in any language; then its sentences, in English.
The sentences are tables in \`src/agents/words/\`, one for each client, with the versions and the sources they were read from.

- \`rate-limited\`, \`overloaded\` and \`network\` do not count as an attempt. The run waits for the time the message names, else 1, 2, 4 … 30 minutes.
- \`not-signed-in\` and \`no-credit\` (an empty balance, 402, \`insufficient_quota\`, a disabled organization) leave that agent out of the run at once.
- A certificate that is not accepted is a matter of settings: the attempt has failed.
- On stderr, and of kind \`command\` with text output on stdout, only the last words of a program that failed are asked, and only where it printed no summary:
  a provider's exception (\`openai.RateLimitError\`, \`litellm.RateLimitError\`, \`google.api_core.exceptions.ResourceExhausted\`, \`ThrottlingException\`),
  a status with its name, a sentence of a client's, or what a network library says of a dead network. A log further up is never asked.
- A connection to a service of the project's own (a database's port, \`ENOTFOUND redis\`) is not the provider's network.
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
