// The scripted models report as a client's schema flag demands: claude sends a report without a key back, and no case would end.
import { expect, test } from "vitest";
import { summaryStrictJsonSchema } from "../../src/todo/check/schema.js";
import { report } from "../agents/case.js";

test("the report of the scripted models has exactly the keys of the strict schema", () => {
  const step = report("done");
  const value = step.do === "structured" ? step.value : undefined;
  const { required } = summaryStrictJsonSchema() as { required: string[] };
  expect(Object.keys(value as object).sort()).toEqual([...required].sort());
});
