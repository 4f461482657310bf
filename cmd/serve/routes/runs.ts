// Routes of runs: their list, one of them, its events as they come, its log; starting and stopping one.
import path from "node:path";
import { z } from "zod";
import { findLiveRun } from "../../../src/loop/runs/live-run.js";
import { given } from "../../../src/system/given.js";
import { UserError } from "../../../src/system/errors.js";
import type { Ports } from "../../../src/system/ports.js";
import { RunsAnswer, StopAnswer } from "../../../src/ui/shapes/runs.js";
import { readView } from "../../../src/ui/view/read-view.js";
import { rowsOf } from "../../../src/ui/view/rows.js";
import { command as runs } from "../../commands/runs.js";
import { command as stop } from "../../commands/stop.js";
import { ApiError } from "../api-error.js";
import { lastSeq } from "../documents/turns.js";
import { count, route, type ApiCall, type ApiRoute } from "../route.js";
import { folderOf, rangeAnswer } from "../run-folder.js";
import { startRun } from "../start-run.js";
import { frame, Stream } from "../streams.js";
import { AgentJob, jobsOf } from "./attempts.js";

/** It is a word of a command, of which Linux takes 128 KiB. */
const MOST_PROMPT = 120_000;

const Start = z.strictObject({
  task: z.string().min(1).max(200).optional().describe("Only this task, with what it depends on"),
  agent: z.string().min(1).max(200).optional(),
  max_iterations: z.int().positive().optional(),
  max_duration: z.string().max(40).optional(),
  max_cost: z.number().positive().optional(),
  max_tokens: z.int().positive().optional(),
  prompt: z
    .string()
    .min(1)
    .refine((text) => Buffer.byteLength(text) <= MOST_PROMPT, `at most ${MOST_PROMPT} bytes`)
    .optional()
    .describe("The idea for a first task file"),
});

/** A value that begins with a dash stays a value. */
function wordsOf(start: z.infer<typeof Start>): string[] {
  const words = Object.entries(given(start)).map(
    ([name, value]) => `--${name.replaceAll("_", "-")}=${String(value)}`,
  );
  return start.prompt === undefined ? words : [...words, "-y"];
}

const OneRun = RunsAnswer.shape.runs.element.extend({
  tasks: z.array(
    z.object({
      task: z.string().nullable().describe("Null for a job without a task, such as a review"),
      result: z.string().describe("Its last result, in a word"),
      verdict: z.string().nullable(),
      agents: z.array(z.string()),
      attempts: z.int(),
      duration_ms: z.number(),
    }),
  ),
  jobs: z.array(AgentJob).describe("Its jobs along time, in the order they began"),
});

export const RUN_ROUTES: readonly ApiRoute[] = [
  route("GET", "/runs", {
    does: "Past runs, newest first, as `looper runs --json`.",
    query: z.strictObject({ limit: count(10_000).optional() }),
    answer: RunsAnswer,
    handle: async ({ context, query: { limit = 100 } }) =>
      (await runs.answer(context, { n: String(limit) })).json,
  }),
  route("POST", "/runs", {
    does: "Starts a run, which outlives the server. Commands that are not approved are 409 `untrusted`.",
    body: Start.optional(),
    answer: z.object({ run: z.string(), pid: z.int() }),
    status: 201,
    errors: [409, 422, 504],
    handle: ({ site, body }) => startRun(site, wordsOf(body ?? {})),
  }),
  route("GET", "/runs/{run}", {
    does: "One run: its row of the list, its tasks with their results, and its jobs along time.",
    answer: OneRun,
    errors: [404],
    handle: async (call) => {
      const folder = await folderOf(call);
      const { context } = call;
      const { json } = await runs.answer(context, {});
      const row = json.runs.find(({ run }) => run === path.basename(folder));
      if (row === undefined) throw new ApiError(404, "no-run", "the run is of another project");
      const view = await readView(context.ports, folder);
      const rows = rowsOf(view);
      return {
        ...row,
        jobs: jobsOf(view, row.state === "running" ? context.ports.clock.now() : undefined),
        tasks: rows.map(({ taskId, last, agents, attempts, ms }) => ({
          task: taskId ?? null,
          result: last.result,
          verdict: last.judged?.verdict ?? null,
          agents,
          attempts,
          duration_ms: ms,
        })),
      };
    },
  }),
  route("POST", "/runs/{run}/stop", {
    does: "Asks the run in progress to end after its task; `now`: its agent is stopped too.",
    body: z.strictObject({ now: z.boolean().optional() }).optional(),
    answer: StopAnswer,
    errors: [404, 409, 504],
    handle: async (call) => {
      const folder = await folderOf(call);
      const live = await findLiveRun(call.context.ports, await call.site.project());
      if (live?.run !== path.basename(folder))
        throw new ApiError(409, "not-running", `${path.basename(folder)} is not in progress`);
      try {
        return (await stop.answer(call.context, call.body?.now === true ? { now: true } : {})).json;
      } catch (error) {
        // A run that does not answer is not the fault of this server.
        if (!(error instanceof UserError) || error.kind !== "environment") throw error;
        throw new ApiError(504, "no-reaction", error.message, { hint: error.hint });
      }
    },
  }),
  route("GET", "/runs/{run}/events", {
    does: "Its events: Server-Sent Events, whose ids are `run:seq`, or NDJSON by the header `Accept`.",
    query: z.strictObject({
      after: count(Number.MAX_SAFE_INTEGER).optional(),
      last: count(10_000).optional().describe("Begins so many lines before the end"),
    }),
    errors: [404, 503],
    handle: async (call) => {
      const folder = await folderOf(call);
      const run = path.basename(folder);
      const { site, context, signal } = call;
      const seen = lastSeen(call, run);
      const { last } = call.query;
      const isEnd = seen === 0 && last !== undefined;
      const after = isEnd ? Math.max(0, (await lastSeq(context.ports, folder)) - last) : seen;
      // After its last lines a run lets go of its lock.
      const isOver = async (): Promise<boolean> =>
        (await findLiveRun(context.ports, await site.project()))?.run !== run;
      const over = { isOver, end: /"type":"run_ended"/ };
      const lines = site.followers.lines(folder, { after, signal, over });
      return call.header("accept")?.includes("application/x-ndjson") === true
        ? new Stream("application/x-ndjson", ndjson(lines))
        : new Stream("text/event-stream", sse(run, lines, context.ports.clock));
    },
  }),
  route("GET", "/runs/{run}/log", {
    does: "Bytes of its log, at most 4 MiB, by the header `Range`.",
    errors: [404, 416],
    handle: async (call) => {
      const folder = await folderOf(call);
      return rangeAnswer(call, path.join(folder, "events.jsonl"));
    },
  }),
];

/** The number after which a client wants events: `Last-Event-ID: run:seq`, or `after`. */
function lastSeen(call: ApiCall<{ after?: number | undefined }>, run: string): number {
  const id = /^(.{1,100}):(\d{1,15})$/.exec(call.header("last-event-id") ?? "");
  return id?.[1] === run ? Number(id[2]) : (call.query.after ?? 0);
}

type Lines = ReturnType<ApiCall["site"]["followers"]["lines"]>;
async function* sse(run: string, lines: Lines, clock: Ports["clock"]): AsyncGenerator<string, void> {
  yield "retry: 1000\n\n";
  let seq = 0;
  for await (const line of lines) {
    if (line === "gone") {
      yield frame({ event: "gone", data: { run } });
      return;
    }
    if (line !== "beat") ({ seq } = line);
    yield line === "beat"
      ? frame({ event: "beat", data: { seq, now: clock.now() } })
      : `id: ${run}:${seq}\ndata: ${line.text}\n\n`;
  }
  yield frame({ event: "end", data: { run, seq } });
}

async function* ndjson(lines: Lines): AsyncGenerator<string, void> {
  for await (const line of lines) if (typeof line !== "string") yield `${line.text}\n`;
}
