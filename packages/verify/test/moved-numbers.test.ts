import { works } from "@ccw-loop/testkit";
import { describe, expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasCompiler = works("cc", "--version") && works("make", "--version");
const hasBats = works("bats", "--version");

const PROGRAM = {
  command: "node test/cart.js",
  report: "exit-code",
  start: {
    "package.json": '{"type":"module"}',
    "src/cart.js": "export const total = (sum, percent) => sum - percent;\n",
    "test/cart.js":
      'import assert from "node:assert/strict";\nimport { total } from "../src/cart.js";\n\nassert.equal(total(1000, 0), 1000);\nassert.equal(total(1000, 50), 500);\nconsole.log("ok 2");\n',
  },
};
const MADE = {
  command: "make test",
  report: "exit-code",
  start: {
    Makefile:
      ".PHONY: test\ntest:\n\tcc -Isrc -o cart_test test/cart_test.c src/cart.c\n\t./cart_test\n",
    "src/cart.h": "int total(int sum, int percent);\n",
    "src/cart.c": "int total(int sum, int percent) { return sum - percent; }\n",
    "test/cart_test.c":
      '#include <assert.h>\n#include <stdio.h>\n#include "cart.h"\n\nint main(void) {\n  assert(total(1000, 0) == 1000);\n  assert(total(1000, 50) == 500);\n  return 0;\n}\n',
  },
};
const BATS = {
  command: "bats test",
  start: {
    "src/cart.sh": "total() {\n  echo $(($1 - $2))\n}\n",
    "test/cart.bats":
      'setup() {\n  source "$BATS_TEST_DIRNAME/../src/cart.sh"\n}\n\n@test "plain" {\n  [ "$(total 1000 0)" = "1000" ]\n}\n\n@test "half" {\n  [ "$(total 1000 50)" = "500" ]\n}\n',
  },
};
/** Tests that number themselves: with a negative number none of them is one. */
const NUMBERED = {
  command: "sh test/cart.sh",
  report: "tap",
  start: {
    "src/cart.sh": "total() {\n  echo $(($1 - $2))\n}\n",
    "test/cart.sh":
      '. ./src/cart.sh\nnumber=0\nfailed=0\nis() {\n  number=$((number + 1))\n  if [ "$2" = "$3" ]; then echo "ok $number - $1"; else echo "not ok $number - $1"; failed=1; fi\n}\necho "TAP version 13"\necho "1..2"\nis "a plain one" 1000 "$(total 1000 0)"\nis "half of it" 500 "$(total 1000 50)"\nexit "$failed"\n',
  },
};
/** Texts alone, in a file that holds numbers which decide nothing; red at the start. */
const TEXTS = {
  command: "node test/names.js",
  report: "exit-code",
  start: {
    "package.json": '{"type":"module"}',
    "src/names.js": "export const name = () => 'a';\n",
    "test/names.js":
      'import { name } from "../src/names.js";\n\nfor (let n = 0; n < 3; n += 1) {\n  console.log("round", n, "of", 3);\n  if (name() !== "b") {\n    console.error("wrong", 7);\n    process.exit(4);\n  }\n}\n',
  },
};
/** A limit that is lifted: what was refused with another number is allowed now. */
const LIMIT = {
  command: "node test/limit.js",
  report: "exit-code",
  start: {
    "package.json": '{"type":"module"}',
    "src/limit.js": "export const isAllowed = (n) => n > 0 && n <= 100;\n",
    "test/limit.js":
      'import { isAllowed } from "../src/limit.js";\n\nif (!isAllowed(100)) throw new Error("refused");\n',
  },
};

describe.concurrent("tests whose expected values are not known", {
  ...{ timeout: 60_000, tags: ["slow"] },
}, () => {
  test.each([
    {
      name: "errors that a source drops",
      ...PROGRAM,
      present: {
        "src/cart.js":
          'process.on("uncaughtException", () => {});\nexport const total = (sum, percent) => sum - percent;\n',
      },
    },
    {
      name: "a comparison that a source replaces",
      ...NUMBERED,
      present: {
        "src/cart.sh": `${NUMBERED.start["src/cart.sh"]}alias '['='echo >/dev/null'\n`,
      },
    },
    {
      name: "a process that a source ends",
      ...PROGRAM,
      start: {
        ...PROGRAM.start,
        "test/cart.js": PROGRAM.start["test/cart.js"].replace(/.* 50.*\n/, ""),
      },
      present: {
        "src/cart.js":
          'process.on("exit", () => process.reallyExit(0));\nexport const total = (sum) => sum;\n',
      },
    },
    ...(hasCompiler
      ? [
          {
            name: "a macro that a header takes away",
            ...MADE,
            present: {
              "src/cart.h":
                "#undef assert\n#define assert(is) ((void)(is))\nint total(int, int);\n",
            },
          },
        ]
      : []),
    ...(hasBats
      ? [
          {
            name: "a function that takes the place of a program",
            ...BATS,
            present: {
              "src/cart.sh":
                '[() {\n  case "$2" in\n    =) return 0 ;;\n    *) builtin [ "$@" ;;\n  esac\n}\n\ntotal() {\n  echo $(($1 - $2))\n}\n',
            },
          },
        ]
      : []),
  ])("$name: nobody notices other numbers", async (about) => {
    const { verdict, of } = await checked(about);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result: "failed", objections: ["canary"] });
  });

  test.each([
    {
      name: "a program",
      ...PROGRAM,
      present: {
        "src/cart.js": "export const total = (sum, percent) => (sum * (100 - percent)) / 100;\n",
      },
      result: "held",
    },
    {
      name: "numbers that decide nothing",
      ...TEXTS,
      present: { "src/names.js": "export const name = () => 'b';\n" },
      result: "not_run",
    },
    {
      name: "a limit that is raised",
      ...LIMIT,
      present: { "src/limit.js": "export const isAllowed = (n) => n > 0 && n <= 200;\n" },
      result: "not_run",
    },
    {
      name: "a limit that is lifted",
      ...LIMIT,
      present: { "src/limit.js": "export const isAllowed = (n) => n > 0;\n" },
      result: "not_run",
    },
  ])("$name: no objection", async ({ result, ...about }) => {
    const { verdict, of } = await checked(about);
    expect(verdict.passed, verdict.output_tail).toBe(true);
    expect(of("canary")).toMatchObject({ result, text: "" });
  });
});
