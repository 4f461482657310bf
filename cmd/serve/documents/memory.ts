// The project's memory, as the tools of Chapo keep it.
import { z } from "zod";
import { openMemory } from "../../../src/chapo/memory/memory.js";
import { findLocalOffset } from "../../../src/system/clock.js";
import { given } from "../../../src/system/given.js";
import { siteOf } from "../../commands/chapo/site.js";
import { ApiError } from "../api-error.js";
import { count, route, someText, type ApiCall, type ApiRoute } from "../route.js";

const LONG_TERM = "MEMORY.md";
const MOST_HITS = 50;
const USUAL_HITS = 10;

async function memoryOf({ context }: Pick<ApiCall, "context">) {
  const { project, redact } = await siteOf(context, { words: [] });
  return openMemory(context.ports, {
    root: project.folder,
    offset: findLocalOffset,
    readOnly: false,
    redact,
  });
}

export const MEMORY_ROUTES: readonly ApiRoute[] = [
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
      limit: count(MOST_HITS).optional(),
      includeLongTerm: z.enum(["true", "false"]).optional(),
    }),
    answer: z.object({
      results: z.array(z.object({ filePath: z.string(), line: z.int(), snippet: z.string() })),
    }),
    handle: async (call) => {
      const { query, limit = USUAL_HITS, includeLongTerm } = call.query;
      if (limit === 0) throw new ApiError(400, "shape", "limit: at least 1", { details: [{ at: "limit" }] });
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
        throw new ApiError(400, "shape", `${asked} is not a day`, {
          details: [{ at: "date", message: "expected YYYY-MM-DD" }],
        });
      const { file, text } = await memory.readDay(isToday ? undefined : asked);
      return { date: file.slice(-"2026-01-01.md".length, -".md".length), filePath: file, content: text };
    },
  }),
];
