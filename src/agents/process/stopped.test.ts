import { expect, test } from "vitest";
import { describeStop, type Stopped } from "./stopped.js";

test.each<[Stopped, string, string]>([
  [{ why: "timed-out", afterMs: 60_000 }, "timed-out", "not finished after 1 min (agents.x.timeout)"],
  [
    { why: "idle", afterMs: 1_500, mute: true },
    "idle",
    "printed nothing for 1500 ms (agents.x.idle_timeout)",
  ],
  [{ why: "idle", afterMs: 3_000, mute: false }, "idle", "no line on stdout for 3 s (agents.x.idle_timeout)"],
  [{ why: "turns", most: 3 }, "turns", "more than 3 turns (agents.x.max_turns)"],
  [{ why: "events", most: 20_000 }, "events", "more than 20000 events (agents.x.max_events)"],
  [{ why: "output", most: 1024 ** 3 }, "output", "printed more than 1 GB (agents.x.max_output)"],
  [{ why: "output", most: 1.5 * 1024 ** 2 }, "output", "printed more than 1536 KB (agents.x.max_output)"],
  [{ why: "output", most: 1000 }, "output", "printed more than 1000 bytes (agents.x.max_output)"],
  [{ why: "interrupted" }, "interrupted", "ended because the run was stopped"],
  [{ why: "in-vain", times: 100 }, "network", "asked 100 times in vain"],
  [{ why: "broken", message: "ENOSPC" }, "output", "its output could not be taken in: ENOSPC"],
])("%j is told with the setting it comes from", (stopped, reason, evidence) => {
  expect(describeStop("x", stopped)).toEqual({ reason, evidence });
});
