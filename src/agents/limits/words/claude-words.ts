// The sentences of Claude Code. Pure.
import type { WordTable } from "./table.js";

export const CLAUDE: WordTable = {
  of: "claude",
  version: "2.0.76 to 2.1.329",
  source:
    "recorded from 2.1.329; anthropics/claude-code issues 19028, 40621, 42949, 57222, 62722, 66314, 71670",
  own: [
    [
      "context-full",
      [
        String.raw`(?:the |your )?(?:prompt|input) is too long(?:: \d+ tokens > \d+ maximum| for requested model)?`,
        String.raw`(?:error during compaction: )?conversation too long`,
        String.raw`context limit reached|request too large(?: for (?:the )?model .*)?`,
      ],
    ],
    ["incomplete", [String.raw`claude's response exceeded the \d+ output token maximum`]],
    ["turns", [String.raw`reached max(?:imum)? (?:number of|session) turns(?: for this session)?`]],
    ["budget", [String.raw`reached maximum budget`]],
    ["no-credit", [String.raw`(?:your )?credit balance (?:is )?too low(?: to access .{1,40}?)?`]],
    [
      "rate-limited",
      [
        String.raw`you(?:'re| are) out of (?:extra usage|usage|usage credits)`,
        String.raw`server is temporarily limiting requests`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`not logged in`,
        String.raw`oauth (?:access )?token (?:revoked|has expired|expired|has been revoked)`,
        String.raw`please (?:run|use) \/login`,
        String.raw`failed to authenticate`,
        String.raw`your .{1,60}? belongs to a disabled organization`,
        String.raw`your organization has disabled claude subscription access.*`,
        String.raw`(?:this|your) organization(?: has been disabled)?`,
      ],
    ],
    ["model-unknown", [String.raw`there's an issue with the selected model`]],
    [
      "overloaded",
      [
        String.raw`repeated 529 overloaded errors`,
        String.raw`(?:claude|opus|sonnet|haiku|gpt|gemini)[\w .-]{0,40}? is (?:temporarily unavailable|(?:currently )?experiencing high (?:load|demand))`,
      ],
    ],
    [
      "network",
      [
        String.raw`(?:unable to|cannot|failed to) connect to (?:the )?api(?: \(\w+\)| due to .{1,60}?)?`,
        String.raw`connection to the api was lost`,
        String.raw`api returned an empty or malformed response`,
        String.raw`the socket connection was closed unexpectedly`,
        String.raw`unable to connect\. is the computer able to access the url\?`,
      ],
    ],
  ],
};
