// A call that waits for a person: how it is stored in its conversation, and how a person reads it. Pure. conversation.ts keeps its
// answer, ask-permission.ts asks for it, and call-tool.ts runs it.
import { z } from "zod";
import { Way } from "../../../workflow/progress.js";

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
export interface PermitQuestion extends Pick<
  SessionCall,
  "because" | "preview" | "digest" | "may_remember" | "edits" | "host"
> {
  /** The rule that asks, as it was written; absent if the mode asks. */
  rule?: string;
}

/** The question to a person before a call runs. */
export type UserQuestion = Omit<SessionCall, "call" | "digest" | "asked_at">;

/**
 * A person's reply at once. `always`: also for the same call with the same arguments in this session.
 * `edits`: also for every edit of the file. `args`: the arguments as the person changed them. `by`: absent for the user.
 */
export type Reply = Partial<Pick<CallAnswer, "remark" | "by" | "via">> &
  ({ verdict: "approve"; always?: true; edits?: true; args?: unknown } | { verdict: "reject" });

/** The question of a pending call in one text, for a person who reads it later. `session`: its id. */
export function describePending({ agent, tool, because, preview }: SessionCall, session: string): string {
  return [
    `${agent} wants to use ${tool} (${because}):`,
    preview.trimEnd(),
    `Answer with: looper chapo approve ${session}, or looper chapo reject ${session} -m "why"`,
  ].join("\n");
}

/** Why a call is asked about again; the end of a sentence. */
export const AGAIN: Readonly<Record<NonNullable<SessionCall["again"]>, string>> = {
  changed: "what it would change is not the same as when it was shown",
  may_have_run: "its process was killed while it ran, so it may have run already",
};
