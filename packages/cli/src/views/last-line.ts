import { sanitizeLine, truncateToWidth } from "@ccw-loop/view";
import { createLogUpdate } from "log-update";
import type { Context } from "../context.ts";

export interface LastLineView {
  output(text: string): void;
  /** Leaves nothing behind. */
  close(): void;
}

/** What is being done and the last line that it printed, in one place on a terminal; nothing elsewhere. */
export function lastLineView({ io, paintError }: Context, title: string): LastLineView {
  const { stderr } = io;
  if (stderr.isTTY !== true || io.env.TERM === "dumb") {
    return { output: () => undefined, close: () => undefined };
  }
  const draw = createLogUpdate(stderr);
  const show = (line: string) =>
    draw(paintError("quiet", truncateToWidth(line, Math.max(20, (stderr.columns ?? 80) - 1))));
  show(`${title} …`);
  return {
    output(text) {
      const line = text
        .split("\n")
        .map(sanitizeLine)
        .findLast((part) => part !== "");
      if (line !== undefined) show(`${title}: ${line}`);
    },
    close: () => draw.clear(),
  };
}
