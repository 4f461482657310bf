// Routes of questions and their answers.
import { z } from "zod";
import { given } from "../../../src/system/given.js";
import { isRecord } from "../../../src/system/text/json.js";
import { findQuestion } from "../../../src/todo/change/person-answers.js";
import { EditAnswer } from "../../../src/ui/shapes/backlog.js";
import { QuestionsAnswer } from "../../../src/ui/shapes/workflows.js";
import * as answers from "../../commands/answer.js";
import { command as questions } from "../../commands/questions.js";
import { readTasks } from "../../lookup/read-tasks.js";
import { readShown } from "../../lookup/workflows/shown-work.js";
import { ApiError } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";
import { startRun } from "../start-run.js";

const Given = z.strictObject({
  outcome: z.string().max(100).optional().describe("One of its outcomes; `approve` and `reject` always fit"),
  text: z.string().max(100_000).optional(),
  comment: z.string().max(100_000).optional(),
  arguments: z.record(z.string(), z.unknown()).optional().describe("Of a call, as changed"),
  edited: z.string().max(1_000_000).optional().describe("The text that it shows, as the person changed it"),
  shown_sha256: z.string().optional().describe("The digest of what was shown; another one is refused"),
});

/** The open question of a task, by the id of either; throws 404, or 409 where it was answered. */
async function findOpen({ context, site, params }: ApiCall) {
  const id = params["id"] ?? "";
  const { tasks } = await readTasks(context, await site.project());
  const task = tasks.find((one) => one.id === id || one.progress?.question?.id === id);
  if (task === undefined) throw new ApiError(404, "no-question", `there is no question ${id}`);
  const { question, answer: { by, at } = {} } = task.progress ?? {};
  if (question !== undefined && by !== undefined)
    throw new ApiError(409, "answered", `${question.id} was answered by ${by}`, { by, at });
  if (question === undefined) throw new ApiError(404, "no-question", `${task.id} asks nothing`);
  return findQuestion(tasks, id);
}

async function giveAnswer(call: ApiCall<unknown, z.infer<typeof Given>>): Promise<unknown> {
  const { context, site, body } = call;
  const { question } = await findOpen(call);
  const { id } = question;
  const { outcome, text, comment, arguments: changed, edited, shown_sha256: digest } = body;
  if (outcome === "edit" && changed === undefined && edited === undefined)
    throw new ApiError(422, "refused", "the changed text is missing: edited, or arguments of a call");
  const shows = question.shows?.sha256;
  if (shows !== undefined && digest !== shows)
    throw new ApiError(409, "digest", `${id} shows something else than what was seen`, {
      shown_sha256: shows,
      current: digest === undefined ? "name it: shown_sha256" : "read it again",
    });
  const said = { outcome, message: comment ?? text, shown: digest, text: edited ?? JSON.stringify(changed) };
  const by = outcome === "approve" || outcome === "reject" ? outcome : "command";
  const { json } = await answers[by].answer(context, { id, ...given(said) });
  // A run takes the answer up, unless one is in progress or nothing may start.
  if (site.startOnAnswer && json.run === null)
    await startRun(site, []).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
    });
  return json;
}

/** A name of a person, as a chat tool tells it. */
const PERSON = /^[\w .@-]{1,40}$/;

export const QUESTION_ROUTES: readonly ApiRoute[] = [
  route("POST", "/webhooks/answer", {
    does: "The same from a chat tool: `X-Looper-Timestamp`, and `X-Looper-Signature: sha256=HMAC(secret, timestamp.body)`.",
    role: "signed",
    body: Given.extend({
      question: z.string().min(1).max(200),
      by: z.string().regex(PERSON, "expected a name of letters, digits, blanks and . @ _ -"),
    }),
    answer: EditAnswer,
    errors: [404, 409, 422],
    handle: async (call) => {
      const { question, by, ...body } = call.body;
      const context = { ...call.context, person: { by, via: "web" as const } };
      // By its task's id a request that is sent again would answer the next question too.
      if ((await findOpen({ ...call, params: { id: question } })).question.id !== question)
        throw new ApiError(404, "no-question", `there is no question ${question}`);
      return giveAnswer({ ...call, context, body, params: { id: question } });
    },
  }),
  route("GET", "/questions", {
    does: "The open questions, as `looper questions --json`.",
    answer: QuestionsAnswer,
    handle: async ({ context }) => (await questions.answer(context, { json: true })).json,
  }),
  route("GET", "/questions/{id}", {
    does: "One question, by its id or its task's, with the text or diff that it shows.",
    answer: QuestionsAnswer.extend({ shown: z.string().nullable(), changed: z.string().optional() }),
    errors: [404, 409],
    handle: async (call) => {
      const { context, site } = call;
      const found = await findOpen(call);
      const { json } = await questions.answer(context, { id: found.question.id, json: true });
      const shown = await readShown({ context, project: await site.project(), ...found }, context.out);
      return {
        ...(isRecord(json) ? json : {}),
        shown: "text" in shown ? shown.text.join("\n") : null,
        ...("changed" in shown ? { changed: shown.changed } : {}),
      };
    },
  }),
  route("POST", "/questions/{id}/answer", {
    does: "Answers it. Where it shows something, `shown_sha256` must name what the person saw.",
    role: "answer",
    body: Given,
    answer: EditAnswer,
    errors: [404, 409, 422],
    handle: giveAnswer,
  }),
];
