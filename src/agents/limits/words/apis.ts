// The sentences of the APIs themselves, which every client passes on: OpenAI, Anthropic, Azure, Bedrock, Google, OpenRouter,
// DeepSeek. Pure.
import { OWN_LIMIT, QUOTED, type WordTable } from "./table.js";

/** Words that name a limit, before the word "limit" itself. */
const KIND = String.raw`(?:(?:requests?|tokens?) per (?:second|minute|hour|day|week|month)|claude|codex|gemini|ai|opus|sonnet|haiku|fable|your|the|provider|usage|session|weekly|monthly|daily|hourly|weekly\/monthly|\d+[- ]hour|five-hour|requests?|tokens?|token plan|rate|spend(?:ing)?|free|plan|api|account|organization|model|individual|concurrency)`;
/** The credentials that a client signs in with. */
const KEY = String.raw`api key|(?:api|access|refresh|auth|oauth|authentication|authorization|session|id|bearer) token|login|session`;
const VENDOR = "is|has been|was|are|have been|were";

export const APIS: WordTable = {
  of: "the APIs of Anthropic, OpenAI, Google, Azure, AWS Bedrock, OpenRouter, DeepSeek, Moonshot, xAI, Ollama, Z.ai",
  version: "as answered from 2024 to November 2026",
  source:
    "recorded from their clients; issues continuedev/continue 10502 and 11787, dyad-sh/dyad 1849, langchain-ai/langchainjs 1929, " +
    "awslabs/agent-evaluation 64, i-dot-ai/caddy-chatbot 97, cline/cline 5301, MoonshotAI/kimi-cli 907 and 1599, pollinations/pollinations 6260, QwenLM/qwen-code 1742, continuedev/continue 9233 and 12670, " +
    "kaitranntt/ccs 402, NousResearch/hermes-agent 26847",
  own: [
    ["context-full", [String.raw`this (?:model|endpoint)'s maximum context length is \d+ tokens`]],
    [
      "no-credit",
      [
        // OpenAI says so of an empty balance, the Gemini API of a limit that resets.
        String.raw`you exceeded your current quota, please check your plan and billing details(?=.*platform\.openai\.com)`,
        String.raw`billing hard limit has been reached`,
        String.raw`(?:your account is not active, )?please check your billing details`,
        String.raw`this request requires more credits(?:, or fewer max_tokens)?`,
        String.raw`insufficient account balance|your credits (?:have run out|are (?:used up|depleted|exhausted))`,
        String.raw`your (?:team|account|organization)(?: \S+)? has (?:either )?used all available credits.*`,
        String.raw`your (?:[\w-]+ ){0,3}(?:teams?|accounts?|organizations?|workspaces?) (?:doesn't|does not|don't|do not) have (?:any|enough) (?:credits?|balance|funds).*`,
      ],
    ],
    [
      "rate-limited",
      [
        String.raw`(?:sorry, )?you(?: \([^)]{1,60}\))?(?:'ve| have)? (?:hit|reached|exceeded) (?:your|the) ${OWN_LIMIT}(?: (?:for|set in|set by) .{1,60}?)?`,
        String.raw`your (?:workspace|account|organization|team) has (?:hit|reached|exceeded) (?:its|the) ${OWN_LIMIT}`,
        String.raw`(?:${KIND} ){1,5}limit (?:(?:${VENDOR}) )?(?:reached|exceeded|exhausted|hit)(?: for .{1,120}?)?`,
        String.raw`(?:this|your) request (?:would exceed|exceeds|exceeded|has exceeded) (?:your|the) (?:[\w']+ ){0,3}rate limit(?: of [\d,]+ [\w ]+?)?`,
        String.raw`number of (?:request )?tokens has exceeded your .{1,40}?rate limit`,
        String.raw`your requests to .{1,80}? have exceeded the (?:\w+ ){0,2}rate limit.*`,
        String.raw`requests to the [\w ]{1,80}? operation (?:under azure openai api version \S+ )?have exceeded (?:\w+ ){0,2}rate limit.*`,
        String.raw`(?:(?:your )?requests|you) have exceeded (?:the )?(?:call|token) rate limit of your current .*`,
        String.raw`your account .{1,120}? request reached (?:the )?organization .{0,60}?(?:rate limit|max \w+).*`,
        String.raw`free-models-per-\w+|limit_rp[md]\/\S+`,
        String.raw`request rate increased too quickly`,
        String.raw`your request rate is too high|you(?:'re| are) sending (?:requests|messages) too (?:quickly|fast)`,
        String.raw`too many (?:tokens|requests), please (?:wait|slow down|try again).*`,
        String.raw`\S+ is temporarily rate-limited upstream`,
        String.raw`we(?:'re| are) receiving too many requests at the moment`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`(?:invalid|incorrect) (?:x-)?api[- ]key(?: provided)?(?:: \S+(?<=\.))?`,
        String.raw`request had invalid authentication credentials`,
        String.raw`the security token included in the request is (?:expired|invalid)`,
      ],
    ],
    [
      "model-unknown",
      [
        String.raw`the (?:requested )?model ${QUOTED} (?:does not exist|was not found|is not supported).*`,
        String.raw`model not found: \S+`,
      ],
    ],
    [
      "overloaded",
      [
        String.raw`(?:our servers are|(?:the|this|that) model is) (?:currently )?overloaded(?: with other requests)?`,
        String.raw`we(?:'re| are) (?:getting|receiving) more traffic than .*`,
        String.raw`the server had an error (?:while )?processing your request`,
        String.raw`the system is currently experiencing high demand.*`,
        String.raw`the engine is currently overloaded`,
        String.raw`a timeout occurred,? error code 524`,
        String.raw`(?:[\w.-]+ ){0,4}capacity exceeded(?: for this model)?`,
      ],
    ],
  ],
  common: [
    [
      "no-credit",
      [
        String.raw`insufficient (?:balance|credits?|funds|quota)`,
        String.raw`payment required`,
        String.raw`(?:no|out of|not enough) (?:remaining )?credits?(?: left| remaining)?`,
        String.raw`you(?:'re| are) out of credits|you(?:'ve| have) run out of credits(?: or .{1,60}?)?`,
      ],
    ],
    [
      "rate-limited",
      [
        String.raw`rate[- ]limited(?: by (?:the )?(?:api|provider|server|model|upstream)(?: provider)?)?`,
        String.raw`max(?:imum)? (?:number of )?(?:retry attempts|retries|attempts) (?:reached|exceeded) for rate[- ]limit(?:s|ing)?(?:: \d+ retries)?`,
        String.raw`high concurrency usage of this api`,
        String.raw`too many (?:concurrent )?(?:requests|tokens|connections)(?: for (?:this|your) (?:account|organization|workspace|plan|model|api key)\b.{0,40}?)?`,
        String.raw`(?:(?:allocated|${KIND}) ){0,4}quota (?:has been |is )?(?:exceeded|exhausted|reached)(?: for .{1,200}?)?`,
        String.raw`(?:please )?slow down|(?:please )?reduce your request rate`,
        String.raw`(?:your |the )?requests? (?:${VENDOR}) (?:being )?(?:throttled|rate[- ]limited)`,
        String.raw`you(?:'ve| have|'re| are)(?: been| being)? (?:rate[- ]limited|throttled)`,
        String.raw`(?:request )?throttled|throttling`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`unauthorized|authentication (?:required|failed|error)|(?:sign|log)[- ]in (?:is )?required`,
        String.raw`(?:you (?:are|must be) )?not (?:currently )?(?:signed|logged) in(?: or .{1,60}?)?`,
        String.raw`invalid (?:access |auth |bearer )?token`,
        String.raw`(?:looks like )?(?:the |your )?(?:${KEY}|credentials?) (?:${VENDOR}) (?:invalid|expired|revoked|missing|not set|disabled|deactivated)`,
        String.raw`(?:[\w-]+ ){0,2}(?:${KEY}) (?:has )?expired(?: and could not be refreshed)?`,
        String.raw`no (?:valid )?(?:api key|credentials|authentication information)(?: (?:${VENDOR}))? (?:found|provided|set|configured)`,
        String.raw`unable to locate credentials|your default credentials were not found`,
        String.raw`could not (?:load|automatically determine) (?:the )?(?:default )?credentials`,
        String.raw`(?:this|your) (?:organization|account|workspace|api key) has been (?:disabled|deactivated|suspended)`,
      ],
    ],
    ["model-unknown", [String.raw`(?:unknown|invalid) model(?:: ?\S+)?`]],
    [
      "overloaded",
      [
        String.raw`overloaded`,
        String.raw`(?:the |this )?(?:server|service|api|provider|engine|model)(?: you(?:'ve| have) selected)? is (?:currently |temporarily )?(?:overloaded|unavailable|at capacity|busy|too busy|experiencing high (?:load|demand|traffic))`,
        String.raw`server (?:busy|overloaded)`,
        String.raw`internal server error|an internal error has occurred`,
        String.raw`service (?:temporarily )?unavailable|bad gateway|gateway time-?out`,
      ],
    ],
  ],
  within: [
    ["no-credit", [String.raw`(?:insufficient|not enough|no more|out of) (?:credits?|balance|funds)`]],
    [
      "rate-limited",
      [
        String.raw`(?:rate|usage|request|token|concurrency|spend(?:ing)?)[- ]limit (?:(?:${VENDOR}) )?(?:reached|exceeded|exhausted|hit)`,
        String.raw`(?<!\bjob )quota (?:(?:${VENDOR}) )?(?:reached|exceeded|exhausted|used up)`,
        String.raw`(?:hit|reached|exceeded) (?:your|the|its|a) (?:[\w-]+ )?(?:rate|usage) limits?`,
        String.raw`(?:is|are|was|been|being) (?:rate[- ]limited|throttled)`,
      ],
    ],
    [
      "not-signed-in",
      [
        String.raw`(?:invalid|expired|missing) (?:${KEY})`,
        String.raw`not (?:logged|signed) in`,
        String.raw`please run \/login`,
      ],
    ],
    [
      "overloaded",
      [
        String.raw`(?:server|service|provider|model|engine|inference|api)s? (?:is|are) (?:currently |temporarily )*(?:overloaded|unavailable|at capacity|too busy)`,
      ],
    ],
  ],
};
