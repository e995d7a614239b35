/** @module-tag slow */
/** The runner of `npm run mutants`, on a small checkout of its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Defect, Mutant } from "../mutants/mutant.ts";
import { mutantsLine, type Outcome, playMutants } from "../mutants/src/play.ts";
import { runTests } from "../mutants/src/tests.ts";

const root = join(import.meta.dirname, "../..");

const FILES = {
  ".gitignore": "node_modules\n",
  "package.json": '{ "type": "module", "private": true }',
  "packages/sum/package.json": '{ "name": "@it/sum", "type": "module", "exports": "./sum.ts" }',
  "packages/sum/sum.ts":
    "export const ONE = 1;\nexport function sum(a: number, b: number) {\n  return a + b;\n}\n",
  "packages/use/package.json": '{ "name": "@it/use", "type": "module" }',
  "packages/use/use.test.ts": `import { expect, test, describe } from "vitest";
import { ONE, sum } from "@it/sum";
describe("a sum", () => {
  test("of two numbers (both > 0)", () => expect(sum(1, 2)).toBe(3));
  test("of nothing", () => expect(sum(0, 0)).toBe(0));
  test("that is red", () => expect(sum(1, 1)).toBe(3));
  test.skip("that is skipped", () => expect(sum(1, 1)).toBe(3));
});
`,
  "judge.ts": `import { ONE } from "./packages/sum/sum.ts";
console.log(ONE === 1 ? "violations: 0" : "violations: 1");
process.exit(ONE === 1 ? 0 : 1);
`,
};

const OF_TWO = { file: "packages/use/use.test.ts", title: "of two numbers (both > 0)" };
const PLUS = { file: "packages/sum/sum.ts", find: "a + b", replace: "a - b" };

/** One of each kind, by what is to come of it. */
const MUTANTS: Record<string, Omit<Defect, "name"> & ({ test: object } | { run: object })> = {
  caught: { ...PLUS, test: OF_TWO },
  "caught by a title with its group": { ...PLUS, test: { ...OF_TWO, title: "a sum of two" } },
  "caught by a run": {
    ...{ ...PLUS, find: "ONE = 1", replace: "ONE = 2" },
    run: { command: ["judge.ts"], reports: "violations: 1" },
  },
  "caught where a program works": { ...PLUS, test: { ...OF_TWO, needs: [["git", "--version"]] } },
  "not played": {
    ...PLUS,
    test: {
      ...OF_TWO,
      needs: [
        ["git", "--version"],
        ["git", "no-such"],
      ],
    },
  },
  "It survived": { ...PLUS, test: { ...OF_TWO, title: "of nothing" } },
  "stands 0 times": { ...PLUS, find: "a * b", test: OF_TWO },
  "stands 2 times": { ...PLUS, find: "number", test: OF_TWO },
  "There is no file packages/gone.ts": { ...PLUS, file: "packages/gone.ts", test: OF_TWO },
  "There is no file gone.test.ts": { ...PLUS, test: { ...OF_TWO, file: "gone.test.ts" } },
  "It changes nothing": { ...PLUS, replace: "a + b", test: OF_TWO },
  'has no test "of three"': { ...PLUS, test: { ...OF_TWO, title: "of three" } },
  "is red without it": { ...PLUS, test: { ...OF_TWO, title: "that is red" } },
  "is skipped": { ...PLUS, test: { ...OF_TWO, title: "that is skipped" } },
  "cannot be run": { ...PLUS, replace: "a +", test: OF_TWO },
  "took longer": { ...PLUS, replace: "((): never => { for (;;); })()", test: OF_TWO },
  'does not report "violations: 1"': {
    ...{ ...PLUS, find: "ONE = 1", replace: "ONE = undefined.x" },
    run: { command: ["judge.ts"], reports: "violations: 1" },
  },
};

let checkout: string;
let mutants: Mutant[];
const git = (...args: string[]) => execFileSync("git", args, { cwd: checkout, encoding: "utf8" });

beforeAll(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), "ccw-mutants-")));
  mutants = Object.entries(MUTANTS).map(([name, mutant]) => ({ name, ...mutant }) as Mutant);
  const known = {
    "quality/mutants/known/a.ts": `export const mutants = ${JSON.stringify(mutants)};`,
  };
  for (const [file, text] of Object.entries({ ...FILES, ...known })) {
    mkdirSync(join(checkout, dirname(file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  }
  mkdirSync(join(checkout, "node_modules"));
  symlinkSync(
    realpathSync(join(root, "node_modules/vitest")),
    join(checkout, "node_modules/vitest"),
  );
  mkdirSync(join(checkout, "packages/use/node_modules/@it"), { recursive: true });
  symlinkSync("../../../sum", join(checkout, "packages/use/node_modules/@it/sum"));
  git("init", "--quiet");
  git("add", "package.json", "packages");
  return () => rmSync(checkout, { recursive: true, force: true });
});

test("what is not noticed, and what cannot be played, is reported as such", async () => {
  const before = git("status", "--porcelain", "--ignored", "--untracked-files=all");
  const told: Outcome[] = [];
  const outcomes = await playMutants(
    checkout,
    [...mutants, ...mutants.slice(0, 1).map((mutant) => ({ ...mutant }))],
    {
      limitMs: 12_000,
      onOutcome: (outcome) => told.push(outcome),
    },
  );
  expect(told).toEqual(outcomes);
  expect(outcomes).toHaveLength(mutants.length + 1);
  const twice = outcomes.filter(({ problem }) => problem === "Another mutant has the same name.");
  expect(twice.map(({ name }) => name)).toEqual(["caught"]);
  for (const { name, problem, missing } of outcomes.filter((one) => !twice.includes(one))) {
    if (name === "not played")
      expect({ problem, missing }).toEqual({ problem: null, missing: "git" });
    else if (name.startsWith("caught")) expect([name, problem]).toEqual([name, null]);
    else expect(problem).toContain(name);
  }
  expect(mutantsLine(outcomes)).toBe("mutants: 17, caught: 4");
  expect(git("status", "--porcelain", "--ignored", "--untracked-files=all")).toBe(before);
  expect(git("diff")).toBe("");
}, 120_000);

test("the command exits with 1 for a mutant that survives, and with 0 for one that is caught", () => {
  const run = (only: string) => {
    const program = join(root, "quality/mutants/main.ts");
    return spawnSync(process.execPath, [program, "--root", checkout, "--only", only], {
      encoding: "utf8",
    });
  };
  const survived = run("It survived");
  expect([survived.status, lastLine(survived.stdout)]).toEqual([1, "mutants: 1, caught: 0"]);
  const caught = run("by a run");
  expect([caught.status, lastLine(caught.stdout)]).toEqual([0, "mutants: 1, caught: 1"]);
  expect(run("nothing of this name").status).toBe(2);
}, 60_000);

function lastLine(text: string): string | undefined {
  return text.trimEnd().split("\n").at(-1);
}

test("without a test to run, vitest is not started", async () => {
  const nowhere = join(checkout, "nowhere");
  expect(await runTests({ folder: nowhere, temporary: nowhere }, [], 1000)).toEqual([]);
});
