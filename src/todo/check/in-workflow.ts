// Whether a task, of any shape, is in a workflow. Apart from progress-rules.ts, which a backlog without workflows never loads.

/** Whether it has a progress or is a part of another task. */
export function isInWorkflow(task: unknown): boolean {
  return property(task, "progress") !== undefined || property(task, "parent") !== undefined;
}

/** An own property of any value. */
export function property(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
}
