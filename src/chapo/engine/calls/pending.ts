// A call that waits for a person: how it is stored in its conversation, answered once, begun and done. Pure.
// ask-permission.ts asks for it, and call-tool.ts runs it.
import { z } from "zod";
import { Way } from "../../../workflow/progress.js";
import { UserError } from "../../../system/errors.js";

/** The ways in which an answer arrives. */
const VIAS = [...Way.options, "api"] as const;

/** The answer of a person, and who gave it. */
export const CallAnswer = z.object({
  verdict: z.enum(["approve", "reject"]),
  by: z.string(),
  via: z.enum(VIAS),
  /** ISO 8601. */
  at: z.string(),
  remark: z.string().optional(),
  /** The arguments as the person changed them. */
  args: z.unknown().optional(),
});
export type CallAnswer = z.infer<typeof CallAnswer>;

export const SessionCall = z.object({
  /** The id of the call in the last turn. */
  call: z.string(),
  /** The sub-agent's conversation whose call it is; absent: the session's own. */
  child: z.string().optional(),
  /** `looper`, or a sub-agent's type. */
  agent: z.string(),
  /** The canonical name. */
  tool: z.string(),
  args: z.unknown(),
  /** The diff or the exact command, as it is shown. */
  preview: z.string(),
  /** SHA-256 of the whole preview, hexadecimal: an approval is for what was shown. */
  digest: z.string(),
  /** Why a person is asked; the end of a sentence. */
  because: z.string(),
  /** Whether the same call can be allowed for the whole session. */
  may_remember: z.boolean(),
  /** The file, if every edit of it can be allowed for the session. */
  edits: z.string().optional(),
  /** The host, if every page of it can be allowed for the session. */
  host: z.string().optional(),
  /** ISO 8601. */
  asked_at: z.string(),
  /** Why it is asked again. */
  again: z.enum(["changed", "may_have_run"]).optional(),
  /** The answer that is not carried out yet. */
  answer: CallAnswer.optional(),
  /** ISO 8601: when the approved call began. It is removed with the call's result. */
  begun: z.string().optional(),
  /** Set if the arguments hold a secret, which is not stored. Only the process that asks can run the call. */
  unstored: z.literal(true).optional(),
});
export type SessionCall = z.infer<typeof SessionCall>;

/** An answer that was carried out, or that is being carried out. */
export const GivenCallAnswer = CallAnswer.extend({ call: z.string(), tool: z.string() });
export type GivenCallAnswer = z.infer<typeof GivenCallAnswer>;

/** Why a person is asked, and what the person sees. */
export interface PermitQuestion {
  /** The end of a sentence. */
  because: string;
  /** The rule that asks, as it was written; absent if the mode asks. */
  rule?: string;
  /** A unified diff or the exact command. The text is untrusted. */
  preview: string;
  /** SHA-256 of the whole preview, hexadecimal. */
  digest: string;
  /** Whether `always` is possible: false for a rule that asks each time. */
  mayRemember: boolean;
  /** The file, if `edits` is possible: yes to every edit of it in this session. */
  edits?: string;
  /** The host, if `always` means every page of it. */
  host?: string;
}

/** The question to a person before a call runs. */
export interface UserQuestion extends Omit<PermitQuestion, "rule" | "digest"> {
  /** The canonical name. */
  tool: string;
  agent: string;
  /** In the tool's own field names. */
  args: unknown;
}

/**
 * A person's reply at once. `always`: also for the same call with the same arguments in this session.
 * `edits`: also for every edit of the file. `args`: the arguments as the person changed them.
 */
export type Reply = (
  | { verdict: "approve"; always?: true; edits?: true; args?: unknown }
  | { verdict: "reject" }
) & {
  remark?: string;
  /** The name of the person; absent: the user. */
  by?: string;
  via?: CallAnswer["via"];
};

/** The parts of a conversation with a call that waits. */
interface Waiting {
  pending?: SessionCall | undefined;
  answered?: GivenCallAnswer[] | undefined;
}

const MOST_KEPT = 100;

/** Records the answer to the pending call. The conversation must have one without an answer. */
export function recordAnswer<C extends Waiting>(conversation: C, answer: CallAnswer): C {
  const { pending, answered = [] } = conversation;
  if (pending === undefined) throw new Error("no call is pending");
  const { call, tool } = pending;
  return {
    ...conversation,
    pending: { ...pending, answer },
    answered: [...answered, { ...answer, call, tool }].slice(-MOST_KEPT),
  };
}

/** Returns the conversation without its pending call. */
export function withoutPending<C extends Waiting>(conversation: C): Omit<C, "pending"> & { pending?: never } {
  const { pending: _over, ...rest } = conversation;
  return rest;
}

/** Returns the conversation with its pending call as it was before it was answered. */
export function withoutAnswer<C extends Waiting>(conversation: C): C {
  const { pending } = conversation;
  if (pending?.answer === undefined) return conversation;
  const { answer: _answer, ...rest } = pending;
  return { ...conversation, pending: rest };
}

/** A call whose process was killed while it ran is asked about again: it may have run. */
export function askAgainIfBegun<C extends Waiting>(conversation: C, now: string): C {
  const { pending } = conversation;
  if (pending?.begun === undefined) return conversation;
  const { begun: _begun, answer: _answer, ...rest } = pending;
  return { ...conversation, pending: { ...rest, again: "may_have_run", asked_at: now } };
}

/** The question of a pending call in one text, for a person who reads it later. `session`: its id. */
export function describePending(
  { agent, tool, because, again, preview }: SessionCall,
  session: string,
): string {
  const why = again === undefined ? because : AGAIN[again];
  return [
    `${agent} wants to use ${tool} (${why}):`,
    preview.trimEnd(),
    `Answer with: looper chapo approve ${session}, or looper chapo reject ${session} -m "why"`,
  ].join("\n");
}

/** Why a call is asked about again; the end of a sentence. */
export const AGAIN: Readonly<Record<NonNullable<SessionCall["again"]>, string>> = {
  changed: "what it would change is not the same as when it was shown",
  may_have_run: "its process was killed while it ran, so it may have run already",
};

/** An answer in words: who, when, and by which way. */
function describeAnswer({ verdict, by, at, via }: CallAnswer): string {
  return `${verdict === "approve" ? "approved" : "rejected"} by ${by} at ${at} (${via})`;
}

/**
 * Returns the conversation with the answer; the same conversation if the call was answered likewise and not carried out yet, or
 * if it may have run and must be asked about again.
 */
export function answerPending<C extends Waiting & { id: string }>(conversation: C, answer: CallAnswer): C {
  const { id, pending } = conversation;
  if (pending === undefined) {
    const last = conversation.answered?.at(-1);
    const was = last === undefined ? "" : `: ${last.tool} was ${describeAnswer(last)}`;
    const message = `no call of the session ${id} waits for an answer${was}`;
    const hint = "see which do with `looper chapo pending`";
    throw new UserError(last === undefined ? "usage" : "no", message, hint);
  }
  if (pending.begun !== undefined) return conversation;
  if (pending.answer === undefined) return recordAnswer(conversation, answer);
  const isSame = pending.answer.verdict === answer.verdict && answer.args === undefined;
  if (isSame) return conversation;
  throw new UserError(
    "no",
    `${pending.tool} was ${describeAnswer(pending.answer)}; a call is answered once`,
    `repeat that answer to have it carried out`,
  );
}
