import type { LiveEvent } from "@ccw-loop/core";
import type { Progress } from "@ccw-loop/view";
import { sanitizeJson } from "@ccw-loop/view";
import type { Context } from "../context.ts";
import { liveView } from "./live-view.ts";
import { plainView } from "./plain-view.ts";

/** How a running loop is shown while it runs. */
export interface View {
  event(event: LiveEvent): void;
  /** Leaves the screen to somebody else, for a question, until `resume`. */
  suspend(): void;
  resume(): void;
  /** Shows what there is for the last time. */
  close(): void;
}

/** The view that fits: events on stdout when asked for, a live list on a terminal, else a line per fact. */
export function openView(context: Context, soFar: Progress, options: { events?: boolean }): View {
  if (options.events) return eventsView(context);
  const { io } = context;
  const terminal = io.stderr.isTTY === true && io.env.TERM !== "dumb";
  return terminal ? liveView(context, soFar) : plainView(context, soFar);
}

function eventsView({ io }: Context): View {
  return {
    event: (event) => void io.stdout.write(`${sanitizeJson(event)}\n`),
    suspend: () => undefined,
    resume: () => undefined,
    close: () => undefined,
  };
}
