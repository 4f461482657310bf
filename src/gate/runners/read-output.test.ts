import { expect, test } from "vitest";
import { readCargo, readGo } from "./read-output.js";

const CARGO = `running 3 tests
test tests::adds ... ok
test tests::deep::fails - should panic ... FAILED
test tests::later ... ignored, for now
noise ... ok

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out

   Doc-tests x

running 1 test
test src/lib.rs - add (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out
`;

test("the cases of cargo are read from its output, without the lines they are in", () => {
  expect(readCargo(CARGO)).toEqual({
    runner: "cargo test",
    cases: [
      ["passed", "tests", "adds"],
      ["failed", "tests", "deep", "fails"],
      ["skipped", "tests", "later"],
      ["passed", "src/lib.rs - add"],
    ],
  });
});

test.each([
  ["a result is missing", CARGO.replace(/\ntest result: FAILED.*/, "")],
  ["a case is missing", CARGO.replace("test tests::adds ... ok\n", "")],
  ["a test printed a case", `test mine ... ok\n${CARGO}`],
  ["fewer ran than announced", CARGO.replace("running 3 tests", "running 4 tests")],
])("the output of cargo is not a report if %s", (_, text) => {
  expect(readCargo(text)).toBeUndefined();
});

test("the cases of go are read from the lines of the wrapper", () => {
  expect(readGo("example.com/x\tpassed\tTestA/b c\nexample.com/x\tskipped\tTestB\nnoise\n")).toEqual({
    runner: "go test",
    cases: [
      ["passed", "example.com/x", "TestA/b c"],
      ["skipped", "example.com/x", "TestB"],
    ],
  });
});
