#!/usr/bin/env node
/** Runs every benchmark of the repository one after the other: `npm run bench`, or `npm run bench -- NAME`. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2);
const files = globSync("{packages,apps}/*/bench/*.ts", { cwd: root }).sort();
const name = (file) => `${file.split(/[\\/]/)[1]}/${basename(file, ".ts")}`;
const chosen = files.filter((file) => wanted.length === 0 || wanted.includes(name(file)));
if (chosen.length === 0) {
  console.error(`No such benchmark. There are: ${files.map(name).join(", ")}.`);
  process.exit(2);
}
let status = 0;
for (const file of chosen) {
  console.log(`\n== ${name(file)}`);
  const { status: code } = spawnSync(process.execPath, [join(root, file)], { stdio: "inherit" });
  if (code !== 0) status = 1;
}
process.exit(status);
