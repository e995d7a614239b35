import { applyEvent, type Progress } from "@ccw-loop/view";
import { createLogUpdate } from "log-update";
import type { Context } from "../context.ts";
import { frameOf, renderFrame } from "./frame.ts";
import type { View } from "./view.ts";

/** At most 20 frames in a second, whatever the agent prints. */
const FRAME_MS = 50;
/** So that the clocks in the frame go on. */
const TICK_MS = 1000;

/** The folded list of a running loop on the terminal behind stderr, drawn in place. */
export function liveView(context: Context, soFar: Progress): View {
  const { stderr } = context.io;
  const draw = createLogUpdate(stderr);
  const previousSay = context.say;
  let progress = soFar;
  let suspended = false;
  let closed = false;
  let frame: NodeJS.Timeout | undefined;

  const render = () => {
    frame = undefined;
    if (suspended || closed) return;
    // One row stays free for the cursor, one column so that no terminal wraps.
    const rows = Math.max(4, (stderr.rows ?? 24) - 1);
    const columns = Math.max(20, (stderr.columns ?? 80) - 1);
    draw(renderFrame(frameOf(progress, new Date(), rows), columns, context.paintError));
  };
  const soon = () => {
    frame ??= setTimeout(render, FRAME_MS);
  };
  const tick = setInterval(soon, TICK_MS);
  tick.unref();
  stderr.on("resize", soon);

  /** Lines of others stay above the frame, which is drawn again below them. */
  const sayAbove = (text: string) => {
    draw.persist(text);
    render();
  };
  const leave = () => {
    clearTimeout(frame);
    render();
    draw.done();
    context.say = previousSay;
  };
  context.say = sayAbove;
  return {
    event(event) {
      progress = applyEvent(progress, event);
      soon();
    },
    suspend() {
      leave();
      suspended = true;
    },
    resume() {
      suspended = false;
      context.say = sayAbove;
      soon();
    },
    close() {
      if (!suspended) leave();
      closed = true;
      clearInterval(tick);
      stderr.off("resize", soon);
    },
  };
}
