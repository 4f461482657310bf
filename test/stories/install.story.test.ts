// Installing as the README says, in make proof alone, because each builds the program: from a clone, and from a packed file. Each with an empty home and a global folder of its own.
// A real `npm ci` needs a network: on the clone without packages a stand-in for npm writes down how it was called.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { exhaustively } from "../rig/exhaustive.js";
import { ROOT } from "../rig/documents.js";
import { type Rig, story } from "../rig/rig.js";

const WORKS = { status: 0, err: "", out: expect.stringMatching(/^\d+\.\d+\.\d+/) as string };

interface Did {
  status: number | null;
  out: string;
  err: string;
}

/** Runs a program of the machine as a user with an empty home would, without a network. */
function type(rig: Rig, folder: string, line: readonly string[], env: Record<string, string> = {}): Did {
  const [command = "", ...args] = line;
  const offline = { npm_config_offline: "true", npm_config_update_notifier: "false" };
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { ...rig.env, ...offline, npm_config_prefix: path.join(rig.root, "global"), ...env },
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

function looper(rig: Rig, ...args: string[]): Did {
  return type(rig, rig.project, [path.join(rig.root, "global/bin/looper"), ...args]);
}

/** The files that git knows or would take, as a clone has them: nothing built, no packages. */
function cloneInto(folder: string): void {
  const flags = ["-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = execFileSync("git", ["ls-files", ...flags], { cwd: ROOT, encoding: "utf8" });
  for (const name of listed.split("\0").filter((one) => one !== "" && existsSync(path.join(ROOT, one))))
    cpSync(path.join(ROOT, name), path.join(folder, name));
}

exhaustively(
  "a packed file installs without a network, and the command needs neither the file nor the clone afterwards",
  story((rig) => {
    const packs = path.join(rig.root, "packs");
    mkdirSync(packs);
    const packed = type(rig, ROOT, ["npm", "pack", "--silent", "--pack-destination", packs]);
    expect([packed.status, packed.out]).toEqual([0, expect.stringMatching(/^looper-.*\.tgz\n$/)]);
    const [name = ""] = readdirSync(packs);
    const installed = type(rig, packs, ["npm", "i", "-g", `./${name}`]);
    expect([installed.status, installed.err]).toEqual([0, expect.not.stringContaining("ERR")]);
    rmSync(packs, { recursive: true });
    expect(looper(rig, "--version")).toMatchObject(WORKS);
    expect(looper(rig, "init", "--yes")).toMatchObject({ status: 0, err: "" });
    expect(looper(rig, "validate").status).toBe(0);
    expect(looper(rig, "doctor").out).toContain("✓");
    return Promise.resolve();
  }),
);

/** Packages as `npm ci` leaves them; links, so that whatever is done to them here stays here. */
function linkPackages(clone: string): void {
  const folder = path.join(clone, "node_modules");
  mkdirSync(folder);
  const packages = path.join(ROOT, "node_modules");
  for (const name of readdirSync(packages)) symlinkSync(path.join(packages, name), path.join(folder, name));
  rmSync(path.join(folder, ".installed"), { force: true });
  writeFileSync(path.join(folder, ".installed"), "");
}

exhaustively(
  "npm i -g . in a clone builds it and links the command to it; make install copies it, and outlives the clone",
  story((rig) => {
    const clone = path.join(rig.root, "clone");
    cloneInto(clone);
    linkPackages(clone);
    const installed = type(rig, clone, ["npm", "i", "-g", "."]);
    expect([installed.status, installed.err]).toEqual([0, expect.not.stringContaining("ERR")]);
    expect(looper(rig, "--version")).toMatchObject(WORKS);
    const global = path.join(rig.root, "global/lib/node_modules/looper");
    expect(realpathSync(global)).toBe(clone);

    const made = type(rig, clone, ["make", "install"]);
    const command = path.join(rig.root, "global/bin/looper");
    expect([made.status, made.err, made.out]).toEqual([
      0,
      expect.not.stringContaining("ERR"),
      expect.stringContaining(command),
    ]);
    expect(lstatSync(global).isSymbolicLink()).toBe(false);
    rmSync(clone, { recursive: true });
    expect(looper(rig, "--version")).toMatchObject(WORKS);
    return Promise.resolve();
  }),
);

exhaustively(
  "prepare installs the packages of the build once where one is missing, says so in one line, and builds",
  story((rig) => {
    const clone = path.join(rig.root, "clone");
    cloneInto(clone);
    // The test above builds; a second build would cost 20 processor seconds, so this one only says that it was asked for.
    const builds = path.join(rig.root, "builds.jsonl");
    writeFileSync(
      path.join(clone, "scripts/build.mjs"),
      `import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
      appendFileSync(${JSON.stringify(builds)}, JSON.stringify(process.argv.slice(2)) + "\\n");
      mkdirSync("dist");
      writeFileSync("dist/looper.js", "");`,
    );
    const npm = path.join(rig.root, "npm-cli.js");
    const calls = path.join(rig.root, "calls.jsonl");
    writeFileSync(
      npm,
      `const fs = require("node:fs");
      const steering = ["npm_config_global", "npm_config_location", "npm_config_omit"].filter((name) => name in process.env);
      fs.appendFileSync(${JSON.stringify(calls)}, JSON.stringify([process.argv.slice(2), steering]) + "\\n");
      if (process.env.NO_NETWORK) process.exit(1);
      console.log("what npm prints");
const packages = ${JSON.stringify(path.join(ROOT, "node_modules"))};
      fs.mkdirSync("node_modules");
      for (const name of fs.readdirSync(packages))
        if (name !== ".installed") fs.symlinkSync(packages + "/" + name, "node_modules/" + name);
      `,
    );
    const global = { npm_config_global: "true", npm_config_location: "global", npm_config_omit: "dev" };
    const env = { npm_execpath: npm, ...global };
    const prepare = ["node", "scripts/prepare.mjs"];
    const failed = type(rig, clone, prepare, { ...env, NO_NETWORK: "1" });
    expect([failed.status, failed.out]).toEqual([1, ""]);
    expect(failed.err).toMatch(
      /^looper: installing .*\nlooper: cannot install the packages .*: npm ci failed\n$/,
    );

    const first = type(rig, clone, prepare, env);
    expect([first.status, first.out]).toEqual([0, ""]);
    expect(first.err).toMatch(
      /^looper: installing the \d+ packages that the build needs \(npm ci\)\nwhat npm prints\n$/,
    );
    expect(existsSync(path.join(clone, "dist/looper.js"))).toBe(true);
    expect(type(rig, clone, prepare, env)).toEqual({ status: 0, out: "", err: "" });
    expect(readFileSync(builds, "utf8")).toBe('["--if-older"]\n');
    const called = readFileSync(calls, "utf8").trim().split("\n");
    const ci = [["ci", "--ignore-scripts", "--include=dev", "--loglevel=error"], []];
    expect(called.map((line): unknown => JSON.parse(line))).toEqual([ci, ci]);
    return Promise.resolve();
  }),
);
