import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestTestFiles, isTestFile } from "../src/project-files.ts";
import { project } from "./project.ts";

test.each([
  "a.test.ts",
  "src/deep/b.spec.jsx",
  "src/__tests__/c.js",
  "test/helper.mjs",
  "tests/d.py",
  "test_e.py",
  "pkg/f_test.py",
  "pkg/conftest.py",
  "g_test.go",
  "src/test/java/shop/Helper.java",
  "shop/HTest.java",
  "spec/i_spec.rb",
  "tests/j.rs",
  "k.bats",
  "src/m_test.ts",
  "app/NTest.php",
  "Shop/OTests.fs",
  "cypress/p.cy.ts",
  "src/__snapshots__/l.test.ts.snap",
])("%s is a test file", (path) => {
  expect(isTestFile(path)).toBe(true);
});

test.each([
  "src/a.ts",
  "testing.ts",
  "src/latest.js",
  "contest/a.py",
  "test/data.csv",
  "README.md",
  "package.json",
  "attest.go",
])("%s is no test file", (path) => {
  expect(isTestFile(path)).toBe(false);
});

test("digests the project's own test files, not those of others, nor through links", async () => {
  const dir = await project({
    "test/b.test.js": "b",
    "a.test.js": "a",
    "src/a.js": "a",
    "node_modules/x/x.test.js": "x",
    "dist/a.test.js": "x",
    ".git/a.test.js": "x",
    "elsewhere.txt": "secret",
  });
  await symlink(join(dir, "elsewhere.txt"), join(dir, "link.test.js"));
  expect(await digestTestFiles(dir)).toEqual({
    "a.test.js": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
    "test/b.test.js": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
  });
});
