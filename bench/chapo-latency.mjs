// Talking with Chapo: from the Enter key to the first character of the answer on the terminal, without the time that the provider
// itself takes, in a folder of git with 400 files. The model is a local server; the terminal is made by script(1). The goal is at
// most 50 ms.
//   node bench/chapo-latency.mjs
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROUNDS = 15;
const THINKS_MS = 100;
const GOAL_MS = 50;
const own = fileURLToPath(new URL("../dist/looper.js", import.meta.url));

/** Starts a server of OpenAI's protocol that notes when it was asked, and when it sent the first piece. */
async function startModel() {
  const seen = { asked: 0, sent: 0, round: 0 };
  const server = createServer((request, response) => {
    seen.asked = performance.now();
    request.resume().on("end", () => {
      setTimeout(() => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        /** @param {object} delta @param {string | null} end */
        const send = (delta, end = null) =>
          response.write(
            `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`,
          );
        seen.sent = performance.now();
        send({ role: "assistant", content: `answer-${String(seen.round)} ` });
        setTimeout(() => {
          send({ content: "is here." });
          send({}, "stop");
          response.end("data: [DONE]\n\n");
        }, 50);
      }, THINKS_MS);
    });
  });
  await new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      resolve(undefined);
    }),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { server, seen, port: address.port };
}

/** Makes a project and a home whose settings name the server. @param {number} port */
function makePlace(port) {
  const root = mkdtempSync(path.join(tmpdir(), "chapo-latency-"));
  const [home, project] = [path.join(root, "home"), path.join(root, "project")];
  mkdirSync(path.join(home, ".config/looper"), { recursive: true });
  for (let n = 0; n < 400; n += 1) {
    const folder = path.join(project, `src/part-${String(n % 40)}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `file-${String(n)}.txt`), `Line ${String(n)}\n`.repeat(50));
  }
  const ident = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    [...ident, "commit", "-qm", "begin"],
  ])
    execFileSync("git", args, { cwd: project, env: { PATH: process.env["PATH"] ?? "", HOME: home } });
  const chapo = { base_url: `http://127.0.0.1:${String(port)}/v1`, self_validation_enabled: false };
  writeFileSync(
    path.join(home, ".config/looper/config.json"),
    JSON.stringify({ agents: { chapo: { model: "openai-compatible/local", chapo } } }),
  );
  return { root, home, project };
}

async function main() {
  const { server, seen, port } = await startModel();
  const { root, home, project } = makePlace(port);
  const line = `stty cols 80 rows 24; exec '${process.execPath}' '${own}' chapo`;
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: project,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  /** @type {(() => void)[]} */
  let looking = [];
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    shown += text;
    for (const look of looking) look();
  });
  /** Resolves with the time at which a text is on the terminal. @param {string} text @returns {Promise<number>} */
  const shows = (text) =>
    new Promise((resolve) => {
      const look = () => {
        if (!shown.includes(text)) return;
        looking = [];
        resolve(performance.now());
      };
      looking = [look];
      look();
    });
  await shows("Ctrl-D ends");
  const over = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    shown = "";
    seen.round = round;
    child.stdin.write(`round ${String(round)}`);
    await shows(`round ${String(round)}`);
    const pressed = performance.now();
    child.stdin.write("\r");
    const there = await shows(`answer-${String(round)}`);
    over.push(there - pressed - (seen.sent - seen.asked));
    await shows("is here.");
    // The turn is over when the spinner is gone: the editor is drawn without it.
    shown = "";
    child.stdin.write(" \u007f");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  child.stdin.write("\u0004");
  await new Promise((resolve) => child.once("exit", resolve));
  server.close();
  rmSync(root, { recursive: true, force: true });
  over.sort((a, b) => a - b);
  const median = over[Math.floor(over.length / 2)] ?? 0;
  const figures = `least ${(over[0] ?? 0).toFixed(1)}, median ${median.toFixed(1)}, most ${(over.at(-1) ?? 0).toFixed(1)} ms of ${String(ROUNDS)}`;
  console.log(
    `from Enter to the first character, over the provider's own time: ${figures}; goal ${String(GOAL_MS)} ms`,
  );
  process.exitCode = median <= GOAL_MS ? 0 : 1;
}

await main();
