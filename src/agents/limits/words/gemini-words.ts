// The sentences of gemini-cli and of the Gemini API's own clients. Pure.
import type { WordTable } from "./table.js";

export const GEMINI: WordTable = {
  of: "gemini",
  version: "0.1.4 to 0.61.0",
  source: "recorded from 0.61.0; google-gemini/gemini-cli issues 1906, 5191, 5746, 14831, 26739",
  own: [
    [
      "context-full",
      [String.raw`the input token count (?:\(\d+\) )?exceeds the maximum number of tokens allowed`],
    ],
    ["no-credit", [String.raw`your (?:prepayment|prepaid) credits are depleted`]],
    [
      "rate-limited",
      [
        String.raw`you(?:'ve| have) exhausted your (?:[\w-]+ ){0,3}(?:capacity|quota|credits|allowance)(?: on this model)?`,
        String.raw`quota exceeded for (?:quota )?metric.*`,
        String.raw`resource (?:has been )?exhausted`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`api key not valid`,
        String.raw`when using .{1,40}?, you must specify the \w+ environment variable`,
        String.raw`please set an auth method in .*|invalid auth method selected`,
      ],
    ],
    ["model-unknown", [String.raw`models\/\S+ is not found for api version \w+`]],
    ["overloaded", [String.raw`no capacity available for model \S+(?: on the server)?`]],
    [
      "network",
      [
        String.raw`incomplete json segment at the end|json parsing failed: text:.*`,
        String.raw`model stream ended with(?:out a finish reason| .{1,60}?)`,
      ],
    ],
  ],
  common: [
    [
      "network",
      [
        String.raw`json parse error: .*`,
        String.raw`(?:unterminated string|unexpected (?:end|token)|expected .{1,40}?) .{0,40}\bjson\b.*`,
      ],
    ],
  ],
};
