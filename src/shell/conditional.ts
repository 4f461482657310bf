// Whether a shell text leaves open which of its commands run, or hides that one failed. Pure.
import { forEachChild, type SyntaxNode } from "unbash";
import { parseShell } from "./parse-shell.js";
import { listSimpleCommands } from "./simple-commands.js";

const BRANCHES: ReadonlySet<string> = new Set(["If", "Case", "While", "Function"]);
/** Ask whether something is there; what follows depends on the answer. */
const ASKS = /^(?:test|\[|type|which|hash|command)$/;
/** Right of `||`: the command left of it has to end well all the same. */
const GIVES_UP = /^(?:exit|false|return)$/;

/** True also of a text that cannot be parsed. */
export function isConditional(text: string): boolean {
  const { script, isWhole } = parseShell(text);
  if (!isWhole) return true;
  const waiting: SyntaxNode[] = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (BRANCHES.has(node.type)) return true;
    if (node.type === "AndOr" && node.operators.includes("||") && !givesUp(node, text)) return true;
    forEachChild(node, (child) => waiting.push(child));
  }
  const commands = listSimpleCommands(text);
  return commands.slice(0, -1).some(({ words: [program] }) => ASKS.test(program));
}

/**
 * True if a command of the text can fail without the text's exit code showing it: before `|`, `;`, a new line or `&`, or after `!`.
 * `set -e` and `pipefail` are ignored, and a text that cannot be parsed is false.
 */
export function hidesFailures(text: string): boolean {
  const { script, isWhole } = parseShell(text);
  if (!isWhole) return false;
  const waiting: SyntaxNode[] = [script];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (hidesOwn(node)) return true;
    forEachChild(node, (child) => waiting.push(child));
  }
  return false;
}

function hidesOwn(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Negation":
      return true;
    case "Statement":
      return node.background === true;
    case "Pipeline":
    case "Script":
    case "CompoundList":
      return node.commands.length > 1;
    default:
      return false;
  }
}

function givesUp(node: Extract<SyntaxNode, { type: "AndOr" }>, text: string): boolean {
  return node.operators.every((operator, at) => {
    const right = node.commands[at + 1];
    if (operator === "&&" || right === undefined) return true;
    const first = listSimpleCommands(text.slice(right.pos, right.end))[0]?.words[0];
    return first !== undefined && GIVES_UP.test(first);
  });
}
