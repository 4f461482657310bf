// The form of a table of words: the sentences of one client, API or network library, with its version and its source. Pure.
import type { FailureReason } from "../../agent.js";

type Sentences = readonly (readonly [FailureReason, readonly string[]])[];

export interface WordTable {
  /** The programs that write these sentences. */
  of: string;
  /** The versions they were read in. */
  version: string;
  /** The repository and path, or the issue threads, they were found in. */
  source: string;
  /** Sources of regular expressions. Only such a program has reason to begin a line with one of these. */
  own: Sentences;
  /** Other programs write these as well: they count where a client is known to speak, or in its last words. */
  common?: Sentences;
  /** Behind a prefix of an error these count anywhere in the last words of a program that failed. */
  within?: Sentences;
}

export const QUOTED = String.raw`['"\x60][^'"\x60]{1,80}['"\x60]`;
/** A limit as the client names it: "your weekly (7-day) usage limit", but no limit of the context. */
export const OWN_LIMIT = String.raw`(?:(?!(?:context|conversation|turn|output|message|length|pull|rows?|file|memory|disk)\b)[\w/().-]+ ){0,4}(?:(?:limit|quota|cap|allowance)s?|token usage)`;
