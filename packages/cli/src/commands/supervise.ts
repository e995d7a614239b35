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

/**
 * Drives every running loop of the project until a signal comes; the loops that are under way then stay running for
 * the next supervisor. The second signal leaves at once.
 */
export async function supervise(
  context: Context,
  { agent, concurrency = 4, events }: SuperviseFlags,
): Promise<Answer> {
  const { io, root } = context;
  await requireModules(context, agent);
  const loops = await context.parts.loops();
  await (await context.parts.processes()).sweep();
  using interrupts = listen(io, { ignore: "SIGPIPE" });
  const isEnding = () => interrupts.first !== undefined;
  const { say, data, ...told } = supervisorReport(context, { events: events === true, isEnding });
  using _mark = markDriving(root);
  if (!events) say(["quiet", `Driving the running loops of ${root}, ${concurrency} at once.`]);
  const work = loops.supervise({ concurrency, signal: interrupts.signal, ...told });
  const ending = await interrupts.untilSecond(work);
  if (events) return ending;
  return { data: data(), text: "", ...ending };
}
