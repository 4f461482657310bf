// Reads the text of a settings file: JSON without comments, YAML, or package.json, keeping the line of every key.
// Leaves what the keys mean to layers.ts, and finding the files to load.ts.
import { usageError } from "../../system/errors.js";
import type { Result } from "../../system/result.js";
import {
  readJsonSource,
  readYamlSource,
  type SourceFault,
  type SourceText,
} from "../../system/text/source-text.js";

/** A settings file, read but not judged. */
export interface SettingsFile {
  /** As shown to people. */
  name: string;
  /** The value in the file; `undefined` when the file is empty. */
  value: unknown;
  /** The line (from 1) of the key at a path, or of the nearest key above it that is there. */
  lineOf(path: readonly string[]): number;
}

/** Reads JSON; anything that is not JSON, and a key given twice, is a `usage` error that names file and line. */
export function readJsonSettings(name: string, text: string): SettingsFile {
  return toSettings(name, readJsonSource(text, { comments: false }));
}

/** The `looper` part of a package.json; `undefined` when there is none, whatever else may be wrong with the file. */
export function readPackageSettings(name: string, text: string): SettingsFile | undefined {
  if (!text.includes('"looper"')) return undefined;
  const whole = readJsonSettings(name, text);
  const { value } = whole;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "looper")) return undefined;
  const part: unknown = "looper" in value ? value.looper : undefined;
  return { name, value: part, lineOf: (path) => whole.lineOf(["looper", ...path]) };
}

/** Reads YAML 1.2; what is not YAML, and a key given twice, is a `usage` error that names file and line. */
export function readYamlSettings(name: string, text: string): SettingsFile {
  return toSettings(name, readYamlSource(text));
}

function toSettings(name: string, read: Result<SourceText, SourceFault>): SettingsFile {
  if (!read.ok) {
    const { line, message } = read.error;
    throw usageError(`${name}:${String(line)}: ${message}`, "correct the file");
  }
  const { value, placeOf } = read.value;
  return { name, value, lineOf: (path) => placeOf(path).line };
}
