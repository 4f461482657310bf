// Sessions of Chapo and their messages, skills, and the health of the server.
import { z } from "zod";
import { toDefinitionPlace } from "../../../src/chapo/definitions.js";
import { loadSkills } from "../../../src/chapo/prompt/skills.js";
import { listSessions, readStored } from "../../../src/chapo/session/sessions.js";
import { findKey } from "../../../src/config/settings/model-names.js";
import { sessionsAnswer } from "../../../src/ui/answers/project/chapo.js";
import { ChapoSessionsAnswer } from "../../../src/ui/shapes/chapo.js";
import { siteOf } from "../../commands/chapo/site.js";
import { route, type ApiRoute } from "../route.js";
import { sessionOf } from "./turns.js";

export const SESSION_ROUTES: readonly ApiRoute[] = [
  route("GET", "/api/sessions", {
    does: "The sessions of Chapo, newest first, as `looper chapo sessions --json`.",
    answer: ChapoSessionsAnswer,
    handle: async ({ context }) => {
      const { sessionsFolder: folder } = await siteOf(context, { words: [] });
      return sessionsAnswer(await listSessions({ ports: context.ports, folder }));
    },
  }),
  route("GET", "/api/sessions/{id}/messages", {
    does: "The messages of a session in their order, with the calls of the model and their results.",
    answer: z.object({ sessionId: z.string(), messages: z.array(z.looseObject({ role: z.string() })) }),
    errors: [404],
    handle: async (call) => {
      const { id } = await sessionOf(call, call.params["id"] ?? "");
      const { sessionsFolder: folder } = await siteOf(call.context, { words: [] });
      const { messages = [] } = (await readStored({ ports: call.context.ports, folder }, id)) ?? {};
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
];
