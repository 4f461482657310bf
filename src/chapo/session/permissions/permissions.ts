// The permissions of a session: the mode, also while it changes, and the rules of the mode and the settings.
// rules/modes.ts has the table of the modes.
import { z } from "zod";
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { PermissionMode } from "../../../config/settings/modes.js";
import { RULES } from "../../rules/modes.js";
import { defineTool, done, failed, type Tool } from "../../tool.js";

/** The mode and the rules of a session. */
export interface SessionPermissions {
  rules: ChapoSettings["rules"];
  mode: () => PermissionMode;
  /** The tools that change the mode: `exit_plan_mode` in plan mode. */
  tools: () => Tool[];
}

/** The part of the permissions that is stored with a session. */
export interface ModeStore {
  read(): Promise<unknown>;
  write(value: unknown): Promise<void>;
}

/**
 * Opens the permissions. `usual`: the mode where none is set, and after a plan. Plan mode stays until its plan is approved, also in another
 * process, and an approved plan stays approved.
 */
export async function openPermissions(
  settings: Pick<ChapoSettings, "mode" | "rules">,
  { usual, store }: { usual: PermissionMode; store: ModeStore },
): Promise<SessionPermissions> {
  const { mode: chosen = usual } = settings;
  const after = chosen === "plan" ? usual : chosen;
  const stored = StoredPlan.safeParse(await store.read());
  // Another process that answers a question of the session does not know that it is in plan mode.
  const state = stored.success ? stored.data.plan : chosen === "plan" ? "open" : "approved";
  let current: PermissionMode = state === "open" ? "plan" : after;
  if (state === "open" && !stored.success) await store.write({ plan: "open" });
  const { allow, ask, deny } = settings.rules;
  const brought = RULES[after];
  return {
    rules: {
      allow: [...(brought?.allow ?? []), ...allow],
      ask: [...(brought?.ask ?? []), ...ask],
      deny,
    },
    mode: () => current,
    tools: () =>
      current === "plan"
        ? [
            createExitTool(async () => {
              if (current !== "plan") return false;
              current = after;
              await store.write({ plan: "approved" });
              return true;
            }),
          ]
        : [],
  };
}

const StoredPlan = z.object({ plan: z.enum(["open", "approved"]) });

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
