// Routes of Chapo in this project: its sessions and skills, its memory, and its settings, which the web may
// narrow and never widen.
import { z } from "zod";
import { toDefinitionPlace } from "../../../src/chapo/definitions.js";
import { openMemory } from "../../../src/chapo/memory/memory.js";
import { loadSkills } from "../../../src/chapo/prompt/skills.js";
import { readRules } from "../../../src/chapo/rules/read-rules.js";
import { listSessions, readStored } from "../../../src/chapo/session/sessions.js";
import { findKey } from "../../../src/config/settings/model-names.js";
import { findLocalOffset } from "../../../src/system/clock.js";
import { given } from "../../../src/system/given.js";
import { sessionsAnswer } from "../../../src/ui/answers/project/chapo.js";
import { ChapoSessionsAnswer } from "../../../src/ui/shapes/project.js";
import { command as config } from "../../commands/config.js";
import { siteOf } from "../../commands/chapo/site.js";
import { ApiError, misshapen } from "../api-error.js";
import { count, route, someText, type ApiCall, type ApiRoute } from "../route.js";
import { sessionOf, sessionsAt } from "./turns.js";

const LONG_TERM = "MEMORY.md";
const MOST_HITS = 50;
const USUAL_HITS = 10;

async function memoryOf({ context }: Pick<ApiCall, "context">) {
  const { project, redact } = await siteOf(context, { words: [] });
  const place = { root: project.folder, offset: findLocalOffset, readOnly: false, redact };
  return openMemory(context.ports, place);
}

const KEY = "agents.chapo.chapo";
/** Where the setting has none: as in a run. */
const USUAL_MODE = "trusted";
const MOST_RULES = 100;

const rulesOf = async ({ context }: Pick<ApiCall, "context">) => {
  const { settings, agent } = await siteOf(context, { words: [] });
  return { ...settings.rules, mode: settings.mode ?? USUAL_MODE, permissions: agent.permissions };
};

const Rules = z.object({
  mode: z.string(),
  permissions: z.string(),
  allow: z.array(z.string()),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
});

function refused(setting: string, value: string): ApiError {
  return new ApiError(403, "widens", "what Chapo may do is widened at a terminal alone", {
    hint: `looper config set ${KEY}.${setting} ${value}`,
  });
}

export const CHAPO_ROUTES: readonly ApiRoute[] = [
  route("GET", "/api/sessions", {
    does: "The sessions of Chapo, newest first, as `looper chapo sessions --json`.",
    answer: ChapoSessionsAnswer,
    handle: async (call) => sessionsAnswer(await listSessions(await sessionsAt(call))),
  }),
  route("GET", "/api/sessions/{id}/messages", {
    does: "The messages of a session in their order, with the calls of the model and their results.",
    answer: z.object({ sessionId: z.string(), messages: z.array(z.looseObject({ role: z.string() })) }),
    errors: [404],
    handle: async (call) => {
      const { id } = await sessionOf(call, call.params["id"] ?? "");
      const { messages = [] } = (await readStored(await sessionsAt(call), id)) ?? {};
      return {
        sessionId: id,
        messages: messages.flatMap((message): object[] => {
          if (message.role === "tool") return [message];
          const { role, text: content } = message;
          if (message.role === "user") return message.own === true ? [] : [{ role, content }];
          const calls = message.calls.map((one) => ({ id: one.id, name: one.name, arguments: one.args }));
          return [{ role, content, toolCalls: calls }];
        }),
      };
    },
  }),
  route("GET", "/api/skills", {
    does: "The skills of the project and the user, and why some cannot be used.",
    answer: z.object({
      skills: z.array(z.object({ id: z.string(), name: z.string(), description: z.string() })),
      problems: z.array(z.string()),
    }),
    handle: async ({ context, site }) => {
      const { ports, home, env } = context;
      const { folder: root } = await site.project();
      const { found: skills, problems } = await loadSkills(toDefinitionPlace({ ports, root, home, env }));
      return { skills: skills.map(({ id, name, description }) => ({ id, name, description })), problems };
    },
  }),
  route("GET", "/api/health", {
    does: "Whether the server answers, and which providers have a key.",
    role: "anyone",
    answer: z.object({
      status: z.literal("ok"),
      providers: z.object({ anthropic: z.boolean(), openai: z.boolean(), gemini: z.boolean() }),
      mcp: z.object({ servers: z.int() }),
    }),
    handle: async ({ context }) => {
      const { settings, env } = await siteOf(context, { words: [] });
      const has = (provider: Parameters<typeof findKey>[0]): boolean => findKey(provider, env) !== undefined;
      const providers = { anthropic: has("anthropic"), openai: has("openai"), gemini: has("google") };
      return { status: "ok", providers, mcp: { servers: Object.keys(settings.mcp.servers).length } };
    },
  }),
  route("POST", "/api/memory/remember", {
    does: "Keeps a note for today, and for the long term where it is promoted.",
    body: z.strictObject({
      content: someText(4_000),
      promoteToLongTerm: z.boolean().optional(),
      sessionId: z.string().max(100).optional(),
      source: z.string().max(200).optional().describe("Default: api.memory.remember"),
    }),
    answer: z.looseObject({ success: z.literal(true), filePath: z.string(), source: z.string() }),
    handle: async (call) => {
      const { content, promoteToLongTerm = false, source = "api.memory.remember" } = call.body;
      const written = await (await memoryOf(call)).remember(content, promoteToLongTerm);
      if ("refused" in written) throw new ApiError(500, "memory", written.refused);
      return { success: true, filePath: written.daily, source, ...given({ longTerm: written.longTerm }) };
    },
  }),
  route("GET", "/api/memory/search", {
    does: "The lines of notes with every word of the query, newest first.",
    query: z.strictObject({
      query: z.string().min(1).max(200),
      limit: count(MOST_HITS)
        .refine((limit) => limit > 0, "at least 1")
        .optional(),
      includeLongTerm: z.enum(["true", "false"]).optional(),
    }),
    answer: z.object({
      results: z.array(z.object({ filePath: z.string(), line: z.int(), snippet: z.string() })),
    }),
    handle: async (call) => {
      const { query, limit = USUAL_HITS, includeLongTerm } = call.query;
      // Those of the long term come last.
      const { hits } = await (await memoryOf(call)).search(query, limit);
      const wanted = hits.filter(({ file }) => includeLongTerm !== "false" || file !== LONG_TERM);
      return { results: wanted.map(({ file: filePath, line, snippet }) => ({ filePath, line, snippet })) };
    },
  }),
  route("GET", "/api/memory/daily/{date}", {
    does: "The notes of a day, YYYY-MM-DD, or today; empty where there are none.",
    answer: z.object({ date: z.string(), filePath: z.string(), content: z.string() }),
    handle: async (call) => {
      const asked = call.params["date"] ?? "";
      const memory = await memoryOf(call);
      const isToday = asked === "today";
      if (!isToday && (!/^\d{4}-\d\d-\d\d$/.test(asked) || Number.isNaN(Date.parse(asked))))
        throw misshapen({ at: "date", message: "expected YYYY-MM-DD" });
      const { file, text } = await memory.readDay(isToday ? undefined : asked);
      return { date: file.slice(-"2026-01-01.md".length, -".md".length), filePath: file, content: text };
    },
  }),
  route("GET", "/api/settings", {
    does: "The settings of Chapo that count for the next message.",
    answer: Rules.extend({ model: z.string().nullable(), language: z.string() }),
    handle: async (call) => {
      const { settings, agent } = await siteOf(call.context, { words: [] });
      return { ...(await rulesOf(call)), model: agent.model ?? null, language: settings.language };
    },
  }),
  route("GET", "/api/settings/permissions", {
    does: "Its rules: which calls run, ask or are refused.",
    answer: Rules,
    handle: rulesOf,
  }),
  route("POST", "/api/settings/permissions", {
    does: "Refuses further calls by patterns, e.g. `Bash(rm *)`; anything that allows more is refused.",
    body: z.looseObject({ deny: z.array(z.string().min(1).max(1_000)).max(MOST_RULES).optional() }),
    answer: Rules,
    errors: [422],
    handle: async (call) => {
      const { deny = [], ...others } = call.body;
      if (deny.length === 0 || Object.keys(others).length > 0) throw refused("rules.allow", "PATTERN");
      // One that cannot be read would end every further conversation, and nothing here could take it back.
      const { folder } = await call.site.project();
      const { problems } = readRules({ deny }, folder);
      if (problems.length > 0) throw new ApiError(422, "rules", problems.join("\n"));
      const { deny: before } = await rulesOf(call);
      const values = [...new Set([...before, ...deny])];
      await config.answer(call.context, { verb: "set", key: `${KEY}.rules.deny`, values, json: true });
      return rulesOf(call);
    },
  }),
  route("GET", "/api/settings/trust-mode", {
    does: "The mode: `trusted` runs every call, `default` asks before a change.",
    answer: z.object({ mode: z.string() }),
    handle: async (call) => ({ mode: (await rulesOf(call)).mode }),
  }),
  route("PUT", "/api/settings/trust-mode", {
    does: "Sets the mode `default` from the next message on; every other one is set at a terminal.",
    body: z.strictObject({ mode: z.string().max(40) }),
    answer: z.object({ mode: z.string() }),
    handle: async (call) => {
      const { mode } = call.body;
      const { mode: before } = await rulesOf(call);
      if (mode === before) return { mode };
      // Of the stricter modes none is left for a looser one, which `default` is.
      if (mode !== "default" || before !== USUAL_MODE) throw refused("mode", mode);
      await config.answer(call.context, { verb: "set", key: `${KEY}.mode`, values: [mode], json: true });
      return { mode };
    },
  }),
];
