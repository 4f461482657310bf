// The sentences of clients that run as kind `command`: aider, goose, copilot, kimi. Pure.
import type { WordTable } from "./table.js";

export const TOOLS: WordTable = {
  of: "aider, goose, copilot, kimi-cli, opencode",
  version: "aider 0.86, goose 1.9, copilot 1.0.36, kimi-cli 1.8, opencode 1.18",
  source:
    "Aider-AI/aider aider/exceptions.py; block/goose crates/goose/src/providers/errors.rs; github/copilot-cli issues 138, 730, " +
    "2144, 3311; MoonshotAI/kimi-cli issue 998",
  own: [
    ["context-full", [String.raw`context length exceeded: .*`]],
    ["no-credit", [String.raw`credits exhausted: .*`, String.raw`you have no quota`]],
    [
      "rate-limited",
      [
        String.raw`the api provider has rate limited you`,
        String.raw`(?:sorry, )?you(?:'ve| have) (?:hit|reached|exceeded) a rate limit.*`,
        String.raw`(?:sorry, )?(?:your request was|you have been) rate-limited\. please wait.*`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`the api provider is not able to authenticate you`,
        String.raw`authentication token found but could not be validated`,
        String.raw`session was not created with authentication info or custom provider`,
      ],
    ],
    [
      "overloaded",
      [
        String.raw`failed to get response from the ai model`,
        String.raw`the api provider's servers are down or overloaded`,
        String.raw`openrouter or the upstream api provider is down, overloaded or rate limiting your requests`,
      ],
    ],
    [
      "network",
      [
        String.raw`the api provider timed out without returning a response`,
        String.raw`could not connect to \S+ — check your network connection and try again`,
        String.raw`network error — check your network connection and try again`,
      ],
    ],
  ],
};
