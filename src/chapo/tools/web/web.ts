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
}

/** Creates `web_fetch` and `web_search`. */
export function createWebTools({ network, settings, env, unattended, said, mayConnect }: WebRequest): Tool[] {
  const onlyMentioned = settings.webFetch.onlyMentioned ?? unattended;
  const wasMentioned = (url: string) => isMentioned(url, said().flatMap(collectTexts));
  return [
    createWebFetchTool({ network, mayConnect, ...(onlyMentioned ? { wasMentioned } : {}) }),
    createWebSearchTool(network, settings.search, env),
  ];
}

/** Collects the user's texts and successful results. Leaves out the model, the engine and errors, which may repeat the request. */
function collectTexts(message: Message): string[] {
  switch (message.role) {
    case "user":
      return message.own === true ? [] : [message.text];
    case "tool":
      return message.results.filter(({ success }) => success).map(({ output }) => output);
    case "assistant":
      return [];
    default:
      return message satisfies never;
  }
}
