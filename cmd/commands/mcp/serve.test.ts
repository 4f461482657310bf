import { expect, test } from "vitest";
import { z } from "zod";
import { makeTool } from "./serve.js";

const list = makeTool(
  { name: "list", description: "" },
  {
    id: z.string(),
    title: z.string().trim().min(1),
    status: z.enum(["todo", "done"]).optional(),
    limit: z.int().min(1).max(10).optional(),
    tags: z.array(z.string()).optional(),
    name: z
      .string()
      .regex(/^[a-z]+$/, "a name is lower-case letters")
      .optional(),
    either: z.union([z.string(), z.int()]).optional(),
  },
  () => Promise.resolve({}),
);
const why = async (args: unknown): Promise<string> =>
  list.call(args).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );
const OK = { id: "T1", title: "One" };

test("a call with wrong arguments is refused in one line that names each parameter and what is allowed", async () => {
  expect(await why(OK)).toBe("");
  expect(await why({ id: "T1" })).toBe("list: title is missing: it must be a string");
  expect(await why(undefined)).toBe(
    "list: id is missing: it must be a string; title is missing: it must be a string",
  );
  expect(await why({ ...OK, id: 1, status: "open" })).toBe(
    "list: id must be a string; status must be one of todo, done",
  );
  expect(await why({ ...OK, limit: 11, title: " " })).toBe(
    "list: title must be a string that is not empty; limit must be at most 10",
  );
  expect(await why({ ...OK, limit: 0.5 })).toBe("list: limit must be a whole number");
  expect(await why({ ...OK, limit: 0, tags: ["a", 2] })).toBe(
    "list: limit must be at least 1; tags.1 must be a string",
  );
  expect(await why({ ...OK, name: "A", either: null })).toBe(
    "list: name: a name is lower-case letters; either: Invalid input",
  );
  expect(await why([1])).toBe("list: the arguments must be an object");
});

test("a parameter that does not exist is named with the ones that do", async () => {
  expect(await why({ ...OK, statu: "todo" })).toBe(
    'list: there is no parameter "statu" (did you mean status?); it takes id, title, status, limit, tags, name, either',
  );
});
