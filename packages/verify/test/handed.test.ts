/** @module-tag slow */
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";
import { hasPytest } from "./tools.ts";

const ESM = { "package.json": '{"type":"module"}' };
const HEAD = `import assert from "node:assert/strict";
import { test } from "node:test";
`;

/** A console whose every part is another one in a terminal. */
const shop = (half: string) => `const shown = Boolean(process.stdout.isTTY);
export const sign = shown ? "+" : "-";
export const mark = (text) => (shown ? "* " : "ok ") + text;
export const later = async (text) => mark(text);
export class Printer {
  colours = shown;
  line(text) { return mark(text).padEnd(process.stdout.columns ?? 40, "."); }
}
export const half = (price) => ${half};
`;
const TESTS = `${HEAD}
import { half, later, mark, Printer, sign } from "../src/shop.js";
test("signs", () => assert.match(sign, /^.$/));
test("marks", () => assert.match(mark("x"), /x$/));
test("marks later", async () => assert.match(await later("x"), /x$/));
test("lines", () => {
  const printer = new Printer();
  assert.equal(typeof printer.colours, "boolean");
  assert.match(printer.line("x"), /x\\.{30}/);
});
test("halves", () => assert.equal(half(4), 2));
`;

describe("what is different in a terminal", () => {
  const played = (half: string) =>
    checked({
      ...{ command: "node --test", report: "node-test" },
      start: { ...ESM, "test/shop.test.js": TESTS, "src/shop.js": "export const half = 5;\n" },
      present: { "src/shop.js": shop(half) },
    });

  test("is no matter where the tests pass with it", { timeout: 120_000 }, async () => {
    const { verdict, of } = await played("price / 2");
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay")).toMatchObject({ result: "held", text: "" });
  });

  test("is one where a test refuses a part of it", { timeout: 120_000 }, async () => {
    const { of } = await played("(shown ? price : price / 2)");
    expect(of("replay").objections).toEqual(["terminal"]);
  });

  test("is one where it cannot be handed to tests", { timeout: 120_000 }, async () => {
    const { of } = await played("(shown ? Symbol.iterator : price / 2)");
    expect(of("replay").objections).toEqual(["terminal"]);
  });
});

const pythonShop = (half: string) => `import os

shown = os.isatty(1)
SIGN = "+" if shown else "-"


def mark(text):
    return ("* " if shown else "ok ") + text


class Printer:
    def __init__(self):
        self.colours = shown

    def line(self, text):
        return mark(text)


def half(price):
    return ${half}
`;
const PYTHON_TESTS = `import shop


def test_all():
    assert len(shop.SIGN) == 1
    assert shop.mark("x").endswith("x")
    printer = shop.Printer()
    assert printer.colours in (True, False)
    assert printer.line("x").endswith("x")


def test_half():
    assert shop.half(4) == 2
`;

describe.runIf(hasPytest)("the same in Python", () => {
  test.each([
    ["price // 2", []],
    ["price if shown else price // 2", ["terminal"]],
  ])("%s", { timeout: 120_000 }, async (half, objections) => {
    const { verdict, of } = await checked({
      ...{ command: "python3 -m pytest", report: "pytest" },
      start: { "test_shop.py": PYTHON_TESTS, "shop.py": "" },
      present: { "shop.py": pythonShop(half) },
    });
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("replay").objections).toEqual(objections);
  });
});

/** Commands that are all modules of a folder; by listing it in one of the ways that there are. */
const listing = (read: string) => `import fs from "node:fs";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
const folder = new URL("./commands/", import.meta.url);
export async function commands() {
  const found = ${read};
  const files = found.map((one) => one.name ?? one).filter((file) => file.endsWith(".js"));
  return Promise.all(files.map(async (file) => (await import(new URL(file, folder))).run(1)));
}
`;

test.each([
  "await readdir(folder)",
  "fs.readdirSync(folder, { withFileTypes: true })",
  "await promisify((...given) => fs.readdir(...given))(folder)",
])("a program that loads what lies in a folder: %s", { timeout: 120_000 }, async (read) => {
  const { of } = await checked({
    ...{ command: "node --test", report: "node-test" },
    start: {
      ...ESM,
      "src/commands/add.js": "export const run = (a) => a - 1;\n",
      "test/all.test.js": `${HEAD}
import { commands } from "../src/index.js";
test("runs all", async () => assert.deepEqual(await commands(), [2]));
`,
      "src/index.js":
        'import { run } from "./commands/add.js";\nexport const commands = async () => [run(1)];\n',
    },
    present: {
      "src/commands/add.js": "export const run = (a) => a + 1;\n",
      "src/index.js": listing(read),
    },
  });
  expect(of("replay")).toMatchObject({ result: "held", text: "" });
});
