// An agent that decides nothing: it tells the test over a unix socket that it was started, then does what it is told, step by step.
// usage: node socket-agent.mjs SOCKET NAME [args the program gave it ...]; the prompt is read from stdin.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";

/** @typedef {import("../rig/puppet.js").Order} Order */

/**
 * Writes all of it, however full the pipe is, before anything else happens.
 * @param {1 | 2} to
 * @param {string} text
 */
function print(to, text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(to, bytes, done);
}

/**
 * @param {Order} order
 * @returns {unknown} the answer
 */
function obey(order) {
  switch (order.do) {
    case "write":
      mkdirSync(path.dirname(order.path), { recursive: true });
      writeFileSync(order.path, order.text);
      return {};
    case "remove":
      rmSync(order.path, { recursive: true, force: true });
      return {};
    case "print":
      print(order.to, order.text);
      return {};
    case "shell": {
      const stdio = order.heard === true ? "inherit" : "pipe";
      const { status, stdout, stderr } = spawnSync("sh", ["-c", order.command], { encoding: "utf8", stdio });
      // Inherited output went to the reader of the agent's own.
      return order.heard === true
        ? { code: status, stdout: "", stderr: "" }
        : { code: status, stdout, stderr };
    }
    case "leave-behind": {
      const child = spawn("sh", ["-c", order.command], { detached: true, stdio: "ignore" });
      child.unref();
      return { pid: child.pid };
    }
    case "ignore":
      for (const signal of order.signals) process.on(signal, () => undefined);
      return {};
    case "exit":
      print(1, order.text);
      return process.exit(order.code);
    case "die":
      process.kill(process.pid, order.signal);
      return {};
    default:
      throw new Error(`no such order: ${JSON.stringify(order)}`);
  }
}

const [, , socket = "", name, ...args] = process.argv;
const test = connect(socket);
/** @param {unknown} value */
const tell = (value) => test.write(`${JSON.stringify(value)}\n`);

const prompt = readFileSync(0, "utf8");
tell({ name, args, pid: process.pid, cwd: process.cwd(), env: process.env, prompt });
for await (const line of createInterface({ input: test })) {
  /** @type {unknown} */
  const order = JSON.parse(line);
  tell(obey(/** @type {Order} */ (order)));
}
process.exit(90); // the test let go of it
