// Converts a call that waits in the session to the question's subject in a run. Pure.
import type { z } from "zod";
import type { WaitingCallLine as Line } from "../../agents/hosted/waiting-call-line.js";
import { field, textField } from "../../agents/fields.js";
import type { SessionCall } from "../engine/calls/pending.js";

type WaitingCallLine = z.infer<typeof Line>;

const PATHS = ["path", "source", "destination"];

/** The call as the task's row holds it. The command is exactly the one that runs. */
export function toWaitingCall({ call: id, tool, args, preview, again }: SessionCall): WaitingCallLine {
  const command = textField(args, "command") ?? describeCall(tool, args, preview);
  const paths = [...PATHS.flatMap((name) => textField(args, name) ?? []), ...listEdited(args)];
  return {
    id,
    tool,
    arguments: typeof args === "object" && args !== null ? { ...args } : {},
    command: again === "may_have_run" ? `${command} (it may have run already)` : command,
    ...(preview === command ? {} : { preview }),
    ...(paths.length === 0 ? {} : { paths: [...new Set(paths)] }),
  };
}

/** A preview of one line is the command, such as `git push origin x`. */
function describeCall(tool: string, args: unknown, preview: string): string {
  const line = preview.trim();
  if (line !== "" && !line.includes("\n")) return line;
  const path = textField(args, "path");
  return path === undefined ? tool : `${tool} ${path}`;
}

function listEdited(args: unknown): string[] {
  const edits = field(args, "edits");
  return Array.isArray(edits) ? edits.flatMap((edit: unknown) => textField(edit, "path") ?? []) : [];
}
