import { expect } from "vitest";
import { test } from "../testing/cold-scratch.js";

const PROJECT = { "a.txt": "one\n" };
const CHECK = `test "$(ls -A "$HOME")" = "" && test -w "$TMPDIR" && test "$TMPDIR" != "$USERS_TMP" || exit 1
for place in "$XDG_CACHE_HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME"; do
  case $place in "$HOME"/*) ;; *) exit 1;; esac
done
test -z "$XDG_RUNTIME_DIR" && echo left >"$HOME/left"`;

test("with verify.home: room the checks have an empty home folder, and the setup has the user's", async ({
  cold,
}) => {
  const users = cold.scratch.env["HOME"] ?? "";
  const env = {
    USERS: users,
    USERS_TMP: cold.scratch.env["TMPDIR"] ?? "",
    XDG_RUNTIME_DIR: users,
    XDG_CACHE_HOME: users,
  };
  const setup = ['test "$HOME" = "$USERS"'];
  const verify = { commands: [CHECK], setup, env, measured: true, strict: true };
  const own = await cold.judge(PROJECT, { "a.txt": "two\n" }, { ...verify, home: "room" });
  expect(own.report).toMatchObject({ verdict: "unbroken", evidence: "" });
  const shared = await cold.judge(PROJECT, { "a.txt": "three\n" }, { ...verify, newRun: true });
  expect(shared.report.verdict).toBe("failed");
});
