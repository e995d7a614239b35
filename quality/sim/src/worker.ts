import { parentPort } from "node:worker_threads";
import { addTo } from "./judge/events.ts";
import type { Piece } from "./run-many.ts";
import { runSeed } from "./run-seed.ts";

parentPort?.on("message", async ({ from, to }: { from: number; to: number }) => {
  const piece: Piece = { seeds: to - from, commits: 0, tally: {}, bad: [] };
  for (let seed = from; seed < to; seed++) {
    parentPort?.postMessage(seed);
    const { violations, commits, tally } = await runSeed(seed);
    piece.commits += commits;
    addTo(piece.tally, tally);
    if (violations.length > 0) piece.bad.push({ seed, violations });
  }
  parentPort?.postMessage(piece);
});
