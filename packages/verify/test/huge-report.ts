/** Feeds a report of many megabytes to a parser: `node huge-report.ts FORMAT MEGABYTES`; prints the counts. */
import { collector } from "../src/reports/collector.ts";
import { type FormatName, parserOf } from "../src/reports/formats.ts";

const PIECES: Record<
  string,
  { head: string; test: (n: number) => string; foot: (n: number) => string }
> = {
  junit: {
    head: '<testsuites><testsuite name="a">',
    test: (n) =>
      `<testcase classname="suite" name="test ${n}">${
        n % 10 === 0
          ? `<failure message="boom ${n}">${"at line &lt;7&gt;\n".repeat(20)}</failure>`
          : ""
      }<system-out>${"x".repeat(300)}</system-out></testcase>\n`,
    foot: () => "</testsuite></testsuites>",
  },
  tap: {
    head: "TAP version 13\n",
    test: (n) => `ok ${n} - test number ${n}\n${n % 10 === 0 ? "# a remark\nand output\n" : ""}`,
    foot: (n) => `1..${n}\n`,
  },
  "jest-json": {
    head: '{"success":true,"testResults":[{"assertionResults":[null',
    test: (n) =>
      `,${JSON.stringify({ ancestorTitles: ["suite"], title: `test ${n}`, status: "passed" })}`,
    foot: () => '],"name":"a.test.js","status":"passed"}]}',
  },
};

const [format = "", megabytes = ""] = process.argv.slice(2);
const pieces = PIECES[format];
if (!pieces) throw new Error(`There is no huge report of format ${format}.`);
const head = pieces.head.replace("[null", "[");

const into = collector();
const parser = parserOf(format as FormatName, "/shop")(into);
let written = 0;
let tests = 0;
const write = (text: string) => {
  const bytes = Buffer.from(text);
  written += bytes.length;
  parser.write(bytes);
};
write(head);
while (written < Number(megabytes) * 1_000_000) {
  let text = "";
  for (let i = 0; i < 200; i += 1) {
    tests += 1;
    text += pieces.test(tests);
  }
  write(format === "jest-json" && tests === 200 ? text.slice(1) : text);
}
write(pieces.foot(tests));
const damage = parser.end();
const { counts } = into.collected();
console.log(JSON.stringify({ damage, counted: counts.total, tests, written }));
