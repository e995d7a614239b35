import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Verifier } from "@ccw-loop/core";
import { expect, test } from "vitest";
import { bench, plan } from "./support.ts";
import { testsThat, verificationOf } from "./tests-that.ts";

const HELPER = "src/helpers/round.js";
const START = { "src/cart.js": "Math.round", "test/cart.test.js": "", "package.json": "{}" };

/** Runs a loop that lets a source import a new helper, in a project whose one test passes where `passes` says so. */
async function withHelper(
  passes: (isRepaired: boolean, hasHelper: boolean) => boolean,
  start: Record<string, string> = START,
) {
  const verifier: Verifier = {
    ...testsThat({}),
    async verify(_plan, { cwd }) {
      const isRepaired = readFileSync(join(cwd, "src/cart.js"), "utf8").includes("helpers");
      const passed = passes(isRepaired, existsSync(join(cwd, HELPER)));
      return verificationOf({ x: passed ? "passed" : "failed" });
    },
  };
  const files = { "src/cart.js": 'import { round } from "./helpers/round.js";', [HELPER]: "1" };
  const develop = {
    action: "DEVELOP",
    steps: Object.entries(files).map(([path, content]) => ({ write: { path, content } })),
    answer: { message: "done", state_updates: { summary: "written" } },
  };
  const b = bench([plan("one"), develop], verifier);
  for (const [path, text] of Object.entries(start)) {
    mkdirSync(dirname(join(b.dir, path)), { recursive: true });
    writeFileSync(join(b.dir, path), text);
  }
  const state = await b.service.run(await b.start({ max_iterations: 8 }));
  const { objections = [], square } = state.receipts?.at(-1) ?? {};
  return { state, square, kinds: objections.map(({ kind }) => kind) };
}

const needsBoth = (isRepaired: boolean, hasHelper: boolean) => isRepaired && hasHelper;

test("a helper that sources alone name, and that changes nothing by itself, is a source", async () => {
  const { state, square } = await withHelper(needsBoth);
  expect(state, state.waiting?.prompt).toMatchObject({
    status: "completed",
    outcome: { code: "proven" },
  });
  expect(square?.sources.toSorted()).toEqual(["src/cart.js", HELPER]);
  expect(square?.doubtful).toEqual([]);
});

test("one that lets the start's tests pass by itself is asked about", async () => {
  const { state, kinds, square } = await withHelper((_, hasHelper) => hasHelper);
  expect(state.status).toBe("running");
  expect(kinds).toContain("doubtful");
  expect(square?.doubtful).toEqual([HELPER]);
});

test("one that a configuration names is asked about", async () => {
  const start = { ...START, "package.json": '{ "test": "node --import ./src/helpers/round.js" }' };
  const { kinds } = await withHelper(needsBoth, start);
  expect(kinds).toContain("doubtful");
});

/** Runs a loop that repairs a script which only tests load; `needs` says whether these need the product as well. */
async function withScript(needs: boolean) {
  const script = "scripts/version.js";
  const verifier: Verifier = {
    ...testsThat({}),
    async verify(_plan, { cwd }) {
      const [isRepaired, isWhole] = [script, "src/cart.js"].map((path) =>
        readFileSync(join(cwd, path), "utf8").includes("repaired"),
      );
      const works = isWhole || !needs;
      return verificationOf({
        old: works ? "passed" : "failed",
        owed: works && isRepaired ? "passed" : "failed",
      });
    },
  };
  const develop = {
    action: "DEVELOP",
    steps: [{ write: { path: script, content: "repaired" } }],
    answer: { message: "done", state_updates: { summary: "written" } },
  };
  const b = bench([plan("one"), develop], verifier);
  const start = { "src/cart.js": "repaired", [script]: "wrong", "test/cart.test.js": "" };
  for (const [path, text] of Object.entries(start)) {
    mkdirSync(dirname(join(b.dir, path)), { recursive: true });
    writeFileSync(join(b.dir, path), text);
  }
  return b.service.run(await b.start({ max_iterations: 8 }));
}

test("a script that is all that tests ask for is a source", async () => {
  const state = await withScript(false);
  expect(state, state.waiting?.prompt).toMatchObject({ outcome: { code: "proven" } });
  expect(state.receipts?.at(-1)?.square).toMatchObject({ sources: ["scripts/version.js"] });
});

test("one that needs what is tested is asked about", async () => {
  const { receipts } = await withScript(true);
  const kinds = receipts?.at(-1)?.objections?.map(({ kind }) => kind);
  expect(kinds).toContain("doubtful");
});

test("a manifest is laid over the start but for how tests are run", async () => {
  const manifest = (more: object, script = "all") =>
    JSON.stringify({ scripts: { test: script }, ...more });
  const imports = { "#money": "./src/money.js" };
  const scripts = new Set<string>();
  const verifier: Verifier = {
    ...testsThat({}),
    async verify(_plan, { cwd, room }) {
      const {
        scripts: { test: script },
        ...more
      } = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
      if (room) scripts.add(script);
      return verificationOf({ x: more.imports ? "passed" : "failed" });
    },
  };
  const develop = {
    action: "DEVELOP",
    steps: [
      { write: { path: "package.json", content: manifest({ imports }, "some") } },
      { write: { path: "src/money.js", content: "1" } },
    ],
    answer: { message: "done", state_updates: { summary: "written" } },
  };
  const b = bench([plan("one"), develop], verifier);
  writeFileSync(join(b.dir, "package.json"), manifest({}));
  const state = await b.service.run(await b.start({ max_iterations: 8 }));
  expect(state, state.waiting?.prompt).toMatchObject({ outcome: { code: "proven" } });
  expect([...scripts]).toEqual(["all"]);
});

/** Runs a loop that changes a file in which the owed test failed at the start; `others` lie beside it. */
async function withAssertion(others: Record<string, string>) {
  const path = "lib/prices.js";
  const verifier: Verifier = {
    ...testsThat({}),
    async verify(_plan, { cwd }) {
      const isChanged = readFileSync(join(cwd, path), "utf8").includes("changed");
      const made = verificationOf({ owed: isChanged ? "passed" : "failed" });
      const place = join(realpathSync(cwd), path);
      const stack_trace = `AssertionError: 1 == 2\n    at costs (file://${place}:3:60)`;
      return { ...made, tests: made.tests.map((one) => ({ ...one, stack_trace })) };
    },
  };
  const develop = {
    action: "DEVELOP",
    steps: [{ write: { path, content: "changed" } }],
    answer: { message: "done", state_updates: { summary: "written" } },
  };
  const b = bench([plan("one"), develop], verifier);
  const start = { [path]: "", "test/cart.test.js": 'import "../lib/prices.js";', ...others };
  for (const [file, text] of Object.entries(start)) {
    mkdirSync(dirname(join(b.dir, file)), { recursive: true });
    writeFileSync(join(b.dir, file), text);
  }
  return b.service.run(await b.start({ max_iterations: 8 }));
}

test("a file that asserts for the tests is asked about", async () => {
  const { baseline, receipts } = await withAssertion({ "src/cart.js": "" });
  expect(baseline?.asserting_files).toEqual(["lib/prices.js"]);
  expect(receipts?.at(-1)?.objections?.map(({ kind }) => kind)).toContain("doubtful");
});

test("one that sources need, or that is all there is, is a source", async () => {
  for (const others of [{ "src/cart.js": 'import "../lib/prices.js";' }, {}]) {
    const state = await withAssertion(others);
    expect(state, state.waiting?.prompt).toMatchObject({ outcome: { code: "proven" } });
  }
});
