// How the name of an agent is read where it is typed: a flag or a variable. Pure, and cheap to load.

/** Capitals and spaces around it have no meaning. */
export function agentNameIn(text: string): string {
  return text.trim().toLowerCase();
}
