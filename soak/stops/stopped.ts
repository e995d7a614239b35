import { setTimeout as delay } from "node:timers/promises";
import type { Agent } from "../../packages/core/src/index.ts";
import type { Random } from "../src/random.ts";
import { clear, type Ground, type Instant, someInstant } from "./ground.ts";

/** What one stop left, and how long it took. */
export interface Stop {
  /** How many processes of the script ran when it came. */
  running: number;
  survivors: number;
  /** From the operator's command to the end of the action; null when it hit none. */
  ms: number | null;
}

/** A process that is just being started shows its environment only a moment later. */
const LOOK_AGAIN_MS = 30;

/** Drives a loop, and pauses or stops it by another service at a random instant. */
export async function stopLoop(
  ground: Ground,
  random: Random,
  instant: Instant,
  agent?: Agent,
): Promise<Stop> {
  const [driver, operator] = [ground.open(agent), ground.open(agent)];
  const settings = { mode: "auto" as const, verify: ground.verify };
  const { loop_id } = await driver.create({ description: "never ends", settings });
  let ended: number | null = null;
  const { promise: started, resolve: begins } = Promise.withResolvers<void>();
  const run = driver.run(loop_id, {
    onEvent: (live) => {
      if (live.kind !== "recorded") return;
      begins();
      if (live.recorded.event.type === "action.interrupted") ended = performance.now();
    },
  });
  await Promise.race([started, run]);
  await Promise.race([someInstant(ground, random, instant), run]);
  const running = ground.survivors().length;
  const begun = performance.now();
  await operator.send(loop_id, { type: random.below(2) === 0 ? "pause" : "stop" });
  await run;
  const left = new Set(ground.survivors());
  await delay(LOOK_AGAIN_MS);
  for (const pid of ground.survivors()) left.add(pid);
  clear([...left]);
  return { running, survivors: left.size, ms: ended === null ? null : ended - begun };
}
