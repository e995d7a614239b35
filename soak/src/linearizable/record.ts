import { setTimeout as delay } from "node:timers/promises";
import type { LoopCommand, LoopState } from "../../../packages/core/src/index.ts";
import type {
  LoopAnswer,
  Operation,
} from "../../../packages/testkit/src/linearizable/linearize.ts";
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

/** Of so many loops, one sees a process killed while it waits for an answer. */
export const KILLED_IN = 3;
/** How long an answer may take before its process is killed, in ms: so that some commands happen and some do not. */
const LATE_MS = 4;

/** One loop after the other; in every third one a process is killed while it waits for an answer. */
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
    const victim = n % KILLED_IN === KILLED_IN - 1 ? dice.below(CLIENTS) : null;
    const calls = clients.map((client, at) =>
      callsOf(client, { name: `${at}`, loop: id, dice: dice.fork(), dies: at === victim }),
    );
    histories.push({ initial, calls: (await Promise.all(calls)).flat() });
    if (victim !== null) clients[victim] = await ground.client();
  }
  return histories;
}

interface Caller {
  name: string;
  loop: string;
  dice: Random;
  /** From one of its calls on it is killed as soon as an answer does not come at once. */
  dies: boolean;
}

/** Ends with the first call that nobody answered: its process is gone. */
async function callsOf(client: Client, { name, loop, dice, dies }: Caller): Promise<Call[]> {
  const calls: Call[] = [];
  const patient = dies ? dice.below(EACH / 2) : EACH;
  for (let n = 0; n < EACH; n++) {
    const input = dice.pick(COMMANDS);
    const asked = Number(process.hrtime.bigint());
    const answer = client.ask(loop, { type: "command", command: input });
    if (n >= patient) {
      const late = delay(n < EACH - 1 ? dice.between(0, LATE_MS) : 0, "late");
      if ((await Promise.race([answer, late])) === "late") await client.kill();
    }
    const reply = await answer;
    if (reply === null) {
      calls.push({ process: name, called: asked, returned: null, input });
      break;
    }
    const { called, returned, outcome } = reply;
    const said =
      "state" in outcome ? { status: outcome.state.status } : { refused: outcome.refused };
    calls.push({ process: name, called, returned, input, answer: said });
  }
  return calls;
}
