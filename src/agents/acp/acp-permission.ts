// Answers an agent that asks for permission. Pure. It sees only the calls that the agent asks about, and only the agent's
// own description of them.
import path from "node:path";
import type { Permissions } from "../../workflow/words.js";
import { never } from "../../system/never.js";
import type { AcpTool } from "./acp-tools.js";

/** An answer that the agent offers. */
export interface AcpOption {
  optionId: string;
  kind: string;
}

/** Answers of the protocol. */
export type AcpAnswer = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

/** Whether a call is allowed. `roots`: the working directory, under each of its names. */
export function isAllowed(tool: AcpTool, permissions: Permissions, roots: readonly string[]): boolean {
  switch (permissions) {
    case "full":
      return true;
    case "read-only":
      return tool.kind !== undefined && READS.has(tool.kind);
    case "workspace":
      // A command's words do not tell which files it reaches.
      return READS.has(tool.kind ?? "") || tool.kind === "execute" || isInside(tool.paths, roots);
    default:
      return never(permissions);
  }
}

const READS: ReadonlySet<string> = new Set(["read", "search", "think"]);

function isInside(paths: readonly string[], roots: readonly string[]): boolean {
  return paths.every((one) =>
    roots.some((root) => {
      const relative = path.relative(root, path.resolve(root, one));
      return relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
    }),
  );
}

/** This once rather than always: the next call shall be asked about again. Without a fitting option the call is cancelled. */
export function chooseAnswer(allowed: boolean, options: readonly AcpOption[]): AcpAnswer {
  const kinds = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const kind of kinds) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return { outcome: "selected", optionId: option.optionId };
  }
  return { outcome: "cancelled" };
}
