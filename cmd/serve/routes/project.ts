// Routes of the project and of the server: the first look, changes, settings, doctor, rescues, workflows.
import { z } from "zod";
import { StatusAnswer, RunsAnswer } from "../../../src/ui/shapes/runs.js";
import { ConfigAnswer, DoctorAnswer } from "../../../src/ui/shapes/project.js";
import { RescueListAnswer, RescueRestoreAnswer, RescueShowAnswer } from "../../../src/ui/shapes/work.js";
import { WorkflowsShowAnswer, WorkflowsAnswer } from "../../../src/ui/shapes/workflows.js";
import { command as config } from "../../commands/config.js";
import { command as doctor } from "../../commands/doctor.js";
import { command as rescue } from "../../commands/rescue.js";
import { command as runs } from "../../commands/runs.js";
import { command as workflows } from "../../commands/workflows.js";
import { ApiError } from "../api-error.js";
import { BoardRow } from "../changes.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";
import { Stream } from "../streams.js";
import { mustNotRun } from "./tasks.js";

/** How many rows of the board the first look has. */
const FIRST_ROWS = 60;

const Agent = z.object({
  name: z.string(),
  kind: z.string(),
  state: z.enum(["idle", "working", "waiting"]),
  task: z.string().nullable(),
  doing: z.string().nullable(),
  until: z.string().nullable().describe("RFC 3339, of one that waits"),
});

/** The agents of the settings, and what the run in progress has them do. */
async function agentsOf({ site }: ApiCall): Promise<z.infer<typeof Agent>[]> {
  const { settings } = (await site.project()).resolved;
  const { run } = (await site.changes.state()).status;
  const { current, waiting } = run?.state === "running" ? run : { current: null, waiting: null };
  const names = new Set([...Object.keys(settings.agents), ...(current === null ? [] : [current.agent])]);
  return [...names].map((name) => {
    const works = current?.agent === name;
    const waits = !works && waiting?.agent === name;
    return {
      name,
      kind: settings.agents[name]?.kind ?? name,
      state: works ? "working" : waits ? "waiting" : "idle",
      task: works ? current.task : null,
      doing: works ? current.doing : null,
      until: waits ? waiting.until : null,
    };
  });
}

/** The answer of `looper rescue` on the one that the path names. */
async function rescued({ context, params }: ApiCall, verb: "show" | "restore"): Promise<unknown> {
  const { id = "" } = params;
  const { rescues } = RescueListAnswer.parse((await rescue.answer(context, {})).json);
  if (!rescues.some((one) => [one.id, one.ref].includes(id)))
    throw new ApiError(404, "no-rescue", `there is no rescue ${id}, or no longer`);
  return (await rescue.answer(context, { verb, ids: [id] })).json;
}

export const PROJECT_ROUTES: readonly ApiRoute[] = [
  route("DELETE", "/session", {
    does: "Signs out.",
    role: "read",
    status: 204,
    handle: async ({ site, session }) => {
      await site.keys.signOut(session);
      return new Response(null, { status: 204 });
    },
  }),
  route("GET", "/boot", {
    does: `The first look: the status, the first ${FIRST_ROWS} rows of the board, agents, the last 10 runs.`,
    answer: z.object({
      status: StatusAnswer,
      rows: z.array(BoardRow),
      tasks: z.int().describe("How many rows there are"),
      problem: z.string().nullable(),
      agents: z.array(Agent),
      runs: RunsAnswer.shape.runs,
      role: z.string(),
    }),
    handle: async (call) => {
      const { status, rows, problem } = await call.site.changes.state();
      const { json } = await runs.answer(call.context, { n: "10" });
      const first = { status, rows: rows.slice(0, FIRST_ROWS), tasks: rows.length, problem: problem ?? null };
      return { ...first, agents: await agentsOf(call), runs: json.runs, role: call.session.role };
    },
  }),
  route("GET", "/status", {
    does: "The run in progress or the last one, and what is left, as `looper status --json`.",
    answer: StatusAnswer,
    handle: async ({ site }) => (await site.changes.state()).status,
  }),
  route("GET", "/changes", {
    does: "Server-Sent Events: `state` first; then `tasks` with changed rows, `status`, `streaming-started` and `streaming-ended` of each turn of an agent, and `beat` in silence.",
    errors: [503],
    handle: ({ site, signal }) =>
      Promise.resolve(new Stream("text/event-stream", site.changes.events(signal))),
  }),
  route("GET", "/board", {
    does: "Every row of the board, in the order of a run.",
    answer: z.object({ rows: z.array(BoardRow), problem: z.string().nullable() }),
    handle: async ({ site }) => {
      const { rows, problem = null } = await site.changes.state();
      return { rows, problem };
    },
  }),
  route("GET", "/agents", {
    does: "The agents of the settings, and what the run in progress has them do.",
    answer: z.object({ agents: z.array(Agent) }),
    handle: async (call) => ({ agents: await agentsOf(call) }),
  }),
  route("GET", "/rescues", {
    does: "Abandoned work that was kept, as `looper rescue --json`.",
    answer: RescueListAnswer,
    handle: async ({ context }) => (await rescue.answer(context, {})).json,
  }),
  route("GET", "/rescues/{id}", {
    does: "One of them with its diff.",
    answer: RescueShowAnswer,
    errors: [404],
    handle: async (call) => rescued(call, "show"),
  }),
  route("POST", "/rescues/{id}/restore", {
    does: "Brings its files back into the working tree, uncommitted.",
    body: z.strictObject({}).optional(),
    answer: RescueRestoreAnswer,
    errors: [404, 409],
    handle: async (call) => {
      await mustNotRun(call, "restore a rescue");
      const json = RescueRestoreAnswer.parse(await rescued(call, "restore"));
      if (json.ok) return json;
      const { clashes } = json;
      throw new ApiError(409, "clashes", "nothing was restored: files would be overwritten", { clashes });
    },
  }),
  route("GET", "/workflows", {
    does: "The workflows, and where each comes from.",
    answer: WorkflowsAnswer,
    handle: async ({ context }) => (await workflows.answer(context, { words: [] })).json,
  }),
  route("GET", "/workflows/{name}", {
    does: "One workflow with its file.",
    answer: WorkflowsShowAnswer,
    errors: [404],
    handle: async ({ context, params }) => {
      const name = params["name"] ?? "";
      const { workflows: all } = WorkflowsAnswer.parse((await workflows.answer(context, { words: [] })).json);
      if (!all.some((one) => one.name === name))
        throw new ApiError(404, "no-workflow", `no workflow ${name}`);
      return (await workflows.answer(context, { verb: "show", name, words: [] })).json;
    },
  }),
  route("GET", "/config", {
    does: "Every setting, its value and where it came from, as `looper config --json`. Settings are changed at a terminal.",
    answer: ConfigAnswer,
    handle: async ({ context }) => (await config.answer(context, { json: true })).json,
  }),
  route("GET", "/doctor", {
    does: "The things that a run needs, as `looper doctor --json`; neither checks nor sign-ins are tried.",
    answer: DoctorAnswer,
    handle: async ({ context }) => (await doctor.answer(context, { untried: true })).json,
  }),
];
