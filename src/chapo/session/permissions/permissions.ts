// The permissions of a session: the mode, also while it changes, and the rules of the profile and the settings.
// rules/modes.ts has the table of the modes; the profiles are files of prompts/chapo/profiles.
import path from "node:path";
import { z } from "zod";
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Files } from "../../../system/ports.js";
import { UserError } from "../../../system/errors.js";
import { MODES, type PermissionMode } from "../../rules/modes.js";
import { defineTool, done, failed, type Tool } from "../../tool.js";

const texts = z.array(z.string());
const Profile = z.strictObject({
  description: z.string(),
  mode: z.enum(MODES),
  rules: z.strictObject({ allow: texts, ask: texts, deny: texts }),
});

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

type Own = Pick<ChapoSettings, "mode" | "profile" | "trustMode" | "rules">;

/** Returns the mode that the settings come to. `mode` beats the profile's, and that beats `trust_mode`. */
export function chooseMode({ mode, trustMode }: Pick<Own, "mode" | "trustMode">, ofProfile?: PermissionMode) {
  return mode ?? ofProfile ?? trustMode ?? "default";
}

/** Opens the permissions. Plan mode stays until its plan is approved, also in another process, and an approved plan stays approved. */
export async function openPermissions(
  settings: Own,
  { files, promptsFolder, store }: { files: Files; promptsFolder: string; store: ModeStore },
): Promise<SessionPermissions> {
  const profile = await readProfile(files, promptsFolder, settings.profile);
  const chosen = chooseMode(settings, profile?.mode);
  const after = chosen === "plan" ? (profile?.mode ?? settings.trustMode ?? "default") : chosen;
  const stored = StoredPlan.safeParse(await store.read());
  // Another process that answers a question of the session does not know that it is in plan mode.
  const state = stored.success ? stored.data.plan : chosen === "plan" ? "open" : "approved";
  let current: PermissionMode = state === "open" ? "plan" : after;
  if (state === "open" && !stored.success) await store.write({ plan: "open" });
  const { allow, ask, deny } = settings.rules;
  return {
    rules: {
      allow: [...(profile?.rules.allow ?? []), ...allow],
      ask: [...(profile?.rules.ask ?? []), ...ask],
      deny: [...(profile?.rules.deny ?? []), ...deny],
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

async function readProfile(files: Files, folder: string, name: string | undefined) {
  if (name === undefined) return undefined;
  const file = path.join(folder, "chapo", "profiles", `${name}.json`);
  const bytes = await files.read(file);
  if (bytes === undefined)
    throw new UserError(
      "usage",
      `cannot find the profile ${name} (${file})`,
      "choose claude, anvil or dangerous",
    );
  return Profile.parse(JSON.parse(new TextDecoder().decode(bytes)));
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
