// The sentences of codex. Pure.
import { QUOTED, type WordTable } from "./table.js";

export const CODEX: WordTable = {
  of: "codex",
  version: "0.100 to 0.169",
  source:
    "recorded from 0.169.0; openai/codex codex-rs/protocol/src/error.rs; openai/codex issues 3409, 8987, 13811, 31411",
  own: [
    [
      "context-full",
      [
        String.raw`codex ran out of room in the model's context window`,
        String.raw`(?:your |the )?input exceeds (?:the )?context window of this model`,
      ],
    ],
    ["incomplete", [String.raw`incomplete response returned, reason: \w+`]],
    [
      "no-credit",
      [
        String.raw`quota exceeded(?=\. check your plan)`,
        String.raw`your (?:workspace|account|organization) is out of credits`,
      ],
    ],
    ["rate-limited", [String.raw`the usage limit has been reached`]],
    [
      "not-signed-in",
      [
        String.raw`missing environment variable: \S+`,
        String.raw`your access token could not be refreshed.*`,
        String.raw`to use codex with your chatgpt plan`,
        String.raw`access blocked by cloudflare`,
      ],
    ],
    ["model-unknown", [String.raw`the ${QUOTED} model is not supported.*`]],
    [
      "overloaded",
      [
        String.raw`selected model is at capacity`,
        String.raw`we(?:'re| are) (?:currently )?experiencing (?:\w+ )?high (?:demand|load|traffic)(?: right now)?(?:, which may cause temporary errors)?`,
      ],
    ],
    [
      "network",
      [
        String.raw`stream disconnected before completion`,
        String.raw`error sending request for url \(.{1,200}?\)`,
        String.raw`idle timeout waiting for sse`,
      ],
    ],
  ],
};
