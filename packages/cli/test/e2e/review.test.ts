/** @module-tag slow */
import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { plan, stateOf } from "../support/project.ts";
import { testedProject, writes } from "../support/tested-project.ts";

vi.setConfig({ testTimeout: 300_000 });

const TABLE = `export const sum = (a, b) => (a === 1 && b === 2 ? 3 : a - b);
export const half = (a) => (a === 4 ? 2 : a);
`;
const REPAIR = "export const sum = (a, b) => a + b;\nexport const half = (a) => a / 2;\n";

const HIDDEN = `import assert from "node:assert/strict";
import { test } from "node:test";
import { half, sum } from "../src/sum.js";

test("any two numbers, and half of any", () => {
  assert.equal(sum(40, 2), 42);
  assert.equal(half(84), 42);
});
`;

const REVIEW = {
  action: "REVIEW",
  findings: [{ file: "src/sum.js", line: 1, problem: "It knows the tested numbers alone." }],
  tests: [{ file: "test/reviewed.test.js", text: HIDDEN }],
};
const review = (when: string, answer: object) => ({
  ...{ action: "REVIEW", when, once: true },
  answer: JSON.stringify(answer),
});

test("answers from a table are proven by the runs, and a question with a reviewer; behind a repair the loop ends proven", async () => {
  await using here = await testedProject(
    plan,
    writes({ "src/sum.js": TABLE }),
    writes({ "src/sum.js": REPAIR }),
  );
  const nothing = { ...REVIEW, findings: [], tests: [] };
  const turns = [review("An earlier review said:", nothing), review("# ACTION: REVIEW", REVIEW)];
  await writeFile(join(here.dir, ".workflow/reviewer.json"), JSON.stringify({ turns }));
  const asked = await here.cli(
    ...["run", "--auto", "--loop-id", "a", "--agent", "scripted:agent.json"],
    ...["--review", "scripted:.workflow/reviewer.json", "--create", "Repair sum and half"],
  );
  expect(asked.code, asked.err).toBe(4);
  expect(asked.out).toContain("finds: It knows the tested numbers alone. (src/sum.js:1)");
  expect(asked.out).toContain("any two numbers, and half of any");
  const state = await stateOf(here, "a");
  expect(state.settings.review).toBe(`scripted:${join(here.dir, ".workflow/reviewer.json")}`);
  expect(state.waiting).toMatchObject({ about: "objections", options: ["accept", "reject"] });
  expect(existsSync(join(here.dir, "test/reviewed.test.js"))).toBe(false);

  expect((await here.cli("answer", "a", "reject")).code).toBe(0);
  const done = await here.cli("run", "--loop-id", "a");
  expect(done.code, done.err).toBe(0);
  expect(await stateOf(here, "a")).toMatchObject({
    status: "completed",
    outcome: { code: "proven" },
  });
  const shown = (await here.cli("show", "a", "--receipt")).out;
  expect(shown).toMatch(/round 1 by scripted:\S+, of earlier files: 1 finding, 1 test of its own/);
  expect(shown).toContain("rejected: It knows the tested numbers alone. (src/sum.js:1)");
  expect(shown).toContain("its test test/reviewed.test.js: passed");
  expect(shown).toMatch(/round 2 by scripted:\S+: no finding/);
  expect((await here.cli("verify", "a")).code).toBe(0);

  const loops = join(here.dir, ".workflow/.loop");
  for (const file of ["a.json", "a.journal.jsonl"]) {
    expect(readFileSync(join(loops, file), "utf8")).not.toContain("sum(40, 2)");
  }
});

test("a reviewer that there is none of is refused before anything begins", async () => {
  await using here = await testedProject(plan);
  const { code, err } = await here.cli(
    ...["start", "--agent", "scripted:agent.json", "--review", "nobody", "Repair sum"],
  );
  expect(code).toBe(2);
  expect(err).toContain('--review cannot be "nobody"');
});
