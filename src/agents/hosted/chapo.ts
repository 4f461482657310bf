// Runs the built-in engine as an agent. It works in a child process, so limits, stops, the sweep and the log apply as for all
// other agents. Leaves the child's side to src/chapo/run/host.ts.
import type { AgentSettings } from "../../config/read/agent-settings.js";
import { findKey, listNeededKeys, readModelName, findUsualModel } from "../../config/settings/model-names.js";
import type { Ports } from "../../system/ports.js";
import { findSandbox } from "../../system/sandbox/bubblewrap.js";
import type { Agent, AgentRequest } from "../agent.js";
import type { AgentDeps, Client } from "../client.js";
import { ChapoRequest } from "./chapo-request.js";
import { createOwnReader } from "./own-lines.js";
import { processAgent, type FoundProgram } from "../process/process-agent.js";
import { readJsonLines } from "../limits/reader.js";

export const chapo: Client = {
  create: chapoAgent,
  exceeds: ({ permissions, chapo: { sandbox } = {} }) =>
    permissions === "read-only" || sandbox !== undefined
      ? undefined
      : "its shell reaches outside the project",
  reports: ({ chapo: { pricesFile } = {} }) => (pricesFile === undefined ? "tokens" : "cost"),
};

/** The agent of kind `chapo`. It is found where its model can be asked, and where its sandbox works: it needs no other program. */
function chapoAgent(settings: AgentSettings, { ports, self }: AgentDeps): Agent {
  return processAgent(
    settings,
    {
      find: (env) => findChapo(settings, ports, { ...env, ...settings.env }),
      call: (request, model) => ({
        command: self.command,
        args: [...self.args, "agent-host", "--chapo", model],
        input: hostInput(request, settings, model),
      }),
      // Of the host, which ends what its tools started.
      cleanStop: { signal: "SIGTERM", target: "process" },
      reader: () => readJsonLines(createOwnReader("host")),
    },
    ports,
  );
}

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

/** Without the environment, which the child has. */
function hostInput(request: AgentRequest, settings: AgentSettings, model: string): string {
  const { resume, ...rest } = request;
  if (settings.chapo === undefined) throw new Error(`${settings.name} has none of the engine's settings`);
  return JSON.stringify(
    ChapoRequest.parse({
      ...rest,
      cwd: settings.workDir ?? request.cwd,
      model,
      agent: settings.name,
      chapo: settings.chapo,
      maxTurns: settings.maxTurns,
      ...(resume === undefined ? {} : { resume: resume.id }),
    }),
  );
}
