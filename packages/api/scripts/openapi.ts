/**
 * Prints the OpenAPI document of the contract; `node packages/api/scripts/openapi.ts --write` puts it into
 * openapi.json, which is generated and never edited.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openApiDocument } from "../src/openapi/document.ts";

const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
if (process.argv.includes("--write")) {
  const file = fileURLToPath(new URL("../openapi.json", import.meta.url));
  writeFileSync(file, text);
  // The repository's formatter lays short lists on one line.
  const { status } = spawnSync("pnpm", ["exec", "biome", "format", "--write", file], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} else process.stdout.write(text);
