// Which modules, headers and programs a machine brings: each language's own library, and what is installed for it.
// Looked up where the interpreters look, by their documented folders; none of them is started.
// Leaves what follows from a name that is there to sort/found-first.ts.
import path from "node:path";
import { errorCode } from "../../../system/errors.js";
import type { Files } from "../../../system/ports.js";
import type { Family } from "../../sort/languages.js";

/** Where a language's modules are on this machine, below folders that may hold several versions. */
interface Place {
  /** Folders below each prefix; `*` stands for any one name. */
  below: readonly string[];
  /** Folders with a path of their own. */
  own?: readonly string[];
}

const PLACES: Readonly<Partial<Record<Family, Place>>> = {
  python: {
    below: [
      "lib/python3*",
      "lib/python3*/lib-dynload",
      "lib/python3*/site-packages",
      "lib/python3*/dist-packages",
    ],
    own: ["/usr/lib/python3/dist-packages"],
  },
  perl: {
    below: ["share/perl/*", "share/perl5", "lib/perl5", "lib/*/perl/*", "lib/*/perl5/*", "lib/*/perl-base"],
    own: ["/etc/perl"],
  },
  ruby: {
    below: [
      "lib/ruby/*",
      "lib/ruby/vendor_ruby",
      "lib/ruby/gems/*/gems/*/lib",
      "share/rubygems-integration/*/gems/*/lib",
    ],
    own: ["/var/lib/gems/*/gems/*/lib"],
  },
  php: { below: ["share/php", "share/pear"] },
  lua: { below: ["share/lua/*", "lib/lua/*"] },
  c: { below: ["include", "include/*-linux-gnu", "include/c++/*", "lib/gcc/*/*/include"] },
};

/** Answers whether a module is installed; asks the file system for each name once. */
export class InstalledModules {
  readonly #answers = new Map<string, boolean>();
  readonly #folders = new Map<Family, Promise<readonly string[]>>();
  /** Names that were asked for and are not known yet. */
  readonly #asked = new Map<string, { family: Family; name: string }>();

  constructor(
    private readonly files: Files,
    private readonly env: Readonly<Record<string, string>>,
    /** Absolute: folders of the project that may hold a virtual environment. */
    private readonly projectFolders: readonly string[],
  ) {}

  /** Whether a module is installed. A name that is not known yet counts as not installed until `look` was called. */
  readonly has = (family: Family, name: string): boolean => {
    const key = `${family} ${name}`;
    const known = this.#answers.get(key);
    if (known === undefined) this.#asked.set(key, { family, name });
    return known ?? false;
  };

  /** Looks up the names that were asked for; `false` if there were none. */
  async look(): Promise<boolean> {
    const asked = [...this.#asked];
    this.#asked.clear();
    for (const [key, { family, name }] of asked) this.#answers.set(key, await this.#find(family, name));
    return asked.length > 0;
  }

  async #find(family: Family, name: string): Promise<boolean> {
    const folders = await this.#foldersOf(family);
    if (name === "" || name.includes("\0")) return false;
    for (const folder of folders) {
      if (family === "python") {
        if ((await this.#list(folder)).some((one) => one === name || one.startsWith(`${name}.`))) return true;
      } else if ((await unlessUnreadable(this.files.stat(path.join(folder, name)))) !== undefined)
        return true;
    }
    return false;
  }

  readonly #lists = new Map<string, Promise<readonly string[]>>();

  #list(folder: string): Promise<readonly string[]> {
    const known = this.#lists.get(folder);
    if (known !== undefined) return known;
    const found = unlessUnreadable(this.files.list(folder)).then((names) => names ?? []);
    this.#lists.set(folder, found);
    return found;
  }

  #foldersOf(family: Family): Promise<readonly string[]> {
    const known = this.#folders.get(family);
    if (known !== undefined) return known;
    const found = this.#expandAll(family);
    this.#folders.set(family, found);
    return found;
  }

  async #expandAll(family: Family): Promise<readonly string[]> {
    if (family === "shell") return (this.env["PATH"] ?? "").split(":").filter((one) => path.isAbsolute(one));
    const place = PLACES[family];
    if (place === undefined) return [];
    const {
      PATH = "",
      HOME = "",
      VIRTUAL_ENV = "",
      CONDA_PREFIX = "",
      PYENV_ROOT = path.join(HOME, ".pyenv"),
    } = this.env;
    const beside = PATH.split(":")
      .filter((one) => path.isAbsolute(one))
      .map((one) => path.dirname(one));
    const environments = this.projectFolders.flatMap((folder) =>
      [".venv", "venv", "env", ".virtualenv"].map((name) => path.join(folder, name)),
    );
    const home =
      HOME === ""
        ? []
        : [path.join(HOME, ".local"), path.join(HOME, "perl5"), path.join(PYENV_ROOT, "versions/*")];
    const prefixes = ["/usr", "/usr/local", ...beside, VIRTUAL_ENV, CONDA_PREFIX, ...environments, ...home];
    const patterns = prefixes
      .filter((prefix) => prefix !== "")
      .flatMap((prefix) => place.below.map((folder) => path.join(prefix, folder)));
    const found = new Set<string>();
    for (const pattern of new Set([...patterns, ...(place.own ?? [])]))
      for (const folder of await this.#expand(pattern)) found.add(folder);
    return [...found];
  }

  async #expand(pattern: string): Promise<string[]> {
    let folders = ["/"];
    for (const part of pattern.split("/").filter(Boolean)) {
      const next: string[] = [];
      for (const folder of folders) {
        if (!part.includes("*")) next.push(path.join(folder, part));
        else
          for (const name of await this.#list(folder))
            if (matches(part, name)) next.push(path.join(folder, name));
      }
      folders = next;
    }
    return folders;
  }
}

/** A place that cannot be read (another user's, a circle of symlinks, too long a name) holds nothing, as for a shell. */
async function unlessUnreadable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function matches(pattern: string, name: string): boolean {
  const [head = "", tail = ""] = pattern.split("*");
  return name.length >= head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}
