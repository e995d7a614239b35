/**
 * Twenty writers in four processes append to the same revision, again and again: exactly one may win.
 * Run it with: node packages/store-fs/bench/soak/winners.ts [rounds]
 */
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rivals } from "../../test/rivals.ts";

const root = fs.mkdtempSync(join(tmpdir(), "ccw-loop-winners-"));
const rounds = Number(process.argv[2] ?? 10_000);
const counts = await rivals(root, rounds);
fs.rmSync(root, { recursive: true, force: true });
const one = counts.get(1) ?? 0;
process.stdout.write(
  `rounds: ${rounds}, with exactly one winner: ${one}, others: ${rounds - one}\n`,
);
process.exitCode = one === rounds ? 0 : 1;
