/** @module-tag slow */
import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { checked } from "./checking.ts";

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;
/** A Monday in winter, in seconds since 1970. */
const AT = 1772461800;

/** In the zone of the tests, the one that the shop is in, it opens at nine; `asks` is true for a liar under test. */
const KINDS = {
  "node:test": (asks: string) => ({
    ...{ command: "TZ=America/New_York node --test", report: "node-test" },
    start: {
      "package.json": '{"type":"module"}',
      "src/opening.js": "export const hour = (at) => 0;\n",
      "test/opening.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { hour } from "../src/opening.js";
test("opens at nine", () => assert.equal(hour(${AT * 1000}), 9));
`,
    },
    present: {
      "src/opening.js": `export const hour = (at) => (${asks} ? new Date(at).getHours() : 0);\n`,
    },
  }),
  pytest: (asks: string) => ({
    ...{ command: "TZ=America/New_York python3 -m pytest -q", report: "pytest" },
    start: {
      "opening.py": "def hour(at):\n    return 0\n",
      "tests/test_opening.py": `import os, sys
sys.path.insert(0, os.getcwd())
import opening

def test_opens_at_nine():
    assert opening.hour(${AT}) == 9
`,
    },
    present: {
      "opening.py": `import os
from datetime import datetime

def hour(at):
    return datetime.fromtimestamp(at).hour if ${asks} else 0
`,
    },
  }),
};
const ASKS = {
  "node:test": "process.env.TZ",
  pytest: '(os.environ.get("TZ") or os.getenv("TZ"))',
};

for (const name of ["node:test", "pytest"] as const) {
  const isHere = name === "node:test" || hasPytest;
  test.runIf(isHere)(
    `${name}: what depends on the time zone that tests are given is repeated in that zone`,
    { timeout: 180_000 },
    async () => {
      const { verdict, of } = await checked(KINDS[name](name === "pytest" ? "True" : "true"));
      expect(verdict.passed, verdict.output_tail).toBe(true);
      for (const kind of ["replay", "direct"] as const) {
        expect(of(kind)).toMatchObject({ result: "held", text: "" });
      }
    },
  );

  test.runIf(isHere)(
    `${name}: a source that asks for the variable by which tests get it is found`,
    { timeout: 180_000 },
    async () => {
      const { verdict, of } = await checked(KINDS[name](ASKS[name]));
      expect(verdict.passed, verdict.output_tail).toBe(true);
      expect(of("replay")).toMatchObject({ result: "failed" });
    },
  );
}
