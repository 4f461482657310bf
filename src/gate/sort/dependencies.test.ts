// Which changes of manifests only gain or raise plain dependencies, for each format.
import { expect, test } from "vitest";
import { influenceOf } from "./manifests.js";

const VERSION = { mode: "100644", oid: "x" };
const PROJECT = "[project]\ndependencies=";

test.each<[path: string, before: string, after: string, why: string | undefined]>([
  [
    "go.mod",
    "module a\n\nrequire (\n\tb v1.0.0\n)\n",
    "module a\n\nrequire (\n\tb v1.0.1 // indirect\n\tc v2.0.0\n)\n",
    undefined,
  ],
  ["go.mod", "module a\nrequire b v1.0.0\n", "module a\nrequire b v1.0.0\nreplace b => ./c\n", "more than"],
  ["go.mod", "require b v1.0.0\n", "require b v1.0.0\nreplace (\n\tb => ./c\n)\n", "more than"],
  ["go.mod", "require b v1.1.0\n", "require b v1.0.0\n", "b was changed"],
  ["Gemfile", "source 'x'\ngem 'a'\n", "source 'x'\ngem 'a'\ngem \"b\", \"~> 1\"\n", undefined],
  ["Gemfile", "gem 'a'\n", 'gem \'a\'\ngem "b", path: "x"\n', "more than"],
  ["requirements.txt", "a==1\n", "a==2\nb>=1 # why\n", undefined],
  ["requirements.txt", "a==1\n", "a==1\n./b\n", "more than"],
  ["requirements.txt", "a==1\nb==1\n", "a==1\n", "b was removed"],
  ["pyproject.toml", `${PROJECT}["a==1"]\n`, `${PROJECT}["a==1","b>=2"]\n`, undefined],
  ["pyproject.toml", `${PROJECT}["a==1"]\n`, `${PROJECT}["a==1","b @ file:///x"]\n`, "does not come"],
  ["composer.json", '{"require":{"a/b":"^1.0"}}', '{"require":{"a/b":"^1.0","c/d":"^2"}}', undefined],
])("%s: %j becomes %j", (path, before, after, why) => {
  const found = influenceOf({ path, from: VERSION, to: VERSION, before, after });
  if (why === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(why);
});
