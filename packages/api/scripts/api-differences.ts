/** Prints docs/api-differences.md from the table of the conformance test; `--write` writes it. */
import { writeFileSync } from "node:fs";
import { differencesDocument } from "../test/conformance/document.ts";

const text = differencesDocument();
if (process.argv.includes("--write")) {
  writeFileSync(new URL("../../../docs/api-differences.md", import.meta.url), text);
} else process.stdout.write(text);
