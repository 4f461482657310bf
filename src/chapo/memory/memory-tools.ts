// The tools with which a model stores, searches and reads notes. memory.ts has the notes.
import { z } from "zod";
import { defineTool, done, failed, type Tool } from "../tool.js";
import type { ProjectMemory } from "./memory.js";

const LONGEST_NOTE = 4_000;
const LONGEST_QUERY = 200;
const USUAL_HITS = 10;
const MOST_HITS = 50;

/**
 * Creates `memory_remember`, `memory_search` and `memory_readToday`. A note counts as a change, because later sessions get it in
 * their prompt: a page that tells the model to remember something must not reach them unasked.
 */
export function createMemoryTools(memory: ProjectMemory): Tool[] {
  return [createRememberTool(memory), createSearchTool(memory), createTodayTool(memory)];
}

function createRememberTool(memory: ProjectMemory): Tool {
  return defineTool({
    name: "memory_remember",
    description:
      "Stores a note that later sessions can read: one short fact, complete in itself. promote: also keep it for the long term, in MEMORY.md.",
    arguments: z.strictObject({
      content: z
        .string()
        .refine((text) => text.trim() !== "", "must not be empty")
        .max(LONGEST_NOTE, `at most ${LONGEST_NOTE} characters; store only the facts, or several notes`)
        .describe("The note, at most 4,000 characters."),
      promote: z.boolean().optional().describe("Also keep it in MEMORY.md."),
    }),
    aliases: { note: "content", text: "content", promoteToLongTerm: "promote" },
    changes: true,
    preview: ({ content, promote = false }) =>
      Promise.resolve(`remember${promote ? ", also in MEMORY.md" : ""}: ${content}`),
    run: async ({ content, promote = false }) => {
      const written = await memory.remember(content, promote);
      if ("refused" in written) {
        const instead = memory.readOnly ? ". Put lasting facts into your report instead" : "";
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
      "Searches the notes of all days and MEMORY.md for lines with every word of the query, in any case. Newest first, as file:line: text.",
    arguments: z.strictObject({
      query: z
        .string()
        .refine((text) => text.trim() !== "", "must not be empty")
        .max(LONGEST_QUERY)
        .describe("A word or a few."),
      limit: z.int().min(1).max(MOST_HITS).optional().describe("The most hits to return; 10 if not set."),
    }),
    changes: false,
    run: async ({ query, limit = USUAL_HITS }) => {
      const { hits, all } = await memory.search(query, limit);
      if (all === 0) return done("memory_search: no note contains all of these words");
      const lines = hits.map(({ file, line, snippet }) => `${file}:${line}: ${snippet}`);
      const shown = all > hits.length ? `${hits.length} of ${all}` : `${all}`;
      return done([`memory_search: ${shown} found, newest first`, ...lines].join("\n"));
    },
  });
}

function createTodayTool(memory: ProjectMemory): Tool {
  return defineTool({
    name: "memory_readToday",
    description: "Reads today's notes.",
    arguments: z.strictObject({}),
    changes: false,
    run: async () => {
      const { file, text } = await memory.readToday();
      if (text.trim() === "") return done(`memory_readToday: no notes today (${file} is empty)`);
      return done(`memory_readToday: ${file}\n\n${text}`);
    },
  });
}
