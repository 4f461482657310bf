// Schemas of the answers that project commands print with --json: the source of the types and of schemas/cli/.
import { z } from "zod";

/** `looper config --json`; with `get` one setting, with `path` the files alone. */
export const ConfigAnswer = z.object({
  project: z.string().describe("Absolute path of the project's folder"),
  files: z.array(z.object({ owner: z.enum(["user", "project"]), path: z.string(), exists: z.boolean() })),
  settings: z.array(
    z.object({
      key: z.string(),
      value: z.unknown().describe("As a file would spell it; secrets are replaced"),
      layer: z.enum(["default", "user", "project", "env", "flag"]),
      where: z.string().describe("A file and line, a variable, or empty for a default"),
    }),
  ),
});
export type ConfigAnswer = z.infer<typeof ConfigAnswer>;

/** `looper doctor --json`. */
export const DoctorAnswer = z.object({
  ok: z.boolean().describe("Nothing is an error"),
  checks: z.array(
    z.object({
      name: z.string(),
      status: z.enum(["ok", "warning", "error"]),
      message: z.string(),
      remedy: z.string().optional(),
    }),
  ),
});
export type DoctorAnswer = z.infer<typeof DoctorAnswer>;

/** `looper init --json`. */
export const InitAnswer = z.object({
  project: z.string().describe("Absolute path of the project's folder"),
  files: z.array(
    z.object({
      path: z.string().describe("Absolute"),
      did: z.enum(["written", "replaced", "extended", "kept"]),
      copy: z.string().optional().describe("Where what was there was copied to"),
    }),
  ),
  tasks: z.int().describe("In the task file now"),
  imported: z
    .object({
      from: z.string(),
      format: z.string(),
      left: z.int().optional().describe("Lines of a document that no task holds"),
    })
    .nullable(),
  notes: z.array(z.string()).describe("Differences from what was intended, one sentence each"),
  next: z.array(z.string()).describe("Commands to type next"),
});
export type InitAnswer = z.infer<typeof InitAnswer>;

/** `looper completion SHELL --json`. */
export const CompletionAnswer = z.object({
  shell: z.enum(["bash", "zsh", "fish"]),
  script: z.string().describe("The script for the shell to read"),
});
export type CompletionAnswer = z.infer<typeof CompletionAnswer>;
