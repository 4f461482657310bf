// Has the user's module choose the agent of an iteration, in a child process, so that one that hangs or ends takes nothing with it.
import { PickLine } from "../../../agents/hosted/pick.js";
import type { StepEvent } from "../../../logging/events/events.js";
import { UserError } from "../../../system/errors.js";
import { parseJson } from "../../../system/text/json.js";
import type { Effect } from "../../step/effects.js";
import type { World } from "../world.js";

/** A pure function needs far less. */
const LIMIT_MS = 10_000;
const MOST_BYTES = 64 * 1024;

export async function performPick(
  { ports, project, env, picker, memory, log }: World,
  { task_id, iteration, attempt, agents, failed }: Extract<Effect, { kind: "pick-agent" }>,
): Promise<StepEvent> {
  if (picker === undefined) throw new Error("the strategy is not a module");
  const { self, file } = picker;
  const task = memory.backlog?.tasks.find(({ id }) => id === task_id) ?? { id: task_id };
  const { timedOut, stdout, stderr } = await ports.processes.run(
    {
      command: self.command,
      args: [...self.args, "agent-host", "--pick", file],
      ...{ cwd: project.folder, env },
      input: JSON.stringify({ iteration, attempt, task, agents, failed }),
    },
    { timeoutMs: LIMIT_MS, maxBytes: MOST_BYTES },
  );
  const refuse = (why: string): never => {
    const message = `schedule.strategy: ${file} chose no agent for ${task_id}: ${why}`;
    throw new UserError(
      "environment",
      log.redact(message),
      "correct the module, or set schedule.strategy to a word",
    );
  };
  if (timedOut) return refuse(`it did not answer within ${LIMIT_MS / 1000} s`);
  const line = Buffer.from(stdout).toString("utf8").trim().split("\n").at(-1) ?? "";
  const { data } = PickLine.safeParse(parseJson(line));
  if (data === undefined) return refuse(`it ended without an answer ${stderr.trim().slice(-200)}`.trim());
  if ("error" in data) return refuse(data.error);
  if (!agents.includes(data.agent))
    return refuse(`${JSON.stringify(data.agent)} is not one of ${agents.join(", ")}`);
  return { type: "agent_picked", task_id, iteration, agent: data.agent };
}
