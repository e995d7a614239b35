import { expect, test } from "vitest";
import { plainCommand, plainWords, shellWords } from "../../src/agent-policy/shell-script.ts";

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
  ["/tmp/evil.sh -c 'ls'", "/tmp/evil.sh -c 'ls'"],
  ["./sh -c 'ls'", "./sh -c 'ls'"],
  ["/project/bin/sh -c 'ls'", "/project/bin/sh -c 'ls'"],
])("the command in %j is %j", (command, plain) => {
  expect(plainCommand(command)).toBe(plain);
});

test.each<[string, string[] | null]>([
  [
    "node './my agent.mjs' --url http://h/?a=1",
    ["node", "./my agent.mjs", "--url", "http://h/?a=1"],
  ],
  ["node a.mjs --url http://h/?a=1&b=2", null],
  ["a | b", null],
  ["a > b", null],
  ["(a)", null],
  ["a $HOME", null],
  ["a ~/x", null],
  ["a {b,c}", null],
  ["a `b`", null],
  ["a 'b", null],
])("without a shell %j is %j", (text, words) => {
  expect(plainWords(text)).toEqual(words);
});
