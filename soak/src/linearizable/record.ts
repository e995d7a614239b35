import { setTimeout as delay } from "node:timers/promises";
import type { LoopCommand, LoopState } from "../../../packages/core/src/index.ts";
import type { Operation } from "../../../packages/testkit/src/linearizable/check.ts";
import type { LoopAnswer } from "../../../packages/testkit/src/linearizable/loop-model.ts";
import type { Client } from "../client.ts";
import type { Ground } from "../ground.ts";
import type { Random } from "../random.ts";

export type Call = Operation<LoopCommand, LoopAnswer>;

/** What several processes asked of one loop at once, and what each was answered. */
export interface History {
  initial: LoopState;
  calls: Call[];
}

const CLIENTS = 5;
/** Commands of each process to one loop, one after the other. */
const EACH = 8;
const COMMANDS: LoopCommand[] = [
  { type: "start" },
  { type: "start" },
  { type: "pause" },
  { type: "pause" },
  { type: "resume" },
  { type: "resume" },
  { type: "pause" },
  { type: "exit" },
  { type: "stop" },
  { type: "resume", reopen: true },
  { type: "resume", reopen: true },
];

export const CALLS_PER_LOOP = CLIENTS * EACH;

/** One loop after the other; from every third on, a process is killed while it waits for an answer. */
export async function recordHistories(
  ground: Ground,
  loops: number,
  dice: Random,
): Promise<History[]> {
  const clients: Client[] = await Promise.all(
    Array.from({ length: CLIENTS }, () => ground.client()),
  );
  const histories: History[] = [];
  for (let n = 0; n < loops; n++) {
    const id = `loop-${n}`;
    const initial = await ground.service.create({ id, description: "A loop that many command" });
    const victim = n % 3 === 2 ? dice.below(CLIENTS) : null;
    const calls = clients.map((client, at) => callsOf(client, `${at}`, id, dice.fork()));
    if (victim !== null) {
      await delay(dice.between(0, 15));
      await clients[victim]?.kill();
    }
    histories.push({ initial, calls: (await Promise.all(calls)).flat() });
    if (victim !== null) clients[victim] = await ground.client();
  }
  return histories;
}

/** Ends with the first call that nobody answered: its process is gone. */
async function callsOf(client: Client, name: string, loop: string, dice: Random): Promise<Call[]> {
  const calls: Call[] = [];
  for (let n = 0; n < EACH; n++) {
    const input = dice.pick(COMMANDS);
    const asked = Number(process.hrtime.bigint());
    const reply = await client.ask(loop, { type: "command", command: input });
    if (reply === null) {
      calls.push({ process: name, called: asked, returned: null, input });
      break;
    }
    const { called, returned, outcome } = reply;
    const answer =
      "state" in outcome ? { status: outcome.state.status } : { refused: outcome.refused };
    calls.push({ process: name, called, returned, input, answer });
  }
  return calls;
}
