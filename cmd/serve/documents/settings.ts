// The settings of Chapo, read; the web may narrow what it is allowed, and never widen it.
import { z } from "zod";
import { command as config } from "../../commands/config.js";
import { siteOf } from "../../commands/chapo/site.js";
import { ApiError } from "../api-error.js";
import { route, type ApiCall, type ApiRoute } from "../route.js";

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

export const SETTING_ROUTES: readonly ApiRoute[] = [
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
