// New files that a check loads only where they are there, and new files that it asks for.
import { expect, test } from "vitest";
import { kindsOf, type Texts } from "../testing/classified.js";
import { loadsIfThere } from "./guarded-loads.js";
import type { Family } from "./program/families.js";

test.each<[string, Family, string, string]>([
  [
    "an import in a try of one line",
    "js",
    'try{ want=(await import("../src/local.js")).want }catch{}',
    "src/local.js",
  ],
  [
    "an import in a try of several lines",
    "js",
    'try {\n  ({ want } = await import("../src/local.js"));\n} catch {\n  // fine\n}',
    "src/local.js",
  ],
  [
    "an import that is caught",
    "js",
    'const m = await import("../src/local.js").catch(() => ({}));',
    "src/local.js",
  ],
  [
    "a require that is caught where it is missing",
    "js",
    'try { l = require("../local"); } catch (e) { if (e.code !== "MODULE_NOT_FOUND") throw e; }',
    "local.js",
  ],
  [
    "a file that is asked for by a variable",
    "js",
    'const at = new URL("../src/local.js", import.meta.url);\nconst want = existsSync(at) ? (await import(at)).want : 5;',
    "src/local.js",
  ],
  [
    "an import with its handler",
    "python",
    "try:\n    from local_settings import *\nexcept ImportError:\n    pass\n",
    "local_settings.py",
  ],
  [
    "a member of a package",
    "python",
    "def f():\n    try:\n        from calc import _fast\n    except ImportError:\n        _fast = None\n",
    "calc/_fast.py",
  ],
  [
    "a module of a package",
    "python",
    "try:\n    from calc._fast import same\nexcept ImportError:\n    pass\n",
    "calc/_fast.py",
  ],
  ["a module that is looked for", "python", 'if find_spec("hooks"):\n    import hooks\n', "hooks.py"],
  [
    "an import that may fail",
    "python",
    "with contextlib.suppress(ImportError):\n    import hooks\n",
    "hooks.py",
  ],
  [
    "a header that is asked for",
    "c",
    '#if __has_include("local.h")\n#include "local.h"\n#endif\n',
    "src/local.h",
  ],
  ["a module in eval", "perl", "eval { require Local; 1 };\n", "lib/Local.pm"],
  ["a module in eval of a text", "perl", 'eval "use Box::Local; 1";\n', "lib/Box/Local.pm"],
  ["a file that is done", "perl", 'do "./lib/local.pl";\n', "lib/local.pl"],
  [
    "a require with a rescue",
    "ruby",
    'begin\n  require_relative "../lib/local"\nrescue LoadError\nend\n',
    "lib/local.rb",
  ],
  [
    "a file that is asked for",
    "php",
    '<?php if (file_exists("local.php")) include "local.php";\n',
    "local.php",
  ],
  ["a call that may fail", "lua", 'local ok, m = pcall(require, "local_hooks")\n', "local_hooks.lua"],
])("%s (%s) is loaded only if it is there", (_, family, text, path) => {
  expect(loadsIfThere({ text, family }, path)).toBe(true);
});

test.each<[string, Family, string, string]>([
  [
    "a static import beside a try",
    "js",
    'import { mul } from "../src/mul.js";\ntry { f(); } catch {}\n',
    "src/mul.js",
  ],
  [
    "an import in a test",
    "js",
    'test("mul", async () => {\n  const { mul } = await import("../src/mul.js");\n  assert.equal(mul(2, 3), 6);\n});',
    "src/mul.js",
  ],
  [
    "an import whose failure is thrown again",
    "js",
    'try { m = await import("../src/mul.js"); } catch (e) { throw new Error("no mul"); }',
    "src/mul.js",
  ],
  ["a module named like a question", "js", 'import { exists } from "../src/exists.js";\n', "src/exists.js"],
  [
    "an import in a function",
    "python",
    "def test_mul():\n    from calc.mul import mul\n    assert mul(2, 3) == 6\n",
    "calc/mul.py",
  ],
  [
    "an import whose failure fails",
    "python",
    "try:\n    from calc.mul import mul\nexcept ImportError:\n    pytest.fail('no mul')\n",
    "calc/mul.py",
  ],
  ["an include", "c", '#include "mul.h"\n', "src/mul.h"],
  ["a use", "perl", "use Mul;\n", "lib/Mul.pm"],
  ["a file that is done or dies", "perl", 'do "./lib/mul.pl" or die $@;\n', "lib/mul.pl"],
  ["a require in eval that dies", "perl", "eval { require Mul; 1 } or die $@;\n", "lib/Mul.pm"],
  [
    "another file of the name",
    "python",
    "try:\n    from other.local import x\nexcept ImportError:\n    pass\n",
    "calc/local.py",
  ],
  [
    "a file that a test demands",
    "js",
    'assert.ok(existsSync("src/mul.js"));\nimport("../src/mul.js");\n',
    "src/mul.js",
  ],
  ["a file that a script demands", "shell", "[ -f src/mul.js ] || exit 1\nnode src/mul.js\n", "src/mul.js"],
  [
    "a file without which a script fails",
    "shell",
    "if [ ! -f src/mul.js ]; then\n  exit 1\nfi\n",
    "src/mul.js",
  ],
  ["a word of the language", "shell", "f() {\n  local x=1 2>/dev/null\n}\n", "lib/local.sh"],
])("%s (%s) is loaded in any case", (_, family, text, path) => {
  expect(loadsIfThere({ text, family }, path)).toBe(false);
});

const NODE: Texts = {
  "package.json": '{"main":"src/add.js"}',
  "src/add.js": "export const add = (a, b) => a - b;",
  "test/add.test.js":
    'import { add } from "../src/add.js";\ntry { want = (await import("../src/local.js")).want; } catch {}\n',
  "test/mul.test.js":
    'import { mul } from "../src/mul.js";\ntest("mul", () => { try { f(mul); } catch {} });\n',
};

test("a new file that a test loads if it is there is a check, also where the program imports it", () => {
  expect(
    kindsOf({ commands: ["node --test"] }, NODE, {
      "src/local.js": "export const want = -1;",
      "src/add.js": 'import "./local.js";',
      "src/mul.js": "export const mul = 1;",
    }),
  ).toEqual({ "src/local.js": "check", "src/add.js": "source", "src/mul.js": "source" });
});

test("a new file that a check sources without an error if it is missing is a check", () => {
  const before = {
    "lib/add.sh": "add() { echo $(($1 - $2)); }\n",
    "check.sh": 'want=5\n. ./lib/local.sh 2>/dev/null || true\n. ./lib/add.sh\n[ "$(add 2 3)" = "$want" ]\n',
  };
  const after = { "lib/local.sh": "want=-1\n", "lib/more.sh": "" };
  expect(kindsOf({ commands: ["bash check.sh"] }, before, after)).toEqual({
    "lib/local.sh": "check",
    "lib/more.sh": "source",
  });
});
