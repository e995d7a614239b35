import type { LoopCommand } from "../../../packages/core/src/index.ts";
import { isDone, isRefused } from "../client.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

const COMMANDS: LoopCommand[] = [
  { type: "start" },
  { type: "pause" },
  { type: "resume" },
  { type: "resume", reopen: true },
  { type: "stop" },
  { type: "exit" },
];
const CLIENTS = 3;
/** What came of it upstream, by the number of parallel requests. */
const UPSTREAM = new Map([
  [2, "18, 5, 10 of 400 not answered with 200; 5.5–19.5 % of loops destroyed"],
  [3, "23, 34 of 600 not answered with 200; 7.5–18 % of loops destroyed"],
  [5, "104, 58 of 1000 not answered with 200; 66–72 % of loops destroyed"],
  [10, "225, 269 of 2000 not answered with 200; 73–74 % of loops destroyed"],
]);

/** Several status changes at once on a loop that was just started, from several processes. */
export async function* statusChanges(trials: Trials): AsyncGenerator<Row> {
  for (const [at_once, upstream] of UPSTREAM) {
    const what = `${at_once} status changes at once`;
    yield await rowOf(trials, { section: "17.1", what, upstream }, async (ground) => {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => ground.client()));
      const count = trials.count(200);
      let [done, refused, other] = [0, 0, 0];
      for (let trial = 0; trial < count; trial++) {
        const loop = `loop-${trial}`;
        await ground.service.create({ id: loop, description: "A loop whose status changes" });
        await ground.service.send(loop, { type: "start" });
        const replies = await Promise.all(
          Array.from({ length: at_once }, (_, n) => {
            const command = trials.dice.pick(COMMANDS);
            const client = clients[n % CLIENTS] as (typeof clients)[number];
            return client.ask(loop, { type: "command", command });
          }),
        );
        for (const reply of replies) {
          if (isDone(reply)) done += 1;
          else if (isRefused(reply)) refused += 1;
          else other += 1;
        }
      }
      const destroyed = (await ground.store.list({ limit: 1 })).damaged.length;
      const ours = `${count} loops: ${done} done, ${refused} refused by the rules, ${other} failed, ${destroyed} destroyed`;
      return { ours, lost: other + destroyed };
    });
  }
}
