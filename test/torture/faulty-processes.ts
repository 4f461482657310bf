import { errorMessage } from "../../src/system/errors.js";
import type { ContainedProcess, Processes, ProcessResult, ProcessSpec } from "../../src/system/ports.js";
import type { Calls } from "./calls.js";
import { kills, type Fault } from "./fault.js";

/**
 * The processes port, every call numbered, and struck where the plan says so. A process that cannot be started is no
 * exception but an end; what is only asked of the system never throws, and an error is passed over there.
 */
export function faultyProcesses(processes: Processes, calls: Calls): Processes {
  const ask = <A extends readonly unknown[], R>(method: string, real: (...args: A) => R) => {
    return (...args: A): R => {
      const fault = calls.count(method, typeof args[0] === "string" ? args[0] : "");
      if (fault !== undefined) strikeQuietly(calls, fault);
      return real(...args);
    };
  };
  return {
    start: (spec) => {
      const fault = calls.count("start", wordsOf(spec));
      if (fault === undefined) return processes.start(spec);
      if (fault.when === "half" && kills(fault)) processes.start(spec);
      const failure = strikeQuietly(calls, fault);
      return failure === undefined ? processes.start(spec) : neverStarted(failure);
    },
    contain: async (spec, how) => {
      const fault = calls.count("contain", wordsOf(spec));
      if (fault === undefined) return processes.contain(spec, how);
      if (fault.when === "half" && kills(fault)) await processes.contain(spec, how);
      const failure = strikeQuietly(calls, fault);
      return failure === undefined ? processes.contain(spec, how) : neverStarted(failure);
    },
    environmentAbove: ask("environmentAbove", (name: string) => processes.environmentAbove(name)),
    descendsFrom: ask("descendsFrom", (run: string) => processes.descendsFrom(run)),
    containment: ask("containment", () => processes.containment()),
    run: async (spec, options) => {
      const fault = calls.count("run", wordsOf(spec));
      if (fault === undefined) return processes.run(spec, options);
      // It has begun when this returns, and is killed in the middle.
      if (fault.when === "half" && kills(fault)) void processes.run(spec, options);
      const failure = strikeQuietly(calls, fault);
      return failure === undefined ? processes.run(spec, options) : neverRan(failure);
    },
    mark: ask("mark", (...args) => {
      processes.mark(...args);
    }),
    sweep: ask("sweep", (...args) => processes.sweep(...args)),
    marked: ask("marked", (...args) => processes.marked(...args)),
    identity: ask("identity", (...args) => processes.identity(...args)),
    fate: ask("fate", (...args) => processes.fate(...args)),
    which: ask("which", (...args) => processes.which(...args)),
  };
}

/** The system's error, where the plan lets it fail. */
function strikeQuietly(calls: Calls, fault: Fault): string | undefined {
  try {
    calls.strike(fault, "spawn");
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Without the settings that every git gets. */
function wordsOf({ command, args }: ProcessSpec): string {
  const words = [command.replace(/^.*\//, ""), ...args].join(" ").replaceAll(/\s+/g, " ");
  return words.replaceAll(/ -c [\w.]+=\S*/g, "").slice(0, 120);
}

function neverStarted(message: string): ContainedProcess {
  return {
    pid: -1,
    gone: Promise.resolve(),
    ended: Promise.resolve({ how: "not-found", message }),
    signal: () => undefined,
  };
}

function neverRan(message: string): ProcessResult {
  const end = { how: "not-found", message } as const;
  return { end, stdout: new Uint8Array(), stderr: "", timedOut: false };
}
