// Why an agent cannot work, as words behind its name. Pure.

const WORDS: Readonly<Record<string, string>> = {
  network: "cannot reach its API",
  "rate-limited": "has reached its usage limit",
  overloaded: "is overloaded",
  "not-signed-in": "is not signed in",
  "not-found": "is not installed",
  "no-credit": "has no credit left",
  unusable: "does not work",
};

/** `claude is not signed in`; `undefined`: the reason is one of the attempt, not of the agent. */
export function cannotWork(agent: string, reason: string | undefined): string | undefined {
  const words = Object.hasOwn(WORDS, reason ?? "") ? WORDS[reason ?? ""] : undefined;
  return words === undefined ? undefined : `${agent} ${words}`;
}

/** That a run does without an agent from now on; `evidence`: what the agent said of it. */
export function describeSkipped(
  agent: string,
  { reason, evidence }: { reason?: string; evidence: string },
): string {
  const what = cannotWork(agent, reason) ?? `${agent} cannot be used`;
  return `${what}; skipping it for the rest of this run${evidence === "" ? "" : `: ${evidence}`}`;
}
