// Whether a shell text leaves open which of its commands run. Pure.
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

function givesUp(node: Extract<SyntaxNode, { type: "AndOr" }>, text: string): boolean {
  return node.operators.every((operator, at) => {
    const right = node.commands[at + 1];
    if (operator === "&&" || right === undefined) return true;
    const first = listSimpleCommands(text.slice(right.pos, right.end))[0]?.words[0];
    return first !== undefined && GIVES_UP.test(first);
  });
}
