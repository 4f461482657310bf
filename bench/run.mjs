// make bench: every row measured, as one table. With --write it becomes RESULTS.md. Leaves each row to its own file.
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { format } from "oxfmt";

/**
 * The parts, in the order of the table.
 * @type {Record<string, () => Promise<{ rows: () => import("./measure.mjs").Row[] | Promise<import("./measure.mjs").Row[]> }>>}
 */
const PARTS = {
  startup: () => import("./startup.mjs"),
  package: () => import("./package.mjs"),
  backlog: () => import("./backlog.mjs"),
  output: () => import("./output.mjs"),
  iteration: () => import("./iteration.mjs"),
  stages: () => import("./stages.mjs"),
  logs: () => import("./logs.mjs"),
  growth: () => import("./growth.mjs"),
  serve: () => import("./serve.mjs"),
  // Last, and only when asked: it downloads half a registry.
  others: () => import("./others.mjs"),
};

const { values } = parseArgs({
  options: {
    write: { type: "boolean" },
    only: { type: "string", multiple: true },
    others: { type: "boolean" },
  },
});

/** @param {string} name */
async function measure(name) {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`unknown part ${name}; known: ${Object.keys(PARTS).join(", ")}`);
  console.error(`${name} …`);
  return (await part()).rows();
}

/** @param {readonly import("./measure.mjs").Row[]} rows */
function tableOf(rows) {
  const lines = rows.map(
    ({ what, against, goal, measured, figures, holds }) =>
      `| ${what} | ${against} | ${goal} | ${holds ? "" : "**missed** "}${measured} | ${figures} |`,
  );
  return ["| what | against | goal | measured | figures |", "|---|---|---|---|---|", ...lines].join("\n");
}

/** Each cause once, with all that it holds back. @param {readonly import("./measure.mjs").Row[]} rows */
function causesOf(rows) {
  /** @type {Map<string, string[]>} */
  const byCause = new Map();
  for (const { what, cause } of rows)
    if (cause !== undefined) byCause.set(cause, [...(byCause.get(cause) ?? []), `**${what}**`]);
  return [...byCause].map(([cause, whats]) => `- ${whats.join(", ")}: ${cause}`).join("\n");
}

function machine() {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${first?.model.trim() ?? "unknown"}, ${String(cpus().length)} cores, ${String(memory)} GiB; Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

/** @type {import("./measure.mjs").Row[]} */
const rows = [];
const usual = Object.keys(PARTS).filter((part) => part !== "others" || values.others === true);
for (const part of values.only ?? usual) rows.push(...(await measure(part)));
const day = new Date().toISOString().slice(0, 10);
const text = `# How fast it is

Measured by \`make bench\` on ${day}: ${machine()}.
Because machines are noisy, both sides of a ratio are measured in turns in one run: starts by their
minimum, the rest by the median. Do not compare figures of different runs.

${tableOf(rows)}

${causesOf(rows)}
`;
const { code: shown } = await format("RESULTS.md", text, { printWidth: 100, proseWrap: "always" });
process.stdout.write(shown);
if (values.write === true) writeFileSync(fileURLToPath(new URL("RESULTS.md", import.meta.url)), shown);
