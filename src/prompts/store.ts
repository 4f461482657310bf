// Reads the template of a prompt: the file that the settings name, one of the project's or the user's prompt folders (stages
// only), or the bundled one.
import path from "node:path";
import { UserError } from "../system/errors.js";
import type { Files } from "../system/ports.js";
import type { Template } from "./render.js";

export const PROMPTS = ["bootstrap", "iteration", "repair", "review", "push"] as const;
export type PromptName = (typeof PROMPTS)[number];

/** The bundled prompts that a stage of a workflow can name. */
export const STAGE_PROMPTS = [
  "iteration",
  "clarify",
  "plan",
  "implement",
  "review-task",
  "execute",
  "validate",
  "write-tests",
  "make-pass",
  "refactor",
  "create-files",
  "modify-files",
  "research",
  "report",
] as const;

/** Where templates lie, all absolute. */
export interface PromptPlaces {
  /** The folder of the bundled templates. */
  bundled: string;
  /** Files used instead, by prompt. */
  instead: Readonly<Partial<Record<PromptName, string>>>;
  /** Folders with prompts of stages, NAME.md, in the order in which they are searched. */
  folders?: readonly string[];
}

/** The template of a prompt. A file of the settings that cannot be read is a `usage` error. */
export async function readTemplate(
  files: Files,
  places: PromptPlaces,
  prompt: PromptName,
): Promise<Template> {
  const instead = places.instead[prompt];
  const file = instead ?? path.join(places.bundled, `${prompt}.md`);
  const template = await read(files, file);
  if (template !== undefined) return template;
  if (instead === undefined) throw new Error(`the bundled template ${file} is missing`);
  throw new UserError(
    "usage",
    `cannot read ${file}, which prompts.${prompt} names: no such file`,
    "correct the setting",
  );
}

/** Whether a stage can name this prompt. A file that leads out of its folder is a `usage` error. */
export async function hasPrompt(files: Files, places: PromptPlaces, name: string): Promise<boolean> {
  return (await findStageTemplate(files, places, name)) !== undefined;
}

/** The template that a stage names. An unknown name is a `usage` error. */
export async function readStageTemplate(files: Files, places: PromptPlaces, name: string): Promise<Template> {
  const found = await findStageTemplate(files, places, name);
  const template = found === undefined ? undefined : await read(files, found);
  if (template !== undefined) return template;
  const folder = places.folders?.[0] ?? "the folder of prompts";
  throw new UserError(
    "usage",
    `cannot find the prompt ${JSON.stringify(name)} that a stage names`,
    `write ${path.join(folder, `${name}.md`)}, or name one of ${STAGE_PROMPTS.join(", ")}`,
  );
}

async function findStageTemplate(
  files: Files,
  places: PromptPlaces,
  name: string,
): Promise<string | undefined> {
  for (const folder of places.folders ?? []) {
    const file = path.join(folder, `${name}.md`);
    if ((await files.stat(file))?.kind !== "file") continue;
    await mustBeInside(files, folder, file);
    return file;
  }
  const bundled = STAGE_PROMPTS.find((one) => one === name);
  if (bundled === undefined) return undefined;
  const instead = bundled === "iteration" ? places.instead.iteration : undefined;
  return instead ?? path.join(places.bundled, `${bundled}.md`);
}

/** A link in the folder could show any file of the user's to an agent. */
async function mustBeInside(files: Files, folder: string, file: string): Promise<void> {
  const [at, real] = [await files.realPath(folder), await files.realPath(file)];
  if (at !== undefined && real !== undefined && real.startsWith(at + path.sep)) return;
  throw new UserError(
    "usage",
    `cannot use ${file} as a prompt: it is a link to a file outside ${folder}`,
    "replace the link by the file",
  );
}

async function read(files: Files, file: string): Promise<Template | undefined> {
  const stat = await files.stat(file);
  const bytes = stat?.kind === "file" ? await files.read(file) : undefined;
  return bytes === undefined ? undefined : { name: file, text: new TextDecoder().decode(bytes) };
}
