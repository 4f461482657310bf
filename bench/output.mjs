// The agent's output on its way through parse, redact and log, against a bare loop of Node that only splits, parses, serialises
// and writes the same bytes from a pipe of the same kind.
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { atLeast, homeIn, inTurns, looper, median, round, scratch, wall, wallAndPeak } from "./measure.mjs";

const GB = 2 ** 30;
const ROUNDS = 3;
const MOST_RSS = 150;

/** A page of a build's output: quotes, escapes and some characters beyond ASCII, as real ones have. */
const PAGE = Array.from(
  { length: 60 },
  (_, n) =>
    `src/part${String(n)}.ts:${String(n * 7)}:12 - error "x${String(n)}" → is not assignable\tto type 'A | B'`,
).join("\n");

const SESSION = "5f2f7b9e-8c6e-4d57-9a39-000000000001";

/** @param {number} turn @param {object} block */
function assistant(turn, block) {
  const usage = { input_tokens: 12, cache_read_input_tokens: 12_000 + turn, output_tokens: 80 };
  const message = {
    id: `msg_${String(turn)}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: [block],
    usage,
  };
  return { type: "assistant", message, parent_tool_use_id: null, session_id: SESSION };
}

/** Claude prints a result twice: as the model sees it, and for display. @param {string} id @param {string} content */
function result(id, content) {
  const block = { tool_use_id: id, type: "tool_result", content, is_error: false };
  return {
    type: "user",
    message: { role: "user", content: [block] },
    parent_tool_use_id: null,
    session_id: SESSION,
    tool_use_result: { stdout: content, stderr: "", interrupted: false },
  };
}

/** The lines of one turn: it thinks, says what it does, runs a command, changes a file. @param {number} turn */
function turnOf(turn) {
  const [run, edit] = [`toolu_${String(turn)}a`, `toolu_${String(turn)}b`];
  const command = `npm test -- part${String(turn)}`;
  const change = {
    file_path: `/project/src/part${String(turn)}.ts`,
    old_string: PAGE.slice(0, 300),
    new_string: PAGE.slice(300, 900),
  };
  return [
    assistant(turn, {
      type: "thinking",
      thinking: `Turn ${String(turn)}. ${PAGE.slice(0, 700)}`,
      signature: "c2ln".repeat(60),
    }),
    assistant(turn, { type: "text", text: "I run the tests of this part, and then mend what they find." }),
    assistant(turn, { type: "tool_use", id: run, name: "Bash", input: { command, description: "run them" } }),
    result(run, PAGE.slice(0, 500 + ((turn * 977) % 4000))),
    assistant(turn, { type: "tool_use", id: edit, name: "Edit", input: change }),
    result(edit, `The file ${change.file_path} has been updated.`),
  ];
}

const BEGIN = { type: "system", subtype: "init", session_id: SESSION, model: "m", tools: ["Bash", "Edit"] };
const REPORT = '{"task_id": "T1", "status": "done", "summary": "Made it."}';
const END = {
  ...{
    type: "result",
    subtype: "success",
    is_error: false,
    num_turns: 3,
    result: REPORT,
    session_id: SESSION,
  },
  ...{ total_cost_usd: 0.04, usage: { input_tokens: 30, output_tokens: 410 } },
};

/** A stream of claude's, of about so many bytes. @param {string} file @param {number} bytes */
function claudeStream(file, bytes) {
  return write(
    file,
    bytes,
    (turn) => turnOf(turn).map((line) => JSON.stringify(line)),
    [BEGIN, END].map((line) => JSON.stringify(line)),
  );
}

/** Lines of 10 MB each: what a file read whole comes to. @param {string} file @param {number} bytes */
function longLines(file, bytes) {
  const content = PAGE.repeat(Math.ceil(5_000_000 / PAGE.length));
  return write(
    file,
    bytes,
    (turn) => [JSON.stringify(result(`toolu_${String(turn)}`, content))],
    [BEGIN, END].map((line) => JSON.stringify(line)),
  );
}

/** Plain words, line by line. @param {string} file @param {number} bytes */
function textLines(file, bytes) {
  return write(file, bytes, (turn) => [`step ${String(turn)}`, ...PAGE.split("\n")], ["began", REPORT]);
}

/** @param {string} file @param {number} bytes @param {(turn: number) => string[]} linesOf @param {string[]} ends */
function write(file, bytes, linesOf, [first = "", last = ""]) {
  const out = openSync(file, "w");
  let size = writeSync(out, `${first}\n`);
  for (let turn = 0; size < bytes;) {
    let batch = "";
    while (batch.length < 1 << 20) batch += `${linesOf(turn++).join("\n")}\n`;
    size += writeSync(out, batch);
  }
  size += writeSync(out, `${last}\n`);
  closeSync(out);
  return size;
}

/** The least a program could do with each line; text is not parsed. */
const BARE = `
import { openSync, writeSync } from "node:fs";
const [, , file, kind] = process.argv;
const out = openSync(file, "w");
const again = kind === "text" ? (line) => line : (line) => JSON.stringify(JSON.parse(line));
let rest = [];
for await (const chunk of process.stdin.setEncoding("utf8")) {
  const lines = chunk.split("\\n");
  if (lines.length === 1) { rest.push(chunk); continue; }
  lines[0] = rest.join("") + lines[0];
  rest = [lines.pop()];
  writeSync(out, lines.map((line) => again(line) + "\\n").join(""));
}
`;

/** @param {string} root @param {string} file @param {"claude" | "command"} kind */
function projectFor(root, file, kind) {
  const agent = path.join(root, "agent.sh");
  writeFileSync(agent, `#!/bin/sh\ncat >/dev/null\nexec cat ${file}\n`);
  chmodSync(agent, 0o755);
  const free = { max_events: 0, max_output: 0, max_turns: 0, timeout: "0", idle_timeout: "0" };
  const home = homeIn(root, { agents: { fake: { kind, binary: agent, ...free } }, loop: { review: false } });
  const cwd = path.join(root, "project");
  return {
    begin() {
      rmSync(cwd, { recursive: true, force: true });
      mkdirSync(cwd);
      const tasks = [{ id: "T1", title: "All of it", priority: 3, status: "todo" }];
      writeFileSync(
        path.join(cwd, "to-do.json"),
        JSON.stringify({ schema_version: 1, source_files: [], tasks }),
      );
    },
    side: looper(["run", "--agent", "fake", "--quiet"], { cwd, env: { HOME: home } }),
    end() {
      const backlog = readFileSync(path.join(cwd, "to-do.json"), "utf8");
      if (!/"status": ?"done"/.test(backlog)) throw new Error(`the run did not finish its task: ${backlog}`);
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/**
 * @param {{ what: string, make: (file: string, bytes: number) => number, bytes: number, kind: "claude" | "command", rounds: number }} wish
 */
function compare({ what, make, bytes, kind, rounds }) {
  const root = scratch("output");
  const file = path.join(root, "stream");
  const size = make(file, bytes);
  const project = projectFor(root, file, kind);
  const bare = path.join(root, "bare.mjs");
  writeFileSync(bare, BARE);
  const out = path.join(root, "out");
  const script = `cat ${file} | exec ${process.execPath} ${bare} ${out} ${kind === "claude" ? "json" : "text"}`;
  let most = 0;
  const taken = inTurns(
    rounds,
    {
      ours: () => {
        project.begin();
        const { ms, mib } = wallAndPeak(project.side);
        project.end();
        most = Math.max(most, mib);
        return ms;
      },
      theirs: () => {
        const ms = wall({ command: "sh", args: ["-c", script] });
        rmSync(out);
        return ms;
      },
    },
    { warm: false },
  );
  rmSync(root, { recursive: true, force: true });
  const speed = (/** @type {number} */ ms) => size / 2 ** 20 / (ms / 1000);
  return [
    atLeast({
      what,
      against: "split + JSON.parse + JSON.stringify + write, from a pipe",
      least: 0.5,
      ours: speed(median(taken("ours"))),
      theirs: speed(median(taken("theirs"))),
      unit: "MiB/s",
    }),
    {
      what: `${what}: memory`,
      against: "-",
      goal: `≤ ${String(MOST_RSS)} MiB`,
      measured: `${round(most)} MiB`,
      figures: `the most of ${String(rounds)} runs, of looper's process`,
      holds: most <= MOST_RSS,
    },
  ];
}

/** No goal is set for it. @param {import("./measure.mjs").Row[]} found @returns {import("./measure.mjs").Row[]} */
function asFigures(found) {
  return found.map((row) => ({ ...row, goal: "-", holds: true }));
}

export function rows() {
  const [gigabyte, part] = [GB, GB / 4];
  return [
    ...compare({
      ...{ what: "agent output: 1 GiB of claude's lines", make: claudeStream, bytes: gigabyte },
      ...{ kind: "claude", rounds: ROUNDS },
    }),
    ...asFigures(
      compare({ what: "256 MiB in lines of 10 MB", make: longLines, bytes: part, kind: "claude", rounds: 1 }),
    ),
    ...asFigures(
      compare({ what: "256 MiB of plain text", make: textLines, bytes: part, kind: "command", rounds: 1 }),
    ),
  ];
}
