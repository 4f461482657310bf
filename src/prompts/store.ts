// Reads the template of a prompt: the file that the settings name, one of the project's or the user's prompt folders (stages
// only), or the bundled one.
import path from "node:path";
import { type UserError, usageError } from "../system/errors.js";
import { readInside } from "../system/files/read-inside.js";
import type { Files } from "../system/ports.js";
import { decodeUtf8 } from "../system/text/decode-utf8.js";
import { nearest } from "../system/text/nearest.js";
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
  throw usageError(`cannot read ${file}, which prompts.${prompt} names: no such file`, "correct the setting");
}

/**
 * The template that a stage names. An unknown name, and a file that cannot be a prompt, are `usage` errors: a shipped prompt is
 * never used silently in place of a broken one of the project.
 */
export async function readStageTemplate(files: Files, places: PromptPlaces, name: string): Promise<Template> {
  for (const folder of places.folders ?? []) {
    const file = path.join(folder, `${name}.md`);
    if ((await files.stat(file, { link: true })) !== undefined) return readOwn(files, folder, file);
  }
  const bundled = STAGE_PROMPTS.find((one) => one === name);
  const file = bundled === undefined ? undefined : findBundled(places, bundled);
  const template = file === undefined ? undefined : await read(files, file);
  if (template !== undefined) return template;
  const folder = places.folders?.[0] ?? "the folder of prompts";
  const near = nearest(name, STAGE_PROMPTS);
  throw usageError(
    `there is no prompt ${JSON.stringify(name)}`,
    near === undefined
      ? `write ${path.join(folder, `${name}.md`)}, or name one of ${STAGE_PROMPTS.join(", ")}`
      : `did you mean ${near}? or write ${path.join(folder, `${name}.md`)}`,
  );
}

function findBundled({ bundled, instead }: PromptPlaces, name: (typeof STAGE_PROMPTS)[number]): string {
  return (name === "iteration" ? instead.iteration : undefined) ?? path.join(bundled, `${name}.md`);
}

async function readOwn(files: Files, folder: string, file: string): Promise<Template> {
  const refuse = (why: string): UserError =>
    usageError(`cannot use ${file} as a prompt: ${why}`, "replace it by a text file");
  const read = await readInside(files, file, folder);
  if (!read.ok) throw refuse(read.error);
  const decoded = decodeUtf8(read.value);
  if (!decoded.ok) throw refuse(`it is not UTF-8: ${decoded.error.found}`);
  const text = decoded.value.replace(/^\uFEFF/u, "");
  if (text.includes("\0")) throw refuse("it is not text: it has a NUL byte");
  if (text.trim() === "") throw refuse("there is nothing in it");
  return { name: file, text };
}

async function read(files: Files, file: string): Promise<Template | undefined> {
  const stat = await files.stat(file);
  const bytes = stat?.kind === "file" ? await files.read(file) : undefined;
  return bytes === undefined ? undefined : { name: file, text: new TextDecoder().decode(bytes) };
}
