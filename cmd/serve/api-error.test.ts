import { expect, test } from "vitest";
import { environmentError, usageError, UserError } from "../../src/system/errors.js";
import { ApiError, describeFailure } from "./api-error.js";

test.each([
  [new ApiError(412, "changed", "T1 was changed", { tag: "x" }), 412, { code: "changed", tag: "x" }],
  [new UserError("no", "T1 is done", "reopen it"), 409, { code: "state", hint: "reopen it" }],
  [usageError("no such stage"), 422, { code: "refused", message: "no such stage" }],
  [environmentError("the disk is full"), 503, { code: "environment" }],
  [
    Object.assign(new Error("EINVAL: a pipe, not a file, open 'x'"), { code: "EINVAL" }),
    503,
    { code: "environment", hint: expect.stringContaining("a different kind of file") as unknown },
  ],
])("the failure %s is told with its reason", (error, status, more) => {
  expect(describeFailure(error, "id")).toMatchObject({ status, body: { error: more } });
});

test("an unexpected failure tells an id alone", () => {
  const told = describeFailure(new Error("ENOENT: /home/ann/.ssh/id"), "abc");
  expect(told).toEqual({
    status: 500,
    body: { error: { code: "internal", message: "an internal error", id: "abc" } },
  });
});

test("the message of a failure has no control characters", () => {
  const { body } = describeFailure(usageError("bad \u001b]8;;x\u0007 \u202e"), "id");
  expect(JSON.stringify(body)).not.toMatch(/u001b|u0007|\u202e/);
});
