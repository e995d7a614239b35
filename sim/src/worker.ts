import { parentPort } from "node:worker_threads";
import type { Piece } from "./run-many.ts";
import { runSeed } from "./run-seed.ts";

parentPort?.on("message", async ({ from, to }: { from: number; to: number }) => {
  const piece: Piece = { seeds: to - from, commits: 0, bad: [] };
  for (let seed = from; seed < to; seed++) {
    const { violations, commits } = await runSeed(seed);
    piece.commits += commits;
    if (violations.length > 0) piece.bad.push({ seed, violations });
  }
  parentPort?.postMessage(piece);
});
