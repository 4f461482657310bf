import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createAgent } from "./registry.js";
import { requestOf, runAgent, settingsOf } from "../testing/rig.js";

const BODY = ["MIICXAIBAAKBgQC7cz1q9Zk0aaMIICXAIBAAKBgQC7cz1q9Zk0aa", "cz1q/9+Zk0aa=="];
const PRINT = ["-----BEGIN PRIVATE KEY-----", ...BODY, "-----END PRIVATE KEY-----", "after"]
  .map((line) => `echo '${line}'; echo '${line}' >&2`)
  .join("; sleep 0.02; ");

test("of a private key that an agent prints nothing is told, however its lines come", async () => {
  const settings = settingsOf("command", { binary: "sh", args: ["-c", PRINT] });
  const agent = createAgent(settings, { ports: nodePorts(), self: { command: process.execPath, args: [] } });
  const { started: _started, ...seen } = await runAgent(
    agent,
    requestOf({ cwd: tmpdir(), env: { PATH: process.env["PATH"] ?? "" } }),
  );
  const told = JSON.stringify(seen);
  expect(told).toContain("after");
  for (const line of BODY) expect(told).not.toContain(line);
});
