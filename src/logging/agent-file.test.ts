import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { nodePorts } from "../system/processes/node-ports.js";
import { openAgentFile, writeAgentLine, type AgentLine } from "./agent-file.js";

const ports = nodePorts();
let folder = "";
const file = () => path.join(folder, "agent.jsonl");
const note = (text: string): AgentLine => ({ type: "note", text });
const written = (line: unknown) => `${JSON.stringify(line)}\n`;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "agent-file-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test("each call reads the lines written since the last one, and a missing file holds none", async () => {
  const read = openAgentFile(ports, folder);
  expect(await read()).toEqual({ lines: [], warnings: [] });
  await writeAgentLine(ports, folder, note("a"));
  await writeAgentLine(ports, folder, { type: "add_task", task_id: "T1", task: { title: "b" } });
  expect(await read()).toMatchObject({ lines: [note("a"), { type: "add_task", task: { title: "b" } }] });
  await writeAgentLine(ports, folder, note("c"));
  expect(await read()).toEqual({ lines: [note("c")], warnings: [] });
  expect(await read()).toEqual({ lines: [], warnings: [] });
});

test("a line that cannot be read is named, and the others count", async () => {
  writeFileSync(
    file(),
    [
      written(note("a")),
      '{"type":"note","te\n',
      "[1]\n",
      written({ type: "complete", id: "T1" }),
      written({ type: "note", text: " " }),
      written({ type: "report", report: { status: "perfect" } }),
      written(note("b")).trimEnd(),
    ].join(""),
  );
  const { lines, warnings } = await openAgentFile(ports, folder)();
  expect(lines).toEqual([note("a"), note("b")]);
  expect(warnings).toEqual([
    "line 2 of agent.jsonl is not used: it is not a JSON object",
    "line 3 of agent.jsonl is not used: it is not a JSON object",
    'line 4 of agent.jsonl is not used: its type is "complete"',
    expect.stringContaining("line 5 of agent.jsonl is not used: text: "),
    expect.stringContaining("line 6 of agent.jsonl is not used: report.status: "),
  ]);
});

test("a line that is torn by a kill does not swallow the next one", async () => {
  writeFileSync(file(), '{"type":"note","te');
  await writeAgentLine(ports, folder, note("a"));
  const { lines, warnings } = await openAgentFile(ports, folder)();
  expect(lines).toEqual([note("a")]);
  expect(warnings).toHaveLength(1);
});

test("of 100 MB of lines, and of one line of 100 MB, what can be read is read in little memory", async () => {
  const junk = `${"x".repeat(1023)}\n`.repeat(1024);
  for (let mb = 0; mb < 50; mb++) appendFileSync(file(), junk);
  appendFileSync(file(), `\n${written(note("between"))}`);
  for (let mb = 0; mb < 50; mb++) appendFileSync(file(), "y".repeat(1024 * 1024));
  appendFileSync(file(), `\n${written(note("last"))}`);
  const { lines, warnings } = await openAgentFile(ports, folder)();
  expect(lines).toEqual([note("between"), note("last")]);
  expect(warnings).toHaveLength(6);
  expect(warnings.at(-1)).toBe(`${String(50 * 1024 - 5 + 1)} more lines of agent.jsonl are not used`);
});

test("an attempt has at most 1000 requests; the rest is counted", async () => {
  writeFileSync(file(), written(note("n")).repeat(1500));
  const { lines, warnings } = await openAgentFile(ports, folder)();
  expect(lines).toHaveLength(1000);
  expect(warnings).toEqual(["500 lines of agent.jsonl are not used: an attempt has at most 1000 requests"]);
});

test("a pipe or a link in the file's place is neither read nor written", async () => {
  execFileSync("mkfifo", [file()]);
  const { warnings } = await openAgentFile(ports, folder)();
  expect(warnings).toEqual(["agent.jsonl is not read: it is not a file"]);
  await expect(writeAgentLine(ports, folder, note("a"))).rejects.toThrow("it is not a file");
  rmSync(file());
  symlinkSync("/etc/passwd", file());
  await expect(writeAgentLine(ports, folder, note("a"))).rejects.toThrow("it is not a file");
});
