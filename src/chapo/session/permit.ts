// Decides whether a call may run: by the rules (rules/decide.ts), or by asking a person through `ask`.
// src/chapo/paths.ts refuses paths outside the project before.
import path from "node:path";
import type { Files } from "../../system/ports.js";
import type { Gatekeepers, GateCall } from "../engine/world.js";
import { decide, type PermissionDecision, type PermissionRules, type TrustMode } from "../rules/decide.js";
import type { UserQuestion, Reply } from "./session-request.js";
import type { Subject } from "../tool.js";
import { resolvePath } from "../paths.js";

/** The rules and the project of one session. */
export interface PermitPlace {
  rules: PermissionRules;
  mode: TrustMode;
  files: Files;
  /** The project's folder, absolute. */
  root: string;
  /** Absent if no person can answer. */
  ask?: (question: UserQuestion) => Promise<Reply>;
}

type Permit = Gatekeepers["permit"];

/** Returns the gate's last check. The answer `always` applies to equal calls until the session ends. */
export function openPermit(place: PermitPlace): Permit {
  const remembered = new Set<string>();
  return async (call, onActionPending) => {
    const subjects = await resolveSubjects(call.prepared.subjects, place);
    const { name, changes } = call.tool;
    const decision = decide(place.rules, place.mode, { tool: name, changes, subjects });
    if (decision.verdict === "allow") return { allowed: true };
    if (decision.verdict === "deny")
      return {
        refused: `${decision.because}; nothing was done. Do not try to achieve the same with another call`,
      };
    const key = buildKey(call);
    // An ask rule asks each time, even after `always`.
    const mayRemember = decision.rule === undefined;
    if (mayRemember && remembered.has(key)) return { allowed: true };
    const preview = await createPreview(call);
    onActionPending(preview);
    if (place.ask === undefined) return { refused: refuseUnattended(decision) };
    const question = { tool: name, agent: call.agent, preview, because: decision.because, mayRemember };
    // A closed terminal means no.
    const reply = await place.ask(question).catch((): Reply => "no");
    if (reply === "no")
      return {
        refused:
          "the user was asked and said no; nothing was done. Try another approach, or ask what they want",
      };
    if (reply === "always" && mayRemember) remembered.add(key);
    return { allowed: true };
  };
}

function refuseUnattended({ because, rule }: PermissionDecision): string {
  // An allow rule does not override an ask rule.
  const remedy = rule === undefined ? "; a rule in rules.allow, or trust_mode trusted, would allow it" : "";
  return (
    `a person must allow it first (${because}), and none can be asked here; nothing was done. ` +
    `Continue without it, or report what you would have done${remedy}`
  );
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
  const text = await prepared.preview().catch(() => `${tool.name} ${JSON.stringify(args)}`);
  const more = text.length - LONGEST_PREVIEW;
  return more <= 0 ? text : `${text.slice(0, LONGEST_PREVIEW)}\n[${more} more characters are not shown]`;
}
