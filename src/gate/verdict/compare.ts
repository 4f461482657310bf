// Reaches the gate's verdict on an attempt from the verdicts on its commands. Pure.
// judge-command.ts judges one command, compare-cases.ts looks for cases that no longer run, and evidence.ts words the result
// for the next attempt.
import { tellEvidence } from "./evidence.js";
import { judgeCommand, type CommandJudgement } from "./judge-command.js";
import { isSameCommand } from "./flaky.js";
import type { Baseline, CommandVerdict, GateReport, GateVerdict, Ran, Tampering } from "../verdict.js";

const MOST_NAMES = 100;

/** The runs of the gate's commands, and the baseline they are compared with. */
export interface GateOrder {
  /** The results of the project's commands before the task; `undefined` if they could not be measured. */
  baseline: Baseline | undefined;
  ran: readonly Ran[];
  /** Second runs of the commands that `mustRepeat` selected. */
  again: readonly Ran[];
  /** A check that failed before and still fails also fails the attempt. */
  strict: boolean;
  cold: boolean;
  /** Tampering that the comparison of files found. */
  tampered: readonly Tampering[];
}

/** Whether the command must run once more, because it would fail the attempt and may be flaky. Never after a timeout. */
export function mustRepeat(baseline: Baseline | undefined, ran: Ran, strict: boolean): boolean {
  if (ran.end.how === "timed-out") return false;
  const judged = judgeCommand(baseline, ran, undefined);
  return isFailing(judged, strict) || judged.losesCases;
}

/** The verdict on an attempt, without evidence of its work. It does not depend on the order of commands or test cases. */
export function judge({ baseline, ran, again, strict, cold, tampered }: GateOrder): GateReport {
  const judged = ran.map((one) =>
    judgeCommand(
      baseline,
      one,
      again.find((second) => isSameCommand(one, second)),
    ),
  );
  const report = { verdict: wholeVerdict(judged, tampered, strict), tampered: [...tampered] };
  const failing = judged.filter((one) => isFailing(one, strict));
  const evidence = tellEvidence({ ...report, failing, measured: baseline !== undefined });
  return { ...report, cold, commands: judged.map(shownOf), evidence };
}

function wholeVerdict(
  judged: readonly CommandJudgement[],
  tampered: readonly Tampering[],
  strict: boolean,
): GateVerdict {
  if (tampered.length > 0) return "tampered";
  if (judged.some((one) => isFailing(one, strict))) return "failed";
  return judged.length > 0 ? "passed" : "unverified";
}

function isFailing({ verdict }: CommandJudgement, strict: boolean): boolean {
  return verdict === "regressed" || verdict === "new" || (strict && verdict === "pre-existing");
}

function shownOf({ ran, verdict, names, total }: CommandJudgement): CommandVerdict {
  const { command, own, end, duration_ms, tail } = ran;
  const first = (list: readonly string[]): string[] => list.slice(0, MOST_NAMES);
  return {
    command,
    own,
    verdict,
    end: end.how,
    ...(end.how === "exited" ? { exit_code: end.code } : {}),
    duration_ms,
    tail,
    ...(total === undefined
      ? { by_exit_code: true }
      : {
          tests: {
            total,
            regressed: first(names.regressed),
            fixed: first(names.fixed),
            pre_existing: first(names.preExisting),
            new: first(names.new),
            flaky: first(names.flaky),
          },
        }),
  };
}
