import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCoverage } from "../src/coverage.ts";
import { project } from "./project.ts";

test.each<[string, Record<string, string>, number | null]>([
  [
    "lcov",
    {
      "coverage/lcov.info":
        "SF:a.js\nLF:6\nLH:3\nend_of_record\nSF:b.js\nLF:3\nLH:3\nend_of_record\n",
    },
    66.67,
  ],
  [
    "istanbul",
    { "coverage/coverage-summary.json": '{"total":{"lines":{"total":4,"pct":87.5}}}' },
    87.5,
  ],
  [
    "cobertura",
    {
      "coverage.xml":
        '<?xml version="1.0"?>\n<coverage version="7" line-rate="0.915" branch-rate="0"><packages/>',
    },
    91.5,
  ],
  [
    "the first that says something",
    { "coverage/coverage-summary.json": "{}", "lcov.info": "LF:4\nLH:1\n" },
    25,
  ],
  ["lcov without lines", { "lcov.info": "SF:a.js\nLF:0\nLH:0\n" }, null],
  ["other XML", { "coverage.xml": "<report line-rate='1'/>" }, null],
  ["none", {}, null],
])("reads %s", async (_, files, percent) => {
  expect(await readCoverage(await project(files), 0)).toBe(percent);
});

test("does not take what an earlier run left behind", async () => {
  const dir = await project({ "lcov.info": "LF:4\nLH:1\n" });
  await utimes(join(dir, "lcov.info"), 1000, 1000);
  expect(await readCoverage(dir, 1000 * 1000)).toBe(25);
  expect(await readCoverage(dir, 1000 * 1000 + 1)).toBeNull();
});
