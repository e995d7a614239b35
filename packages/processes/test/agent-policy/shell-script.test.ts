import { expect, test } from "vitest";
import {
  namesOnlyInside,
  namesProtected,
  plainCommand,
  shellWords,
} from "../../src/agent-policy/shell-script.ts";

test.each([
  ["rm -rf build dist", true],
  ["rm -rf ./build && mkdir build", true],
  ["/bin/rm -rf build", true],
  ["rm -rf build/*", true],
  ["rm -rf 'a b'; touch x", true],
  ["cat a > b.txt 2>/dev/null", true],
  ["rm -rf /project/build", true],
  ["rm -rf ../build", true],
  ["rm -rf ../../build", false],
  ["rm -rf /", false],
  ["rm -rf /usr/bin/node", false],
  ["rm -rf $HOME", false],
  ["rm -rf ~", false],
  ["rm -rf `pwd`/..", false],
  ["cd / && rm -rf home", false],
  ["touch a\nrm -rf /etc", false],
  ["sudo rm -rf build", false],
  ["cp a --target-directory=/etc", false],
  ["echo x > /etc/passwd", false],
  ["rm 'never closed", false],
  ["cd /project && npm test", true],
  ["cd ../lib && node 'a;b.mjs'", true],
  ["cd .. && rm -rf ../x", false],
  ["(cd a/b); rm -rf ../../x", false],
  ["cd", false],
  ["cd -", false],
  ["echo a && time cd /", false],
  ["echo '$HOME ~ `x`'; test $? = 0", true],
  ['echo "$HOME"', false],
  ["sh -c 'rm -rf build'", true],
  ["sh -c 'cd / && rm -rf home'", false],
  ["timeout 5 bash -lc 'rm -rf /etc'", false],
])("from /project/sub, %j stays inside: %s", (script, inside) => {
  expect(namesOnlyInside("/project", "/project/sub", script)).toBe(inside);
});

test.each<[string, string[] | null]>([
  ["a b  c", ["a", "b", "c"]],
  [`'a b' "c d" e\\ f`, ["a b", "c d", "e f"]],
  [`"a \\"b\\" \\n" ''`, ['a "b" \\n', ""]],
  [`'it'"'"'s'`, ["it's"]],
  ["'open", null],
  ["", []],
])("the words of %j are %j", (text, words) => {
  expect(shellWords(text)).toEqual(words);
});

test.each([
  ["/bin/bash -lc 'node test.mjs'", "node test.mjs"],
  [`/bin/zsh -c "echo \\"hi\\""`, 'echo "hi"'],
  ["bash -lc 'a; b'", "a; b"],
  ["node test.mjs", "node test.mjs"],
  ["bash script.sh", "bash script.sh"],
  ["/bin/bash -lc 'open", "/bin/bash -lc 'open"],
])("the command in %j is %j", (command, plain) => {
  expect(plainCommand(command)).toBe(plain);
});

test.each([
  ["rm -rf a .workflow", true],
  ["cd .workflow && rm x", true],
  ["cd a && cp x ../.workflow/x", true],
  ["sh -c 'echo > .workflow/x'", true],
  ["rm -rf .workflow-2", false],
  ["echo 'a word about .workflow/x'", false],
])("from /project, %j names the protected folder: %s", (script, named) => {
  expect(namesProtected(["/project/.workflow"], "/project", script)).toBe(named);
});
