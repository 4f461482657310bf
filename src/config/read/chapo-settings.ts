// The settings of the built-in engine as it needs them: every default in, every path absolute. A record, as
// it is handed to the child that hosts it.
import { z } from "zod";
import { resolvePath, type PathBase } from "./places.js";
import type { Renamed } from "../settings/setting-row.js";
import type { Settings } from "../settings/settings.js";

type Own = Renamed<Settings["agents"][string]["chapo"]>;

/** The rows `agents.*.chapo`. All paths are absolute. An optional field is absent when it is not set. */
export interface ChapoSettings extends Omit<Own, "sandbox"> {
  /** How much the model is to think; checked when the model is opened. */
  effort?: string;
  /** The sandbox of its shell, with the files of keys to hide; absent: none. */
  sandbox?: { keyFiles: string[] };
  /** By event: the hooks of sessions. */
  hooks?: Settings["hooks"]["events"];
}

/** As its own parent hands it to the child. */
export const ChapoSettings = z.custom<ChapoSettings>((value) => typeof value === "object" && value !== null);

/** The engine's settings of one agent; `settings`: those that all agents share. */
export function chapoSettings(
  { sandbox, subAgents, ssh, ...own }: Own,
  effort: string | undefined,
  { prices_file: pricesFile, env_file: envFile, hooks }: Pick<Settings, "prices_file" | "env_file" | "hooks">,
  place: Pick<PathBase, "project" | "home">,
): ChapoSettings {
  const absolute = (spelled: string | undefined): string | undefined =>
    spelled === undefined ? undefined : resolvePath(spelled, place);
  return {
    pricesFile: absolute(pricesFile),
    effort,
    ...own,
    ...(sandbox ? { sandbox: { keyFiles: [absolute(envFile) ?? []].flat() } } : {}),
    subAgents: eachOf(subAgents, (one) => ({ ...one, prompt: absolute(one.prompt) })),
    ssh: { hosts: eachOf(ssh.hosts, (one) => ({ ...one, identity: absolute(one.identity) })) },
    ...(Object.keys(hooks.events).length > 0 ? { hooks: hooks.events } : {}),
  };
}

function eachOf<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
