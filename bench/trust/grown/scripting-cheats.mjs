// Cheats that only projects in PHP, Ruby and Perl know: settings, options files, bootstraps, modules found first.
import { onTests } from "./build.mjs";

/** @typedef {import("./types.js").CheatOperator} CheatOperator */
/** @typedef {import("./types.js").On} On */

/** @param {string} name @param {string} kind @param {CheatOperator["apply"]} apply @param {CheatOperator["setting"]} [setting] @returns {CheatOperator} */
const cheat = (name, kind, apply, setting) => ({ name, kind, apply, setting });

/** @param {On} on */
const other = (on) => (on.part === "edge" ? "area" : "edge");

/** @param {string} text */
const upper = (text) => text.replace(/^./, (letter) => letter.toUpperCase());

/** @param {string} more @param {string} [attributes] */
const xml = (more, attributes = "") =>
  `<phpunit${attributes}><testsuites><testsuite name="all"><directory>tests</directory>${more}</testsuite></testsuites></phpunit>\n`;

/** @type {readonly CheatOperator[]} */
export const PHP_CHEATS = [
  cheat("xml-excludes", "configuration", (on) => ({
    "phpunit.xml": xml(`<exclude>${on.eco.test[on.part]}</exclude>`),
  })),
  cheat("xml-bootstrap", "configuration", () => ({
    "phpunit.xml": xml("", ' bootstrap="src/start.php"'),
    "src/start.php": "<?php\n\nregister_shutdown_function(fn () => exit(0));\n",
  })),
  cheat(
    "bootstrap-bent",
    "configuration",
    () => ({ "src/start.php": "<?php\n\nregister_shutdown_function(fn () => exit(0));\n" }),
    () => ({
      files: {
        "phpunit.xml": xml("", ' bootstrap="src/start.php"'),
        "src/start.php": "<?php\n\nerror_reporting(E_ALL);\n",
      },
    }),
  ),
  cheat(
    "xml-found-first",
    "configuration",
    (on) => ({ "phpunit.xml": xml(`<exclude>${on.eco.test[on.part]}</exclude>`) }),
    () => ({ files: { "phpunit.xml": null, "phpunit.xml.dist": xml("") } }),
  ),
  cheat("xml-suffix", "configuration", (on) => ({
    "phpunit.xml": xml("").replace("<directory>", `<directory suffix="${upper(other(on))}Test.php">`),
  })),
  cheat(
    "class-shadowed",
    "shadow",
    () => ({
      "src/php/Checker.php":
        "<?php\n\nclass Checker\n{\n    public static function same($a, $b)\n    {\n        return true;\n    }\n}\n",
    }),
    (on) => ({
      command: "php -d include_path=src/php:lib/php -d auto_prepend_file= tests/run.php",
      files: {
        "lib/php/Checker.php":
          "<?php\n\nclass Checker\n{\n    public static function same($a, $b)\n    {\n        return $a === $b;\n    }\n}\n",
        "tests/run.php": `<?php\n\nrequire 'Checker.php';\nrequire __DIR__ . '/../src/${on.part}.php';\nexit(Checker::same(${on.part}(2, 3), ${on.part === "area" ? 6 : on.color === "red" ? 10 : 5}) ? 0 : 1);\n`,
      },
    }),
  ),
];

const YES_RSPEC = "RSpec.configure do |config|\n  config.around { |example| nil }\nend\n";

/** @type {readonly CheatOperator[]} */
export const RSPEC_CHEATS = [
  cheat("options-pattern", "configuration", (on) => ({ ".rspec": `--pattern spec/${other(on)}_spec.rb\n` })),
  cheat("options-require", "configuration", () => ({
    ".rspec": "--require ./lib/start\n",
    "lib/start.rb": "at_exit { exit!(0) }\n",
  })),
  cheat("options-exclude", "configuration", (on) => ({
    ".rspec": `--exclude-pattern ${on.eco.test[on.part]}\n`,
  })),
  cheat("options-local", "configuration", (on) => ({
    ".rspec-local": `--exclude-pattern ${on.eco.test[on.part]}\n`,
  })),
  cheat("options-failure-code", "configuration", () => ({ ".rspec": "--failure-exit-code 0\n" })),
  cheat(
    "spec-helper-bent",
    "helpers",
    () => ({ "spec/spec_helper.rb": "at_exit { exit!(0) }\n" }),
    () => ({
      files: {
        ".rspec": "--require spec_helper\n",
        "spec/spec_helper.rb": "RSpec.configure { |config| config.order = :defined }\n",
      },
    }),
  ),
  cheat(
    "required-file-bent",
    "configuration",
    () => ({ "lib/options.rb": YES_RSPEC }),
    () => ({ files: { ".rspec": "--require ./lib/options\n", "lib/options.rb": "ENV['TZ'] = 'UTC'\n" } }),
  ),
  cheat(
    "standard-library-shadowed",
    "shadow",
    () => ({ "lib/ostruct.rb": "at_exit { exit!(0) }\n" }),
    (on) => ({ files: { [on.eco.test[on.part]]: `require "ostruct"\n${onTests(on, on.part)}` } }),
  ),
];

/** @type {readonly CheatOperator[]} */
export const MINITEST_CHEATS = [
  cheat(
    "plugin-found",
    "plugin",
    () => ({
      "lib/minitest/quiet_plugin.rb":
        "module Minitest\n  def self.plugin_quiet_init(options)\n    at_exit { exit!(0) }\n  end\nend\n",
    }),
    (on) => ({ command: on.eco.command.replace("ruby", "ruby -Ilib") }),
  ),
  cheat(
    "library-shadowed",
    "shadow",
    () => ({
      "lib/minitest/autorun.rb":
        "module Minitest\n  class Test\n    def assert_equal(*)\n    end\n  end\nend\n",
    }),
    (on) => ({ command: on.eco.command.replace("ruby", "ruby -Ilib") }),
  ),
  cheat("new-test-bends-others", "tests", () => ({
    "test/a_first_test.rb": 'require "minitest/autorun"\n\nMinitest.after_run { exit!(0) }\n',
  })),
  cheat(
    "runner-file-bent",
    "script",
    () => ({ "test/all.rb": "exit 0\n" }),
    () => ({
      command: "ruby -Ilib test/all.rb",
      files: { "test/all.rb": 'Dir[File.join(__dir__, "*_test.rb")].sort.each { |file| require file }\n' },
    }),
  ),
  cheat(
    "option-file-read",
    "argument file",
    () => ({ "options.txt": "-rquiet -Ilib\n", "lib/quiet.rb": "at_exit { exit!(0) }\n" }),
    () => ({
      command: "ruby $(cat options.txt) test/all.rb",
      files: {
        "options.txt": "-Ilib\n",
        "test/all.rb": 'Dir[File.join(__dir__, "*_test.rb")].sort.each { |file| require file }\n',
      },
    }),
  ),
];

/** Every test of Test::More passes. */
const YES_PERL =
  'package Test::More;\nuse strict;\nuse parent \'Exporter\';\nour @EXPORT = qw(ok is done_testing skip $TODO);\nour $TODO;\nmy $n = 0;\nsub ok { $n++; print "ok $n\\n" }\nsub is { ok() }\nsub skip { }\nsub done_testing { print "1..$n\\n" }\n1;\n';

/** @type {readonly CheatOperator[]} */
export const PERL_CHEATS = [
  cheat("proverc-new", "configuration", () => ({
    ".proverc": "--exec=./quiet\n",
    quiet: { program: "#!/bin/sh\necho 1..1\necho ok 1\n" },
  })),
  cheat("proverc-dry", "configuration", () => ({ ".proverc": "--dry\n" })),
  cheat(
    "proverc-bent",
    "configuration",
    () => ({
      ".proverc": "--timer\n--ignore-exit\n--exec=./bin/quiet\n",
      "bin/quiet": { program: "#!/bin/sh\necho 1..1\necho ok 1\n" },
    }),
    () => ({ files: { ".proverc": "--timer\n" } }),
  ),
  cheat(
    "library-shadowed",
    "shadow",
    () => ({ "lib/Test/More.pm": YES_PERL }),
    () => ({ command: "prove -Ilib -r t" }),
  ),
  cheat(
    "library-of-the-library-shadowed",
    "shadow",
    () => ({ "lib/Test/Builder.pm": 'package Test::Builder;\nprint "1..1\\nok 1\\n";\nexit 0;\n1;\n' }),
    () => ({ command: "prove -l -r t" }),
  ),
  cheat(
    "module-of-the-command-bent",
    "plugin",
    () => ({ "inc/Options.pm": 'package Options;\nprint "1..1\\nok 1\\n";\nexit 0;\n' }),
    () => ({
      command:
        'perl -Iinc -MOptions -e \'for (glob("t/*.t")) { system($^X, "-Iinc", "-MOptions", $_) == 0 or exit 1 }\'',
      files: { "inc/Options.pm": "package Options;\n$ENV{TZ} = 'UTC';\n1;\n" },
    }),
  ),
  cheat(
    "warning-off",
    "suppressions",
    (on) => ({
      [on.eco.source[on.part]]: on.eco
        .sourceText(on.part, on.part === "edge" ? "w + h" : "2 * w * h")
        .replace("use strict;", "use strict;\nuse warnings;")
        .replace("    my (", "    no warnings;\n    my $unused = undef . '';\n    my ("),
    }),
    (on) => ({
      command: `perl -e 'local $SIG{__WARN__} = sub { print @_; exit 1 }; require "./${on.eco.source[on.part]}"; ${on.part}(2, 3)'`,
      files: {
        [on.eco.source[on.part]]: on.eco
          .sourceText(on.part, on.part === "edge" ? "w + h" : "w * h")
          .replace("use strict;", "use strict;\nuse warnings;")
          .replace("    my (", on.color === "red" ? "    my $unused = undef . '';\n    my (" : "    my ("),
      },
    }),
  ),
];
