import { expect, test } from "vitest";
import { z } from "zod";
import { makeTool } from "./serve.js";

const list = makeTool(
  { name: "list", description: "" },
  {
    id: z.string(),
    title: z.string().trim().min(1),
    status: z.enum(["todo", "done"]).optional(),
    tags: z.array(z.string()).optional(),
    name: z
      .string()
      .regex(/^[a-z]+$/, "a name is lower-case letters")
      .optional(),
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
  expect(await why(undefined)).toBe(
    "list: id: Invalid input: expected string, received undefined; title: Invalid input: expected string, received undefined",
  );
  expect(await why({ ...OK, status: "open", tags: ["a", 2] })).toBe(
    'list: status: Invalid option: expected one of "todo"|"done"; tags.1: Invalid input: expected string, received number',
  );
  expect(await why({ ...OK, name: "A" })).toBe("list: name: a name is lower-case letters");
  expect(await why([1])).toBe("list: Invalid input: expected object, received array");
});

test("a parameter that does not exist is refused by its name", async () => {
  expect(await why({ ...OK, statu: "todo" })).toBe('list: Unrecognized key: "statu"');
});
