// Asks a person for a call that needs permission, and checks the answer to a call that waited. The question is stored before the
// person sees it, so that a killed process loses neither. pending.ts has the stored form; call-tool.ts runs the call.
import { recordAnswer } from "../conversation.js";
import { nameInQueue } from "./ask-queue.js";
import { AGAIN, type CallAnswer, type PermitQuestion, type Reply, type SessionCall } from "./pending.js";
import {
  keep,
  type Approval,
  type ConversationOutcome,
  type EngineWorld,
  type GateCall,
  type LiveConversation,
} from "../world.js";

/**
 * The result of a question. `edited`: the person changed the arguments, so the call is checked again with these. `paused`: it, or
 * another question of the session that comes first, waits for a person.
 */
export type Permission =
  | { paused: ConversationOutcome }
  | { approved: Approval }
  | { refused: string }
  | { edited: unknown; approved: Approval };

/** Returns the answer to the question, asks for it, or lets the call wait. */
export async function askPermission(
  live: LiveConversation,
  call: GateCall,
  question: PermitQuestion,
): Promise<Permission> {
  const { world } = live;
  const before = getPending(live, call);
  if (before?.answer !== undefined) {
    const { answer } = before;
    // The arguments that a person wrote are not compared: they were not shown as a diff.
    if (answer.verdict === "reject" || answer.args !== undefined || question.digest === before.digest)
      return toPermission(answer);
  }
  const changed = before !== undefined && question.digest !== before.digest;
  const again = changed ? "changed" : before?.again;
  const pending = createPending(world, call, question, again);
  if (world.gate.ask === undefined && !(world.mayWait && pending.unstored === undefined))
    return { refused: refuseUnattended(pending, question.rule) };
  const name = nameInQueue(live.conversation, call.id);
  const first = await live.asks?.enter(name);
  if (first !== undefined) return { paused: first };
  await keep(live, { pending });
  const { agent, tool, args, preview, because } = pending;
  const data = { callId: call.id, agent, tool, args, preview, because, again };
  world.emit({ type: "action_pending", data });
  if (world.gate.ask !== undefined) return askNow(live, call, { pending, ask: world.gate.ask });
  const paused = { how: "pending", pending } as const;
  live.asks?.park(name, paused);
  return { paused };
}

/** Returns the stored question about this call, if there is one. */
export function getPending({ conversation }: LiveConversation, { id }: Pick<GateCall, "id">) {
  return conversation.pending?.call === id ? conversation.pending : undefined;
}

/** Returns the permission that a stored answer gives. */
export function toPermission({ verdict, remark, args }: Omit<CallAnswer, "by" | "via" | "at">): Permission {
  const said = remark === undefined ? "" : `: ${remark}`;
  if (verdict === "reject")
    return {
      refused: `the user was asked and said no${said}; nothing was done. Try another approach, or ask what they want`,
    };
  const approved = { remark };
  return args === undefined ? { approved } : { approved: { ...approved, edited: true }, edited: args };
}

function createPending(
  world: EngineWorld,
  { id, agent, tool, args }: GateCall,
  { rule: _rule, ...question }: PermitQuestion,
  again: SessionCall["again"],
): SessionCall {
  return {
    ...question,
    ...{ call: id, agent, tool: tool.name, args, again },
    because: again === undefined ? question.because : AGAIN[again],
    asked_at: new Date(world.clock.now()).toISOString(),
    unstored: world.gate.canStore(args) ? undefined : true,
  };
}

async function askNow(
  live: LiveConversation,
  call: GateCall,
  { pending, ask }: { pending: SessionCall; ask: NonNullable<EngineWorld["gate"]["ask"]> },
): Promise<Permission> {
  const { world } = live;
  const { may_remember: mayRemember, edits } = pending;
  // A closed terminal means no.
  const reply = await ask(pending).catch((): Reply => ({ verdict: "reject" }));
  const { verdict, remark, by = "user", via = "terminal" } = reply;
  const at = new Date(world.clock.now()).toISOString();
  const changed = reply.verdict === "approve" ? reply.args : undefined;
  const answer: CallAnswer = { verdict, by, via, at, remark, args: changed };
  await keep(live, recordAnswer(live.conversation, answer));
  if (reply.verdict === "approve" && reply.always === true && mayRemember) world.gate.remember(call, "call");
  if (reply.verdict === "approve" && reply.edits === true && edits !== undefined)
    world.gate.remember(call, "edits");
  return toPermission(answer);
}

function refuseUnattended(
  { because, unstored, may_remember: mayRemember }: SessionCall,
  rule?: string,
): string {
  // An allow rule does not override an ask rule. A dangerous call needs a rule that names it.
  const lifts = mayRemember
    ? "a rule in rules.allow, or the mode trusted,"
    : "a rule in rules.allow that names it";
  const remedy = rule === undefined ? `; ${lifts} would allow it` : "";
  const why =
    unstored === undefined ? "" : ", and its arguments hold a secret, so they cannot be stored until one can";
  return (
    `a person must allow it first (${because}), and none can be asked here${why}; nothing was done. ` +
    `Continue without it, or report what you would have done${remedy}`
  );
}
