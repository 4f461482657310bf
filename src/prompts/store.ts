// Reads the template of a prompt: the bundled one, or the file the settings name instead.
import path from "node:path";
import { UserError } from "../system/errors.js";
import type { Files } from "../system/ports.js";
import type { Template } from "./render.js";

export const PROMPTS = ["bootstrap", "iteration", "repair", "review", "push"] as const;
export type PromptName = (typeof PROMPTS)[number];

/** Where templates lie, all absolute. */
export interface PromptPlaces {
  /** The folder of the bundled templates. */
  bundled: string;
  /** Files used instead, by prompt. */
  instead: Readonly<Partial<Record<PromptName, string>>>;
}

/** The template of a prompt. A file of the settings that cannot be read is a `usage` error. */
export async function readTemplate(
  files: Files,
  places: PromptPlaces,
  prompt: PromptName,
): Promise<Template> {
  const instead = places.instead[prompt];
  const file = instead ?? path.join(places.bundled, `${prompt}.md`);
  const stat = await files.stat(file);
  const bytes = stat?.kind === "file" ? await files.read(file) : undefined;
  if (bytes !== undefined) return { name: file, text: new TextDecoder().decode(bytes) };
  if (instead === undefined) throw new Error(`the bundled template ${file} is missing`);
  throw new UserError(
    "usage",
    `cannot read ${file}, which prompts.${prompt} names: no such file`,
    "correct the setting",
  );
}
