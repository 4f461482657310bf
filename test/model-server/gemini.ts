// Gemini generateContent and streamGenerateContent.
import { z } from "zod";
import {
  idAt,
  idOf,
  inParts,
  namesOf,
  signatureOf,
  STATUS,
  textsOf,
  type Answer,
  type Asked,
  type Dialect,
  type Frame,
  type HttpError,
  type Refusal,
} from "./dialect.js";
import type { Problem } from "./scenario.js";

const Part = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown().optional() }).optional(),
});
const Request = z.looseObject({
  systemInstruction: z.looseObject({ parts: z.unknown() }).optional(),
  contents: z.array(z.looseObject({ role: z.string().default("user"), parts: z.array(Part) })),
  tools: z
    .array(
      z.looseObject({
        functionDeclarations: z
          .array(
            z.looseObject({
              name: z.string(),
              parameters: z.unknown().optional(),
              parametersJsonSchema: z.unknown().optional(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

export const gemini: Dialect = {
  name: "gemini",
  read,
  whole: (answer) => chunkOf(answer, partsOf(answer), true),
  frames,
  overloaded: () => ({ data: errorBody({ problem: "overloaded" }) }),
  refuse: (refusal) => ({ status: statusOf(refusal.problem), headers: {}, body: errorBody(refusal) }),
};

function read(path: string, body: unknown): Asked {
  const [, model = "", method] = PATH.exec(path) ?? [];
  const { systemInstruction, contents, tools } = Request.parse(body);
  const last = contents.findLast(({ role }) => role !== "model")?.parts ?? [];
  return {
    model,
    stream: method === "streamGenerateContent",
    fresh: !contents.some(({ role }) => role === "model"),
    tools: tools
      .flatMap(({ functionDeclarations }) => functionDeclarations)
      .map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        takes: namesOf(parametersJsonSchema ?? parameters),
      })),
    last: last
      .map(({ text, functionResponse }) => text ?? JSON.stringify(functionResponse?.response ?? ""))
      .join("\n"),
    system: textsOf(systemInstruction?.parts),
  };
}

type Said = { text?: string; functionCall?: object; thoughtSignature?: string };

function partsOf(answer: Answer): Said[] {
  return answer.moves.map((move, at) => {
    const part =
      "say" in move
        ? { text: move.say }
        : { functionCall: { id: idAt("call", answer.number, at), name: move.call.name, args: move.input } };
    return answer.thought === true && at === 0 ? { ...part, thoughtSignature: signatureOf(answer) } : part;
  });
}

function chunkOf({ number, model, usage, cut }: Answer, parts: object[], last: boolean) {
  const prompt = usage.input + usage.cached;
  const candidate = { index: 0, content: { role: "model", parts } };
  return {
    responseId: idOf("resp", number),
    modelVersion: model,
    candidates: [last ? { ...candidate, finishReason: cut === true ? "MAX_TOKENS" : "STOP" } : candidate],
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: usage.cached,
      candidatesTokenCount: usage.output,
      thoughtsTokenCount: usage.reasoning,
      totalTokenCount: prompt + usage.output + usage.reasoning,
    },
  };
}

function frames(answer: Answer): Frame[] {
  const parts = partsOf(answer).flatMap((part): Said[] =>
    part.text === undefined ? [part] : inParts(part.text).map((text) => ({ ...part, text })),
  );
  return [
    ...parts.map((part) => ({ data: chunkOf(answer, [part], false) })),
    { data: chunkOf(answer, [{ text: "" }], true) },
  ];
}

const WORDS: Readonly<Record<Problem, readonly [status: string, message: string]>> = {
  "bad-request": ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  unauthorized: ["UNAUTHENTICATED", "API key not valid. Please pass a valid API key."],
  "model-unknown": ["NOT_FOUND", "models/no-such-model is not found for API version v1beta"],
  "context-full": [
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  ],
  "rate-limit": ["RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."],
  quota: [
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota, please check your plan and billing details.",
  ],
  credit: ["RESOURCE_EXHAUSTED", "Your prepayment credits are depleted."],
  server: ["INTERNAL", "An internal error has occurred."],
  overloaded: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
};

function statusOf(problem: Problem): number {
  return problem === "overloaded" ? 503 : STATUS[problem];
}

function errorBody({ problem, retryAfterSeconds, resetsAtSeconds }: Refusal): HttpError["body"] {
  const [status, message] = WORDS[problem];
  const type = (name: string) => ({ "@type": `type.googleapis.com/google.rpc.${name}` });
  const daily = { quotaId: "GenerateRequestsPerDayPerProjectPerModel", quotaValue: "100" };
  const reset = resetsAtSeconds === undefined ? "" : new Date(resetsAtSeconds * 1000).toISOString();
  const details = [
    ...(problem === "quota" ? [{ ...type("QuotaFailure"), violations: [daily] }] : []),
    ...(retryAfterSeconds === undefined
      ? []
      : [{ ...type("RetryInfo"), retryDelay: `${retryAfterSeconds}s` }]),
    ...(reset === ""
      ? []
      : [{ ...type("ErrorInfo"), reason: "QUOTA_EXHAUSTED", metadata: { quotaResetTimeStamp: reset } }]),
  ];
  return { error: { code: statusOf(problem), message, status, details } };
}
