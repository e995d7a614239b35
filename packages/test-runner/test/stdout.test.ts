import { expect, test } from "vitest";
import { stdoutReader } from "../src/reports/stdout.ts";
import { recorded } from "./parse.ts";

function read(text: string, size = 11) {
  const reader = stdoutReader("/shop");
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  return reader.end();
}

const around = (report: string) => `\n> shop@1.0.0 test\n> run\n\n${report}\nDone in 1 s.\n`;

test.each([
  ["tap", "mocha.tap", 3],
  ["tap", "nested.tap", 3],
  ["go-json", "go.jsonl", 5],
  ["jest-json", "jest.json.txt", 3],
  ["jest-json", "vitest.json.txt", 5],
  ["junit", "pytest.xml", 5],
  ["junit", "surefire.xml", 3],
])("finds %s in what is printed around %s", (format, file, total) => {
  expect(read(around(recorded(file).trimEnd()))).toMatchObject({
    format,
    damage: null,
    counts: { total },
  });
});

test("finds a JSON report that is longer than any line is kept", () => {
  const test = {
    title: "t",
    status: "passed",
    ancestorTitles: ["x".repeat(500)],
    failureMessages: [],
  };
  const json = JSON.stringify({
    numTotalTestSuites: 1,
    success: true,
    testResults: [
      { name: "/shop/a.js", status: "passed", assertionResults: Array(1000).fill(test) },
    ],
  });
  expect(json.length).toBeGreaterThan(500_000);
  expect(read(around(json), 4096)).toMatchObject({ damage: null, counts: { total: 1000 } });
});

test("adds up XML documents with other output between them, and is not distracted by other XML", () => {
  const one = '<testsuite><testcase name="a"/></testsuite>';
  const text = `<?xml version="1.0"?>\n<html></html>\n${one}\nok then\n${one}\nDone\n`;
  expect(read(text)).toMatchObject({ format: "junit", damage: null, counts: { total: 2 } });
  expect(read(`${one}\n<testsuite>\n<testcase name="b"`)).toMatchObject({
    damage: expect.stringContaining("Unclosed"),
  });
});

test("reads the whole output where the format is known", () => {
  const reader = stdoutReader("/shop", "go-json");
  reader.write(Buffer.from("FAIL\tshop/cart [build failed]\n"));
  expect(reader.end()).toMatchObject({ format: "go-json", counts: { failed: 1 } });
  const silent = stdoutReader("/shop", "libtest");
  silent.write(Buffer.from("error: could not compile `shop`\n"));
  expect(silent.end()).toBeNull();
});

const CUT_OFF = "it is not valid JSON, or cut off";

test("a JSON report that is cut off is damaged, not absent", () => {
  expect(read(recorded("jest.json.txt").slice(0, 400))).toMatchObject({ damage: CUT_OFF });
  expect(read(around(recorded("jest.json.txt").slice(0, 400)))).toMatchObject({
    damage: CUT_OFF,
  });
});

test.each([
  ["plain text", "3 passing\n0 failing\n"],
  ["Go's summary lines", "ok  \tshop/bill\t0.3s\nok  \tshop/cart\t0.1s\n"],
  ["a point without plan or version", "ok 1 is what the program said\n"],
  ["other JSON", '{"level":"info","msg":"hello"}\n{"numbers":[1]}\n'],
  ["other XML", '<?xml version="1.0"?>\n<coverage line-rate="1">\n</coverage>\n'],
  ["markup", "<div>\n<testsuite-like>\n<anonymous>\n"],
  ["nothing", ""],
])("finds no report in %s", (_, text) => {
  expect(read(text)).toBeNull();
});
