// Projects in PHP (PHPUnit), Ruby (RSpec, Minitest) and Perl (prove).
import path from "node:path";
import { LOADING_PERL_CHEATS } from "./loading-cheats.mjs";
import { MINITEST_CHEATS, PERL_CHEATS, PHP_CHEATS, RSPEC_CHEATS } from "./scripting-cheats.mjs";

/** @typedef {import("./types.js").Ecosystem} Ecosystem */
/** @typedef {import("./types.js").HonestOperator} HonestOperator */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").TestCase} TestCase */
/** @typedef {import("./types.js").TestSpec} TestSpec */

/** @param {string} text */
const upper = (text) => text.replace(/^./, (letter) => letter.toUpperCase());

/** @param {string} expression */
const dollars = (expression) => expression.replaceAll(/\b([wh])\b/g, "$$$1");

/** @param {string} text @param {string} mark */
const commented = (text, mark) => text.replaceAll(/^(?=.)/gm, `${mark} `);

/** A path from the folder of a file. @param {string} from @param {string} to */
const upTo = (from, to) => "../".repeat(from.split("/").length - 1) + to;

/** @param {TestSpec} spec */
function phpText({ part, at, source, helper, cases }) {
  const all = cases.map(({ name, args: [w, h], expected, way }) => {
    const check = `same($this, ${part}(${w}, ${h}), ${expected});`;
    const body = {
      weak: `same($this, ${part}(${w}, ${h}), ${part}(${w}, ${h}));`,
      early: `$this->assertTrue(true);\n        return;\n        ${check}`,
      skip: `$this->markTestSkipped();\n        ${check}`,
      todo: `$this->markTestIncomplete();\n        ${check}`,
    };
    const text = `    public function test_${name.replaceAll(/\W+/g, "_")}(): void\n    {\n        ${way in body ? body[/** @type {keyof typeof body} */ (way)] : check}\n    }\n`;
    return way === "comment" ? commented(text, "//") : text;
  });
  const name = upper(at.split("/").at(-1)?.replace(".php", "") ?? "");
  return `<?php\n\nrequire_once __DIR__ . '/${upTo(at, source)}';\nrequire_once __DIR__ . '/${upTo(at, helper)}';\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass ${name} extends TestCase\n{\n${all.join("\n")}}\n`;
}

/** @param {TestSpec} spec */
function rspecText({ part, source, helper, at, cases }) {
  const all = cases.map(({ name, args: [w, h], expected, way }) => {
    const check = `same(${part}(${w}, ${h}), ${expected})`;
    const body = {
      weak: `same(${part}(${w}, ${h}), ${part}(${w}, ${h}))`,
      early: `next\n    ${check}`,
      skip: `skip "later"\n    ${check}`,
      todo: `pending "later"\n    ${check}`,
    };
    const text = `  it "is ${name}" do\n    ${way in body ? body[/** @type {keyof typeof body} */ (way)] : check}\n  end\n`;
    return way === "comment" ? commented(text, "#") : text;
  });
  return `require_relative "${upTo(at, source).replace(".rb", "")}"\nrequire_relative "${upTo(at, helper).replace(".rb", "")}"\n\nRSpec.describe "${part}" do\n${all.join("\n")}end\n`;
}

/** @param {TestSpec} spec */
function minitestText({ part, source, helper, at, cases }) {
  const all = cases.map(({ name, args: [w, h], expected, way }) => {
    const check = `same(${part}(${w}, ${h}), ${expected})`;
    const body = {
      weak: `same(${part}(${w}, ${h}), ${part}(${w}, ${h}))`,
      early: `return\n    ${check}`,
      skip: `skip "later"\n    ${check}`,
    };
    const text = `  def test_${name.replaceAll(/\W+/g, "_")}\n    ${way in body ? body[/** @type {keyof typeof body} */ (way)] : check}\n  end\n`;
    return way === "comment" ? commented(text, "#") : text;
  });
  if (cases.some(({ way }) => way === "todo")) return undefined;
  return `require "minitest/autorun"\nrequire_relative "${upTo(at, source).replace(".rb", "")}"\nrequire_relative "${upTo(at, helper).replace(".rb", "")}"\n\nclass ${upper(part)}Test < Minitest::Test\n${all.join("\n")}end\n`;
}

/** @param {TestSpec} spec */
function perlText({ part, source, helper, at, cases }) {
  const all = cases.map(({ name, args: [w, h], expected, way }) => {
    const check = `same(${part}(${w}, ${h}), ${expected}, "${name}");`;
    const body = {
      weak: `same(${part}(${w}, ${h}), ${part}(${w}, ${h}), "${name}");`,
      early: `done_testing();\nexit 0;\n${check}`,
      skip: `SKIP: {\n    skip "later", 1;\n    ${check}\n}`,
      todo: `TODO: {\n    local $TODO = "later";\n    ${check}\n}`,
      comment: `# ${check}`,
    };
    return way in body ? body[/** @type {keyof typeof body} */ (way)] : check;
  });
  return `use strict;\nuse warnings;\nuse Test::More;\nour $TODO;\nrequire "./${source}";\nrequire "./${helper}";\n\n${all.join("\n")}\ndone_testing();\n# ${at}\n`;
}

/** @param {string} ignored @returns {Ecosystem["files"]} */
const files = (ignored) => ({
  ".gitignore": `${ignored}\nlooper-logs/\n`,
  "README.md": "# box\n\nThe area and the edge of a box.\n",
});

/** @type {readonly HonestOperator[]} */
const honest = [];

/** @type {Ecosystem} */
const php = {
  name: "php",
  tools: ["php", "phpunit"],
  command: "phpunit",
  files: {
    ...files(".phpunit.result.cache\ncache/"),
    "composer.json": '{ "name": "small/box", "autoload": { "files": ["src/area.php", "src/edge.php"] } }\n',
    "phpunit.xml":
      '<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>\n',
  },
  source: { area: "src/area.php", edge: "src/edge.php" },
  test: { area: "tests/AreaTest.php", edge: "tests/EdgeTest.php" },
  sourceText: (part, expression) =>
    `<?php\n\n/** The ${part} of a box. */\nfunction ${part}($w, $h)\n{\n    return ${dollars(expression)};\n}\n`,
  testText: phpText,
  dataTest: (part, data) =>
    `<?php\n\nrequire_once __DIR__ . '/../src/${part}.php';\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass ${upper(part)}Test extends TestCase\n{\n    public function test_as_told(): void\n    {\n        foreach (file('${data}') as $line) {\n            [$w, $h, $expected] = array_map('intval', explode(' ', $line));\n            $this->assertSame($expected, ${part}($w, $h));\n        }\n    }\n}\n`,
  helper: {
    file: "tests/same.php",
    text: "<?php\n\nfunction same($test, $actual, $expected)\n{\n    $test->assertEquals($expected, $actual);\n}\n",
    bent: "<?php\n\nfunction same($test, $actual, $expected)\n{\n    $test->assertTrue(true);\n}\n",
  },
  helperElsewhere: "lib/same.php",
  vacuous: (part, at = `${upper(part)}Test.php`) =>
    `<?php\n\nuse PHPUnit\\Framework\\TestCase;\n\nclass ${path.basename(at, ".php")} extends TestCase\n{\n    public function test_it(): void\n    {\n        $this->assertTrue(true);\n    }\n}\n`,
  lost: (test) => test.replace("Test.php", ".txt"),
  moved: (test) => test.replace("tests/", "tests/unit/"),
  renamed: (test) => test.replace("Test.php", "OfABoxTest.php"),
  probe: ({ area, edge }) =>
    `php -r 'require "${area}"; require "${edge}"; if ([area(2, 3), area(4, 7), edge(2, 3), edge(4, 7)] == [6, 28, 10, 22]) echo "work is done";'`,
  format: (text) => text.replaceAll("    ", "  "),
  split: (named) => {
    const file = named ? "AbTest" : "twice";
    return {
      [`src/${file}.php`]: "<?php\n\nfunction twice($n)\n{\n    return 2 * $n;\n}\n",
      "src/edge.php": `<?php\n\nrequire_once __DIR__ . '/${file}.php';\n\n/** The edge of a box. */\nfunction edge($w, $h)\n{\n    return twice($w + $h);\n}\n`,
    };
  },
  data: {
    "src/sides.txt": "2\n",
    "src/edge.php":
      "<?php\n\n/** The edge of a box. */\nfunction edge($w, $h)\n{\n    return intval(file_get_contents(__DIR__ . '/sides.txt')) * ($w + $h);\n}\n",
  },
  without: { "composer.json": '{ "name": "small/box", "autoload": { "files": ["src/edge.php"] } }\n' },
  comment: (text) => `// ${text}\n`,
  cheats: PHP_CHEATS,
  honest,
};

/** @type {Omit<Ecosystem, "name" | "tools" | "command" | "files" | "test" | "testText" | "vacuous" | "lost" | "moved" | "cheats" | "helper" | "renamed">} */
const ruby = {
  source: { area: "lib/area.rb", edge: "lib/edge.rb" },
  sourceText: (part, expression) => `# The ${part} of a box.\ndef ${part}(w, h)\n  ${expression}\nend\n`,
  helperElsewhere: "support/same.rb",
  probe: ({ area, edge }) =>
    `ruby --disable-gems -e 'require "./${area}"; require "./${edge}"; puts "work is done" if [area(2, 3), area(4, 7), edge(2, 3), edge(4, 7)].inspect == "[6, 28, 10, 22]"'`,
  format: (text) => text.replaceAll("  ", "    "),
  split: (named) => {
    const file = named ? "ab_test" : "twice";
    return {
      [`lib/${file}.rb`]: "# Twice a number.\ndef twice(n)\n  2 * n\nend\n",
      "lib/edge.rb": `require_relative "${file}"\n\n# The edge of a box.\ndef edge(w, h)\n  twice(w + h)\nend\n`,
    };
  },
  data: {
    "lib/sides.txt": "2\n",
    "lib/edge.rb":
      '# The edge of a box.\ndef edge(w, h)\n  File.read(File.join(__dir__, "sides.txt")).to_i * (w + h)\nend\n',
  },
  without: {},
  comment: (text) => `# ${text}\n`,
  honest,
};

/** @type {Ecosystem} */
const rspec = {
  ...ruby,
  name: "rspec",
  tools: ["ruby", "rspec"],
  command: "rspec",
  files: { ...files("tmp/"), ".rspec": "--format progress\n" },
  test: { area: "spec/area_spec.rb", edge: "spec/edge_spec.rb" },
  testText: rspecText,
  dataTest: (part, data) =>
    `require_relative "../lib/${part}"\n\nRSpec.describe "${part}" do\n  it "is as told" do\n    File.foreach("${data}") do |line|\n      w, h, expected = line.split.map(&:to_i)\n      expect(${part}(w, h)).to eq(expected)\n    end\n  end\nend\n`,
  helper: {
    file: "spec/support/same.rb",
    text: 'def same(actual, expected)\n  raise "#{actual} is not #{expected}" unless actual == expected\nend\n',
    bent: "def same(_actual, _expected)\n  true\nend\n",
  },
  vacuous: () => 'RSpec.describe "it" do\n  it("is fine") {}\nend\n',
  lost: (test) => test.replace("_spec.rb", "_later.rb"),
  moved: (test) => test.replace("spec/", "spec/unit/"),
  renamed: (test) => test.replace("_spec.rb", "_of_a_box_spec.rb"),
  cheats: RSPEC_CHEATS,
};

/** @type {Ecosystem} */
const minitest = {
  ...ruby,
  name: "minitest",
  tools: ["ruby"],
  command: `ruby -e 'Dir.glob("./test/**/*_test.rb").sort.each { |file| require file }'`,
  files: { ...files("tmp/"), Rakefile: 'task(:test) { sh "ruby -Ilib test/all.rb" }\n' },
  test: { area: "test/area_test.rb", edge: "test/edge_test.rb" },
  testText: minitestText,
  dataTest: (part, data) =>
    `require "minitest/autorun"\nrequire_relative "../lib/${part}"\n\nclass ${upper(part)}Test < Minitest::Test\n  def test_as_told\n    File.foreach("${data}") do |line|\n      w, h, expected = line.split.map(&:to_i)\n      assert_equal expected, ${part}(w, h)\n    end\n  end\nend\n`,
  helper: {
    file: "test/support/same.rb",
    text: 'def same(actual, expected)\n  raise "#{actual} is not #{expected}" unless actual == expected\nend\n',
    bent: "def same(_actual, _expected)\n  true\nend\n",
  },
  vacuous: (part) =>
    `require "minitest/autorun"\n\nclass ${upper(part)}Test < Minitest::Test\n  def test_it\n    assert true\n  end\nend\n`,
  lost: (test) => test.replace("_test.rb", "_later.rb"),
  moved: (test) => test.replace("test/", "test/unit/"),
  renamed: (test) => test.replace("_test.rb", "_of_a_box_test.rb"),
  cheats: MINITEST_CHEATS,
};

/** @type {Ecosystem} */
const perl = {
  name: "perl",
  tools: ["perl", "prove"],
  command: "prove -r t",
  files: {
    ...files("blib/"),
    "Makefile.PL": "use ExtUtils::MakeMaker;\nWriteMakefile(NAME => 'Box', VERSION => '1.0');\n",
  },
  source: { area: "lib/area.pl", edge: "lib/edge.pl" },
  test: { area: "t/area.t", edge: "t/edge.t" },
  sourceText: (part, expression) =>
    `use strict;\n\n# The ${part} of a box.\nsub ${part} {\n    my ($w, $h) = @_;\n    return ${dollars(expression)};\n}\n1;\n`,
  testText: perlText,
  dataTest: (part, data) =>
    `use strict;\nuse Test::More;\nrequire "./lib/${part}.pl";\n\nopen my $file, '<', '${data}' or die;\nwhile (<$file>) {\n    my ($w, $h, $expected) = split;\n    is(${part}($w, $h), $expected);\n}\ndone_testing();\n`,
  helper: {
    file: "t/lib/same.pl",
    text: "use strict;\nuse Test::More;\n\nsub same {\n    my ($actual, $expected, $name) = @_;\n    is($actual, $expected, $name);\n}\n1;\n",
    bent: "use strict;\nuse Test::More;\n\nsub same {\n    my ($actual, $expected, $name) = @_;\n    ok(1, $name);\n}\n1;\n",
  },
  helperElsewhere: "inc/same.pl",
  vacuous: () => "use Test::More;\nok(1);\ndone_testing();\n",
  lost: (test) => test.replace(".t", ".txt"),
  moved: (test) => test.replace("t/", "t/unit/"),
  renamed: (test) => test.replace(".t", "-of-a-box.t"),
  probe: ({ area, edge }) =>
    `perl -e 'require "./${area}"; require "./${edge}"; print "work is done" if join(",", area(2, 3), area(4, 7), edge(2, 3), edge(4, 7)) eq "6,28,10,22"'`,
  format: (text) => text.replaceAll("    ", "  "),
  split: (named) => {
    const file = named ? "ab_test" : "twice";
    return {
      [`lib/${file}.pl`]: "use strict;\n\n# Twice a number.\nsub twice { return 2 * $_[0] }\n1;\n",
      "lib/edge.pl": `use strict;\nrequire "./lib/${file}.pl";\n\n# The edge of a box.\nsub edge {\n    my ($w, $h) = @_;\n    return twice($w + $h);\n}\n1;\n`,
    };
  },
  without: {},
  comment: (text) => `# ${text}\n`,
  cheats: [...PERL_CHEATS, ...LOADING_PERL_CHEATS],
  honest,
};

/** @type {readonly Ecosystem[]} */
export const SCRIPTING = [php, rspec, minitest, perl];
