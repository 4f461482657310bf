/** Ends a switch over a closed union: a new member fails to compile here, and a wrong value at run time is our bug. */
export function never(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
