import { LoopError } from "@ccw-loop/core";
import type { SuperviseOptions } from "@ccw-loop/orchestrator";
import { supervisorReport } from "../output/supervisor-report.ts";
import { type Context, requireModules } from "../runtime/context.ts";
import { listen } from "../runtime/interrupts.ts";
import { markDriving } from "../runtime/operator-origin.ts";
import type { Answer } from "../runtime/perform.ts";

export interface SuperviseFlags {
  agent?: string[];
  concurrency?: number;
  events?: true;
}

/** Drives every running loop of the project until a signal comes. */
export async function supervise(context: Context, flags: SuperviseFlags): Promise<Answer> {
  const { concurrency = 4 } = flags;
  const heading = `Driving the running loops of ${context.root}, ${concurrency} at once.`;
  return driveAll(context, flags, { heading, concurrency });
}

export interface WorkerFlags extends SuperviseFlags {
  labels?: string[];
  /** In milliseconds. */
  drain?: number;
}

/** For so long actions that are under way may come to their end when a worker is told to stop. */
const DRAIN_MS = 10 * 60 * 1000;

/** Drives loops of a shared store that bring their repository and need no label that this worker lacks. */
export async function worker(context: Context, flags: WorkerFlags): Promise<Answer> {
  const { concurrency = 4, labels = [], drain: graceMs = DRAIN_MS } = flags;
  if ((await context.parts.storeChoice()) === undefined) {
    const message =
      "A worker drives the loops of a store that machines share. Name it with --store postgres://USER@HOST/DATABASE, in CCW_LOOP_STORE or in your own configuration.";
    throw new LoopError("invalid_input", message);
  }
  const has = labels.length === 0 ? "no labels" : `the labels ${labels.join(", ")}`;
  const heading = `Driving loops that bring their repository, ${concurrency} at once, with ${has}. Clones are in ${context.root}.`;
  const what = { heading, concurrency, labels, graceMs, onlyRepositories: true };
  return driveAll(context, flags, what);
}

/**
 * Drives until a signal comes; the loops that are under way then stay running for the next supervisor. The second signal
 * leaves at once.
 */
async function driveAll(
  context: Context,
  { agent, events }: SuperviseFlags,
  { heading, ...options }: Omit<SuperviseOptions, "signal"> & { heading: string },
): Promise<Answer> {
  const { io, root } = context;
  await requireModules(context, agent);
  const loops = await context.parts.loops();
  await (await context.parts.processes()).sweep();
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  const isEnding = () => interrupts.first !== undefined;
  const { say, data, ...told } = supervisorReport(context, { events: events === true, isEnding });
  using _mark = markDriving(root);
  if (!events) say(["quiet", heading]);
  const work = loops.supervise({ ...options, signal: interrupts.signal, ...told });
  const ending = await interrupts.untilSecond(work);
  if (events) return ending;
  return { data: data(), text: "", ...ending };
}
