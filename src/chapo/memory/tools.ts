// The memory tools: what a model may note, search and read. Leaves the notes themselves to memory.ts.
import { z } from "zod";
import { defineTool, done, failed, type Tool } from "../tool.js";
import type { ProjectMemory } from "./memory.js";

const LONGEST_NOTE = 4_000;
const LONGEST_QUERY = 200;
const USUAL_HITS = 10;
const MOST_HITS = 50;

/**
 * `memory_remember`, `memory_search` and `memory_readToday`. None counts as changing something: the notes are the engine's own,
 * and "remember this" has been asked for already.
 */
export function createMemoryTools(memory: ProjectMemory): Tool[] {
  return [createRememberTool(memory), createSearchTool(memory), createTodayTool(memory)];
}

function createRememberTool(memory: ProjectMemory): Tool {
  return defineTool({
    name: "memory_remember",
    description:
      "Stores a note that later sessions can read: one short fact, complete in itself. promote: keep it for the long run, in MEMORY.md.",
    arguments: z.strictObject({
      content: z
        .string()
        .refine((text) => text.trim() !== "", "must not be empty")
        .max(LONGEST_NOTE, `at most ${LONGEST_NOTE} characters; note what matters, or several notes`)
        .describe("The note, at most 4,000 characters."),
      promote: z.boolean().optional().describe("Also keep it in MEMORY.md."),
    }),
    aliases: { note: "content", text: "content", promoteToLongTerm: "promote" },
    changes: false,
    run: async ({ content, promote = false }) => {
      const written = await memory.remember(content, promote);
      if ("refused" in written) {
        const instead = memory.readOnly ? "; say in your report what is worth knowing later" : "";
        return failed(`memory_remember: ${written.refused}${instead}`);
      }
      const also = written.longTerm === undefined ? "" : ` and ${written.longTerm}`;
      return done(`memory_remember: saved to ${written.daily}${also}`);
    },
  });
}

function createSearchTool(memory: ProjectMemory): Tool {
  return defineTool({
    name: "memory_search",
    description:
      "Searches the notes of all days and MEMORY.md for lines that hold every word of the query, in any case. Newest first, as file:line: text.",
    arguments: z.strictObject({
      query: z
        .string()
        .refine((text) => text.trim() !== "", "must not be empty")
        .max(LONGEST_QUERY)
        .describe("A word or a few."),
      limit: z
        .int()
        .min(1)
        .max(MOST_HITS)
        .optional()
        .describe("Most hits to return; 10 where nothing is said."),
    }),
    changes: false,
    run: async ({ query, limit = USUAL_HITS }) => {
      const { hits, all } = await memory.search(query, limit);
      if (all === 0) return done("memory_search: nothing noted holds all of these words");
      const lines = hits.map(({ file, line, snippet }) => `${file}:${line}: ${snippet}`);
      const shown = all > hits.length ? `${hits.length} of ${all}` : `${all}`;
      return done([`memory_search: ${shown} found, newest first`, ...lines].join("\n"));
    },
  });
}

function createTodayTool(memory: ProjectMemory): Tool {
  return defineTool({
    name: "memory_readToday",
    description: "Reads what was noted today.",
    arguments: z.strictObject({}),
    changes: false,
    run: async () => {
      const { file, text } = await memory.readToday();
      if (text.trim() === "") return done(`memory_readToday: nothing was noted today (${file} is empty)`);
      return done(`memory_readToday: ${file}\n\n${text}`);
    },
  });
}
