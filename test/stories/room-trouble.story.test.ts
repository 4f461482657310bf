// A room that cannot be made or trusted: the run ends and says why, and the next one completes the work.
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { mountTmpfs } from "../rig/mounts.js";
import type { Puppet } from "../rig/puppet.js";
import { type Rig, story } from "../rig/rig.js";

const RUN = ["run", "--no-review", "--trust"];

async function project(rig: Rig): Promise<Puppet> {
  const puppet = await rig.agent({}, { verify: { commands: ["sh test/answer.sh"], cold: true } });
  rig.write("test/answer.sh", "grep -q right src/answer.sh\n");
  rig.write("src/answer.sh", "# right\n");
  rig.write(".gitignore", "looper-logs\n");
  rig.writeBacklog([{ id: "T1" }]);
  rig.gitInit();
  return puppet;
}

test(
  "an attempt that forges the object of a test ends the run, which names it",
  story(async (rig) => {
    const puppet = await project(rig);
    const oid = rig.git("rev-parse", "HEAD:test/answer.sh").trim();
    const object = path.join(rig.project, ".git/objects", oid.slice(0, 2), oid.slice(2));
    puppet.play(async (turn) => {
      await turn.write(`${turn.hello.cwd}/src/answer.sh`, "# wrong\n");
      rmSync(object);
      writeFileSync(object, deflateSync(Buffer.from("blob 5\0true\n")));
      await turn.report();
    });
    const { code, stderr } = await rig.run(RUN);
    expect(code).toBe(3);
    expect(stderr).toContain("tampered: ");
    expect(stderr).toContain(oid);
    expect(rig.statuses()).toEqual({ T1: "doing" });
    expect(rig.read("src/answer.sh")).toBe("# wrong\n");
  }),
);

exhaustively("a room on a full disk ends the run, and the next run completes the work", async (context) => {
  let reason: string | undefined;
  await story(async (rig) => {
    const folder = path.join(rig.root, "rooms");
    const mount = mountTmpfs(folder, 256);
    if (typeof mount === "string") {
      reason = mount;
      return;
    }
    try {
      const puppet = await project(rig);
      puppet.play(async (turn) => {
        await turn.write(`${turn.hello.cwd}/src/more.sh`, "# more\n");
        await turn.write(`${folder}/ballast`, "x".repeat(250 * 1024));
        await turn.report();
      });
      const env = { TMPDIR: folder };
      const { code, stderr } = await rig.run(RUN, { env });
      expect({ code, stderr }).toMatchObject({ code: 3 });
      expect(stderr).toMatch(/no space left on device/i);
      expect(rig.statuses()).toEqual({ T1: "doing" });
      expect(existsSync(path.join(rig.project, "src/more.sh"))).toBe(true);
      rmSync(path.join(folder, "ballast"));
      puppet.play((turn) => turn.report());
      expect(await rig.run(RUN, { env })).toMatchObject({ code: 0 });
      expect(rig.statuses()).toEqual({ T1: "done" });
    } finally {
      mount.unmount();
    }
  })();
  if (reason !== undefined) context.skip(reason);
});
