// Runs the built-in engine as an agent. It works in a child process, so limits, stops, the sweep and the log apply as for all
// other agents. Leaves the child's side to src/chapo/run/host.ts.
import { z } from "zod";
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { ChapoSettings } from "../../config/read/chapo-settings.js";
import { findKey, listNeededKeys, readModelName, findUsualModel } from "../../config/settings/model-names.js";
import type { Ports } from "../../system/ports.js";
import { findSandbox } from "../../system/sandbox/bubblewrap.js";
import type { Client, FoundProgram } from "../process/client.js";
import { callHost, HostRequest } from "./hosted.js";
import { createOwnReader } from "./own-lines.js";
import { readJsonLines } from "../limits/reader.js";

/** The request on its stdin. The environment is its own. */
export const ChapoRequest = HostRequest.extend({
  /** `provider/model`. */
  model: z.string(),
  chapo: ChapoSettings,
  /** Of the attempt; 0 = as the engine's settings say. */
  maxTurns: z.int(),
  /** The agent's name in the settings, for messages. */
  agent: z.exactOptional(z.string()),
  /** The session to resume. */
  resume: z.exactOptional(z.string()),
  /** The task's row in the task file, which is absolute: messages after the first `after` came too late for the prompt. */
  row: z.exactOptional(z.object({ file: z.string(), after: z.int() })),
  /** Absolute; absent: beside the prompt. */
  sessionsFolder: z.exactOptional(z.string()),
});
export type ChapoRequest = z.infer<typeof ChapoRequest>;

/** It is found where its model can be asked, and where its sandbox works: it needs no other program. */
export const chapo: Client = {
  find: ({ settings, ports }, { env }) => findChapo(settings, ports, { ...env, ...settings.env }),
  call: (request, model, engine) => {
    const { name: agent, chapo: own, maxTurns } = engine.settings;
    if (own === undefined) throw new Error(`${agent} has none of the engine's settings`);
    const more = { model, agent, chapo: own, maxTurns };
    return callHost({ shape: ChapoRequest, args: ["--chapo", model], more }, request, engine);
  },
  // Of the host, which ends what its tools started.
  cleanStop: { signal: "SIGTERM", target: "process" },
  reader: () => readJsonLines(createOwnReader("host")),
  exceeds: ({ permissions, chapo: { sandbox } = {} }) =>
    permissions === "read-only" || sandbox !== undefined
      ? undefined
      : "its shell reaches outside the project",
  reports: ({ chapo: { pricesFile } = {} }) => (pricesFile === undefined ? "tokens" : "cost"),
};

/** The model it would ask, where the sandbox that is set works. */
async function findChapo(
  settings: AgentSettings,
  ports: Ports,
  env: Readonly<Record<string, string>>,
): Promise<FoundProgram> {
  const model = await findModel(settings, ports, env);
  if ("missing" in model || settings.chapo?.sandbox === undefined) return model;
  const sandbox = await findSandbox(ports.processes, env);
  if ("found" in sandbox) return model;
  return {
    missing: `agents.${settings.name}.chapo.sandbox is true, but ${sandbox.missing}`,
    hint: sandbox.hint,
  };
}

/** The model it would ask. The key is not checked. */
async function findModel(
  settings: AgentSettings,
  ports: Ports,
  env: Readonly<Record<string, string>>,
): Promise<FoundProgram> {
  const { name, chapo } = settings;
  const model = settings.model ?? findUsualModel(env);
  if (model === undefined)
    return {
      missing: "no model is named, and no key is set",
      hint: `set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or agents.${name}.model (provider/model)`,
    };
  const read = readModelName(model);
  if ("problem" in read) return { missing: read.problem, hint: `correct agents.${name}.model` };
  const { provider } = read;
  const variables = listNeededKeys(provider);
  if (variables.length > 0 && findKey(provider, env) === undefined)
    return { missing: `${variables.join(" or ")} is not set, the key for ${model}`, hint: "set it" };
  if (provider === "openai-compatible" && chapo?.baseUrl === undefined)
    return {
      missing: `agents.${name}.chapo.base_url is not set`,
      hint: `set it to where ${model} is served, e.g. http://127.0.0.1:11434/v1`,
    };
  return provider === "scripted" ? findScript(settings, ports, model) : { found: model };
}

async function findScript(
  { name, chapo }: AgentSettings,
  ports: Ports,
  model: string,
): Promise<FoundProgram> {
  const key = `agents.${name}.chapo.script`;
  const script = chapo?.script;
  if (script === undefined) return { missing: `${key} is not set`, hint: "set it to a file of replies" };
  if ((await ports.files.stat(script))?.kind === "file") return { found: model };
  return { missing: `cannot find the script ${script}`, hint: `correct ${key}` };
}
