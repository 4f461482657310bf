/** The statuses of a task, in the order of a listing. */
export const STATUSES = ["todo", "doing", "blocked", "done"] as const;

/** Whether a word is a status. */
export function isStatus(word: string): word is (typeof STATUSES)[number] {
  return STATUSES.some((status) => status === word);
}
