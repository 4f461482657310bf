// Reads the text of a JSON or YAML file that people write, and keeps the place of every key and value. Leaves the meaning of
// the values, and messages with the file's name, to the callers.
import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import { isMap, isScalar, isSeq, parseDocument, type Document } from "yaml";
import { err, ok, type Result } from "../result.js";
import { lineCounter } from "./line-counter.js";

/** The path of a value: keys and indices from the root. */
export type SourcePath = readonly (string | number)[];

/** A line and a column, from 1; columns count UTF-16 code units. */
export interface TextPlace {
  line: number;
  column: number;
}

/** A text that was read. */
export interface SourceText {
  /** `undefined` where the file is empty. */
  value: unknown;
  /** The place of the key (or item) at a path, or of the nearest one above it that is there. */
  placeOf: (path: SourcePath) => TextPlace;
}

/** The first place where a text cannot be read. */
export interface SourceFault extends TextPlace {
  message: string;
}

type Read = Result<SourceText, SourceFault>;
const TOO_DEEP = "it is nested too deeply";
/** The most nodes that the aliases of a YAML document may stand for. */
const MOST_ALIASED = 100;

/** Reads JSON; with `comments` also comments, and commas before a closing bracket. A key given twice is a fault. */
export function readJsonSource(text: string, { comments }: { comments: boolean }): Read {
  const json = text.replace(/^\uFEFF/u, "");
  const at = lineCounter(json);
  const fault = (offset: number, message: string): Read => err({ ...at(offset), message });
  return guardDepth(() => {
    const errors: ParseError[] = [];
    const options = { disallowComments: !comments, allowTrailingComma: comments };
    const tree = parseTree(json, errors, options);
    const [first] = errors;
    if (first !== undefined) {
      const code = printParseErrorCode(first.error);
      const what = code === "InvalidCommentToken" ? "comments are not allowed" : sentence(code);
      return fault(first.offset, `not JSON: ${what}`);
    }
    const twice = tree === undefined ? undefined : findDuplicate(tree);
    if (twice !== undefined)
      return fault(twice.offset, `the key ${JSON.stringify(twice.key)} is given twice`);
    return ok({
      value: toPlain(tree),
      placeOf: (path) => at(tree === undefined ? 0 : jsonOffset(tree, path)),
    });
  });
}

/** Reads YAML 1.2 as JSON knows it; a key given twice, a tag beyond that, and aliases that stand for much, are faults. */
export function readYamlSource(text: string): Read {
  const at = lineCounter(text);
  return guardDepth(() => {
    const document = parseDocument(text, { prettyErrors: false, schema: "core", resolveKnownTags: false });
    // A warning is about a tag or a directive that would be ignored.
    const [first] = [...document.errors, ...document.warnings];
    if (first !== undefined) return err({ ...at(first.pos[0]), message: explainYaml(first.message) });
    try {
      const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASED });
      if (isCircular(value, new Set()))
        return err({ ...at(0), message: "not YAML: an alias stands for a value that contains it" });
      return ok({ value: value ?? undefined, placeOf: (path) => at(yamlOffset(document, path)) });
    } catch (error) {
      if (error instanceof ReferenceError) return err({ ...at(0), message: explainYaml(error.message) });
      throw error;
    }
  });
}

/** The parser's words, where they speak of the parser, in those of the file. */
function explainYaml(message: string): string {
  if (/call stack/iu.test(message)) return TOO_DEEP;
  if (/excessive alias/iu.test(message)) return "its aliases stand for too many values";
  const [, tag] = /^Unresolved tag: (.+)$/u.exec(message) ?? [];
  if (tag !== undefined) return `the tag ${tag.replace("tag:yaml.org,2002:", "!!")} is not read`;
  return `not YAML: ${/multiple documents/u.test(message) ? "it holds several documents, and one is read" : message}`;
}

/** Whether a value contains itself. */
function isCircular(value: unknown, above: Set<object>): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (above.has(value)) return true;
  above.add(value);
  const found = Object.values(value).some((member) => isCircular(member, above));
  above.delete(value);
  return found;
}

/** Recursive parsers end in a RangeError on hostile nesting; that is the file's fault, not ours. */
function guardDepth(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return err({ line: 1, column: 1, message: TOO_DEEP });
    throw error;
  }
}

/** The value of a tree; `__proto__` is a key like any other, as in JSON.parse. */
function toPlain(node: Node | undefined): unknown {
  if (node === undefined) return undefined;
  if (node.type === "array") return (node.children ?? []).map((child) => toPlain(child));
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).map(({ children = [] }) => [String(children[0]?.value), toPlain(children[1])]),
  );
}

function findDuplicate(node: Node): { key: string; offset: number } | undefined {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const [key] = node.type === "object" ? (child.children ?? []) : [];
    const spelled: unknown = key?.value;
    if (typeof spelled === "string" && seen.has(spelled)) return { key: spelled, offset: child.offset };
    if (typeof spelled === "string") seen.add(spelled);
    const inside = findDuplicate(child);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function jsonOffset(tree: Node, path: SourcePath): number {
  for (let length = path.length; length > 0; length--) {
    const found = findNodeAtLocation(tree, path.slice(0, length));
    if (found === undefined) continue;
    return found.parent?.type === "property" ? found.parent.offset : found.offset;
  }
  return tree.offset;
}

function yamlOffset(document: Document.Parsed, path: SourcePath): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isScalar(item.key) && String(item.key.value) === String(segment),
      );
      if (pair === undefined || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment];
      if (!isScalar(node) && !isMap(node) && !isSeq(node)) break;
      offset = node.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}

/** `CloseBraceExpected` → `close brace expected`. */
function sentence(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/gu, " ").toLowerCase();
}
