// The endpoints of the documents that Looper comes from.
import type { ApiRoute } from "../route.js";
import { ACTION_ROUTES } from "./actions.js";
import { AGENT_RUN_ROUTES } from "./agent-runs.js";
import { CHAT_ROUTES } from "./chat.js";
import { CODING_ROUTES } from "./coding.js";
import { LOOPER_ROUTES } from "./looper.js";
import { MEMORY_ROUTES } from "./memory.js";
import { SETTING_ROUTES } from "./settings.js";
import { SESSION_ROUTES } from "./sessions.js";

export const DOCUMENT_ROUTES: readonly ApiRoute[] = [
  ...LOOPER_ROUTES,
  ...SESSION_ROUTES,
  ...ACTION_ROUTES,
  ...AGENT_RUN_ROUTES,
  ...CODING_ROUTES,
  ...CHAT_ROUTES,
  ...MEMORY_ROUTES,
  ...SETTING_ROUTES,
];
