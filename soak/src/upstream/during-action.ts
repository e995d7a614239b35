import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, isRefused, stateOf } from "../client.ts";
import type { Ground } from "../ground.ts";
import { makeRepository } from "../repository.ts";
import { newTask } from "../workers/new-task.ts";
import { type Row, rowOf, type Trials } from "./row.ts";

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
    yield await rowOf(trials, { section: "17.2", what, upstream }, async (ground) => {
      const [driver, operator] = [await ground.client(), await ground.client()];
      const script = writeScript(ground);
      makeRepository(ground.root);
      const of = trials.count(100);
      let [begun, done, kept, late] = [0, 0, 0, 0];
      const lane = async () => {
        while (done < of) {
          const loop = `loop-${begun++}`;
          const driven = await intoItsTurn(ground, loop, script, driver);
          await delay(trials.dice.between(0, ACTION_MS));
          const reply = await operator.ask(loop, { type: "command", command: { type: verb } });
          await driven();
          // The action had ended, and the loop with it, before the verb was there.
          if (isRefused(reply)) {
            late += 1;
            continue;
          }
          stateOf(reply);
          if (++done > of) return;
          if ((await ground.store.read(loop)).state.status === status) kept += 1;
        }
      };
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
      const ours = `${of - kept} of ${of} lost; ${late} more came after the end`;
      return { ours, kept: { kept, of } };
    });
  }
}

function writeScript({ root }: Ground): string {
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
  { service, listen }: Ground,
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
  listen((told) => {
    if (told.kind === "mark" && told.mark === "turn" && told.loop === loop) turnBegins.resolve();
  });
  const driven = driver.ask(loop, { type: "run" });
  await Promise.race([turnBegins.promise, driven]);
  return async () => stateOf(await driven);
}
