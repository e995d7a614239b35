/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasPython = spawnSync("python3", ["--version"], { timeout: 20_000 }).status === 0;

/** A test compares what a source prints with a page beside it. */
const node = (source: string) => ({
  ...{ command: "node --test", report: "node-test" },
  start: {
    "package.json": '{"type":"module"}',
    "src/bill.js": 'export const bill = () => "8";\n',
    "test/golden/bill.txt": "8",
    "test/bill.test.js": `import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { bill } from "../src/bill.js";
test("bill", () => {
  const printed = bill();
  assert.equal(fs.readFileSync("test/golden/bill.txt", "utf8"), printed);
});
`,
  },
  present: { "src/bill.js": source },
});
const python = (source: string) => ({
  ...{ command: "python3 -m unittest", report: "unittest" },
  start: {
    "shop/__init__.py": "",
    "shop/bill.py": 'def bill():\n    return "8"\n',
    "tests/__init__.py": "",
    "tests/golden/bill.txt": "8",
    "tests/test_bill.py": `import pathlib, unittest
from shop.bill import bill

class Bill(unittest.TestCase):
    def test_bill(self):
        printed = bill()
        self.assertEqual(pathlib.Path("tests/golden/bill.txt").read_text(), printed)
`,
  },
  present: { "shop/bill.py": source },
});

describe.concurrent("a source that changes what tests compare with, while they run", {
  timeout: 60_000,
}, () => {
  const written = `import fs from "node:fs";
const page = "test/golden/bill.txt";
if (fs.existsSync(page)) {
  fs.writeFileSync(page, "9");
  process.on("exit", () => fs.writeFileSync(page, "8"));
}
export const bill = () => "9";
`;
  const cases = [
    { name: "writes the page, and puts it back", check: "canary", skip: false, ...node(written) },
    {
      name: "replaces the reading when it is loaded",
      check: "replay",
      skip: false,
      ...node(
        'import fs from "node:fs";\nfs.readFileSync = () => "9";\nexport const bill = () => "9";\n',
      ),
    },
    {
      name: "replaces the reading when it is called",
      check: "replay",
      skip: false,
      ...node(
        'import fs from "node:fs";\nexport function bill() {\n  fs.readFileSync = () => "9";\n  return "9";\n}\n',
      ),
    },
    {
      name: "replaces the reading when it is loaded, in Python",
      check: "replay",
      skip: !hasPython,
      ...python(
        'import pathlib\npathlib.Path.read_text = lambda page, *more, **named: "9"\n\ndef bill():\n    return "9"\n',
      ),
    },
    {
      name: "replaces the reading when it is called, in Python",
      check: "replay",
      skip: !hasPython,
      ...python(
        'import pathlib\n\ndef bill():\n    pathlib.Path.read_text = lambda page, *more, **named: "9"\n    return "9"\n',
      ),
    },
  ];
  for (const { name, check, skip, ...project } of cases) {
    test.skipIf(skip)(name, async () => {
      const { verdict, of } = await checked(project);
      expect(verdict.passed).toBe(true);
      expect(of(check)).toMatchObject({ result: "failed", objections: [check] });
    });
  }

  test("changes data that tests load as a module", async () => {
    const start = {
      "src/bill.js": "exports.bill = () => 8;\n",
      "test/data/bill.json": '{"pays":8}',
      "test/bill.test.js": `const assert = require("node:assert/strict");
const { test } = require("node:test");
const { bill } = require("../src/bill.js");
const { pays } = require("./data/bill.json");
test("bill", () => assert.equal(bill(), pays));
`,
    };
    const lying = 'require("../test/data/bill.json").pays = 9;\nexports.bill = () => 9;\n';
    const { verdict, of } = await checked({
      ...{ command: "node --test", report: "node-test", start },
      present: { "src/bill.js": lying },
    });
    expect(verdict.passed).toBe(true);
    expect(of("replay")).toMatchObject({ result: "failed", objections: ["replay"] });
  });

  test("what the start does as well is no objection", async () => {
    const lying = node(written);
    const start = { ...lying.start, "src/bill.js": written.replace('"9";\n', '"8";\n') };
    const { of } = await checked({ ...lying, start });
    expect(of("canary").text).not.toMatch("while the tests run");
  });
});
