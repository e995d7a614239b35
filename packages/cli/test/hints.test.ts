import { join } from "node:path";
import { expect, test } from "vitest";
import { commandHints } from "../src/runtime/hints.ts";

const url = "https://a.example/projects/shop";

test.each([
  ["Pause it first: ccw-loop pause a", `Pause it first: ccw-loop --url ${url} pause a`],
  ["ccw-loop show a", `ccw-loop --url ${url} show a`],
  ["git merge ccw-loop/a", "git merge ccw-loop/a"],
  [
    'Go on: ccw-loop tasks add a "…" && ccw-loop resume a',
    `Go on: ccw-loop --url ${url} tasks add a "…" && ccw-loop --url ${url} resume a`,
  ],
  ["It runs there: ccw-loop serve", "It runs there: ccw-loop serve"],
  ["See: ccw-loop config show", "See: ccw-loop config show"],
  ["See: ccw-loop --help", "See: ccw-loop --help"],
  ["the ccw-loop that started it", "the ccw-loop that started it"],
])("%s", (hint, told) => {
  expect(commandHints({}, { url })(hint)).toBe(told);
  expect(commandHints({}, {})(hint)).toBe(hint);
});

test("nothing stands behind a command that would be pasted with it", () => {
  const typed = commandHints({}, {});
  expect(typed("It is started. Drive it: ccw-loop supervise.")).toBe(
    "It is started. Drive it: ccw-loop supervise",
  );
  expect(typed("See: ccw-loop timeline loop-v2-1.\nThen: ccw-loop list.")).toBe(
    "See: ccw-loop timeline loop-v2-1\nThen: ccw-loop list",
  );
  const behind = "Pause it (here: ccw-loop pause a). Then try again.";
  expect(typed(behind)).toBe(behind);
});

test("the other flags are repeated, as a shell reads them", () => {
  const options = { url, tokenFile: "my $(token)'s", insecureHttp: true };
  expect(commandHints({}, options)("See: ccw-loop list")).toBe(
    `See: ccw-loop --url ${url} --token-file 'my $(token)'\\''s' --insecure-http list`,
  );
});

test("the folder that was named is named again, and a synopsis is no command", () => {
  const typed = commandHints({}, { cwd: "my shop" });
  expect(typed("See: ccw-loop doctor")).toBe("See: ccw-loop --cwd 'my shop' doctor");
  expect(typed("Usage: ccw-loop show ID\nSee: ccw-loop show --help")).toBe(
    "Usage: ccw-loop show ID\nSee: ccw-loop --cwd 'my shop' show --help",
  );
});

test("a command begins as this installation is typed", () => {
  const bin = join(import.meta.dirname, "../bin/ccw-loop.js");
  const caller = { bin, cwd: "/", execPath: process.execPath, path: "" };
  const script = join(import.meta.dirname, "../../../scripts/x.mjs");
  expect(commandHints({ caller }, { url })("See: ccw-loop show a")).toBe(
    `See: node ${script} cli --url ${url} show a`,
  );
});
