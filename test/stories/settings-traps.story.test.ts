// Reading settings runs nothing of a repository, whatever lies where a library could look, and waits for nothing.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { sample } from "../rig/exhaustive.js";
import { type Rig, story } from "../rig/rig.js";

const sprung = (rig: Rig): string => path.join(rig.root, "sprung");
const trap = (rig: Rig): string =>
  `process.getBuiltinModule("fs").writeFileSync(${JSON.stringify(sprung(rig))}, "");`;

async function reads(rig: Rig): Promise<void> {
  const { code, stdout, stderr } = await rig.run(["config", "get", "loop.max_attempts"]);
  expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining("7") as string });
  expect(existsSync(sprung(rig))).toBe(false);
}

test.each(
  sample(
    [
      [".config/config.js"],
      ["looper.config.ts"],
      [".looper/config.js"],
      [".config/config.cjs"],
      [".config/config.mjs"],
      ["looper.config.js"],
      ["looper.config.mjs"],
    ],
    3,
  ),
)("a repository with %s runs nothing", (name) =>
  story(async (rig) => {
    rig.write(name, trap(rig));
    rig.write(".looper/config.json", JSON.stringify({ loop: { max_attempts: 7 } }));
    await reads(rig);
  })(),
);

test.each([
  ["package.json", JSON.stringify({ cosmiconfig: { searchPlaces: ["evil.js"], mergeSearchPlaces: false } })],
  [".config/config.json", JSON.stringify({ cosmiconfig: { searchPlaces: ["evil.js"] } })],
  [".looperrc", "loop: { max_attempts: 8 }"],
  [".looperrc.js", ""],
])("%s says nothing about where settings are", (name, text) =>
  story(async (rig) => {
    rig.write("evil.js", trap(rig));
    rig.write(name, text === "" ? trap(rig) : text);
    rig.write(".looper/config.json", JSON.stringify({ loop: { max_attempts: 7 } }));
    await reads(rig);
    const unread = name.startsWith(".looperrc") ? [`looper: ${name} is not read: the settings are in`] : [];
    expect(
      (await rig.run(["config"])).stderr.match(/^looper: .+ is not read: the settings are in/gm) ?? [],
    ).toEqual(unread);
  })(),
);

test(
  "a task file that is called like settings is read without a word about settings",
  story(async (rig) => {
    rig.write("looper.json", JSON.stringify({ schema_version: 1, source_files: [], tasks: [] }));
    expect((await rig.run(["validate", "looper.json"])).stderr).not.toContain("is not read");
  }),
);

test(
  "a .looper that is a link to a folder with programs runs none of them",
  story(async (rig) => {
    rig.write("elsewhere/config.js", trap(rig));
    rig.write("elsewhere/config.json", JSON.stringify({ loop: { max_attempts: 7 } }));
    symlinkSync("elsewhere", path.join(rig.project, ".looper"));
    await reads(rig);
  }),
);

test.each(sample([".looper", ".looper/config.json", ".looper/config.yaml", "package.json"], 2))(
  "a pipe in place of %s keeps no command waiting",
  (name) =>
    story(async (rig) => {
      mkdirSync(path.dirname(path.join(rig.project, name)), { recursive: true });
      execFileSync("mkfifo", [path.join(rig.project, name)]);
      const { code, stderr } = await rig.run(["config", "get", "loop.max_attempts"]);
      expect(code, stderr).not.toBe(null);
      expect(stderr).not.toContain("internal error");
    })(),
);
