import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { expect } from "vitest";
import { test, type ProjectTree, type Verify } from "../testing/cold-scratch.js";

// The first command runs the program, which writes to the test; the second runs the test, and then the program again.
const PROJECT: ProjectTree = {
  "src/run.sh": "true\n",
  "src/after.sh": "true\n",
  "test/run.sh": "grep -q right src/answer.sh\n",
  "src/answer.sh": "# right\n",
};
const VERIFY: Verify = {
  commands: ["sh src/run.sh", "sh test/run.sh && sh src/after.sh"],
  measured: true,
  protected: ["!/src/", "/test/"],
};
const BENDS: ProjectTree = {
  "src/answer.sh": "# wrong\n",
  "src/run.sh": "cp test/run.sh kept; echo true >test/run.sh\n",
  "src/after.sh": "cp kept test/run.sh\n",
};

test("a check that one command changes and the next puts back is tampered with", async ({ cold }) => {
  const { report } = await cold.judge(PROJECT, BENDS, VERIFY);
  expect(report).toMatchObject({
    verdict: "tampered",
    tampered: [{ path: "test/run.sh", detail: "changed while the checks ran" }],
  });
});

test("a check that a setup changes and a command puts back is tampered with", async ({ cold }) => {
  const verify = { ...VERIFY, commands: ["sh test/run.sh && sh src/after.sh"], setup: ["sh src/run.sh"] };
  expect((await cold.judge(PROJECT, BENDS, verify)).report.verdict).toBe("tampered");
});

test("a test that an attempt forges in the objects of the repository ends the gate, and is named", async ({
  cold,
}) => {
  const { top, git } = cold.scratch;
  const forge = async (): Promise<void> => {
    await cold.write({ "src/answer.sh": "# wrong\n" });
    const oid = await git("rev-parse", "HEAD:test/run.sh");
    const file = join(top, ".git/objects", oid.slice(0, 2), oid.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, deflateSync(Buffer.from("blob 5\0true\n")));
  };
  const gate = cold.judge(PROJECT, forge, { ...VERIFY, commands: ["sh test/run.sh"] });
  await expect(gate).rejects.toThrow(/tampered: object [0-9a-f]{40} in the repository/);
  await expect(gate).rejects.toMatchObject({ kind: "environment" });
  // Nothing is lost: the work is in the tree, and no room is left.
  expect(readFileSync(join(top, "src/answer.sh"), "utf8")).toBe("# wrong\n");
  expect(readdirSync(join(top, "../tmp"))).toEqual([]);
});

test("checks may write into the room: new files, and files of the program that they write on the base too", async ({
  cold,
}) => {
  const commands = ["echo x >made; echo x >>src/log.sh; sh test/run.sh"];
  const project = { ...PROJECT, "src/log.sh": "" };
  const { report } = await cold.judge(project, { "src/answer.sh": "# right!\n" }, { ...VERIFY, commands });
  expect(report.verdict).toBe("unbroken");
});
