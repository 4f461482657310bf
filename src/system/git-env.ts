// The environment that git is started with, by a run and by the built-in engine. Pure.

/** The caller's `GIT_` variables to keep: those that do not name another repository, index, editor or trace. */
const KEPT =
  /^GIT_(?:CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|EXEC_PATH|TEMPLATE_DIR|ATTR_NOSYSTEM|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM)$/;

/** The environment for git, from the caller's. */
export function gitEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) => (!name.startsWith("GIT_") || KEPT.test(name)) && name !== "LC_ALL" && name !== "LANGUAGE",
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    // With replacement objects, a user who can write to the repository could make git return another test than
    // requested.
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_PAGER: "cat",
    GIT_EDITOR: "true",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
  };
}
