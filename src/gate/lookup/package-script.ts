// Finds which script of a package.json a package manager's command runs. Pure.
import { posix } from "node:path";
import { nearest } from "../../system/text/nearest.js";

/** A call of a script by its name. */
export interface ScriptCall {
  name: string;
  /** The folder where the lookup starts, as an option names it. */
  folder: string;
  /** Without such a script, the manager runs the program of that name from node_modules/.bin. */
  orProgram: boolean;
}

/** Options that leave open which package is meant, or whether the script must exist. */
const OPEN =
  /^(?:-w|-ws|--workspaces?|-r|--recursive|-F|--filter|--if-present|workspaces?|--location)(?:=|$)/;
const FOLDER = /^(?:-C|--prefix|--dir|--cwd)(?:=(.*))?$/;
/** Commands of pnpm and yarn themselves. */
const OWN =
  /^(?:add|audit|bin|build-approve|cache|ci|config|constraints|create|dedupe|deploy|dlx|env|exec|explain|fetch|global|help|i|import|info|init|install|install-test|it|link|list|licenses|ln|login|ls|node|npm|outdated|pack|patch|plugin|prune|publish|rb|rebuild|remove|rm|root|run|server|set|setup|stage|start|store|unlink|up|update|upgrade|version|versions|why|x)$/;

/** Commands of npm and their aliases; npm accepts the beginning of each as well. */
const OF_NPM =
  "access add adduser add-user approve-scripts audit author bugs c cache ci cit clean-install completion config create ddp dedupe deny-scripts deprecate diff dist-tag docs doctor edit exec explain explore find find-dupes fund get help help-search hlep home i ic in info init innit ins inst insta instal install install-ci-test install-clean install-scripts install-test isnt isnta isntal isntall issues it la link list ll ln login logout ls ogr org outdated owner pack ping pkg prefix profile prune publish query r rb rebuild remove repo restart rm root rum run run-script s sbom se search set show shrinkwrap sit stage star stars start stop t team test token trust tst u udpate un undeprecate uninstall unlink unpublish unstar up update upgrade urn v verison version view whoami why x".split(
    " ",
  );

/** Finds a command that npm does not have, and the command that was probably meant. */
export function unknownCommand(
  program: string,
  args: readonly string[],
): { verb: string; meant: string | undefined } | undefined {
  const [verb] = readArgs(args).words;
  // The word behind an option may be the option's value instead of a command.
  if (posix.basename(program) !== "npm" || verb === undefined || args[0] !== verb) return undefined;
  if (!/^[a-z-]+$/.test(verb) || OF_NPM.some((known) => known.startsWith(verb))) return undefined;
  return {
    verb,
    meant: nearest(
      verb,
      OF_NPM.filter((known) => known.length > 2),
    ),
  };
}

/** Finds the script that is called; `undefined` if none is, or if it is unclear which. */
export function scriptCall(program: string, args: readonly string[]): ScriptCall | undefined {
  const manager = posix.basename(program);
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(manager)) return undefined;
  const { words, folder, isOpen } = readArgs(args);
  const [verb, name] = words;
  if (isOpen || verb === undefined) return undefined;
  const call = (script: string | undefined, orProgram: boolean): ScriptCall | undefined =>
    script === undefined ? undefined : { name: script, folder, orProgram };
  if (/^(?:run|run-script|rum|urn)$/.test(verb)) return call(name, manager === "yarn" || manager === "bun");
  if (manager === "bun") return undefined;
  if (verb === "test" || (manager !== "yarn" && /^(?:t|tst)$/.test(verb))) return call("test", false);
  return manager === "npm" || OWN.test(verb) ? undefined : call(verb, true);
}

/** The words that are not options, up to `--`. */
function readArgs(args: readonly string[]): { words: string[]; folder: string; isOpen: boolean } {
  const words: string[] = [];
  let folder = "";
  let isOpen = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") break;
    // Short options behind a script's name belong to the script.
    if (words.length === 0 || arg.startsWith("--")) isOpen ||= OPEN.test(arg);
    const option = FOLDER.exec(arg);
    if (option !== null) folder = option[1] ?? args[++at] ?? "";
    else if (!arg.startsWith("-")) words.push(arg);
  }
  return { words, folder, isOpen };
}
