import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packagesDocument } from "../scripts/dependencies.mjs";

test("docs/packages.md says what each package needs, what for and how large it is", () => {
  const page = readFileSync(new URL("../docs/packages.md", import.meta.url), "utf8");
  expect(page, "Write it with: node scripts/dependencies.mjs --write").toBe(packagesDocument());
});
