import { expect, test } from "vitest";
import { isLeading, mayHoldVersion, findVersions } from "./places.js";

const versions = (path: string, text: string) => findVersions(path, text).map(({ version }) => version);

test.each([
  ["package.json", '{"name":"p","version":"1.2.0","dependencies":{"q":"9.9.9"}}', ["1.2.0"]],
  ["package.json", '{"name":"p"', []],
  ["package.json", '{"version":"workspace:*"}', []],
  ["packages/a/package.json", '{"version":"1.2.0"}', ["1.2.0"]],
  ["node_modules/q/package.json", '{"version":"1.2.0"}', []],
  ["test/fixtures/p/package.json", '{"version":"1.2.0"}', []],
  [
    "package-lock.json",
    '{"version":"1.2.0","packages":{"":{"version":"1.2.0"},"packages/a":{"version":"0.3.0"},"node_modules/q":{"version":"9.9.9"},"packages/a/node_modules/r":{"version":"8.8.8"}}}',
    ["1.2.0", "1.2.0", "0.3.0"],
  ],
  ["pyproject.toml", '[project]\nname = "p"\nversion = "1.2.0"\n[tool.x]\nversion = "9.9.9"\n', ["1.2.0"]],
  ["pyproject.toml", "[tool.poetry]\nversion='1.2.0' # ours\n[[x]]\nversion = '9.9.9'\n", ["1.2.0"]],
  [
    "Cargo.toml",
    '[package]\nversion = "1.2.0"\n[dependencies]\nq = { version = "9.9.9" }\n[dependencies.r]\nversion = "8.8.8"\n',
    ["1.2.0"],
  ],
  ["Cargo.toml", '[workspace.package]\nversion = "1.2.0"\n', ["1.2.0"]],
  [
    "Cargo.lock",
    'version = 4\n\n[[package]]\nname = "p"\nversion = "1.2.0"\n\n[[package]]\nname = "q"\nversion = "9.9.9"\nsource = "registry"\n',
    ["1.2.0"],
  ],
  [
    "uv.lock",
    'version = 1\n[[package]]\nname = "p"\nversion = "1.2.0"\nsource = { editable = "." }\n[[package]]\nname = "q"\nversion = "9.9.9"\nsource = { registry = "x" }\n',
    ["1.2.0"],
  ],
  ["VERSION", "1.2.0\n", ["1.2.0"]],
  ["VERSION", "to be told\n", []],
  ["setup.cfg", "[metadata]\nversion = 1.2.0\n[other]\nversion = 9.9.9\n", ["1.2.0"]],
  ["setup.cfg", "[metadata]\nversion = attr: p.__version__\n", []],
  ["setup.py", 'setup(\n  name="p",\n  version="1.2.0",\n)\n', ["1.2.0"]],
  ["src/p/__init__.py", '"""P."""\n__version__ = "1.2.0"\n', ["1.2.0"]],
  ["src/p/main.py", '__version__: str = "1.2.0"\nversion = "9.9.9"\n', ["1.2.0"]],
  ["src/version.ts", 'export const VERSION = "1.2.0";\n', ["1.2.0"]],
  ["src/other.ts", 'export const version = "1.2.0";\n', []],
  ["version/version.go", 'package version\n\nconst Version = "v1.2.0"\n', ["v1.2.0"]],
  ["src/version.rs", 'pub const VERSION: &str = "1.2.0";\n', ["1.2.0"]],
  ["lib/p/version.rb", 'module P\n  VERSION = "1.2.0"\nend\n', ["1.2.0"]],
  ["p.gemspec", 'Gem::Specification.new do |s|\n  s.version = "1.2.0"\nend\n', ["1.2.0"]],
  ["p.csproj", "<Project><PropertyGroup><Version>1.2.0</Version></PropertyGroup></Project>", ["1.2.0"]],
  [
    "pom.xml",
    "<project><parent><version>9.9.9</version></parent><version>1.2.0</version><dependencies><dependency><version>8.8.8</version></dependency></dependencies></project>",
    ["1.2.0"],
  ],
  ["Chart.yaml", 'version: 0.5.0\nappVersion: "1.2.0"\n', ["0.5.0", "1.2.0"]],
  ["build.gradle", "plugins { id 'x' version '9.9.9' }\nversion = '1.2.0'\n", ["1.2.0"]],
  ["mix.exs", '  def project do\n    [\n      version: "1.2.0",\n', ["1.2.0"]],
  [
    "CMakeLists.txt",
    "cmake_minimum_required(VERSION 3.20)\nproject(p VERSION 1.2.0 LANGUAGES C)\n",
    ["1.2.0"],
  ],
  ["README.md", "version 1.2.0\n", []],
])("%s %j", (path, text, expected) => {
  expect(versions(path, text)).toEqual(expected);
  if (expected.length > 0) expect(mayHoldVersion(path)).toBe(true);
});

test("a manifest is the source of the version, a lock file and a constant are not", () => {
  const leads = (path: string, text: string) => findVersions(path, text).map(isLeading);
  expect(leads("package.json", '{"version":"1.2.0"}')).toEqual([true]);
  expect(leads("package-lock.json", '{"version":"1.2.0"}')).toEqual([false]);
  expect(leads("src/version.ts", 'const VERSION = "1.2.0"')).toEqual([false]);
});
