// The checks of a session's calls and results, by its rules and its mode: permit.ts for calls, screen.ts for results. The rules of
// the mode and of the settings count together; rules/modes.ts has the table of the modes.
import { z } from "zod";
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { usageError } from "../../../system/errors.js";
import type { Message } from "../../engine/conversation.js";
import type { Gatekeepers } from "../../engine/world.js";
import type { Hidden } from "../../paths.js";
import { decide } from "../../rules/decide.js";
import { allowsNetwork, readRules } from "../../rules/read-rules.js";
import { RULES, TABLE } from "../../rules/modes.js";
import { defineTool, done, failed, type SessionPart, type Tool } from "../../tool.js";
import type { SessionRequest } from "../session-request.js";
import { openPermit } from "./permit.js";
import { createScreen } from "./screen.js";
import { createPrintedFinder } from "./tracked-files.js";

/** The mode and the rules of a session. */
export interface SessionPermissions {
  rules: ChapoSettings["rules"];
  mode: () => PermissionMode;
  /** The modes that a person can change to while the session is open. */
  modes: readonly PermissionMode[];
  /** Changes the mode to one of `modes`. */
  setMode: (mode: PermissionMode) => Promise<void>;
  /** The tools that change the mode: `exit_plan_mode` in plan mode. */
  tools: () => Tool[];
}

/** The checks of a session. */
export interface Guard extends Pick<Gatekeepers, "permit" | "remember" | "screen"> {
  /** The files that the rules keep out of results. */
  hidden: Hidden;
  /** Whether `web_fetch` reports a redirect to another host instead of following it. */
  staysOnHost: () => boolean;
  /** Whether the rules open the network to a sandbox. */
  network: () => boolean;
  /** Whether a summary may be kept for later sessions without a question. */
  mayRemember: () => boolean;
}

/** Opens the checks. Throws a `usage` error for an invalid rule: skipping it could skip a prohibition. */
export function openGuard(
  { ports, root, env }: Pick<SessionRequest, "ports" | "root" | "env">,
  { rules: lists, mode }: SessionPermissions,
  said: () => readonly Message[],
): Guard {
  const { files } = ports;
  const { rules, problems } = readRules(lists, root);
  if (problems.length > 0) throw usageError(problems.join("\n"), "correct agents.chapo.chapo.rules");
  const findPrinted = createPrintedFinder({
    ...{ ports, root, env, rules },
    guardsSecrets: () => TABLE[mode()].look === "run" && TABLE[mode()].secret !== "run",
  });
  const note = { tool: "memory_remember", changes: true, subjects: [] };
  return {
    ...openPermit({ rules, mode, files, root, findPrinted, said: () => said().flatMap(collectUserText) }),
    ...createScreen({ rules, mode, files, root, env }),
    staysOnHost: () => TABLE[mode()].web !== "run",
    network: () => allowsNetwork(rules),
    mayRemember: () => decide(rules, mode(), note).verdict === "allow",
  };
}

/** Returns what a person wrote. */
function collectUserText(message: Message): string[] {
  return message.role === "user" && message.own !== true ? [message.text] : [];
}

/** Modes without rules of their own. One that does not ask at all is offered only to a session that began in it. */
const CHANGEABLE = ["default", "acceptEdits", "auto", "plan"] as const satisfies readonly PermissionMode[];

const StoredPlan = z.object({ plan: z.enum(["open", "approved"]) });

/**
 * Opens the permissions. `usual`: the mode where none is set, and after a plan. Plan mode stays until its plan is approved, also in another
 * process, and an approved plan stays approved.
 */
export async function openPermissions(
  { mode: chosen, rules }: Pick<ChapoSettings, "mode" | "rules">,
  { usual, store }: { usual: PermissionMode; store: SessionPart },
): Promise<SessionPermissions> {
  const own = chosen === undefined || chosen === "plan" ? usual : chosen;
  let after: PermissionMode = own;
  const stored = StoredPlan.safeParse(await store.read());
  // Another process that answers a question of the session does not know that it is in plan mode.
  const state = stored.success ? stored.data.plan : chosen === "plan" ? "open" : "approved";
  let current: PermissionMode = state === "open" ? "plan" : after;
  if (state === "open" && !stored.success) await store.write({ plan: "open" });
  const brought = RULES[own];
  const exit = createExitTool(async () => {
    if (current !== "plan") return false;
    current = after;
    await store.write({ plan: "approved" });
    return true;
  });
  return {
    rules: {
      allow: [...(brought?.allow ?? []), ...rules.allow],
      ask: [...(brought?.ask ?? []), ...rules.ask],
      deny: rules.deny,
    },
    mode: () => current,
    // The rules that a mode brings are read once.
    modes: brought === undefined ? [...new Set([own, ...CHANGEABLE])] : [own, "plan"],
    setMode: async (mode) => {
      const isAboutPlan = mode === "plan" || current === "plan";
      if (mode !== "plan") after = mode;
      current = mode;
      // Another process that resumes the session asks as its settings say; a plan that is open stays so there, too.
      if (isAboutPlan) await store.write(mode === "plan" ? { plan: "open" } : null);
    },
    tools: () => (current === "plan" ? [exit] : []),
  };
}

/** Creates the tool that ends plan mode. The gate asks a person first (rules/decide.ts). */
function createExitTool(leave: () => Promise<boolean>): Tool {
  return defineTool({
    name: "exit_plan_mode",
    description:
      "You are in plan mode: read and think, but change nothing; calls that change something are refused. When the plan is ready, call this with it. A person then approves it, which ends plan mode, or rejects it.",
    arguments: z.strictObject({
      plan: z.string().max(50_000).optional().describe("The whole plan, as Markdown"),
    }),
    changes: true,
    preview: ({ plan }) => Promise.resolve(plan ?? "leave plan mode and begin to change files"),
    run: async () =>
      (await leave())
        ? done("The plan is approved and plan mode is over. Carry the plan out now.")
        : failed("plan mode is over already"),
  });
}
