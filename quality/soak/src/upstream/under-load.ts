import { setTimeout as delay } from "node:timers/promises";
import { foreignReader } from "../files/foreign-reader.ts";
import type { SoakProject } from "../soak-project.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

interface Line {
  loops: number;
  /** Of a state file. */
  bytes: number;
  kills: number;
  upstream: string;
}
const LINES: Line[] = [
  { loops: 8, bytes: 300, kills: 60, upstream: "27 of 60 kills with damage, 64 files empty" },
  { loops: 8, bytes: 9200, kills: 60, upstream: "30 of 60 kills with damage, 72 files empty" },
  { loops: 1, bytes: 9200, kills: 40, upstream: "9 of 40 kills with damage, 9 files empty" },
];

/** A process that changes loops back to back is killed in mid-work; then every file is read. */
export async function* underLoad(trials: Trials): AsyncGenerator<Row> {
  for (const { loops, bytes, kills, upstream } of LINES) {
    const what = `kill -9 with ${loops} busy ${loops === 1 ? "loop" : "loops"}, ${bytes} B notes`;
    yield await rowOf(trials, { section: "18", what, upstream }, async (project) => {
      const ids = Array.from({ length: loops }, (_, n) => `loop-${n}`);
      const notes = "x".repeat(bytes);
      for (const id of ids) await project.service.create({ id, description: id, notes });
      const count = trials.count(kills);
      let damage = 0;
      for (let n = 0; n < count; n++) {
        await killBusy(project, ids, 100 + trials.random.next() * 300);
        if (foreignReader().read(project.folder).problems.length > 0) damage += 1;
      }
      return { ours: `${damage} of ${count} kills with damage` };
    });
  }
}

/** So many milliseconds into its work. */
async function killBusy(
  { root, worker, listen }: SoakProject,
  loops: string[],
  ms: number,
): Promise<void> {
  const works = Promise.withResolvers<void>();
  listen(({ kind }) => {
    if (kind === "commit") works.resolve();
  });
  const { child, gone, complaint } = worker("busy", { root, loops });
  void gone.then(() => works.resolve());
  await works.promise;
  await delay(ms);
  child.kill("SIGKILL");
  if ((await gone).signal !== "SIGKILL") throw new Error(`It ended by itself: ${complaint()}`);
}
