// A stand-in for a real agent CLI: does what a script says, or what the prompt's task asks for in its own simple way,
// and prints what the real one prints. Leaves the printing to codex.mjs and claude.mjs.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";

/**
 * One attempt. Every key may be left out; they are done in this order.
 * @typedef {object} Attempt
 * @property {boolean} [ignoreSigterm] deaf to SIGTERM, SIGINT and SIGHUP
 * @property {string} [message] said before anything is done
 * @property {boolean} [reconnecting] a retry notice, not final
 * @property {string} [denied] a tool that is denied
 * @property {Record<string, string>} [files] content by path
 * @property {string[]} [shell] command lines, run and reported
 * @property {string} [commit] commits everything by itself, with this message
 * @property {number} [orphan] leaves a process behind for so many seconds, in its own session, deaf to SIGTERM
 * @property {number} [garbage] lines that are not JSON
 * @property {number} [bytes] so many bytes of raw output, in lines of 64 KiB
 * @property {boolean} [hang] from here on nothing, for ever
 * @property {{ message: string, status?: number }} [error] fails as on an error of its API
 * @property {Record<string, unknown>} [summary] the report; `task_id` is added when it is left out
 * @property {string} [prose] said instead of the report
 * @property {Attempt} [resumed] what it does when its session is resumed; without it, it prints the same again
 * @property {boolean} [terminal] false: stops before the event that ends a run
 * @property {boolean} [mute] only acp: answers nothing at all
 * @property {number} [version] only acp: of the protocol
 * @property {string} [asks] only acp: a file it would write, if it may
 * @property {number} [exit] the exit code
 */

/**
 * How one CLI speaks.
 * @typedef {object} Voice
 * @property {string} name
 * @property {(args: string[]) => string | undefined} refuse why it does not take these arguments
 * @property {number} badUsage the exit code then
 * @property {() => object[]} begin
 * @property {(text: string) => object[]} say
 * @property {(id: string, command: string) => object[]} commandStarted
 * @property {(id: string, command: string, result: { code: number, output: string }) => object[]} commandEnded
 * @property {(id: string, path: string) => object[]} wrote
 * @property {() => object[]} retrying
 * @property {(tool: string) => object[]} denied
 * @property {(error: { message: string, status?: number }) => object[]} failed
 * @property {(text: string) => object[]} ended
 * @property {Record<string, number>} onSignal exit codes of the signals it handles
 */

/** @typedef {{ tasks?: Record<string, Attempt[]>, default?: Attempt[], review?: Attempt[], bootstrap?: Attempt[], repair?: Attempt[] }} Script */

/**
 * FAKE_AGENT_SCRIPT: a file with a Script; the last entry of a list is repeated. FAKE_AGENT_LOG: a file that gets one
 * line a start.
 * @param {Voice} voice
 */
export async function playAgent(voice) {
  const args = process.argv.slice(2);
  const refusal = voice.refuse(args);
  if (refusal !== undefined) {
    process.stderr.write(`error: ${refusal}\n`);
    process.exitCode = voice.badUsage;
    return;
  }
  const prompt = readFileSync(0, "utf8");
  record({ agent: voice.name, args, cwd: process.cwd(), prompt_bytes: Buffer.byteLength(prompt) });
  const attempt = chooseAttempt();
  listenTo(attempt.ignoreSigterm === true ? { SIGTERM: -1, SIGINT: -1, SIGHUP: -1 } : voice.onSignal);
  const isResumed = args.includes("resume") || args.includes("--resume");
  await perform(isResumed ? (attempt.resumed ?? sameAgain(attempt)) : attempt, voice);
}

/** @param {Attempt} attempt @returns {Attempt} */
function sameAgain({ summary, prose }) {
  return { ...(summary === undefined ? {} : { summary }), ...(prose === undefined ? {} : { prose }) };
}

/** @param {Record<string, number>} signals exit codes; -1: deaf */
function listenTo(signals) {
  for (const [signal, code] of Object.entries(signals)) {
    process.on(signal, () => {
      if (code !== -1) process.exit(code);
    });
  }
}

/** @param {object} call */
function record(call) {
  const log = process.env.FAKE_AGENT_LOG;
  if (log === undefined) return;
  const run = Object.entries(process.env).filter(
    ([name]) => name.startsWith("LOOPER_") && !name.includes("MARK"),
  );
  appendFileSync(log, `${JSON.stringify({ ...call, env: Object.fromEntries(run) })}\n`);
}

/** The attempt of this start, from the environment. @returns {Attempt} */
export function chooseAttempt() {
  const file = process.env.FAKE_AGENT_SCRIPT;
  const id = process.env.LOOPER_TASK_ID;
  const phase = process.env.LOOPER_PHASE ?? "iteration";
  const script = file === undefined ? {} : readScript(file);
  const list = pickList(script, phase, id);
  const number = Math.max(1, Number(process.env.LOOPER_ATTEMPT ?? "1"));
  return list?.[number - 1] ?? list?.at(-1) ?? ownWay(phase, id);
}

/**
 * @param {string} file
 * @returns {Script}
 */
function readScript(file) {
  const read = /** @type {(text: string) => Script} */ (JSON.parse);
  return read(readFileSync(file, "utf8"));
}

/**
 * @param {Script} script
 * @param {string} phase
 * @param {string | undefined} id
 * @returns {Attempt[] | undefined}
 */
function pickList(script, phase, id) {
  if (phase === "review") return script.review;
  if (phase === "bootstrap") return script.bootstrap;
  if (phase === "repair") return script.repair;
  return (id === undefined ? undefined : script.tasks?.[id]) ?? script.default;
}

/**
 * Without a script: the task's file, or nothing found, or a backlog of one task.
 * @param {string} phase
 * @param {string | undefined} id
 * @returns {Attempt}
 */
function ownWay(phase, id) {
  if (phase === "review")
    return { summary: { status: "reviewed", summary: "Nothing left to do.", new_tasks: [] } };
  if (phase === "iteration") {
    const task = id ?? "task";
    return {
      message: `Working on ${task}.`,
      files: { [`${task}.txt`]: `${task}\n` },
      summary: { status: "done", summary: `Made ${task}.txt.`, files: [`${task}.txt`] },
    };
  }
  const backlog = {
    schema_version: 1,
    source_files: [],
    tasks: [{ id: "T1", title: "The first task", priority: 1, status: "todo" }],
  };
  const file = process.env.LOOPER_TODO_FILE ?? "to-do.json";
  return { files: { [file]: `${JSON.stringify(backlog, null, 2)}\n` }, prose: "The backlog is written." };
}

/**
 * @param {Attempt} attempt
 * @param {Voice} voice
 */
async function perform(attempt, voice) {
  await tell(voice.begin());
  if (attempt.message !== undefined) await tell(voice.say(attempt.message));
  if (attempt.reconnecting === true) await tell(voice.retrying());
  if (attempt.denied !== undefined) await tell(voice.denied(attempt.denied));
  await work(attempt, voice);
  if (attempt.orphan !== undefined) leaveOrphan(attempt.orphan);
  for (let line = 1; line <= (attempt.garbage ?? 0); line += 1) await print(`<garbage ${line} {"type":\n`);
  await printBytes(attempt.bytes ?? 0);
  if (attempt.hang === true) await hang();
  await end(attempt, voice);
}

/**
 * @param {Attempt} attempt
 * @param {Voice} voice
 */
async function work(attempt, voice) {
  for (const [place, content] of Object.entries(attempt.files ?? {})) {
    const file = path.resolve(place);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
    await tell(voice.wrote(`file_${place}`, file));
  }
  const commits = attempt.commit === undefined ? [] : ["git add -A", `git commit -q -m '${attempt.commit}'`];
  for (const [index, command] of [...(attempt.shell ?? []), ...commits].entries()) {
    await tell(voice.commandStarted(`command_${index}`, command));
    const ran = spawnSync("sh", ["-c", command], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    const result = { code: ran.status ?? 1, output: ran.stdout + ran.stderr };
    await tell(voice.commandEnded(`command_${index}`, command, result));
  }
}

/**
 * @param {Attempt} attempt
 * @param {Voice} voice
 */
async function end(attempt, voice) {
  if (attempt.error !== undefined) {
    await tell(voice.failed(attempt.error));
    process.exitCode = attempt.exit ?? 1;
    return;
  }
  const report = JSON.stringify({ task_id: process.env.LOOPER_TASK_ID ?? null, ...attempt.summary }, null, 2);
  const text =
    attempt.summary === undefined
      ? (attempt.prose ?? "All done.")
      : `Done.\n\n\`\`\`json\n${report}\n\`\`\`\n`;
  await tell(voice.say(text));
  if (attempt.terminal !== false) await tell(voice.ended(text));
  process.exitCode = attempt.exit ?? 0;
}

/** @param {object[]} lines */
async function tell(lines) {
  for (const line of lines) await print(`${JSON.stringify(line)}\n`);
}

/**
 * @param {string} text
 * @returns {Promise<void>}
 */
function print(text) {
  return new Promise((resolve) => {
    process.stdout.write(text, () => {
      resolve();
    });
  });
}

/** @param {number} bytes */
async function printBytes(bytes) {
  const line = `${"x".repeat(64 * 1024 - 1)}\n`;
  for (let left = bytes; left > 0; left -= line.length) await print(line);
}

/** @param {number} seconds */
function leaveOrphan(seconds) {
  const deaf = `for (const s of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(s, () => {});
    setTimeout(() => {}, ${seconds * 1000})`;
  spawn(process.execPath, ["-e", deaf], { detached: true, stdio: "ignore" }).unref();
}

/**
 * An open server keeps the process at no cost.
 * @returns {Promise<never>}
 */
function hang() {
  return new Promise(() => {
    createServer().listen(0, "127.0.0.1");
  });
}
