/** What can be said of the known mutants without playing them. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { knownMutants } from "../mutants/src/known.ts";

const root = join(import.meta.dirname, "../..");
const known = await knownMutants(root);

test("every known mutant has a name of its own", () => {
  const names = known.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
});

test("what each changes stands once in its file", () => {
  const stray = known.filter(({ file, find }) => {
    const path = join(root, file);
    return !existsSync(path) || readFileSync(path, "utf8").split(find).length !== 2;
  });
  expect(stray.map(({ name }) => name)).toEqual([]);
});

test("the test of each is in a file that is there", () => {
  const lost = known.filter((one) => "test" in one && !existsSync(join(root, one.test.file)));
  expect(lost.map(({ name }) => name)).toEqual([]);
});
