/**
 * Twenty writers in four processes append to the same revision, again and again: exactly one may win.
 * Run it with: node packages/store-fs/bench/soak/winners.ts [rounds]
 */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tooFew } from "../../../../quality/too-few.ts";
import { rivals } from "../../test/rivals.ts";

const root = fs.mkdtempSync(join(tmpdir(), "ccw-loop-winners-"));
const rounds = Number(process.argv[2] ?? 10_000);
const { counts, atOnce } = await rivals(root, rounds);
fs.rmSync(root, { recursive: true, force: true });
const one = counts.get(1) ?? 0;
const needs = [{ what: "round with all processes at once", count: atOnce, onceIn: 20 }];
const missing = tooFew(needs, rounds, "rounds");
for (const sentence of missing) console.log(sentence);
process.stdout.write(
  `all processes at once in ${atOnce} rounds\nrounds: ${rounds}, with exactly one winner: ${one}, others: ${rounds - one}\n`,
);
process.exitCode = one === rounds && missing.length === 0 ? 0 : 1;
