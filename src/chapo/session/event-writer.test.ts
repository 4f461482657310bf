import { expect, test } from "vitest";
import { nodePorts } from "../../system/processes/node-ports.js";
import { createRedact } from "../../system/text/secrets/redact.js";
import type { ChapoEvent } from "../engine/events.js";
import { createEventWriter } from "./open-session.js";

const SECRET = "s3cr3t-value-0123456789";

test("a secret in two pieces of text is redacted, and the next event comes after the held-back text", () => {
  const told: ChapoEvent[] = [];
  const tell = createEventWriter(nodePorts().clock, createRedact([SECRET]), (event) => told.push(event));
  const delta = (text: string, iteration = 1) => {
    tell({ type: "delta", data: { iteration, request: 1, text } });
  };
  delta("It is s3cr3t-val");
  delta("ue-0123456789");
  tell({ type: "message", data: { iteration: 1, text: `It is ${SECRET}` } });
  delta("next", 2);
  tell({ type: "waiting", data: { ms: 1, why: "x" } });
  delta("again", 2);
  tell({ type: "message", data: { iteration: 2, text: "again" } });
  expect(told.map(({ type, data }) => ("text" in data ? `${type} ${data.text}` : type))).toEqual([
    "delta It is ",
    "delta [redacted]",
    "message It is [redacted]",
    "delta next",
    "waiting",
    "delta again",
    "message again",
  ]);
  expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

test("thinking is redacted like text, and what is held back of it comes before the text", () => {
  const told: ChapoEvent[] = [];
  const tell = createEventWriter(nodePorts().clock, createRedact([SECRET]), (event) => told.push(event));
  for (const text of ["I use s3cr3t-val", "ue-0123456789"])
    tell({ type: "thought", data: { iteration: 1, request: 1, text } });
  tell({ type: "delta", data: { iteration: 1, request: 1, text: "Done " } });
  tell({ type: "message", data: { iteration: 1, text: "Done " } });
  expect(told.map(({ type, data }) => ("text" in data ? `${type} ${data.text}` : type))).toEqual([
    "thought I use ",
    "thought [redacted]",
    "delta Done ",
    "message Done ",
  ]);
});
