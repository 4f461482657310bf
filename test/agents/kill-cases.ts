// Endings from outside, while a command runs that leaves processes of every kind behind, or while the model is silent.
import type { Step } from "../model-server/scenario.js";
import { DONE, inHand, type Case } from "./case.js";

/** A child in a session of its own, one whose parent is gone, and one that is waited for. */
const BUSY: Step = { do: "shell", command: "setsid sleep 601 & (sleep 602 &); sleep 603" };

/** Each conversation that was not ended is begun again. */
const scenario = { sessions: [[BUSY], [DONE]] };

export const KILL_CASES: readonly Case[] = [
  {
    name: "ctrl-c",
    about: "Ctrl-C twice while a command runs.",
    scenario,
    args: ["--json"],
    meanwhile: async (program) => {
      await program.says(/"command":"[^"]*sleep 603/);
      program.signal("SIGINT");
      await program.says(/"type":"run_interrupted"/);
      program.signal("SIGINT");
    },
    check: inHand,
    wanted: "interrupted: interrupted",
  },
  {
    name: "ctrl-c-silence",
    about: "Ctrl-C twice while the model says nothing.",
    scenario: { sessions: [[{ do: "fail", how: { fault: "no-headers" }, times: "always" }]] },
    args: ["--json"],
    meanwhile: async (program, { server }) => {
      await server.next(({ answered }) => answered === "no-headers");
      program.signal("SIGINT");
      await program.says(/"type":"run_interrupted"/);
      program.signal("SIGINT");
    },
    check: inHand,
    wanted: "interrupted: interrupted",
  },
  {
    name: "sigterm",
    about: "SIGTERM while a command runs.",
    scenario,
    args: ["--json"],
    meanwhile: async (program) => {
      await program.says(/"command":"[^"]*sleep 603/);
      program.signal("SIGTERM");
    },
    check: inHand,
    wanted: "interrupted: interrupted",
  },
  {
    name: "sigkill",
    about: "SIGKILL of looper alone while a command runs, and a new start.",
    scenario,
    args: ["--json"],
    meanwhile: async (program, { start }) => {
      await program.says(/"command":"[^"]*sleep 603/);
      await program.kill("alone");
      await start().ended;
    },
    wanted: "complete",
  },
];
