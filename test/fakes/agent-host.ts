// `looper agent-host` alone, so that the hosted agents can be tested without the rest of the program: the floor's tests
// bundle it. It does what the command does: leads everything but events to stderr, and turns signals into a stop.
import { hostAcp } from "../../src/agents/acp/acp-host.js";
import { hostModule, type HostIo } from "../../src/agents/hosted/host.js";
import { hostScript } from "../../src/agents/hosted/play.js";
import { nodePorts } from "../../src/system/processes/node-ports.js";

const toStdout = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.on(signal, () => {
    stop.abort();
  });
}

const io: HostIo = {
  ports: nodePorts(),
  env: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""])),
  node: process.execPath,
  readInput: async () => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk as Uint8Array));
    return Buffer.concat(chunks).toString("utf8");
  },
  write: (text) =>
    new Promise((resolve) => {
      toStdout(text, () => {
        resolve();
      });
    }),
  writeError: (text) =>
    new Promise((resolve) => {
      process.stderr.write(text, () => {
        resolve();
      });
    }),
  stop: stop.signal,
};

const words = process.argv.slice(3);
const file = words.at(-1) ?? "";
const hosts = { "--scripted": hostScript, "--acp": hostAcp };
const run = Object.entries(hosts).find(([flag]) => flag === words[0])?.[1] ?? hostModule;
process.exit(await run(file, io));
