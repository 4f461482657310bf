// `npm run test:agents`: looper itself with the real clients. Not part of `make test`: it needs the npm registry once, and minutes.
// Leaves the clients to clis.ts, the cases to cases.ts, one case with one client to stage.ts.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { format } from "oxfmt";
import type { Case } from "./case.js";
import { CASES } from "./cases.js";
import { CLIS } from "./clis.js";
import { findInstalled, install } from "./install.js";
import { isOk, lineOf, pageOf, type Row } from "./matrix.js";
import { record } from "./record.js";
import { play, type Ready } from "./stage.js";

const PAGE = fileURLToPath(new URL("../../docs/agents.md", import.meta.url));

const { values: options } = parseArgs({
  options: {
    /** Those on PATH instead of the pinned ones. */
    installed: { type: "boolean", default: false },
    /** Only these. */
    agent: { type: "string", multiple: true, default: [] },
    case: { type: "string", multiple: true, default: [] },
    /** Writes docs/agents.md. */
    write: { type: "boolean", default: false },
    /** Keeps what the clients printed. */
    record: { type: "string" },
    /** Keeps what came out in this file, a line for each case; what came as it must in it is not tried again. */
    rows: { type: "string" },
    /** Prints why attempts failed. */
    evidence: { type: "boolean", default: false },
  },
});

const whole = !options.installed && options.agent.length === 0 && options.case.length === 0;

function select<T extends { name: string }>(all: readonly T[], names: readonly string[], what: string): T[] {
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) {
    console.error(`no ${what} is called ${unknown}; there are: ${all.map(({ name }) => name).join(", ")}`);
    process.exit(2);
  }
  return names.length === 0 ? [...all] : all.filter(({ name }) => names.includes(name));
}

/** The results of the last run, where they are kept. */
const before: readonly Row[] =
  options.rows !== undefined && existsSync(options.rows)
    ? readFileSync(options.rows, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Row)
    : [];

async function run(one: Case, cast: readonly [Ready, ...Ready[]]): Promise<Row> {
  const name = cast[0].cli.name;
  const row = {
    agent: cast.map(({ cli }) => cli.name).join(" + "),
    version: cast.map(({ version }) => version).join(" + "),
    name: one.name,
    wanted: one.wantedOf?.[name] ?? one.wanted,
  };
  const known = before.find((old) => isOk(old) && isDeepStrictEqual(old, { ...old, ...row }));
  if (known !== undefined) return known;
  const { outcome, problems, evidence, streams, seconds } = await play(one, cast);
  const played: Row = { ...row, outcome, problems };
  if (options.rows !== undefined) appendFileSync(options.rows, `${JSON.stringify(played)}\n`);
  console.log(lineOf(played, seconds));
  if (options.evidence) for (const text of evidence) console.log(`    ${text}`);
  if (options.record !== undefined && cast.length === 1) record(options.record, { ...row, streams });
  return played;
}

/** The clients that are there; those that are not are told. */
function findAll(): { ready: Ready[]; absent: number } {
  const ready: Ready[] = [];
  let absent = 0;
  for (const cli of select(CLIS, options.agent, "agent")) {
    const found = options.installed ? findInstalled(cli) : install(cli);
    if ("binary" in found) {
      ready.push({ cli, ...found });
      continue;
    }
    console.log(`${options.installed ? "skipped" : "NOT"} ${cli.name}: ${found.missing}`);
    if (!options.installed) absent += 1;
  }
  return { ready, absent };
}

async function main(): Promise<void> {
  const cases = select(CASES, options.case, "case");
  const { ready, absent } = findAll();
  const rows: Row[] = [];
  for (const one of ready) {
    for (const alone of cases.filter(({ together }) => together === undefined)) {
      if (alone.only?.includes(one.cli.name) ?? true) rows.push(await run(alone, [one]));
    }
  }
  for (const shared of cases) {
    const [first, ...rest] = (shared.together ?? []).flatMap((name) =>
      ready.filter(({ cli }) => cli.name === name),
    );
    if (first !== undefined && rest.length + 1 === shared.together?.length)
      rows.push(await run(shared, [first, ...rest]));
  }
  const good = rows.filter(isOk).length;
  console.log(`${good} of ${rows.length} as wanted`);
  process.exitCode = good < rows.length || absent > 0 || (await drifts(rows)) ? 1 : 0;
}

/** Writes the page, or says whether it tells something else than what came out. */
async function drifts(rows: readonly Row[]): Promise<boolean> {
  if (!whole) {
    if (options.write) console.error("docs/agents.md is written by a run of everything that is pinned");
    return false;
  }
  const { code: page } = await format(PAGE, pageOf(rows, CASES));
  if (options.write) {
    writeFileSync(PAGE, page);
    console.log(`wrote ${path.relative(process.cwd(), PAGE)}`);
    return false;
  }
  if (readFileSync(PAGE, "utf8") === page) return false;
  console.error("docs/agents.md says something else: npm run test:agents -- --write");
  return true;
}

void main();
