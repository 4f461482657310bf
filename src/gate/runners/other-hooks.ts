// The hooks of further runners, as texts: rspec and minitest, phpunit, prove, and wrappers of go, cargo and ctest, which have
// no setting in the environment. own-report.ts writes the files and reads the reports.

import { REST_OF_PATH } from "./restore-hooks.js";

/** The file for `SPEC_OPTS=--require`. Contract: `FOLDER` is declared before it. */
export const RSPEC_HOOK = String.raw`
require "json"

class LooperRspecReport
  def initialize(folder)
    @folder = folder
    @cases = []
  end

  def add(status, example)
    groups = example.example_group.parent_groups.reverse.map { |group| group.description.to_s }
    @cases << [status, example.metadata[:file_path].to_s.delete_prefix("./"), *groups, example.description.to_s]
  end

  def example_passed(notification) = add("passed", notification.example)
  def example_failed(notification) = add("failed", notification.example)
  def example_pending(notification) = add("skipped", notification.example)

  def dump_summary(_notification)
    path = File.join(@folder, "#{Process.pid}-rspec")
    File.write("#{path}.part", JSON.generate({ runner: "rspec", cases: @cases }))
    File.rename("#{path}.part", "#{path}.json")
  rescue StandardError
    nil
  end
end

RSpec.configure do |config|
  config.before(:suite) do
    events = %i[example_passed example_failed example_pending dump_summary]
    RSpec.configuration.reporter.register_listener(LooperRspecReport.new(FOLDER), *events)
    ENV["SPEC_OPTS"] = ENV["SPEC_OPTS"].to_s.sub("--require #{__FILE__}", "").strip
    ENV.delete("SPEC_OPTS") if ENV["SPEC_OPTS"].empty?
    ENV["PATH"] = ENV["PATH"].to_s.split(":").reject { |path| path == File.join(FOLDER, "bin") }.join(":")
  end
end
`;

/** The file `minitest/looper_plugin.rb` in a folder on RUBYLIB, which minitest looks for by this name. */
export const MINITEST_HOOK = String.raw`
module Minitest
  class LooperReport < AbstractReporter
    def initialize(folder)
      super()
      @folder = folder
      @cases = []
    end

    def record(result)
      status = result.skipped? ? "skipped" : result.passed? ? "passed" : "failed"
      name = result.respond_to?(:klass) ? result.klass : result.class.name
      @cases << [status, name.to_s, result.name.to_s]
    end

    def report
      require "json"
      path = File.join(@folder, "#{Process.pid}-minitest")
      File.write("#{path}.part", JSON.generate({ runner: "minitest", cases: @cases }))
      File.rename("#{path}.part", "#{path}.json")
    rescue StandardError
      nil
    end
  end

  def self.plugin_looper_init(_options)
    own = File.expand_path("..", __dir__)
    ENV["RUBYLIB"] = ENV["RUBYLIB"].to_s.split(":").reject { |path| path == own }.join(":")
    ENV.delete("RUBYLIB") if ENV["RUBYLIB"].empty?
    ENV["PATH"] = ENV["PATH"].to_s.split(":").reject { |path| path == File.join(File.dirname(own), "bin") }.join(":")
    reporter << LooperReport.new(File.dirname(own))
  end
end
`;

/** PHP's `auto_prepend_file`. Contract: `$folder` and `$scan` are declared before it. */
export const PHP_HOOK = String.raw`
(function () use ($folder, $scan) {
    $argv = isset($_SERVER['argv']) ? $_SERVER['argv'] : [];
    if (PHP_SAPI !== 'cli' || !isset($argv[0]) || !preg_match('~(?:^|/)phpunit(?:\.phar)?$~', $argv[0])) {
        return;
    }
    putenv($scan === null ? 'PHP_INI_SCAN_DIR' : 'PHP_INI_SCAN_DIR=' . $scan);
    foreach ($argv as $arg) {
        if (strpos($arg, '--log-junit') === 0) {
            return;
        }
    }
    foreach (['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'] as $file) {
        if (is_file($file) && strpos((string) file_get_contents($file), '<junit') !== false) {
            return;
        }
    }
    $added = ['--log-junit', $folder . '/' . getmypid() . '.phpunit.xml'];
    array_splice($argv, 1, 0, $added);
    $_SERVER['argv'] = $GLOBALS['argv'] = $argv;
    $_SERVER['argc'] = $GLOBALS['argc'] = count($argv);
})();
unset($folder, $scan);
`;

/** The module for `PERL5OPT=-M`. Contract: `$folder` and `$option` are declared before it, in its package. */
export const PROVE_HOOK = String.raw`
my @cases;
my $watches = 0;

sub watch {
    require TAP::Harness;
    my $make = \&TAP::Harness::make_parser;
    no warnings 'redefine';
    *TAP::Harness::make_parser = sub {
        my ($parser, $session) = $make->(@_);
        my $file = $_[1]->filename;
        $parser->callback(test => sub {
            my ($test) = @_;
            my $name = $test->description;
            $name =~ s/^- //;
            $name = $test->number if $name eq '';
            my $status = $test->has_skip || $test->has_todo ? 'skipped' : $test->is_ok ? 'passed' : 'failed';
            push @cases, [$status, "$file", "$name"];
        });
        return ($parser, $session);
    };
    $watches = $$;
}

if ($0 =~ m{(?:^|/)prove$}) {
    $ENV{PERL5OPT} =~ s/\Q$option\E//;
    delete $ENV{PERL5OPT} if $ENV{PERL5OPT} !~ /\S/;
    $ENV{PATH} = join ':', grep { $_ ne "$folder/bin" } split /:/, $ENV{PATH};
    eval { watch(); 1 };
}

END {
    if ($watches == $$) {
        my $code = $?;
        eval {
            require JSON::PP;
            open my $out, '>', "$folder/$$-prove.part" or die;
            print {$out} JSON::PP->new->ascii->encode({ runner => 'prove', cases => \@cases }) or die;
            close $out or die;
            rename "$folder/$$-prove.part", "$folder/$$-prove.json";
            1;
        };
        $? = $code;
    }
}

1;
`;

/** A wrapper on PATH that starts the program of its name, without its folder on PATH. Contract: `folder` is set before it. */
const WRAPPER = `
${REST_OF_PATH}
PATH=$rest
export PATH
`;

/** The wrappers by name. */
export const WRAPPERS: Readonly<Record<string, string>> = {
  ctest: `${WRAPPER}
for arg; do case $arg in --output-junit*|-N|--show-only*|--version|--help*|-S|-SP|--build-and-test|--print-labels) exec ctest "$@" ;; esac; done
ctest --help 2>/dev/null | grep -q -e --output-junit || exec ctest "$@"
exec ctest --output-junit "$folder/$$.ctest.xml" "$@"
`,
  cargo: `${WRAPPER}
tests=no
for arg; do case $arg in
  test|t) tests=yes ;;
  --list|--no-run|-h|--help|--version|-q|--quiet|--nocapture|--no-capture|--show-output|--format*|-Z*) exec cargo "$@" ;;
esac; done
test $tests = yes && command -v tee mv >/dev/null || exec cargo "$@"
mkfifo "$folder/$$.pipe" || exec cargo "$@"
tee "$folder/$$.part" <"$folder/$$.pipe" &
cargo "$@" >"$folder/$$.pipe"
code=$?
wait
mv "$folder/$$.part" "$folder/$$.cargo"
exit $code
`,
  go: `${WRAPPER}
verbose=0
test "$1" = test || exec go "$@"
for arg; do case $arg in
  -json|--json|-c|-n|-list*|-h|-help|--help|-fuzz*|-bench*) exec go "$@" ;;
  -v|--v|-v=true|-test.v) verbose=1 ;;
esac; done
command -v awk mv >/dev/null || exec go "$@"
mkfifo "$folder/$$.pipe" || exec go "$@"
: >"$folder/$$.part"
awk -v verbose=$verbose -v part="$folder/$$.part" '
/^ *=== (RUN|PAUSE|CONT|NAME) / { if (!verbose) next }
/^ *--- (PASS|FAIL|SKIP): / {
  line = $0; sub(/^ *--- /, "", line); status = substr(line, 1, 4); sub(/^....: /, "", line); sub(/ [(][^)]*[)]$/, "", line)
  found[++count] = (status == "PASS" ? "passed" : status == "FAIL" ? "failed" : "skipped") "\t" line
  if (!verbose && status != "FAIL") next
}
/^(ok  |FAIL)\t/ { split($0, words, "\t"); for (at = 1; at <= count; at++) print words[2] "\t" found[at] >part; count = 0 }
/^PASS$/ { if (!verbose) next }
{ print; fflush() }
' <"$folder/$$.pipe" &
shift
go test -v "$@" >"$folder/$$.pipe"
code=$?
wait
mv "$folder/$$.part" "$folder/$$.go"
exit $code
`,
};
