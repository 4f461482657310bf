// The schema of a stage's report, and its variant for the schema flags of clients.
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { OUTPUT_NAMES, isOutputName, outputJsonSchema } from "../../workflow/outputs/outputs.js";
import { stageJsonSchema, stageStrictJsonSchema } from "./schema.js";

const outcomes = ["complete", "changes"];
const outputs = OUTPUT_NAMES.filter(isOutputName);

test.each(outputs)("the report of a stage with the output %s", (name) => {
  const schema = stageJsonSchema({ outcomes, output: outputJsonSchema(name) });
  const validate = new Ajv2020({ strict: false }).compile(schema);
  expect(validate({ status: "done", outcome: "changes" })).toBe(true);
  expect(validate({ status: "done", outcome: "other" })).toBe(false);
  expect(validate({ status: "done", output: 5 })).toBe(false);
});

test.each(outputs)(
  "the strict variant with the output %s has every key of every object, and no others",
  (name) => {
    const schema = stageStrictJsonSchema({ outcomes, output: outputJsonSchema(name) });
    // Its code patterns are an object of any keys.
    if (name === "scout-findings") expect(schema).toBeUndefined();
    else {
      new Ajv2020().compile(schema ?? {});
      const text = JSON.stringify(schema);
      expect(text).not.toMatch(/"(\$schema|\$id|minLength|minItems|minimum|maximum)"/u);
      expect(text.match(/"type":"object"/gu)?.length).toBe(
        text.match(/"additionalProperties":false/gu)?.length,
      );
    }
  },
);

test("a stage without an output reports outcome and questions alone", () => {
  const schema = stageStrictJsonSchema({ outcomes: ["done"] });
  expect(schema).toMatchObject({ required: expect.arrayContaining(["outcome", "questions"]) as unknown });
  expect(schema).not.toHaveProperty("properties.output");
});
