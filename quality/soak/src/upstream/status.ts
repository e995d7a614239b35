import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LoopCommand } from "@ccw-loop/core";
import { makeRepository } from "../../../support/folders.ts";
import { type Client, isDone, isRefused, stateOf } from "../client.ts";
import type { SoakProject } from "../soak-project.ts";
import { newTask } from "../workers/composition.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

const COMMANDS: [LoopCommand, ...LoopCommand[]] = [
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
    yield await rowOf(trials, { section: "17.1", what, upstream }, async (project) => {
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => project.client()));
      const count = trials.count(200);
      let [done, refused, other] = [0, 0, 0];
      for (let trial = 0; trial < count; trial++) {
        const loop = `loop-${trial}`;
        await project.service.create({ id: loop, description: "A loop whose status changes" });
        await project.service.send(loop, { type: "start" });
        const replies = await Promise.all(
          Array.from({ length: at_once }, (_, n) => {
            const command = trials.random.pick(COMMANDS);
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
      const destroyed = (await project.store.list({ limit: 1 })).damaged.length;
      const ours = `${count} loops: ${done} done, ${refused} refused by the rules, ${other} failed, ${destroyed} destroyed`;
      return { ours, lost: other + destroyed };
    });
  }
}

const ACTION_MS = 200;
const SIDE_BY_SIDE = 4;
const VERBS = [
  { verb: "pause", status: "paused", upstream: "99 of 100 and 100 of 100 lost" },
  { verb: "stop", status: "failed", upstream: "100 of 100 and 99 of 100 lost" },
] as const;

/** An operator pauses or stops a loop at a random moment of an action; it must still be so when the action has ended. */
export async function* duringAction(trials: Trials): AsyncGenerator<Row> {
  for (const { verb, status, upstream } of VERBS) {
    const what = `${verb} during an action`;
    yield await rowOf(trials, { section: "17.2", what, upstream }, async (project) => {
      const [driver, operator] = [await project.client(), await project.client()];
      const script = writeScript(project);
      makeRepository(project.root, "Start");
      const of = trials.count(100);
      let [begun, done, kept, late] = [0, 0, 0, 0];
      const lane = async () => {
        while (done < of) {
          const loop = `loop-${begun++}`;
          const driven = await intoItsTurn(project, loop, script, driver);
          await delay(trials.random.next() * ACTION_MS);
          const reply = await operator.ask(loop, { type: "command", command: { type: verb } });
          await driven();
          // The action had ended, and the loop with it, before the verb was there.
          if (isRefused(reply)) {
            late += 1;
            continue;
          }
          stateOf(reply);
          if (++done > of) return;
          if ((await project.store.read(loop)).state.status === status) kept += 1;
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
      const ours = `${of - kept} of ${of} lost; ${late} more came after the end`;
      return { ours, kept: { kept, of } };
    });
  }
}

function writeScript({ root }: SoakProject): string {
  const path = join(root, "agent.json");
  const turn = {
    action: "DEVELOP",
    repeat: true,
    steps: [{ run: `sleep ${ACTION_MS / 1000}` }],
    answer: { message: "Done." },
  };
  writeFileSync(path, JSON.stringify({ turns: [turn] }));
  return path;
}

/** Has a new loop driven, and resolves in its first turn; the answer resolves when the driver has let go of it. */
async function intoItsTurn(
  { service, listen }: SoakProject,
  loop: string,
  script: string,
  driver: Client,
): Promise<() => Promise<unknown>> {
  await service.create({
    id: loop,
    description: "A loop that an operator pauses or stops",
    settings: { mode: "auto", agent: `scripted:${script}`, waive_tests: "The soak." },
  });
  await service.send(loop, { type: "add_task", task: newTask("task") });
  const turnBegins = Promise.withResolvers<void>();
  listen((message) => {
    if (message.kind === "mark" && message.mark === "turn" && message.loop === loop)
      turnBegins.resolve();
  });
  const driven = driver.ask(loop, { type: "run" });
  await Promise.race([turnBegins.promise, driven]);
  return async () => stateOf(await driven);
}
