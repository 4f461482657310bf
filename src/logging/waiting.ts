/** The reason of a `waiting` line while only people can move the work on. */
export const AN_ANSWER = "an answer";
