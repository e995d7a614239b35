import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readCoverage } from "../src/coverage/read-coverage.ts";
import { coverageOf, outline, recordedCoverage } from "./coverage-outline.ts";
import { project } from "./project.ts";

const BY_LINE = ["src/cart.js: 1-6 9-12 | 7-8 13-15", "src/tax.js: 1-2 | "];
const BY_STATEMENT = ["src/cart.js: 2-4 6 9 | 7 13-14", "src/tax.js: 1-2 | "];
const PYTHON = ["shop/cart.py: 1-5 7 10 | 6 11-12"];
const PHP = ["src/Cart.php: 9-11 13 16 | 14"];
const JAVA = ["src/main/java/shop/Cart.java: 5-7 9 12 16 19 | 3 10 17"];

test.each<[string, string, [number, ...string[]]]>([
  ["c8-lcov.info", "coverage/lcov.info", [70.58, ...BY_LINE]],
  ["c8-cobertura.xml", "coverage/cobertura-coverage.xml", [70.58, ...BY_LINE]],
  ["c8-final.json.txt", "coverage/coverage-final.json", [70.58, ...BY_LINE]],
  [
    "c8-summary.json.txt",
    "coverage/coverage-summary.json",
    [70.58, "src/cart.js:  | ", "src/tax.js:  | "],
  ],
  ["vitest-final.json.txt", "coverage/coverage-final.json", [70, ...BY_STATEMENT]],
  ["vitest-clover.xml", "coverage/clover.xml", [70, ...BY_STATEMENT]],
  ["python-coverage.xml", "coverage.xml", [70, ...PYTHON]],
  ["python-coverage.lcov", "coverage.lcov", [70, ...PYTHON]],
  ["python-coverage.json.txt", "coverage.json", [70, ...PYTHON]],
  ["simplecov-resultset.json.txt", "coverage/.resultset.json", [80, "lib/cart.rb: 1-3 6 | 4"]],
  ["phpunit-clover.xml", "build/logs/clover.xml", [83.33, ...PHP]],
  ["phpunit-cobertura.xml", "build/cobertura.xml", [83.33, ...PHP]],
  ["jacoco.xml", "target/site/jacoco/jacoco.xml", [70, ...JAVA]],
  ["jacoco.xml", "build/reports/jacoco/test/jacocoTestReport.xml", [70, ...JAVA]],
])("reads the recorded %s as %s", async (name, path, expected) => {
  const dir = await project({ "src/main/java/shop/Cart.java": "", "src/Cart.php": "" });
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), await recordedCoverage(name, dir));
  expect(outline(await readCoverage(dir, 0))).toEqual(expected);
});

test("reads the lines of the blocks of a Go profile", async () => {
  const report = await recordedCoverage("go-coverage.out");
  const module = { "coverage.out": report, "go.mod": "module example.com/shop\n\ngo 1.19\n" };
  expect(await coverageOf(module)).toEqual([58.33, "cart/cart.go: 5-10 13 | 11-12 16-18"]);
});

test("finds the module of a Go profile in a workspace", async () => {
  const files = {
    "go.work": "go 1.22\n\nuse (\n\t./shop\n\t./tax\n)\n",
    "shop/go.mod": "module example.com/shop\n",
    "tax/go.mod": 'module "example.com/shop/tax" // ours\n',
    "cover.out":
      "mode: set\nexample.com/shop/tax/a.go:1.1,2.2 1 1\nexample.com/shop/b.go:3.1,3.9 1 0\n",
  };
  expect(await coverageOf(files)).toEqual([66.66, "shop/b.go:  | 3", "tax/a.go: 1-2 | "]);
});

test.each<[string, Record<string, string>, unknown[]]>([
  [
    "a report without lines",
    { "lcov.info": "SF:a.js\nLF:6\nLH:3\nend_of_record\n" },
    [50, "a.js:  | "],
  ],
  [
    "a report with nothing but a rate",
    { "coverage.xml": '<?xml version="1.0"?>\n<coverage line-rate="0.915"><packages/></coverage>' },
    [91.5],
  ],
  [
    "one line told twice, hit once",
    { "lcov.info": "SF:a.js\nDA:1,0\nDA:1,2\nDA:2,0,checksum\nDA:2,-1\nend_of_record\n" },
    [50, "a.js: 1 | 2"],
  ],
  [
    "several reports of one format",
    {
      "coverage/unit.lcov": "SF:a.js\nDA:1,1\nDA:2,0\nDA:3,0\nend_of_record\n",
      "coverage/e2e.lcov": "SF:a.js\nDA:1,0\nDA:2,5\nDA:3,0\nend_of_record\n",
      "coverage/some.lcov": "SF:a.js\nLF:9\nLH:9\nend_of_record\n",
    },
    [66.66, "a.js: 1-2 | 3"],
  ],
  [
    "reports of several languages",
    {
      "lcov.info": "SF:a.js\nDA:1,1\nend_of_record\n",
      "coverage.xml":
        '<coverage line-rate="0"><class filename="b.py"><line number="4" hits="0"/></class>' +
        '<class filename="a.js"><line number="9" hits="0"/></class></coverage>',
    },
    [50, "a.js: 1 | ", "b.py:  | 4"],
  ],
  [
    "every package of a monorepo",
    {
      "packages/a/src/x.js": "",
      "packages/a/coverage/lcov.info": "SF:src/x.js\nDA:1,1\nend_of_record\n",
      "packages/b/src/x.js": "",
      "packages/b/coverage/lcov.info": "SF:src/x.js\nDA:1,0\nend_of_record\n",
    },
    [50, "packages/a/src/x.js: 1 | ", "packages/b/src/x.js:  | 1"],
  ],
  [
    "names of Windows",
    { "lcov.info": "SF:src\\a b\\x.cs\r\nDA:1,1\r\nend_of_record\r\n" },
    [100, "src/a b/x.cs: 1 | "],
  ],
  ["no report", {}, [null]],
])("reads %s", async (_, files, expected) => {
  expect(await coverageOf(files)).toEqual(expected);
});

test("prefers what has every line to what has rates only", async () => {
  const files = {
    "coverage/coverage-summary.json": await recordedCoverage("c8-summary.json.txt"),
    "coverage/coverage-final.json": '{"cut off',
    "coverage/clover.xml": (await recordedCoverage("vitest-clover.xml")).replaceAll(
      "/home/dev/shop/",
      "",
    ),
  };
  expect(await coverageOf(files)).toEqual([70, ...BY_STATEMENT]);
});

test("says nothing about files outside the project", async () => {
  const record = (name: string) => `SF:${name}\nDA:1,1\nend_of_record\n`;
  const names = ["/etc/passwd", "../up.js", "a/../../up.js", "", "a.js"];
  const files = { "lcov.info": names.map(record).join("") };
  expect(await coverageOf(files)).toEqual([100, "a.js: 1 | "]);
});

test("does not take what an earlier run left behind", async () => {
  const dir = await project({ "lcov.info": "SF:a.js\nDA:1,1\nend_of_record\n" });
  await utimes(join(dir, "lcov.info"), 1000, 1000);
  expect((await readCoverage(dir, 1000 * 1000)).lines).toBe(100);
  expect(await readCoverage(dir, 1000 * 1000 + 1)).toEqual({ lines: null, files: [] });
});
