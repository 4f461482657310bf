import { expect, test } from "vitest";
import { hereDocuments, openersLeft, textLeftOpen } from "./tamper-blocks.js";
import type { Family } from "./tamper-lines.js";

/** Lines, and the indices of those that open a block which none closes. */
type Row = [what: string, family: Family, text: string, ...open: number[]];

const blocks: Row[] = [
  ["a block", "braces", "if (ready) {", 0],
  ["a block that ends", "braces", "if (ready) {\n  go();\n}"],
  ["the outer of two blocks", "braces", "if (a) {\n  if (b) {\n  }", 0],
  ["the two of three", "braces", "a(() => {\nif (b) {\n}", 0, 0],
  ["a list", "braces", "const all = [\n  1,", 0],
  ["a call of several lines", "braces", "check(\n  one,", 0],
  ["what only ends a block opens none", "braces", "}\n)\n]"],
  ["an end before a beginning", "braces", "} else {", 0],
  ["brackets in quotes", "braces", `log("(", '[', \`{\`);`],
  ["brackets between quotes", "braces", 'log("a", ("b"', 0, 0],
  ["a quote in quotes", "braces", String.raw`log("\"(", '\'[', ${"`\\`{`"});`],
  ["an end behind an escaped quote", "braces", String.raw`log("\\", (x`, 0, 0],
  ["a comment", "braces", "go(); // as in f(x, {"],
  ["a comment with a quote", "braces", `go(); // don't ("`],
  ["brackets in a template", "braces", "log(`sum (of`);"],
  ["a comment behind a value", "braces", "go(a /* b ( c */);"],
  ["a comment that ends", "braces", "go(/* a ( b */); x(/* c */", 0],
  ["a comment of one line, then a block", "braces", "/* a */ if (b) { /* c */", 0],
  ["an address in quotes is not a comment", "braces", 'open("http://x", () => {', 0, 0],
  ["a regular expression", "braces", String.raw`match(text, /^\(\[/);`],
  ["a regular expression of slashes", "braces", String.raw`match(url, /^https?:\/\//); if (x) {`, 0],
  ["a regular expression with a slash in a class", "braces", String.raw`ok(/[/(\](]x/); go({`, 0, 0],
  ["a regular expression with quotes", "braces", `ok(/['"(]/.test("a")); eq(1, ")"`, 0],
  ["a regular expression with flags", "braces", "const bad = /[(]/giu;"],
  ["a regular expression that is returned", "braces", "return /[(]/.test(line);"],
  ["a regular expression at the start", "braces", "  /[(]/.test(line);"],
  ["a regular expression without a blank", "braces", "if (a &&/[(]/.test(b) ||/[(]/.test(c)) x =/[(]/;"],
  ["a division", "braces", "eq((a / (b / c), 1", 0, 0],
  ["a division behind a bracket", "braces", "eq(((a) / (b) / c), [1] / (2 / 3), 1);"],
  ["a name that ends as `return` does", "braces", "f((noreturn / a) / b)"],
  ["a division of Python", "indents", "check(7 // 2, 1)"],
  ["an open call of Python", "indents", "check(\n    7 // 2,", 0],
  ["a comment of Python", "indents", "go()  # as in f(x"],
  ["a comment of Python without a blank", "indents", "go()# f(x"],
  ["a number sign in quotes of Python", "indents", 'check("#", (1', 0, 0],
  ["a path in quotes of Python", "indents", "check('/a/(', b)"],
  ["data has no blocks", "data", '{"a": ['],
  ["if", "shell", "if [ -f out ]; then", 0],
  ["if that ends", "shell", "if [ -f out ]; then\n  cat out\nfi"],
  ["if that ends on its line", "shell", "if true; then echo a; fi"],
  ["case", "shell", 'case "$1" in\na) echo ;;', 0],
  ["case that ends", "shell", 'case "$1" in\na) echo ;;\nesac'],
  ["if behind a pattern of case", "shell", 'case x in\na | "b") if c; then d; fi ;;', 0],
  ["if that is left open behind a pattern of case", "shell", "  a) if c; then", 0],
  ["a loop", "shell", "for n in 1 2; do", 0],
  ["a loop with do on its own line", "shell", "while read -r line\ndo\n  echo", 1],
  ["a loop that ends", "shell", "while read -r line\ndo\n  echo\ndone <in"],
  ["a loop that ends into a pipe", "shell", "for n in 1; do echo; done | sort"],
  ["a function", "shell", "check() {", 0],
  ["a function that ends", "shell", "check() { grep -q a out; }"],
  ["a group behind another command", "shell", "cd a && {", 0],
  ["if in a function of one line", "shell", "check() { if true; then echo; fi; }\nif false; then", 1],
  ["if in a loop of one line", "shell", "for n in 1; do if true; then echo; fi; done"],
  ["if behind then, else and not", "shell", "if a; then if b; then\nfi\nelse if ! case x in\nesac", 0, 2],
  ["if in the output of a command", "shell", "out=$(if true; then echo; fi)"],
  ["loops after one another", "shell", "a | while read x; do", 0],
  ["a command that is named as a word in another", "shell", "dropdb --if-exists x"],
  ["words of a command", "shell", "echo if and done do\nfind . -name case"],
  ["a word of a command ends no block", "shell", "if a; then\n  echo fi", 0],
  ["words of a command behind a pattern of case", "shell", "a) echo if ;;"],
  ["words of a command whose name ends as another word", "shell", "sudo if\nredo case"],
  ["words with more to them", "shell", "do_it\ndoit\nundo\nif_a\ncases\nredo x"],
  ["words with more to them end no block", "shell", "do\nfine\nundone\nesacs\nfi_x", 0],
  ["a variable in braces", "shell", "cp ${a} ${b%.c}"],
  ["words in quotes", "shell", "echo 'if {' \"do {\""],
  ["a comment of shell", "shell", "go # then {\n# {"],
  ["a number sign in a word", "shell", "n=${#list}; f() { x a#b", 0],
  ["a condition of Perl", "shell", "if ($x) {", 0],
  ["a condition of Perl that ends", "shell", "if ($x) {\n  ok(1);\n} else{\n}\nif ($y){\n}"],
  ["do of Perl", "shell", "do {\n  ok(1);\n} while ($x);\ndo{\n};"],
  ["a condition of Perl behind its statement", "shell", "ok(1) if $x;"],
  ["do", "ruby", 'it "adds" do', 0],
  ["do with a name", "ruby", "list.each do |one|", 0],
  ["do that ends", "ruby", 'it "adds" do\n  go\nend'],
  ["a block chained to the end of another", "ruby", "list.map do |x|\n  x\nend.each do |y|\nend.sort"],
  ["def, class, module, begin and case", "ruby", "module A\nclass B\ndef c\nbegin\ncase d", 0, 1, 2, 3, 4],
  ["a definition of one line", "ruby", "def c; 1; end"],
  ["begin behind a name", "ruby", "x = begin", 0],
  [
    "if, unless, while, until and for",
    "ruby",
    "if a\nunless b\n while c\nuntil d\nfor e in f",
    0,
    1,
    2,
    3,
    4,
  ],
  ["the other ways of if", "ruby", "if a\n  b\nelsif c\n  d\nelse\n  e\nend"],
  ["if behind a statement", "ruby", "go if a\nreturn unless b\n) if a\n} unless b\nFoo.x while c\nx? if d"],
  ["a loop whose head ends with do", "ruby", "while go do", 0],
  ["loops whose heads end with do", "ruby", "for n in [1] do\n  go\nend\nuntil x do\nend"],
  ["methods and labels", "ruby", "r.begin\nx.class\nA::Class.def\nf(if: 1, end: 2)\ng(:do, :end, :case)"],
  ["methods and labels end no block", "ruby", "it do\nr.end\nf(end: 1)\nsend\nending\nend?\nbackend x", 0],
  ["words with more to them, in Ruby", "ruby", "undo x\ndoes y\ndefine z\nclassy\nifs\nunless_a\nsubclass x"],
  ["words in quotes, in Ruby", "ruby", "puts 'do', \"def\""],
  ["a comment of Ruby", "ruby", "go # do\n# def"],
  ["functions of Elixir", "ruby", "def a(x) do", 0],
  ["functions of Elixir that end", "ruby", "def a(x) do\n  case x do\n  1 -> 2\n  end\nend"],
  ["functions of Elixir without an end", "ruby", "def a(x), do: x"],
];

test.for(blocks)("blocks are left open: %s", ([, family, text, ...open]) => {
  const lines = text.split("\n");
  expect(openersLeft(lines, family)).toEqual(open.map((at) => lines[at]));
});

const texts: Row[] = [
  ["a comment", "braces", "go();\n/* old:", 1],
  ["a comment that ends", "braces", "/* old:\n * way\n */"],
  ["a comment of one line", "braces", "go(); /* old */ go();"],
  ["a comment that ends where the next begins", "braces", "/* a\n*/ go(); /* b", 1],
  ["the second comment", "braces", "/* a */\n/* b\n*/\ngo();\n/* c\ngo();", 4],
  ["a comment behind a comment", "braces", "// all of src/*"],
  ["a comment in quotes", "braces", "glob('src/*'); glob(\"test/*\");"],
  ["an end in a regular expression", "braces", "match(/a*/);\n/* b", 1],
  ["a product", "braces", "x = a * b / c"],
  ["a long string", "indents", '"""', 0],
  ["a long string of the other quotes", "indents", "x = '''a\nb", 0],
  ["a long string that ends", "indents", '"""Adds.\n\nMore.\n"""'],
  ["a long string of one line", "indents", '"""Adds."""'],
  ["the second long string", "indents", 'x = """\na\n"""\ny = """\nb', 3],
  ["two long strings of one line", "indents", '"""a""" + """b"""\nx = 1'],
  ["short strings", "indents", `x = "" + ''`],
  ["a here-document", "shell", "cat <<EOF\nexit", 0],
  ["a here-document that ends", "shell", "cat <<EOF\nexit\nEOF\ngo"],
  ["a comment of Ruby", "ruby", "go\n=begin\nold", 1],
  ["a comment of Ruby with words behind", "ruby", "=begin old\nold", 0],
  ["a comment of Ruby that ends", "ruby", "=begin\nold\n=end\ngo"],
  ["a second comment of Ruby", "ruby", "=begin\nold\n=end\n=begin\ngo", 3],
  ["a comment of Ruby that does not end at a word like it", "ruby", "=begin\n=ending\nx =end\n", 0],
  ["no comment of Ruby", "ruby", "=beginning\nx =begin"],
  ["the end of the program", "ruby", "go\n__END__\n=begin\n=end", 1],
  ["the end of a program of Perl", "shell", "go\n__END__", 1],
  ["the end of the program, as Windows ends a line", "ruby", "__END__\r", 0],
  ["no end of the program", "ruby", "x = __END__\n__END__x"],
  ["a here-document of Ruby", "ruby", "x = <<~EOS\ngo", 0],
  ["data has no comments", "data", '/*\n"""\n<<EOF'],
];

test.for(texts)("texts are left open: %s", ([, family, text, at]) => {
  const lines = text.split("\n");
  expect(textLeftOpen(lines, family)).toBe(at === undefined ? undefined : lines[at]);
});

/** The line that may begin a here-document, and the line that ends it. */
type Here = [what: string, family: "shell" | "ruby", line: string, end?: string];

const heres: Here[] = [
  ["a plain one", "shell", "cat <<EOF", "EOF"],
  ["with a blank", "shell", "cat << EOF >out", "EOF"],
  ["with two blanks", "shell", "cat <<  EOF", "EOF"],
  ["with tabs", "shell", "cat <<-EOF", "\tEOF"],
  ["of Perl", "shell", "print <<~EOT;", "  EOT"],
  ["in quotes", "shell", "cat <<'X'", "X"],
  ["in double quotes", "shell", 'cat << "END_1" | sort', "END_1"],
  ["with a backslash", "shell", "cat <<\\EOF", "EOF"],
  ["behind arithmetic", "shell", "echo $((1 + 1)); cat <<EOF", "EOF"],
  ["with a comment", "shell", "cat <<EOF # all", "EOF"],
  ["a string", "shell", 'grep -q a <<< "abc"'],
  ["a string without a blank", "shell", "grep -q a <<<abc"],
  ["a number that is shifted", "shell", "x=$((1 << 3))"],
  ["a number that is shifted by a variable", "shell", "x=$(( (1 + 1) << n ))"],
  ["two sums", "shell", "echo $((1 + 1)) $((1 << n))"],
  ["one in quotes", "shell", 'echo "cat <<EOF"'],
  ["one in a comment", "shell", "go # cat <<EOF"],
  ["no word", "shell", "cat <<"],
  ["an input", "shell", "cat <EOF"],
  ["a squiggly one", "ruby", "x = <<~eos", "eos"],
  ["with a dash", "ruby", "x = <<-EOS.strip", "  EOS"],
  ["an old one", "ruby", "x = <<EOS", "EOS"],
  ["one in brackets", "ruby", "run(<<SQL)", "SQL"],
  ["one in quotes of Ruby", "ruby", "x = <<~'EOS'", "EOS"],
  ["an old one in quotes", "ruby", 'x = <<"EOS"', "EOS"],
  ["a list that grows", "ruby", "list << item"],
  ["a list that grows, without blanks", "ruby", "list<<ITEM; all[1]<<ITEM; all()<<ITEM; all { }<<ITEM"],
  ["a list that grows by a word", "ruby", 'list <<item; list <<"item"'],
  ["a class of one", "ruby", "class << self"],
  ["a binary of Elixir", "ruby", 'x = <<"ABC">>; <<-1::8>>'],
];

test.for(heres)("here-documents are recognised: %s", ([, family, line, end]) => {
  const open = end === undefined ? undefined : line;
  expect(hereDocuments(["a", line, "b"], family)).toEqual({
    outside: end === undefined ? ["a", line, "b"] : ["a", line],
    open,
  });
  const whole = ["a", line, "b", end ?? "b", "c"];
  expect(hereDocuments(whole, family)).toEqual({
    outside: end === undefined ? whole : ["a", line, "c"],
    open: undefined,
  });
});

test("without lines no block is open", () => {
  expect(hereDocuments([], "shell")).toEqual({ outside: [], open: undefined });
  for (const family of ["braces", "indents", "shell", "ruby", "data"] as const) {
    expect(openersLeft([""], family)).toEqual([]);
    expect(textLeftOpen([""], family)).toBeUndefined();
  }
});
