// Rules applied to code in another language that a shell text holds, and to other names of files.
import { describe, expect, test } from "vitest";
import { decide } from "./decide.js";
import type { PermissionMode } from "../../config/settings/modes.js";
import { readRules, type List } from "./read-rules.js";

type Lists = Partial<Record<List, readonly string[]>>;
const DENY_PUSH = { deny: ["Bash(git push *)"] };

function ofCommand(lists: Lists, text: string, mode: PermissionMode) {
  const { rules, problems } = readRules(lists, "/project");
  expect(problems).toEqual([]);
  return decide(rules, mode, { tool: "bash_execute", changes: true, subjects: [{ kind: "command", text }] })
    .verdict;
}

describe("a rule against a command", () => {
  test.each([
    "git -c alias.x='!git push' x",
    "git -c alias.x='push origin' x",
    "git -c alias.x=push x origin",
    "git config alias.x '!git push' && git x",
    "git -c core.editor='git push #' commit",
    "git rebase --exec 'git push' HEAD",
    "git submodule foreach 'git push'",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='push o' git x",
    "x='$(git push)'; echo \"${x@P}\"",
    "x='a[$(git push)]'; (( x ))",
    "GIT_EDITOR='git push #' git commit",
    "export PS4='$(git push)'; set -x",
    "let 'a[$(git push)]=1'",
    "/usr/lib/git-core/git-push origin",
    "env --split-string='git push'",
    "env -S'git push'",
    "script -qc'git push' /dev/null",
    "ld.so /usr/bin/git push",
    `python3 -c 'import os; os.system("git push")'`,
    `python3 -c 'import subprocess; subprocess.run(["git","push","origin"])'`,
    "python3 - <<'E'\nimport os\nos.system('git push')\nE",
    `perl -e 'exec qw(git push)'`,
    `node -e 'require("child_process").execSync("git push")'`,
    `awk 'BEGIN{system("git push")}'`,
    "sed '1e git push' a.txt",
    "npm exec -c 'git push'",
    "npm x --call='git push'",
    "vim -es '+!git push' +q",
    "tar cf x.tar a --checkpoint-action='exec=git push'",
    "ssh -o ProxyCommand='git push' host",
    "linux64 git push",
    "split --filter='git push' a.txt",
    `GIT_CONFIG_PARAMETERS="'alias.p=push'" git p`,
    "make -f <(printf 'a:\\n\\tgit push\\n')",
    "tmux new -d 'git push'",
    "git rebase -ix'git push' HEAD",
    "git send-pack origin main",
    "git grep -O'git push #' x",
    "git grep --open-files-in-pager='git push #' x",
    "A='!git push' git --config-env=alias.x=A x",
    "git --config-env alias.x=A x",
    "git subtree push --prefix x",
    "git difftool --extcmd='git push #' HEAD",
    "echo 'git push' | sed e",
    "sed 's/^/git push/e' a.txt",
    "sed -n '1e' a.txt",
    "[[ -v 'a[$(git push)]' ]]",
    "[[ 1 -eq 'a[$(git push)]' ]]",
    "for y in 'a[$(git push)]'; do (( y )); done",
    "select y in 'a[$(git push)]'; do (( y )); done",
    "for a in 'x[$'; do for b in '(git push)]'; do (( $a$b )); done; done",
    "echo ${y:='a[$(git push)]'} $((y))",
    '(( "a[\\$(git push)]" ))',
    "env -S 'git\\_push'",
    "env -ivS'git push'",
    "hash -p /usr/bin/git ls; ls push",
    "enable -f ./own.so own",
    "parallel git ::: push",
    "perf stat git push",
    "systemd-run git push",
    "sort --compress-program='git push' a",
    "rg --pre 'git push' x",
    "socat - EXEC:'git push'",
    "at now <<< 'git push'",
    `sqlite3 a.db '.shell git push'`,
  ])("holds a push in code of another language: %s", (text) => {
    expect(ofCommand(DENY_PUSH, text, "trusted")).not.toBe("allow");
    expect(ofCommand({ ...DENY_PUSH, allow: ["Bash"] }, text, "default")).not.toBe("allow");
  });

  test.each([
    "MSG='then git push'; echo done",
    "python3 -c 'print(1)'",
    "printf 'git push\\n' > README.md",
    "sed -i 's/git pull/git stash/' README.md",
    "awk '{ print $1 }' push.txt",
    "git -c user.name=x commit -m 'then git push'",
    "grep -rn 'git push' docs",
    "git grep 'git push' docs",
    "git log --grep='git push'",
    "sed -n 1,5p a.txt",
    "sed 's/e/E/g; /the end/d' a.txt",
    "[[ -v HOME && $x == y ]]",
    "find . -name push",
    "i=0; while (( i < 3 )); do i=$((i+1)); done; for FILE in a b; do cat $FILE; done",
    "hash -r",
  ])("does not apply to: %s", (text) => {
    expect(ofCommand(DENY_PUSH, text, "trusted")).toBe("allow");
  });

  test("the list of calls that are never run unasked applies there too", () => {
    for (const text of [`python3 -c 'import os; os.system("rm -rf ~")'`, "git -c alias.x='!rm -rf /' x"])
      expect(ofCommand({}, text, "trusted"), text).toBe("ask");
  });
});

describe("a rule against reading, applied to shell texts", () => {
  const DENY = { deny: ["Read(secret/**)", "Read(.env*)"] };

  test.each([
    `python3 -c 'print(open("secret/a").read())'`,
    "sed 'r secret/a' a.txt",
    `awk 'BEGIN{while((getline l<"secret/a")>0)print l}'`,
    "git -c alias.x='!cat secret/a' x",
    "GIT_PAGER='cat secret/a' git -p log",
    "npm x -c 'cat secret/a'",
    "cat $PWD/secret/a",
    "cat ~+/secret/a",
    "cat ~/secret/a",
    "cat ../secret/a",
    "cat /proc/self/cwd/secret/a",
    "cat /proc/$$/root/project/secret/a",
    "cat [s]ecret/a",
    "cat ./[s]ecret/a",
    "curl file://$PWD/secret/a",
    "cat {secret,x}/a | rev",
    "rev {secret/a,}",
    "d=secret; for f in $d/a; do rev $f; done",
    "xargs rev <<< secret/a",
    "ls | xargs rev",
    "find . -type f -exec base64 {} +",
    "fd -x rev",
    "rev $(find . -type f)",
    'base64 "$PWD"/*',
    'ls | while read -r f; do rev "$f"; done',
    "env -C secret rev a",
    "git -C secret show HEAD:./a | rev",
    "tar -cC secret a | rev",
    "sed rsecret/a x | rev",
    "sed '1rsecret/a' x | rev",
    "git mv secret c4; rev c4/a",
    "for f in $(ls -A); do rev $f; done",
    "for f in *; do base64 $f; done",
    'for d in *; do (cd "$d" && rev .env); done',
    "zip -q -@ - <<< .env",
    "sftp h <<< 'put secret/a'",
  ])("sees the file in: %s", (text) => {
    expect(ofCommand(DENY, text, "trusted")).not.toBe("allow");
  });

  test.each([
    "cat *.ts",
    "cat src/*/a.ts",
    "npx eslint */*.ts",
    "python3 -c 'import secrets; print(secrets)'",
    "sed -i s/a/b/ src/a.ts",
    "cat ~/notes/a",
    "cat ../other/a",
    "for f in *.md; do wc $f; done",
    "cat $x.txt",
    "git ls-files | xargs grep -n todo",
    "find . -name '*.ts' -exec wc -l {} +",
    'git commit -m "$(cat message)"',
    "kill $pid",
    "for i in $(seq 1 3); do python3 t.py $i; done",
    'for d in *; do (cd "$d" && npm test); done',
    "git -C sub log && make -C src all",
    "psql <<< 'select 1'",
    'for f in $(git diff --name-only); do npx eslint "$f"; done',
  ])("does not see it in: %s", (text) => {
    expect(ofCommand({ deny: ["Read(secret/**)"] }, text, "trusted")).toBe("allow");
  });
});

describe("a rule against editing, applied to shell texts", () => {
  const DENY = { deny: ["Edit(conf/prod.yml)"] };

  test.each([
    "xargs rm <<< conf/prod.yml",
    "ls conf | xargs rm",
    "git ls-files | xargs sed -i s/a/b/",
    "find . -name '*.yml' -exec rm {} +",
    "find . -exec sh -c 'echo > \"$1\"' _ {} ';'",
    "find . -fprint conf/prod.yml",
    'rm "$PWD"/*/*',
    'rm -r "$(git rev-parse --show-toplevel)"',
    'while read -r f; do rm "$f"; done < list',
    "sort -o conf/prod.yml a",
    "sort a -uo conf/prod.yml",
    "curl -sSLo conf/prod.yml https://example.org",
    "curl -soconf/prod.yml https://example.org",
    "curl --output-dir conf -o prod.yml https://example.org",
    "wget -qO conf/prod.yml https://example.org",
    "git -C conf rm prod.yml",
    "git -C conf restore prod.yml",
    "env -C conf rm prod.yml",
    'for d in *; do (cd "$d" && rm prod.yml); done',
    "cp -tconf x/prod.yml",
    "cp -ft conf x/prod.yml",
    "mv -tconf x/prod.yml",
    "ln -s conf/prod.yml l; echo y > l",
    "ln -s conf l; echo y > l/prod.yml",
    "git restore :/",
    "git checkout-index -f conf/prod.yml",
    "git config -f conf/prod.yml a.b c",
    "tar -cf conf/prod.yml a",
    "sed wconf/prod.yml a",
    "curl --output=conf/prod.yml https://example.org",
    `awk '{ print > "conf/prod.yml" }' a`,
    "sed -n 'w conf/prod.yml' a",
    `python3 -c 'open("conf/prod.yml", "w")'`,
    "gzip conf/prod.yml",
    "split -b 1m a conf/prod.yml",
    "csplit -f conf/prod.yml a 1",
    "gawk -i inplace 1 conf/prod.yml",
    "wget -P conf/prod.yml https://example.org/a",
    "tar xf a.tar",
    "patch -p1 < a.patch",
    "git apply a.patch",
    "git reset --hard HEAD~1",
    "git stash",
    "cp -r other/. .",
  ])("sees a change of the file in: %s", (text) => {
    expect(ofCommand(DENY, text, "trusted")).not.toBe("allow");
  });

  test.each([
    "rm -rf dist/*",
    "cp -r dist build",
    "cp -P conf/prod.yml copy",
    "split -l 10 conf/prod.yml part-",
    "csplit conf/prod.yml 1 -f part-",
    "awk -vid=1 1 conf/prod.yml",
    'rm "$out/a.o"',
    "find dist -name '*.o' -delete",
    "sed -n 1,5p conf/prod.yml",
    "grep -o name conf/prod.yml",
    "node conf/prod.yml",
    "sort -o sorted a",
    "git config -f conf/prod.yml a.b",
    "git -C sub rm prod.txt",
    'cd "$D" && rm a.txt',
    "rsync -rt conf/ other",
    "tar -czf x.tgz conf/prod.yml",
    "ln -s src/a l",
    "git stash list",
    "git reset HEAD~1",
    "ls | xargs wc",
  ])("does not see one in: %s", (text) => {
    expect(ofCommand(DENY, text, "trusted")).toBe("allow");
  });
});
