import { exitCodeOf } from "@ccw-loop/core";
import { progressSoFar } from "@ccw-loop/view";
import type { Answer, StreamedAnswer } from "../answer.ts";
import type { Context } from "../context.ts";
import { markDriving } from "../driven.ts";
import { exitCodeFor, listen } from "../interrupts.ts";
import { Person } from "../person.ts";
import { outcomeData, outcomeText } from "../views/outcome.ts";
import { openView } from "../views/view.ts";

export interface DriveOptions {
  /** Lines of JSON on stdout instead of a view. */
  events?: boolean;
  /** False for `--no-wait`: leave instead of waiting for a usage limit. */
  wait?: boolean;
  /** What to do next, when that is not what the loop's state says. */
  next?: string[];
}

/**
 * Drives a loop in this terminal until it ends, pauses or waits for what nobody here can give. The first
 * signal pauses the loop, the second leaves at once.
 */
export async function drive(
  context: Context,
  id: string,
  options: DriveOptions,
): Promise<Answer | StreamedAnswer> {
  const loops = await context.parts.loops();
  let state = await loops.get(id);
  const view = openView(context, await progressSoFar(loops, state), options);
  using interrupts = listen(context.io, {
    ignore: "SIGPIPE",
    onFirst: () => context.say("Pausing the loop. The same again leaves at once."),
  });
  using _mark = markDriving(context.root);
  const person = new Person(context, view, interrupts.signal);
  const work = async () => {
    do {
      state = await loops.run(id, {
        waitForLimits: options.wait !== false,
        ...person.runOptions,
      });
    } while (await person.askWaiting(loops, state));
    return undefined;
  };
  try {
    const second = await Promise.race([work(), interrupts.second]);
    const signal = second ?? interrupts.first ?? person.leftBy;
    const exit = signal === undefined ? exitCodeOf(state) : exitCodeFor(signal);
    const leave = second === undefined ? {} : { atOnce: true as const };
    if (options.events) return { streamed: true, exit, ...leave };
    view.close();
    const text = second === undefined ? outcomeText(state, context, options.next) : "";
    return { data: outcomeData(state, context), text, exit, ...leave };
  } finally {
    view.close();
  }
}
