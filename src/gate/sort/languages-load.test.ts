// The table of languages is read when its module is loaded. A table that cannot be read ends a whole file of tests
// before its first test; here it fails one.
import { expect, test } from "vitest";

test("the table of languages can be read", async () => {
  const { familyOf, languageOf } = await import("./languages.js");
  expect([familyOf("a.py"), languageOf("run", "#!/bin/sh\n")]).toEqual(["python", "shell"]);
});
