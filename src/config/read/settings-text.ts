// Reads the text of a settings file: JSON without comments, YAML, or package.json, keeping the line of every key.
// Leaves what the keys mean to layers.ts, and finding the files to load.ts.
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { isMap, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { UserError } from "../../system/errors.js";

/** A settings file, read but not judged. */
export interface SettingsFile {
  /** As shown to people. */
  name: string;
  /** The value in the file; `undefined` when the file is empty. */
  value: unknown;
  /** The line (from 1) of the key at a path, or of the nearest key above it that is there. */
  lineOf(path: readonly string[]): number;
}

const TOO_DEEP = "it is nested too deeply for a settings file";

/** Reads JSON; anything that is not JSON, and a key given twice, is a `usage` error that names file and line. */
export function readJsonSettings(name: string, text: string): SettingsFile {
  const json = text.replace(/^\uFEFF/, "");
  const errors: ParseError[] = [];
  const tree = guardDepth(name, () => parseTree(json, errors, { disallowComments: true }));
  const [first] = errors;
  if (first !== undefined) {
    const code = printParseErrorCode(first.error);
    const what = code === "InvalidCommentToken" ? "comments are not allowed" : sentence(code);
    throw unreadable(name, lineAt(json, first.offset), `not JSON: ${what}`);
  }
  if (tree !== undefined)
    guardDepth(name, () => {
      refuseDuplicates(name, json, tree);
    });
  const value: unknown = guardDepth(name, () => parseStrictly(name, json));
  return { name, value, lineOf: (path) => (tree === undefined ? 1 : lineAt(json, offsetOf(tree, path))) };
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
  const lines = new LineCounter();
  const document = guardDepth(name, () => parseDocument(text, { lineCounter: lines, prettyErrors: false }));
  const [first] = document.errors;
  if (first !== undefined)
    throw unreadable(name, lines.linePos(first.pos[0]).line, `not YAML: ${first.message}`);
  const value: unknown = guardDepth(name, () => toValue(name, document));
  return {
    name,
    value: value ?? undefined,
    lineOf: (path) => lines.linePos(yamlOffset(document, path)).line,
  };
}

function toValue(name: string, document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ReferenceError) throw unreadable(name, 1, `not YAML: ${error.message}`);
    throw error;
  }
}

/** Recursive parsers end in a RangeError on hostile nesting; that is the file's fault, not ours. */
function guardDepth<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) throw unreadable(name, 1, TOO_DEEP);
    throw error;
  }
}

function parseStrictly(name: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (error instanceof SyntaxError) throw unreadable(name, 1, `not JSON: ${error.message}`);
    throw error;
  }
}

function refuseDuplicates(name: string, json: string, node: Node): void {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const [key] = node.type === "object" ? (child.children ?? []) : [];
    const spelled: unknown = key?.value;
    if (typeof spelled === "string" && seen.has(spelled)) {
      throw unreadable(name, lineAt(json, child.offset), `the key ${JSON.stringify(spelled)} is given twice`);
    }
    if (typeof spelled === "string") seen.add(spelled);
    refuseDuplicates(name, json, child);
  }
}

function offsetOf(tree: Node, path: readonly string[]): number {
  for (let length = path.length; length > 0; length--) {
    const found = findNodeAtLocation(tree, path.slice(0, length));
    if (found !== undefined) return (found.parent ?? found).offset;
  }
  return tree.offset;
}

function yamlOffset(document: Document.Parsed, path: readonly string[]): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const segment of path) {
    if (!isMap(node)) break;
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === segment);
    if (pair === undefined || !isScalar(pair.key)) break;
    offset = pair.key.range?.[0] ?? offset;
    node = pair.value;
  }
  return offset;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** `CloseBraceExpected` → `close brace expected`. */
function sentence(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function unreadable(name: string, line: number, what: string): UserError {
  return new UserError("usage", `${name}:${String(line)}: ${what}`, "correct the file");
}
