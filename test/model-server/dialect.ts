// The operations that a provider's protocol must offer to the server. Types, and the words protocols share; each one has its own file.
import { z } from "zod";
import type { Problem, Usage } from "./scenario.js";

export type DialectName = "anthropic" | "responses" | "chat" | "gemini";

/** A tool a request offers; `takes`: the names of its arguments, or "text" where it is given one text. */
export interface Offered {
  name: string;
  takes: readonly string[] | "text";
  /** Where tools are grouped, the name of the group. */
  group?: string;
}

/** A request as the scenario sees it. */
export interface Asked {
  model: string;
  stream: boolean;
  /** Whether the conversation holds no answer of the model yet. */
  fresh: boolean;
  tools: readonly Offered[];
  /** The texts of its last message or tool result. */
  last: string;
  /** Its system prompt; empty where it has none. */
  system: string;
}

/** A thing the model does: it speaks, or calls one tool. */
export type Move = { say: string } | { call: Offered; input: Readonly<Record<string, unknown>> | string };

export interface Answer {
  /** Differs from answer to answer. */
  number: number;
  model: string;
  /** At least one, in their order. */
  moves: readonly Move[];
  /** It ran into the limit of its output. */
  cut?: boolean;
  /** It thought before, and its client has to hand that back. */
  thought?: boolean;
  usage: Usage;
}

/** One server-sent event. */
export interface Frame {
  event?: string;
  data: unknown;
}

export interface Refusal {
  problem: Problem;
  retryAfterSeconds?: number;
  resetsAtSeconds?: number;
}

/** An HTTP answer that is an error. */
export interface HttpError {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** One provider's protocol. */
export interface Dialect {
  name: DialectName;
  /** Throws on a body that is not one of this protocol's requests. `path` without its query. */
  read(path: string, body: unknown): Asked;
  whole(answer: Answer): unknown;
  frames(answer: Answer): Frame[];
  /** Told in the middle of an answer: the provider has too much to do. */
  overloaded(answer: Answer): Frame;
  refuse(refusal: Refusal): HttpError;
}

/** The status providers use; overloaded differs between them. */
export const STATUS: Readonly<Record<Problem, number>> = {
  "bad-request": 400,
  unauthorized: 401,
  "model-unknown": 404,
  "context-full": 400,
  "rate-limit": 429,
  quota: 429,
  credit: 429,
  server: 500,
  overloaded: 529,
};

/** A JSON schema of an object, as far as its arguments' names go. */
const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() });

export function namesOf(schema: unknown): string[] {
  return Object.keys(Schema.safeParse(schema).data?.properties ?? {});
}

/** A text in up to three parts, as streams bring it. */
export function inParts(text: string): string[] {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

export function retryAfter({ retryAfterSeconds }: Refusal): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}

/** An id of the move at a place of an answer. */
export function idAt(prefix: string, number: number, at: number): string {
  return at === 0 ? idOf(prefix, number) : `${idOf(prefix, number)}_${at + 1}`;
}

/** The thought that a client sends back with the content after it. */
export function signatureOf({ number }: Pick<Answer, "number">): string {
  return Buffer.from(`thought ${number}`).toString("base64");
}

/** The texts of a content that is one text, or parts that have some. */
export function textsOf(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = z.array(z.looseObject({ text: z.string().default("") })).safeParse(content);
  return (parts.data ?? []).map(({ text }) => text).join("\n");
}

/** An id of an answer or of a part of it. */
export function idOf(prefix: string, number: number): string {
  return `${prefix}_${String(number).padStart(6, "0")}`;
}
