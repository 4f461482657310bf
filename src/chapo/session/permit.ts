// Whether a call may run: the rules decide, or a person who is asked. Leaves the deciding to rules/decide.ts, what lies out of
// bounds to src/chapo/paths.ts, and how a person is asked to whoever hands in `ask`.
import path from "node:path";
import type { Files } from "../../system/ports.js";
import type { Gatekeepers, GateCall } from "../engine/world.js";
import { decide, type Decision, type Rules, type TrustMode } from "../rules/decide.js";
import type { UserQuestion, Reply } from "./session-request.js";
import type { Subject } from "../tool.js";
import { resolvePath } from "../paths.js";

/** What decisions come from, for one session. */
export interface PermitPlace {
  rules: Rules;
  mode: TrustMode;
  files: Files;
  /** The project's, absolute. */
  root: string;
  /** Absent where nobody is there to answer. */
  ask?: (question: UserQuestion) => Promise<Reply>;
}

type Permit = Gatekeepers["permit"];

/** The gate's last question. What is answered with `always` holds for the very same until the session ends. */
export function openPermit(place: PermitPlace): Permit {
  const remembered = new Set<string>();
  return async (call, onActionPending) => {
    const subjects = await resolveSubjects(call.prepared.subjects, place);
    const { name, changes } = call.tool;
    const decision = decide(place.rules, place.mode, { tool: name, changes, subjects });
    if (decision.verdict === "allow") return { allowed: true };
    if (decision.verdict === "deny")
      return {
        refused: `${decision.because}; nothing was done, and trying it in other words is no way around it`,
      };
    const key = buildKey(call);
    // A rule that wants to be asked is asked each time: it goes before what was allowed.
    const mayRemember = decision.rule === undefined;
    if (mayRemember && remembered.has(key)) return { allowed: true };
    const preview = await createPreview(call);
    onActionPending(preview);
    if (place.ask === undefined) return { refused: refuseUnattended(decision) };
    const question = { tool: name, agent: call.agent, preview, because: decision.because, mayRemember };
    // A terminal that goes away has not said yes.
    const reply = await place.ask(question).catch((): Reply => "no");
    if (reply === "no")
      return {
        refused: "the user was asked and said no; nothing was done. Go another way, or ask what they want",
      };
    if (reply === "always" && mayRemember) remembered.add(key);
    return { allowed: true };
  };
}

function refuseUnattended({ because, rule }: Decision): string {
  // A rule to ask is not outvoted by one to allow.
  const remedy = rule === undefined ? "; a rule in rules.allow, or trust_mode trusted, would let it run" : "";
  return (
    `it must be allowed by a person first (${because}), and nobody is there to be asked; nothing was done. ` +
    `Go on without it, or say what you would have done${remedy}`
  );
}

/** Each path by what it really is as well: a link may lead from what is allowed to what is not. */
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

/** Exactly this command, or this tool at these places; with all its arguments where it says of none. */
function buildKey({ tool, args, prepared }: GateCall): string {
  return JSON.stringify([tool.name, prepared.subjects.length > 0 ? prepared.subjects : args]);
}

const LONGEST_PREVIEW = 30_000;

async function createPreview({ tool, args, prepared }: GateCall): Promise<string> {
  // A file that is not there, say: the call will fail for the same reason, if it is allowed.
  const text = await prepared.preview().catch(() => `${tool.name} ${JSON.stringify(args)}`);
  const more = text.length - LONGEST_PREVIEW;
  return more <= 0 ? text : `${text.slice(0, LONGEST_PREVIEW)}\n[${more} more characters are not shown]`;
}
