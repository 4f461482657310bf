// The division between make test and make proof: one tries a sample where the other tries all.
import { test } from "vitest";

/** Whether this is make proof, or the breaks on purpose. */
export const EXHAUSTIVE = process.env["EXHAUSTIVE"] !== undefined;

/** A test of make proof alone. */
export const exhaustively = test.runIf(EXHAUSTIVE);

/** The first rows of a table; in make proof all of them. */
export function sample<Row>(all: readonly Row[], few: number): readonly Row[] {
  return EXHAUSTIVE ? all : all.slice(0, few);
}
