// SIGKILL around an approved call, again and again: it runs exactly once. LOOPER_KILLS_OF_CALLS: how often (2 without it, 9 in make proof).
import { existsSync, readFileSync, watch } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { EXHAUSTIVE } from "../rig/exhaustive.js";
import { call, playScript } from "../rig/chapo.js";
import { seeded } from "../rig/chance.js";
import { story, type Rig } from "../rig/rig.js";

const KILLS = Number(process.env["LOOPER_KILLS_OF_CALLS"] ?? (EXHAUSTIVE ? "9" : "2"));
const SEED = Number(process.env["LOOPER_KILLS_SEED"] ?? "1");

interface Pending {
  session: string;
  again: string | null;
}

async function pendingIn(rig: Rig, session: string): Promise<Pending | undefined> {
  const { stdout } = await rig.run(["chapo", "pending", "--json"]);
  const { pending } = JSON.parse(stdout) as { pending: Pending[] };
  return pending.find((one) => one.session === session);
}

/** The session as it was saved last. */
function savedLast(folder: string): string {
  const file = path.join(folder, "session.json");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** Approves the call and kills the process once `due` holds for the session as it is saved, or when it has ended. */
async function approveAndKill(rig: Rig, session: string, due: (saved: string) => boolean): Promise<boolean> {
  const folder = path.join(rig.project, ".looper", "sessions", session);
  const program = rig.start(["chapo", "approve", session, "--json"]);
  let killed = false;
  const look = (): void => {
    if (killed || !due(savedLast(folder))) return;
    killed = true;
    void program.kill("alone");
  };
  const watcher = watch(folder, look);
  await program.ended;
  watcher.close();
  return killed;
}

test(
  `an approved call runs exactly once through ${String(KILLS)} kills`,
  story(async (rig) => {
    const chance = seeded(SEED);
    const moments: ((saved: string) => boolean)[] = [
      (saved) => saved.includes('"verdict":"approve"'),
      (saved) => saved.includes('"begun":'),
      (saved) => saved.includes('"answered":') && !saved.includes('"pending":'),
    ];
    const told = { killed: 0, mayHaveRun: 0 };
    while (told.killed < KILLS) {
      const mark = `x${String(told.killed)}.txt`;
      playScript(rig, {
        turns: [call("run_command", { command: `echo ran >> ${mark}` }), { say: "Done." }],
      });
      const first = await rig.run(["chapo", "--json", "Work"]);
      const session = /"session":"([^"]+)"/.exec(first.stdout)?.[1] ?? "";
      const due = moments[Math.floor(chance() * moments.length)] ?? (() => true);
      if (await approveAndKill(rig, session, due)) told.killed += 1;
      // The person looks whether it ran before they answer again.
      for (let pending = await pendingIn(rig, session); pending !== undefined;) {
        const hasRun = existsSync(path.join(rig.project, mark));
        if (pending.again === "may_have_run") told.mayHaveRun += 1;
        await rig.run(["chapo", pending.again === "may_have_run" && hasRun ? "reject" : "approve", session]);
        pending = await pendingIn(rig, session);
      }
      expect(rig.read(mark), session).toBe("ran\n");
    }
    expect(told.killed).toBeGreaterThanOrEqual(KILLS);
  }),
  900_000 + KILLS * 60_000,
);
