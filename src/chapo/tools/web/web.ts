// Creates the web tools from the settings.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Network } from "../../../system/network.js";
import type { Message } from "../../engine/conversation.js";
import type { Tool } from "../../tool.js";
import { isMentioned } from "./mentioned.js";
import { createWebFetchTool } from "./web-fetch.js";
import { createWebSearchTool } from "./web-search.js";

/** The settings and ports of the web tools. */
export interface WebRequest {
  network: Network;
  settings: Pick<ChapoSettings, "search" | "webFetch">;
  /** Includes the keys of the search providers. */
  env: Readonly<Record<string, string>>;
  /** Whether it is a backlog run, in which by default only mentioned URLs are fetched. */
  unattended: boolean;
  /** Returns the conversation at the time of the call. */
  said: () => readonly Message[];
  /** Whether the tools may connect to an address: any for which `isPrivateAddress` is false. */
  mayConnect: (address: string) => boolean;
  /** Whether a redirect to another host is reported instead of followed. */
  staysOnHost?: () => boolean;
}

/** Creates `web_fetch` and `web_search`. */
export function createWebTools(request: WebRequest): Tool[] {
  const { network, settings, env, unattended, said, mayConnect, staysOnHost } = request;
  const onlyMentioned = settings.webFetch.onlyMentioned ?? unattended;
  const wasMentioned = (url: string) => isNamedByOthers(url, said());
  return [
    createWebFetchTool({
      network,
      mayConnect,
      staysOnHost,
      ...(onlyMentioned ? { wasMentioned } : {}),
    }),
    createWebSearchTool(network, settings.search, env),
  ];
}

/**
 * Returns whether the user or a successful result named the URL before the model did: what the model wrote into a file and read
 * again does not count, and neither do the engine's own texts and errors.
 */
function isNamedByOthers(url: string, said: readonly Message[]): boolean {
  for (const message of said) {
    switch (message.role) {
      case "user":
        if (message.own !== true && isMentioned(url, [message.text])) return true;
        break;
      case "tool": {
        const texts = message.results.filter(({ success, name }) => success && !isShell(name));
        if (
          isMentioned(
            url,
            texts.map(({ output }) => output),
          )
        )
          return true;
        break;
      }
      case "assistant": {
        const written = message.calls.filter(({ name }) => !LOOKS_UP.test(name));
        if (written.some(({ args }) => isMentioned(url, collectStrings(args)))) return false;
        break;
      }
      default:
        return message satisfies never;
    }
  }
  return false;
}

/** Calls that only look up a URL, by the names of all vocabularies. */
const LOOKS_UP = /^(?:web[_.]?(?:fetch|search|extract))$/i;

/** A shell prints what the model wrote into its command. The names are those of all vocabularies. */
function isShell(name: string): boolean {
  return /^(?:bash.*|run_command|killshell|npm_.*|ssh_.*)$/i.test(name);
}

function collectStrings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(collectStrings) : [];
}
