import { expect, test } from "vitest";
import { hintFor } from "../src/remote/hints.ts";

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
  expect(hintFor({ url }, hint)).toBe(told);
  expect(hintFor({}, hint)).toBe(hint);
});

test("the other flags are repeated, as a shell reads them", () => {
  const options = { url, tokenFile: "my $(token)'s", insecureHttp: true };
  expect(hintFor(options, "See: ccw-loop list")).toBe(
    `See: ccw-loop --url ${url} --token-file 'my $(token)'\\''s' --insecure-http list`,
  );
});
