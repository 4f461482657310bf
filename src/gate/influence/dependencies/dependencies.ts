// Whether a changed manifest or lock file only adds dependencies of the kind that cannot decide a check: new names, plain versions,
// from where the others come from, and nothing that was there before changed. Pure.
// Leaves reading the formats to manifests.ts and lock-files.ts, and every other change to classify.ts.
import { posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readLockFile } from "./lock-files.js";
import { readManifest, type Dependency, type Read } from "./manifests.js";
import { PROGRAMS } from "../checks/protected-patterns.js";

/** A changed manifest or lock file. */
export interface ManifestChange {
  path: string;
  before: string;
  after: string;
}

/** Whether a file of this name lists dependencies. */
export function listsDependencies(path: string): boolean {
  return readerOf(path) !== undefined;
}

/** Why a change of a manifest or lock file may decide a check; `undefined`: it only adds plain dependencies. */
export function influenceOf(
  { path, before, after }: ManifestChange,
  programs: ReadonlySet<string>,
): string | undefined {
  const read = readerOf(path);
  const [old, now] = [read?.(before), read?.(after)];
  if (old === undefined || now === undefined) return "it cannot be read";
  if (!isDeepStrictEqual(old.rest, now.rest)) return "more than its dependencies changed";
  for (const [key, { value }] of old.dependencies) {
    if (!now.dependencies.has(key)) return `${key} was removed`;
    if (!isDeepStrictEqual(now.dependencies.get(key)?.value, value)) return `${key} was changed`;
  }
  const all = [...old.dependencies.values()];
  const known = { hosts: hostsOf(all), names: new Set(all.map(({ name }) => name)), programs };
  for (const [key, entry] of now.dependencies) {
    const reason = old.dependencies.has(key) ? undefined : reasonAgainst(entry, known);
    if (reason !== undefined) return `${entry.name} ${reason}`;
  }
  return undefined;
}

function readerOf(path: string): Read | undefined {
  return readManifest(path) ?? readLockFile(path);
}

/**
 * Packages that a test runner or checking tool loads because they are there: entry points of Python (pytest11, flake8), plugins of
 * minitest and karma, `.pth` files.
 */
const PLUGIN =
  /^(?:pytest[-_]|.*[-_]pytest$|flake8[-_]|pylint[-_]|mypy[-_]|rspec-|minitest-|karma-|phpunit\/|pestphp\/|sitecustomize|usercustomize|coverage[-_]enable|python-startup|nose)/i;

/** Where packages come from unless settings say otherwise. */
const REGISTRIES: ReadonlySet<string> = new Set([
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "pypi.org",
  "files.pythonhosted.org",
  "crates.io",
  "static.crates.io",
  "index.crates.io",
  "rubygems.org",
  "repo.packagist.org",
  "packagist.org",
]);

interface Known {
  hosts: ReadonlySet<string>;
  names: ReadonlySet<string>;
  programs: ReadonlySet<string>;
}

/** The reason not to accept an added dependency; `undefined` if there is none. */
function reasonAgainst(entry: Dependency, { hosts, names, programs }: Known): string | undefined {
  const { name, odd, bins = [], mayRepeat = false } = entry;
  if (odd !== undefined) return odd;
  if (!mayRepeat && names.has(name)) return "was there with another version";
  if (PLUGIN.test(name)) return "is loaded by a test runner because it is there";
  const allowed = hosts.size > 0 ? hosts : REGISTRIES;
  if ((entry.hosts ?? []).some((host) => !allowed.has(host)))
    return "comes from another place than the others";
  const takes = [posix.basename(name), ...bins].find((bin) => PROGRAMS.has(bin) || programs.has(bin));
  return takes === undefined ? undefined : `brings a program named ${takes}`;
}

function hostsOf(entries: readonly Dependency[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ hosts = [] }) => hosts));
}
