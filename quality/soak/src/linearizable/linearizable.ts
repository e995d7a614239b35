import { setTimeout as delay } from "node:timers/promises";
import type { LoopCommand, LoopService, LoopState } from "@ccw-loop/core";
import { fsStore } from "@ccw-loop/store-fs";
import { type Random, seededRandom } from "@ccw-loop/testkit";
import { removeFolder, temporaryFolder } from "../../../support/folders.ts";
import { unmetNeeds } from "../../../support/runs.ts";
import { type Client, startClient } from "../client.ts";
import { bundleWorker } from "../processes.ts";
import { composed } from "../workers/composition.ts";
import { sendNothing } from "../workers/messages.ts";
import { type LoopAnswer, linearize, loopModel, type Operation } from "./linearize.ts";

export interface Linearizability {
  calls: number;
  loops: number;
  /** Calls of killed processes, which may or may not have happened. */
  unknown: number;
  refused: number;
  /** Calls that were under way while another process's was. */
  atOnce: number;
  /** Why the run does not count: what happened too seldom, a sentence each. */
  missing: string[];
  /** What does not fit the state machine in any order, in sentences. */
  violations: string[];
}

/** Has at least so many commands sent at once, and looks for an order in which they all make sense. */
export async function linearizability(calls: number, seed: number): Promise<Linearizability> {
  using bundle = await bundleWorker();
  const loops = Math.ceil(calls / CALLS_PER_LOOP);
  const histories = await inProject(bundle.program, (project) =>
    recordHistories(project, loops, seededRandom(seed)),
  );
  const all = histories.flatMap((history) => history.calls);
  const counts = {
    unknown: all.filter(({ returned }) => returned === null).length,
    refused: all.filter(({ answer }) => answer && "refused" in answer).length,
    atOnce: histories.reduce((sum, history) => sum + callsAtOnce(history.calls), 0),
  };
  return {
    ...{ calls: all.length, loops, ...counts },
    missing: missingIn(counts, all.length),
    violations: histories.flatMap(violationIn),
  };
}

function missingIn(
  { unknown, refused, atOnce }: Record<"unknown" | "refused" | "atOnce", number>,
  calls: number,
): string[] {
  const needs = [
    {
      what: "process killed before its answer came",
      count: unknown,
      onceIn: KILLED_IN * CALLS_PER_LOOP,
    },
    { what: "command refused by the rules", count: refused, onceIn: 10 },
    { what: "command while another process waits for its answer", count: atOnce, onceIn: 2 },
  ];
  return unmetNeeds(needs, calls, "calls");
}

function callsAtOnce(calls: readonly Call[]): number {
  const answered = calls.flatMap(({ process, called, returned }) =>
    returned === null ? [] : [{ process, called, returned }],
  );
  return answered.filter((one) =>
    answered.some(
      (other) =>
        other.process !== one.process && other.called < one.returned && one.called < other.returned,
    ),
  ).length;
}

/** Where no call fits any more; nothing when all of them do. */
export function violationIn({ initial, calls }: History): string[] {
  const verdict = linearize(calls, loopModel(initial));
  if (verdict.linearizable) return [];
  const { longest, stuck } = verdict;
  const lines = (list: readonly Call[]) => list.map(lineOf).join("; ");
  return [`${initial.loop_id}: behind ${lines(longest.slice(-5))} fits none of ${lines(stuck)}`];
}

function lineOf({ process, input, answer }: Call): string {
  const said =
    answer === undefined ? "?" : "status" in answer ? answer.status : `refused (${answer.refused})`;
  return `${process} ${input.type} → ${said}`;
}

/** The last line of a run. */
export function linearizableLine({ calls, loops, unknown, violations }: Linearizability): string {
  return `operations: ${calls}, loops: ${loops}, unknown: ${unknown}, violations: ${violations.length}`;
}

type Call = Operation<LoopCommand, LoopAnswer>;

/** What several processes asked of one loop at once, and what each was answered. */
interface History {
  initial: LoopState;
  calls: Call[];
}

const CLIENTS = 5;
/** Commands of each process to one loop, one after the other. */
const EACH = 8;
const COMMANDS: [LoopCommand, ...LoopCommand[]] = [
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

const CALLS_PER_LOOP = CLIENTS * EACH;

/** Of so many loops, one sees a process killed while it waits for an answer. */
const KILLED_IN = 3;
/** How long an answer may take before its process is killed, in ms: so that some commands happen and some do not. */
const LATE_MS = 4;

/** A project of its own on which several processes work. */
interface Project {
  service: LoopService;
  client(): Promise<Client>;
}

async function inProject<T>(program: string, work: (project: Project) => Promise<T>): Promise<T> {
  const root = temporaryFolder("soak");
  const store = fsStore({ root });
  const service = composed({ root, store, leaseTtlMs: 15_000, send: sendNothing });
  const clients: Client[] = [];
  const client = async () => {
    const started = await startClient(program, root);
    clients.push(started);
    return started;
  };
  try {
    return await work({ service, client });
  } finally {
    await Promise.all(clients.map((each) => each.kill()));
    await store.close();
    removeFolder(root);
  }
}

/** One loop after the other; in every third one a process is killed while it waits for an answer. */
async function recordHistories(
  project: Project,
  loops: number,
  random: Random,
): Promise<History[]> {
  const clients: Client[] = await Promise.all(
    Array.from({ length: CLIENTS }, () => project.client()),
  );
  const histories: History[] = [];
  for (let n = 0; n < loops; n++) {
    const id = `loop-${n}`;
    const initial = await project.service.create({ id, description: "A loop that many command" });
    const victim = n % KILLED_IN === KILLED_IN - 1 ? random.int(0, CLIENTS - 1) : null;
    const calls = clients.map((client, at) =>
      callsOf(client, {
        name: `${at}`,
        loop: id,
        random: seededRandom(random.int(0, 2 ** 31 - 1)),
        dies: at === victim,
      }),
    );
    histories.push({ initial, calls: (await Promise.all(calls)).flat() });
    if (victim !== null) clients[victim] = await project.client();
  }
  return histories;
}

interface Caller {
  name: string;
  loop: string;
  random: Random;
  /** From one of its calls on it is killed as soon as an answer does not come at once. */
  dies: boolean;
}

/** Ends with the first call that nobody answered: its process is gone. */
async function callsOf(client: Client, { name, loop, random, dies }: Caller): Promise<Call[]> {
  const calls: Call[] = [];
  const patient = dies ? random.int(0, EACH / 2 - 1) : EACH;
  for (let n = 0; n < EACH; n++) {
    const input = random.pick(COMMANDS);
    const asked = Number(process.hrtime.bigint());
    const answer = client.ask(loop, input);
    if (n >= patient) {
      const late = delay(n < EACH - 1 ? random.next() * LATE_MS : 0, "late");
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
