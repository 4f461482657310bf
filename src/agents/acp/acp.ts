// Runs any agent that speaks the Agent Client Protocol, through a host in a child process (acp-host.ts). The host needs the
// agent's stdin for as long as the agent works. So limits, stops, the sweep and the log apply as for all other agents, and
// only the host loads the protocol's library.
import { AcpRequest, acpReader } from "./acp-stream.js";
import type { Client } from "../process/client.js";
import { callHost } from "../hosted/hosted.js";
import { findBinary } from "../process/find.js";
import { readJsonLines } from "../limits/reader.js";

/** `binary` and `args` start an agent that speaks the protocol on stdin and stdout. */
export const acp: Client = {
  find: findBinary("a program that speaks the Agent Client Protocol"),
  call: (request, binary, engine) => {
    const { args, model, reasoning } = engine.settings;
    const host = { shape: AcpRequest, args: ["--acp", binary], more: { args, model, reasoning } };
    return callHost(host, request, engine);
  },
  // Of the host, which cancels the turn and then ends the agent's input.
  cleanStop: { signal: "SIGTERM", target: "process" },
  reader: ({ resume }) => readJsonLines(acpReader(resume)),
  client: { exitIsStatus: false },
  exceeds: () => "does as it says itself: only what it asks for can be refused",
  reports: () => "cost",
};
