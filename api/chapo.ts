// `import { openSession } from "looper/chapo"`: a session of the built-in engine for another program. Leaves the settings and the
// model to the command's own files, and the work to src/chapo.
import { modelOf, openHere, siteOf, type SessionListener } from "../cmd/commands/chapo/site.js";
import type { SessionCall, Reply, UserQuestion } from "../src/chapo/engine/calls/pending.js";
import type { ConversationOutcome } from "../src/chapo/engine/world.js";
import type { Chapo } from "../src/chapo/session/session-request.js";
import { UserError } from "../src/system/errors.js";
import { given } from "../src/system/given.js";
import { COMMON, fn, namingOptions, number, readOptions, text, texts } from "./options.js";
import { silentContext } from "./silent-context.js";
import type * as api from "./types/chapo.js";
import type { StopSignal } from "./types/shared.js";

export { UserError };

const OPTIONS = {
  ...COMMON,
  model: text,
  mode: text,
  tools: text,
  effort: text,
  maxIterations: number,
  skills: texts,
  resume: text,
  ask: fn,
};

/** Opens a session in a project. */
export async function openSession(options: api.SessionOptions = {}): Promise<api.Session> {
  const { skills, ...request } = readOptions(options, OPTIONS);
  const asked = { ...request, ...given({ skill: skills }) };
  const { ask, onEvent, onWarning, resume, signal } = options;
  if (signal?.aborted === true) throw stoppedOpening();
  const context = await silentContext(options);
  return namingOptions(OPTIONS, async () => {
    const call = { context, request: asked, site: await siteOf(context, asked) };
    const model = await modelOf(call);
    const stop = anyOf(signal);
    const listener: SessionListener = {
      ...(ask === undefined ? {} : { ask: async (question) => toReply(await ask(toQuestion(question))) }),
      onEvent: (event) => {
        onEvent?.(event);
      },
      onWarning: (text) => {
        onWarning?.(call.site.redact(text));
      },
    };
    const chapo = await openHere(call, { model, signal: stop, resume }, listener);
    // Aborted since: nothing else would close it.
    if (stop.aborted) {
      await chapo.close();
      throw stoppedOpening();
    }
    return toSession(chapo, signal);
  });
}

function stoppedOpening(): UserError {
  return new UserError("no", "the opening was stopped", "open it again");
}

function toSession(chapo: Chapo, whole: StopSignal | undefined): api.Session {
  const state = { working: false, closed: false };
  const turn = async (
    own: StopSignal | undefined,
    work: (signal: AbortSignal) => Promise<ConversationOutcome>,
  ): Promise<api.Outcome> => {
    if (state.closed)
      throw new UserError("usage", `the session ${chapo.id} is closed`, "open it with resume");
    if (state.working)
      throw new UserError("usage", `the session ${chapo.id} works on a message`, "wait for its outcome");
    state.working = true;
    try {
      return toOutcome(await work(anyOf(whole, own)));
    } finally {
      state.working = false;
    }
  };
  return {
    id: chapo.id,
    send: async (message, { signal } = {}) => {
      if (typeof message !== "string")
        throw new UserError("usage", "the message is not a text", "say what to do");
      if (!/\S/u.test(message)) throw new UserError("usage", "the message is empty", "say what to do");
      return turn(signal, (stop) => chapo.send(message, stop));
    },
    pending: () => {
      const { pending } = chapo.conversation;
      return pending === undefined ? undefined : toWaiting(pending);
    },
    answer: (reply, { signal } = {}) =>
      turn(signal, async (stop) => {
        const { verdict, remark, by = "user", ...rest } = toReply(reply);
        const args = "args" in rest ? rest.args : undefined;
        await chapo.answer({ verdict, by, via: "api", ...given({ remark, args }) });
        return chapo.proceed(stop);
      }),
    close: async () => {
      if (state.closed) return;
      state.closed = true;
      await chapo.close();
    },
  };
}

function toQuestion(question: UserQuestion): api.Question {
  const { tool, agent, args, preview, because, may_remember: mayRemember, edits, host } = question;
  return { tool, agent, args, preview, because, mayRemember, ...given({ edits, host }) };
}

function toReply(reply: api.Reply | api.Answer): Reply {
  const given: unknown = reply;
  const isReply = typeof given === "object" && given !== null && "verdict" in given;
  if (isReply && (given.verdict === "approve" || given.verdict === "reject")) return { ...reply, via: "api" };
  throw new UserError(
    "usage",
    "the reply to a question is not known",
    'return {verdict: "approve"} or {verdict: "reject"}',
  );
}

function toOutcome(outcome: ConversationOutcome): api.Outcome {
  switch (outcome.how) {
    case "answer":
      return outcome;
    case "clarify":
      return { how: "clarify", question: outcome.question, exhausted: outcome.exhausted };
    case "pending":
      return { how: "pending", pending: toWaiting(outcome.pending) };
    case "error": {
      const { error, reason, retryAt } = outcome;
      const time = retryAt === undefined ? {} : { retryAt: new Date(retryAt).toISOString() };
      return { how: "error", error, reason, ...time };
    }
    case "finished":
    default:
      throw new Error(`a session of a person ended as ${outcome.how}`);
  }
}

function toWaiting({ tool, agent, args, preview, because, asked_at }: SessionCall): api.WaitingCall {
  return { tool, agent, args, preview, because, asked_at };
}

/** Aborted with any of these. */
function anyOf(...signals: readonly (StopSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((one): one is AbortSignal => one !== undefined));
}
