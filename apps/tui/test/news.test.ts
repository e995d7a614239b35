import { expect, test } from "vitest";
import { changedLines } from "../src/app/unspoken.ts";
import { line, textOf } from "../src/components/line.ts";

const TOLD = [
  "2 of 2 loops, by health.",
  "> one: DEVELOP, changed 16m ago, paused",
  "- two: INIT, changed 1m 5s ago, running, goes on in 46s",
  "INIT runs for 4.2s.",
  "Time: 4h",
];

const lines = (of: readonly string[]) => of.map((text) => line(text));

test.each([
  ["nothing", TOLD, []],
  [
    "the loop that is selected now, not the one that was",
    ["- one: DEVELOP, changed 16m ago, paused", TOLD[2]?.replace("-", ">") ?? ""],
    ["> two: INIT, changed 1m 5s ago, running, goes on in 46s"],
  ],
  ["no time that goes by", TOLD.map((text) => text.replace(/\d+m |16m/, "3h ")), []],
  ["no countdown", [TOLD[2]?.replace("46s", "900ms") ?? "", "INIT runs for 1m 3s."], []],
  [
    "a loop that changed",
    ["> one: DEVELOP, changed 1s ago, failed"],
    ["> one: DEVELOP, changed 1s ago, failed"],
  ],
  ["a limit that was typed", ["Time: 6h"], ["Time: 6h"]],
])("told is %s", (_, now, news) => {
  expect(changedLines(lines(now), lines(TOLD)).map(textOf)).toEqual(news);
});
