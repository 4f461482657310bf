// The result of a run as JUnit XML: a test case for each task. Pure. Leaves writing to cmd/watch/watch-run.ts.
import { stripVTControlCharacters } from "node:util";
import { given } from "../../system/given.js";
import { never } from "../../system/never.js";
import { couldNotWork, explainEnding } from "./words/ending.js";
import { plural } from "./words/amounts.js";
import { looksFirst, rowsOf, spentOn, stageWordFor, verdictsOf, wordFor, type TaskRow } from "./rows.js";
import { countVerdicts } from "./judged.js";
import { taskName, type Titles } from "./words/live-line.js";
import { clean } from "../text.js";
import type { Ended, View } from "./view.js";

export interface JUnitLook {
  titles: Titles;
  /** With `--task`: the tasks the run is about. */
  scope?: ReadonlySet<string>;
  /** The task file, as shown. */
  todoFile: string;
}

interface TestCase {
  name: string;
  agent: string;
  ms: number;
  /** Absent: it passed. */
  fault?: { kind: "failure" | "error" | "skipped"; type?: string; message: string; text?: string };
  output?: string;
}

const SUITE = "looper";

/** The whole document. Characters that XML cannot contain are replaced in titles, reasons and evidence. */
export function junitXml(view: View, ended: Ended, look: JUnitLook): string {
  const rows = looksFirst(rowsOf(view));
  const cases = [
    ...rows.flatMap((row) => (row.taskId === undefined ? [] : [caseOf(row, row.taskId, look)])),
    ...unreached(view, rows, look),
    ...ofRun(view, ended, look),
  ];
  const counted = (kind: string): number => cases.filter(({ fault }) => fault?.kind === kind).length;
  const counts = attributes({
    name: SUITE,
    tests: cases.length,
    failures: counted("failure"),
    errors: counted("error"),
    skipped: counted("skipped"),
    time: seconds(ended.totals.ms),
  });
  const began = attributes({ timestamp: new Date(view.began).toISOString().slice(0, 19) });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${counts}>`,
    `  <testsuite${counts}${began}>`,
    "    <properties>",
    ...Object.entries(factsOf(view, ended, rows)).map(
      ([name, value]) => `      <property${attributes({ name, value })}/>`,
    ),
    "    </properties>",
    ...cases.map(caseXml),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function factsOf(view: View, ended: Ended, rows: readonly TaskRow[]): Record<string, string | number> {
  const { cost, partly } = spentOn(rows);
  const { done, tasks, iterations, tokens } = ended.totals;
  const facts = {
    run: view.run,
    version: view.version,
    ending: ended.ending,
    done,
    tasks,
    iterations,
    tokens,
    ...countVerdicts(verdictsOf(rows)),
  };
  return cost === undefined
    ? facts
    : { ...facts, cost_usd: cost, ...(partly === true ? { cost_partly_known: "true" } : {}) };
}

function caseOf(row: TaskRow, id: string, look: JUnitLook): TestCase {
  const { output, ...rest } = resultCase(row, id, look);
  const said = [output, stagesText(row)].filter((line) => line !== undefined);
  return said.length === 0 ? rest : { ...rest, output: said.join("\n") };
}

function resultCase(row: TaskRow, id: string, { titles }: JUnitLook): TestCase {
  const { last, agents, ms } = row;
  const said = { name: taskName(id, titles), agent: agents.at(-1) ?? "", ms };
  const reason = last.why === "" ? last.result : clean(last.why);
  if (row.removed === true && last.result !== "done")
    return { ...said, fault: { kind: "skipped", message: "removed" } };
  switch (last.result) {
    case "done":
    case "reviewed":
      return { ...said, output: verdictText(last) };
    case "blocked":
    case "failed": {
      const text = last.evidence ?? last.why;
      return { ...said, fault: { kind: "failure", type: last.result, message: reason, text } };
    }
    case "advanced":
      return { ...said, fault: { kind: "skipped", message: `not finished: ${waitText(row)}` } };
    case "skipped":
    case "waiting":
    case "stopped":
    case "agent-dropped":
      return { ...said, fault: { kind: "skipped", message: `not finished: ${reason}` } };
    default:
      return never(last.result);
  }
}

/** Why a task that is done is not verified; `undefined` if it is, or has no verdict. */
function verdictText({ judged }: TaskRow["last"]): string | undefined {
  if (judged === undefined || judged.verdict === "verified" || judged.verdict === "none") return undefined;
  if (judged.verdict === "unverified" && judged.look === undefined)
    return "done, and nothing proves it: unverified";
  return `done, ${judged.verdict}${judged.text === undefined ? "" : `: ${clean(judged.text)}`}`;
}

/** Where a task in a workflow is, with the question that it waits for. */
function waitText(row: TaskRow): string {
  return row.asks === undefined ? wordFor(row) : `${wordFor(row)}: ${clean(row.asks)}`;
}

/** The stages of a task in a workflow and how each ended; `undefined` under `default`. */
function stagesText({ stages }: TaskRow): string | undefined {
  const said = stages?.map(
    (row) => `${clean(row.stage)} ${stageWordFor(row)} (${plural(row.attempts, "attempt")})`,
  );
  return said === undefined ? undefined : `stages: ${said.join(", ")}`;
}

/** Tasks that are not done and that the run did not reach. */
function unreached(view: View, rows: readonly TaskRow[], { titles, scope }: JUnitLook): TestCase[] {
  const reached = new Set(rows.map(({ taskId }) => taskId));
  return view.statuses.values
    .filter(({ id, status }) => status !== "done" && !reached.has(id) && scope?.has(id) !== false)
    .map(({ id, status }) => ({
      name: taskName(id, titles),
      agent: "",
      ms: 0,
      fault: { kind: "skipped", message: `not reached: ${status}` },
    }));
}

/** A failed test case for the run itself, so that a run that could not work does not look like a success. */
function ofRun(view: View, ended: Ended, { todoFile }: JUnitLook): TestCase[] {
  if (!couldNotWork(ended)) return [];
  const { why, next } = explainEnding(view, ended, todoFile);
  const fault = { kind: "error", type: ended.ending, message: clean(why), text: next } as const;
  return [{ name: "the run", agent: "", ms: ended.totals.ms, fault }];
}

function caseXml({ name, agent, ms, fault, output }: TestCase): string {
  const classname = agent === "" ? SUITE : clean(agent);
  const open = `    <testcase${attributes({ classname, name, time: seconds(ms) })}`;
  const inner = [
    ...(fault === undefined ? [] : [faultXml(fault)]),
    ...(output === undefined ? [] : [`      <system-out>${escape(output)}</system-out>`]),
  ];
  return inner.length === 0 ? `${open}/>` : [`${open}>`, ...inner, "    </testcase>"].join("\n");
}

function faultXml({ kind, type, message, text }: NonNullable<TestCase["fault"]>): string {
  const open = `      <${kind}${attributes({ message, ...given({ type }) })}`;
  return text === undefined ? `${open}/>` : `${open}>${escape(text)}</${kind}>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join("");
}

/** Characters that XML 1.0 forbids, even as references, with single surrogates. */
const NOT_XML = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(NOT_XML, "\ufffd")
    .replaceAll(/[&<>"]/g, (one) => ENTITIES[one] ?? one);
}
