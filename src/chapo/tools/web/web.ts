// The tools of the web, as the settings have them. Leaves each to its own file.
import type { ChapoSettings } from "../../../config/read/chapo-settings.js";
import type { Network } from "../../../system/network.js";
import type { Message } from "../../engine/conversation.js";
import type { Tool } from "../../tool.js";
import { isMentioned } from "./mentioned.js";
import { createWebFetchTool } from "./web-fetch.js";
import { createWebSearchTool } from "./web-search.js";

/** What they are made from. */
export interface WebRequest {
  network: Network;
  settings: Pick<ChapoSettings, "search" | "webFetch">;
  /** With the keys of those who search. */
  env: Readonly<Record<string, string>>;
  /** In a backlog run only what was mentioned is fetched, where the settings say nothing. */
  unattended: boolean;
  /** The conversation as it is when a page is asked for. */
  said: () => readonly Message[];
  /** Whether an address may be connected to for a model: all but `isPrivateAddress`. */
  mayConnect: (address: string) => boolean;
}

/** `web_fetch` and `web_search`. */
export function createWebTools({ network, settings, env, unattended, said, mayConnect }: WebRequest): Tool[] {
  const onlyMentioned = settings.webFetch.onlyMentioned ?? unattended;
  const wasMentioned = (url: string) => isMentioned(url, said().flatMap(collectTexts));
  return [
    createWebFetchTool({ network, mayConnect, ...(onlyMentioned ? { wasMentioned } : {}) }),
    createWebSearchTool(network, settings.search, env),
  ];
}

/** What others said: not the model, not the engine in its name, and no error, which may repeat what was asked for. */
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
