/**
 * Runs every benchmark one after the other: `npm run bench`, or `npm run bench -- NAME`, a name being `FOLDER/FILE` of this
 * folder, or `FILE`. One of them with arguments of its own: `node quality/bench/FOLDER/FILE.ts ...`.
 */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { stop } from "../support/command.ts";

const wanted = process.argv.slice(2);
const files = globSync("*/*.ts", { cwd: import.meta.dirname });
const names = files.map((file) => file.replaceAll("\\", "/").replace(/\.ts$/, "")).sort();
const isWanted = (name: string) => wanted.includes(name) || wanted.includes(basename(name));
const chosen = names.filter((name) => wanted.length === 0 || isWanted(name));
if (chosen.length === 0) stop(`No such benchmark. There are: ${names.join(", ")}.`);
for (const name of chosen) {
  console.log(`\n== ${name}`);
  const file = join(import.meta.dirname, `${name}.ts`);
  const { status } = spawnSync(process.execPath, [file], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
