/** Feeds a report of many megabytes to a parser: `node huge-report.ts FORMAT MEGABYTES`; prints the counts. */
import { collector } from "../src/reports/collector.ts";
import { type FormatName, parserOf } from "../src/reports/report.ts";

interface Pieces {
  head?: string;
  test: (n: number) => string;
  foot?: (n: number) => string;
}

const pad = "x".repeat(300);
const failing = (n: number) => n % 10 === 0;

const PIECES: Record<string, Pieces> = {
  junit: {
    head: '<testsuites><testsuite name="a">',
    test: (n) =>
      `<testcase classname="suite" name="test ${n}">${
        failing(n)
          ? `<failure message="boom ${n}">${"at line &lt;7&gt;\n".repeat(20)}</failure>`
          : ""
      }<system-out>${pad}</system-out></testcase>\n`,
    foot: () => "</testsuite></testsuites>",
  },
  tap: {
    head: "TAP version 13\n",
    test: (n) => `ok ${n} - test number ${n}\n${failing(n) ? "# a remark\nand output\n" : ""}`,
    foot: (n) => `1..${n}\n`,
  },
  trx: {
    head: "<TestRun><Results>",
    test: (n) =>
      `<UnitTestResult testId="${n}" testName="A.B.test${n}" outcome="${failing(n) ? "Failed" : "Passed"}">
        <Output><StdOut>${pad}</StdOut><ErrorInfo><Message>${failing(n) ? pad.repeat(20) : ""}</Message></ErrorInfo>
      </Output></UnitTestResult>\n`,
    foot: () => '</Results><ResultSummary outcome="Failed"/></TestRun>',
  },
  libtest: {
    // How many it announces is only known at the end, so each test is a program of its own.
    test: (n) =>
      `     Running tests/t.rs (target/debug/deps/t${n}-0123456789abcdef)\n\nrunning 1 test\ntest a::test_${n} ... ${
        failing(n) ? `FAILED\n\nfailures:\n\n---- a::test_${n} stdout ----\n${pad}\n` : "ok\n"
      }\ntest result: ${failing(n) ? "FAILED. 0 passed; 1" : "ok. 1 passed; 0"} failed; 0 ignored; 0 measured; 0 filtered out\n\n`,
  },
  "go-json": {
    test: (n) =>
      [
        { Action: "run", Package: "shop", Test: `Test${n}` },
        { Action: "output", Package: "shop", Test: `Test${n}`, Output: pad },
        { Action: failing(n) ? "fail" : "pass", Package: "shop", Test: `Test${n}` },
      ]
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(""),
  },
  "event-lines": {
    test: (n) => {
      const line = { name: `test ${n}`, file: "a", parents: ["b"], duration_ms: 1, stack: pad };
      return `${JSON.stringify({ ...line, status: failing(n) ? "failed" : "passed" })}\n`;
    },
    foot: () => '{"end":true}\n',
  },
};

const [format = "", megabytes = ""] = process.argv.slice(2);
const pieces = PIECES[format];
if (!pieces) throw new Error(`There is no huge report of format ${format}.`);

const into = collector();
const parser = parserOf(format as FormatName, "/shop")(into);
let written = 0;
let tests = 0;
const write = (text: string) => {
  const bytes = Buffer.from(text);
  written += bytes.length;
  parser.write(bytes);
};
write(pieces.head ?? "");
while (written < Number(megabytes) * 1_000_000) {
  let text = "";
  for (let i = 0; i < 200; i += 1) {
    tests += 1;
    text += pieces.test(tests);
  }
  write(text);
}
write(pieces.foot?.(tests) ?? "");
const damage = parser.end();
const { counts } = into.collected();
console.log(JSON.stringify({ damage, counted: counts.total, tests, written }));
