// Decides whether a call may run by the rules (rules/decide.ts), or that a person must be asked (engine/ask-permission.ts).
// src/chapo/paths.ts refuses paths outside the project before.
import path from "node:path";
import type { Files } from "../../system/ports.js";
import type { Gatekeepers, GateCall } from "../engine/world.js";
import { given } from "../../system/given.js";
import { sha256Hex } from "../../system/text/sha256.js";
import { decide, type PermissionRules, type TrustMode } from "../rules/decide.js";
import type { Subject } from "../tool.js";
import { resolvePath } from "../paths.js";

/** The rules and the project of one session. */
export interface PermitPlace {
  rules: PermissionRules;
  mode: TrustMode;
  files: Files;
  /** The project's folder, absolute. */
  root: string;
}

/** Opens the gate's last check. A remembered call is allowed until the session ends. */
export function openPermit(place: PermitPlace): Pick<Gatekeepers, "permit" | "remember"> {
  const remembered = new Set<string>();
  return {
    permit: async (call) => {
      const subjects = await resolveSubjects(call.prepared.subjects, place);
      const { name, changes } = call.tool;
      const { verdict, because, rule } = decide(place.rules, place.mode, { tool: name, changes, subjects });
      if (verdict === "allow") return { allowed: true };
      if (verdict === "deny")
        return { refused: `${because}; nothing was done. Do not try to achieve the same with another call` };
      // An ask rule asks each time, even after `always`.
      if (rule === undefined && remembered.has(buildKey(call))) return { allowed: true };
      const whole = await createPreview(call);
      return {
        asks: { because, ...given({ rule }), preview: shorten(whole), digest: sha256Hex(whole) },
      };
    },
    remember: (call) => {
      remembered.add(buildKey(call));
    },
  };
}

/** Adds the real path of each path, because a link inside an allowed folder may point outside it. */
async function resolveSubjects(
  subjects: readonly Subject[],
  { files, root }: PermitPlace,
): Promise<Subject[]> {
  const realRoot = (await files.realPath(root)) ?? root;
  const all: Subject[] = [];
  for (const subject of subjects) {
    all.push(subject);
    if (subject.kind !== "path") continue;
    const resolved = await resolvePath({ files, root }, subject.path, subject.use);
    if ("path" in resolved) all.push({ ...subject, path: path.relative(realRoot, resolved.path) || "." });
  }
  return all;
}

/** Builds a key of the tool and its subjects, or of all its arguments if it has no subjects. */
function buildKey({ tool, args, prepared }: GateCall): string {
  return JSON.stringify([tool.name, prepared.subjects.length > 0 ? prepared.subjects : args]);
}

const LONGEST_PREVIEW = 30_000;

async function createPreview({ tool, args, prepared }: GateCall): Promise<string> {
  // A preview can fail, for example for a missing file. The call then fails for the same reason.
  return prepared.preview().catch(() => `${tool.name} ${JSON.stringify(args)}`);
}

function shorten(text: string): string {
  const more = text.length - LONGEST_PREVIEW;
  return more <= 0 ? text : `${text.slice(0, LONGEST_PREVIEW)}\n[${more} more characters are not shown]`;
}
