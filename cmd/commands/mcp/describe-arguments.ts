// Describes what is wrong with the arguments of a tool call, for the model that made it. Pure.
import type { z } from "zod";
import { nearest } from "../../../src/system/text/nearest.js";

type Issue = z.core.$ZodIssue;

/** The first problems in a line: which parameter, and what is allowed. */
export function describeArguments(
  issues: readonly Issue[],
  { args, known }: { args: unknown; known: readonly string[] },
): string {
  const unknown = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : [],
  );
  const wrong = issues.flatMap((issue) =>
    issue.code === "unrecognized_keys" && issue.path.length === 0 ? [] : [describeIssue(issue, args)],
  );
  const takes = known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`;
  const strange = unknown.map((key) => {
    const near = nearest(key, [...known]);
    const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
    return `there is no parameter ${JSON.stringify(key.slice(0, 100))}${hint}`;
  });
  const said = [...wrong, ...strange].slice(0, 5).join("; ");
  return unknown.length === 0 ? said : `${said}; ${takes}`;
}

function describeIssue(issue: Issue, args: unknown): string {
  const name = issue.path.map(String).join(".");
  if (name === "") return `the arguments must be ${describeType("object")}`;
  const isMissing = valueAt(args, issue.path) === undefined;
  const allowed = describeAllowed(issue);
  if (allowed === undefined) return isMissing ? `${name} is missing` : `${name}: ${issue.message}`;
  return isMissing ? `${name} is missing: it must be ${allowed}` : `${name} must be ${allowed}`;
}

function describeAllowed(issue: Issue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected);
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return describeLimit(issue.origin, "at least", issue.minimum);
    case "too_big":
      return describeLimit(issue.origin, "at most", issue.maximum);
    default:
      return undefined;
  }
}

function describeLimit(origin: string, which: "at least" | "at most", limit: number | bigint): string {
  if (which === "at least" && Number(limit) === 1 && origin !== "number" && origin !== "int")
    return origin === "string" ? "a string that is not empty" : "a list that is not empty";
  const count = String(limit);
  if (origin === "string") return `a string of ${which} ${count} characters`;
  return origin === "array" ? `a list of ${which} ${count} items` : `${which} ${count}`;
}

function describeType(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    ...{ string: "a string", number: "a number", int: "a whole number", boolean: "true or false" },
    ...{ array: "a list", object: "an object", record: "an object" },
  };
  return words[expected] ?? expected;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === String(key))?.[1];
  }
  return value;
}
