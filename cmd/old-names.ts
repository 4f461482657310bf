// Commands of the Go program, earlier versions and other programs, and what takes their place. A word one typing
// error away from a real name needs none. docs/from-looper-go.md has a table of all names of the Go program.

export const OLD_COMMANDS: ReadonlyMap<string, string> = new Map([
  ["tui", "not yet: a run on a terminal has a live line, and looper tail -f follows it from elsewhere"],
  ["workflow", "use looper workflows: it lists, shows, copies and checks them"],
  ["plugin", "there are none: an agent of kind command, acp or module takes their place"],
  ["capsule", "each run's log is in its folder, without secrets: LOG_DIR/runs/RUN"],
  ["list", "did you mean ls?"],
  ["create", "did you mean add?"],
  ["delete", "did you mean rm?"],
  ["remove", "did you mean rm?"],
  ["edit", "did you mean set?"],
  ["export", "did you mean ls --json?"],
  ["import", "did you mean add --import FILE?"],
  ["reopen", "did you mean todo?"],
  ["restart", "did you mean todo ID --restart?"],
  ["revert", "did you mean undo?"],
  ["rollback", "did you mean undo?"],
  ["unblock", "did you mean todo?"],
]);
