// The checks of a session's calls and results, by its rules and its mode: permit.ts for calls, screen.ts for results.
import { UserError } from "../../../system/errors.js";
import type { Message } from "../../engine/conversation.js";
import { decide } from "../../rules/decide.js";
import { allowsNetwork } from "../../rules/network.js";
import { TABLE } from "../../rules/modes.js";
import { readRules, type PermissionRules } from "../../rules/read-rules.js";
import type { Tool } from "../../tool.js";
import type { SessionPermissions } from "./permissions.js";
import { openPermit } from "./permit.js";
import { createPrintedFinder } from "./tracked-files.js";
import { createScreen, type ResultScreen } from "./screen.js";
import type { SessionRequest } from "../session-request.js";
import type { SessionParts } from "../session-world.js";
import type { ToolboxRequest } from "../toolbox.js";

/** The checks of a session. */
export interface Guard {
  /** The filters of the tools themselves. */
  bounds: Pick<ToolboxRequest, "hidden" | "staysOnHost">;
  /** Whether the rules open the network to a sandbox; false until `begin`. */
  network: () => boolean;
  /** Begins the checks, when the tools are known that rules may name. Throws a `usage` error for an invalid rule. */
  begin: (tools: readonly Tool[]) => Pick<SessionParts, "permit" | "screen" | "hidden" | "mayRemember">;
}

/** Opens the checks. Until `begin` everything is hidden. */
export function openGuard(
  request: SessionRequest,
  { rules: lists, mode }: SessionPermissions,
  said: () => readonly Message[],
): Guard {
  const { ports, root, env } = request;
  let screen: ResultScreen | undefined;
  let network = false;
  return {
    bounds: {
      staysOnHost: () => TABLE[mode()].web !== "run",
      hidden: {
        name: (file) => screen?.hidden.name(file) ?? true,
        content: (file) => screen?.hidden.content(file) ?? true,
        linked: async (hides, paths) => (await screen?.hidden.linked(hides, paths)) ?? new Set(paths),
      },
    },
    network: () => network,
    begin: (tools) => {
      const rules = readSessionRules(lists, request, tools);
      network = allowsNetwork(rules);
      screen = createScreen({ rules, mode, files: ports.files, root, env });
      const findPrinted = createPrintedFinder({
        ...{ ports, root, env, rules },
        guardsSecrets: () => TABLE[mode()].look === "run" && TABLE[mode()].secret !== "run",
      });
      const place = { rules, mode, files: ports.files, root, findPrinted };
      const note = { tool: "memory_remember", changes: true, subjects: [] };
      return {
        permit: openPermit({ ...place, said: () => said().flatMap(collectUserText) }),
        screen: screen.screen,
        hidden: screen.hidden,
        mayRemember: () => decide(rules, mode(), note).verdict === "allow",
      };
    },
  };
}

/** Reads the rules. An invalid rule is an error, because skipping it could skip a prohibition. */
function readSessionRules(
  lists: SessionRequest["settings"]["rules"],
  { root }: SessionRequest,
  tools: readonly Tool[],
): PermissionRules {
  const { rules, problems } = readRules(lists, { root, tools: tools.map(({ name }) => name) });
  if (problems.length === 0) return rules;
  throw new UserError("usage", problems.join("\n"), "correct agents.chapo.chapo.rules");
}

/** Returns what a person wrote. */
function collectUserText(message: Message): string[] {
  return message.role === "user" && message.own !== true ? [message.text] : [];
}
