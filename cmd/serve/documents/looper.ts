// `POST /api/looper` and what belongs to it: a message to Chapo, whose events are a line of JSON each.
import path from "node:path";
import { z } from "zod";
import { readChapoPrompts } from "../../../src/chapo/prompt/prompts.js";
import { findKey, readModelName, usualModelOf } from "../../../src/config/settings/model-names.js";
import { usageError, UserError } from "../../../src/system/errors.js";
import type { PermissionMode } from "../../../src/config/settings/modes.js";
import { given } from "../../../src/system/given.js";
import { nodePorts } from "../../../src/system/processes/node-ports.js";
import { leadsInside } from "../../../src/system/files/leads-inside.js";
import { siteOf } from "../../commands/chapo/site.js";
import { ApiError, misshapen } from "../api-error.js";
import { count, route, type ApiCall, type ApiRoute } from "../route.js";
import type { Stream } from "../streams.js";
import { forClient, STREAMS, type StreamNames } from "./event-shapes.js";
import { lastSeq, sessionOf, type BegunTurn, type TurnRequest } from "./turns.js";

const Config = z.strictObject({
  maxIterations: z.int().min(1).max(100).optional(),
  maxConversationTokens: z.int().min(1000).max(10_000_000).optional(),
  maxToolRetries: z.int().min(0).max(10).optional(),
  minValidationConfidence: z.number().min(0).max(1).optional(),
  selfValidationEnabled: z.boolean().default(true),
});

const PROVIDERS = ["anthropic", "openai", "gemini"] as const;

export const LooperBody = z.strictObject({
  message: z.string().min(1).max(500_000),
  provider: z.enum(PROVIDERS).optional(),
  sessionId: z.string().max(100).optional(),
  projectRoot: z.string().max(4_000).optional().describe("The project, or a folder inside it"),
  skillIds: z.array(z.string().max(100)).max(50).optional(),
  config: Config.optional(),
});

const Names = z
  .enum(STREAMS)
  .optional()
  .describe("agents: older names; all: also pieces of text as they come");

/** Begins a turn as a client of the documents asks; what it got wrong is 400 with details. */
export async function beginTurn(
  { site, body, ...asked }: ApiCall<unknown, Omit<z.infer<typeof LooperBody>, "message">>,
  work: TurnRequest["work"],
  { usual = "trusted", prepare }: { usual?: PermissionMode } & Pick<TurnRequest, "prepare"> = {},
): Promise<BegunTurn> {
  const { provider, sessionId: session, projectRoot, skillIds: skill, config = Config.parse({}) } = body;
  const context = { ...asked.context, ports: nodePorts() };
  try {
    const own = await siteOf(context, { words: [] });
    const { settings, agent, env, project } = own;
    const root =
      projectRoot === undefined ? undefined : await rootInside(context, project.folder, projectRoot);
    const model = provider === undefined ? undefined : modelOfProvider(provider, agent.model, env);
    const request = { words: [], ...given({ model, skill }) };
    // As in a run: calls are allowed unless the settings say otherwise.
    const withOwn = { ...own, settings: { ...settings, mode: settings.mode ?? usual, ...given(config) } };
    const call = { context, request, site: withOwn };
    return await site.turns.begin({ call, work, ...given({ session, root, prepare }) });
  } catch (error) {
    if (error instanceof UserError && error.hint?.includes("--trust") === true)
      throw new ApiError(409, "untrusted", error.message, {
        hint: "approve them at a terminal, where looper run asks",
      });
    if (!(error instanceof UserError)) throw error;
    throw misshapen({ message: error.message, ...given({ hint: error.hint }) });
  }
}

/** The model of the settings where it is the provider's, else the provider's usual one. */
function modelOfProvider(
  asked: (typeof PROVIDERS)[number],
  set: string | undefined,
  env: Readonly<Record<string, string>>,
): string {
  const provider = asked === "gemini" ? "google" : asked;
  if (findKey(provider, env) === undefined)
    throw usageError(`the provider ${asked} is not configured`, "set its key where looper serve starts");
  const own = set === undefined ? undefined : readModelName(set);
  if (set !== undefined && own !== undefined && "provider" in own && own.provider === provider) return set;
  return usualModelOf(provider);
}

async function rootInside({ ports: { files } }: ApiCall["context"], project: string, asked: string) {
  const named = path.resolve(project, asked);
  const [top, root] = [await files.realPath(project), await files.realPath(named)];
  const isFolder = root !== undefined && (await files.stat(root))?.kind === "folder";
  if (isFolder && (root === top || (await leadsInside(files, root, project)))) return root;
  throw usageError(`projectRoot ${asked} is not the project, nor a folder inside it`);
}

/** The lines of a session from a number on. */
function streamFrom({ site, signal, query }: ApiCall<{ stream?: StreamNames }>, begun: BegunTurn): Stream {
  return site.turns.stream(begun, signal, (line) => forClient(line, query.stream));
}

const TOLD = [
  ...(["looper.core", "looper.decision", "looper.validation", "looper.agent.developer"] as const),
  ...(["looper.agent.searcher", "looper.agent.document_manager", "looper.agent.commander"] as const),
];

/** `looper.agent.document_manager` → `Document manager`. */
function titleOf(id: string): string {
  const name = id.slice(id.lastIndexOf(".") + 1).replaceAll("_", " ");
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export const LOOPER_ROUTES: readonly ApiRoute[] = [
  route("POST", "/api/looper", {
    does: "A message to Chapo: NDJSON of its events, the last of which ends the turn. The turn continues without its client.",
    query: z.strictObject({ stream: Names }),
    body: LooperBody,
    errors: [404, 409, 503],
    handle: async (call) => {
      const begun = await beginTurn(call, (chapo, signal) => chapo.send(call.body.message, signal));
      return streamFrom(call, begun);
    },
  }),
  route("GET", "/api/looper", {
    does: "The events of a session after `after`, and those of its turn in progress until its end.",
    query: z.strictObject({
      sessionId: z.string(),
      after: count(Number.MAX_SAFE_INTEGER).optional(),
      stream: Names,
    }),
    errors: [404, 503],
    handle: async (call) => {
      const { folder } = await sessionOf(call, call.query.sessionId);
      return streamFrom(call, { folder, from: call.query.after ?? 0 });
    },
  }),
  route("GET", "/api/looper/prompts", {
    does: "The prompts of Chapo by their names, and as a list.",
    answer: z.looseObject({
      runtime: z.literal("looper"),
      prompts: z.array(z.object({ id: z.string(), title: z.string(), prompt: z.string() })),
    }),
    handle: async ({ context }) => {
      const { settings } = await siteOf(context, { words: [] });
      const all = await readChapoPrompts(context.ports.files, context.promptsFolder, settings);
      const prompts = TOLD.map((id) => ({ id, title: titleOf(id), prompt: all[id] }));
      const flat = Object.fromEntries(prompts.map(({ id, prompt }) => [id, prompt]));
      return { ...flat, runtime: "looper", prompts };
    },
  }),
  route("GET", "/api/looper/status/{sessionId}", {
    does: "Whether a session works, and its state.",
    answer: z.object({ sessionId: z.string(), active: z.boolean(), status: z.string(), lastSeq: z.int() }),
    errors: [404],
    handle: async (call) => {
      const { id, isHeld, state, folder } = await sessionOf(call, call.params["sessionId"] ?? "");
      const active = isHeld || call.site.turns.isRunning(id);
      const last = await lastSeq(call.context.ports, folder);
      return { sessionId: id, active, lastSeq: last, status: state === "interrupted" ? "error" : state };
    },
  }),
];
