import { expect, test } from "vitest";
import { hidesFailures } from "./conditional.js";

test.each(["a | b", "! a", "a; b", "a\nb", "a & wait", "(a; b)", "a && { b; c; }", "x && ! a"])(
  "hides that a command failed: %s",
  (text) => {
    expect(hidesFailures(text)).toBe(true);
  },
);

test.each(["a", "a && b", "a || exit 1", "sh x.sh --all", "'", "a > log 2>&1"])(
  "shows that a command failed: %s",
  (text) => {
    expect(hidesFailures(text)).toBe(false);
  },
);
