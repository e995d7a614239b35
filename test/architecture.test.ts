import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withDiagrams } from "../packages/core/scripts/diagrams.ts";

test("the diagrams in ARCHITECTURE.md are those of the machine", { timeout: 120_000 }, () => {
  const text = readFileSync(new URL("../ARCHITECTURE.md", import.meta.url), "utf8");
  expect(withDiagrams(text), "run: node packages/core/scripts/diagrams.ts --write").toBe(text);
});
