// Makes the calls of a turn, one at a time or several of sub-agents that only read together, and keeps their results.
// take-steps.ts carries out the other decisions; call-tool.ts checks and runs a call.
import { endTask } from "../children/open-tasks.js";
import { addResult } from "../conversation.js";
import type { StepResult, TurnContext } from "../world.js";
import { clip } from "../window/clip.js";
import { getPending } from "./ask-permission.js";
import { nameInQueue } from "./ask-queue.js";
import { callTool, type ToolCallOutcome } from "./call-tool.js";
import type { ReadCall } from "./decision.js";
import { withoutPending } from "./pending.js";

/** Makes a call and keeps its result. */
export async function takeCall(context: TurnContext, named: ReadCall): Promise<StepResult> {
  const { read, made } = await make(context, named);
  return keepMade(context, read, made);
}

/**
 * Makes calls at the same time, at most `most`, and keeps their results in the order of the calls. Returns what the turn came to:
 * a call of a sub-agent that waits for a person is the outcome.
 */
export async function takeCallsTogether(
  context: TurnContext,
  calls: readonly ReadCall[],
  most: number,
): Promise<StepResult> {
  const all = await mapTogether(calls, most, (named) => make(context, named));
  const came: StepResult[] = [];
  for (const { read, made } of all) came.push(await keepMade(context, read, made));
  const events = came.filter((one) => typeof one === "string");
  const outcomes = came.filter((one) => typeof one === "object");
  return (
    outcomes.find(({ how }) => how === "pending") ??
    outcomes[0] ??
    (events.includes("error") ? "error" : "tool_result")
  );
}

async function mapTogether<T, R>(all: readonly T[], most: number, map: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = [...all.entries()];
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, one] = next;
      results[at] = await map(one);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, all.length) }, work));
  return results;
}

type Made = Awaited<ReturnType<typeof callTool>>;

async function make(context: TurnContext, named: ReadCall): Promise<{ read: ReadCall; made: Made }> {
  // The stored arguments of a call that waited are exact; those of the message may have been redacted.
  const waited = getPending(context, { callId: named.id });
  const read = waited === undefined ? named : { ...named, args: waited.args };
  emitCall(context, read);
  return { read, made: await callTool(context, read) };
}

async function keepMade(context: TurnContext, read: ReadCall, made: Made): Promise<StepResult> {
  if ("paused" in made) return made.paused;
  if ("pending" in made) return { how: "pending", pending: made.pending };
  const repeated = countRefusals(context, read, made);
  const told = repeated === WARNED_AT ? { ...made, output: `${made.output}\n${REPEATED}` } : made;
  await keepResult(context, read, told);
  context.stalls = 0;
  if (made.success) context.done.add(JSON.stringify([read.name, read.args]));
  if (repeated >= ENDED_AT)
    return {
      how: "error",
      error: `the model made the same call ${repeated} times, and it was refused each time: ${read.name} (${cutLine(made.output)})`,
      reason: "incomplete",
    };
  return made.success ? "tool_result" : "error";
}

/** Refusals of one call in a row: the model is warned, then the conversation ends. */
const WARNED_AT = 3;
const ENDED_AT = 5;
const REPEATED = `This call was refused ${WARNED_AT} times in a row. Do not make it again: after ${ENDED_AT} the work ends.`;

/** Returns how often this very call was refused in a row; 0 if it was run. */
function countRefusals(
  context: TurnContext,
  { name, args }: ReadCall,
  { success, tries }: ToolCallOutcome,
): number {
  if (success || tries > 0) {
    delete context.refused;
    return 0;
  }
  const call = JSON.stringify([name, args]);
  const times = context.refused?.call === call ? context.refused.times + 1 : 1;
  context.refused = { call, times };
  return times;
}

const LONGEST_REASON = 300;

function cutLine(text: string): string {
  return clip(text.split("\n")[0] ?? "", LONGEST_REASON);
}

/** A call that gets a result. */
export type NamedCall = Pick<ReadCall, "id" | "offered" | "agent" | "name" | "args">;

/** Reports a call. */
export function emitCall({ world }: TurnContext, { id, agent, name, args }: NamedCall): void {
  world.emit({ type: "tool_call", data: { callId: id, agent, tool: name, args } });
}

/** Adds the result of a call to the conversation, and saves both. */
export async function keepResult(
  context: TurnContext,
  { id, offered, agent, name: tool }: NamedCall,
  made: ToolCallOutcome,
): Promise<void> {
  const { success, output, diff, tries, code } = made;
  const { world, conversation } = context;
  const done = getPending(context, { callId: id }) !== undefined;
  const result = { callId: id, name: offered, success, output };
  context.conversation = endTask(addResult(done ? withoutPending(conversation) : conversation, result), id);
  const data = { callId: id, agent, tool, success, output, diff, code, tries };
  world.emit({ type: "tool_result", data });
  await world.save(context.conversation);
  context.asks?.leave(nameInQueue(conversation, id));
}
