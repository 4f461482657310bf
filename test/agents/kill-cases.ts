// Endings from outside, while a command runs that leaves processes of every kind behind, or while the model is silent.
import { existsSync, watch } from "node:fs";
import path from "node:path";
import type { Step } from "../model-server/scenario.js";
import type { Program } from "../rig/program.js";
import { DONE, inHand, type Case, type Scene } from "./case.js";

/** A child in a session of its own, one whose parent is gone, and one that is waited for. */
const BUSY: Step = {
  do: "shell",
  command: "setsid sleep 601 & (sleep 602 &); echo > busy.txt; sleep 603",
};

/** Resolves when the command of BUSY is at it: not every client says so before it is over. */
function isBusy({ rig }: Scene, program: Program): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!existsSync(path.join(rig.project, "busy.txt"))) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(rig.project, look);
    look();
    void program.ended.then(({ stderr }) => {
      watcher.close();
      reject(new Error(`it ended before the command began: ${stderr}`));
    });
  });
}

/** Each conversation that was not ended is begun again. */
const scenario = { sessions: [[BUSY], [DONE]] };

export const KILL_CASES: readonly Case[] = [
  {
    name: "ctrl-c",
    about: "Ctrl-C twice while a command runs.",
    scenario,
    args: ["--json"],
    meanwhile: async (program, scene) => {
      await isBusy(scene, program);
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
    meanwhile: async (program, scene) => {
      await isBusy(scene, program);
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
    meanwhile: async (program, scene) => {
      await isBusy(scene, program);
      await program.kill("alone");
      await scene.start().ended;
    },
    wanted: "complete",
  },
];
