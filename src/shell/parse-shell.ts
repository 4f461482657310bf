// Parses shell texts; `unbash` does. Pure.
import { parse, type Script } from "unbash";

/** A text as its tree. A text with errors has as much of a tree as could be made. */
export function parseShell(text: string): { script: Script; isWhole: boolean } {
  const script = parse(text.replaceAll("\r\n", "\n"));
  return { script, isWhole: (script.errors?.length ?? 0) === 0 };
}
