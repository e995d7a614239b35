import { type Line, line, span } from "../../frame/line.ts";
import { wrapped } from "../../frame/wrap.ts";
import { HEALTHS, type Health } from "../../model/row.ts";
import { HEALTH_WORDS } from "../home/words.ts";

const MEANINGS: Readonly<Record<Health | "damaged", string>> = {
  waiting: "goes on when you answer",
  stuck: "runs, or asks you, but brings nothing new any more",
  undriven: "is to run, and nobody drives it",
  running: "somebody drives it; a time says when it goes on by itself",
  failed: "could not go on; its outcome says why",
  resting: "not started (○), paused or left (‖), or stopped by an operator (■)",
  done: "completed: its tests prove it, or were waived",
  damaged: "its files cannot be read",
};

/** What the signs of the list mean. */
export function glyphLines(columns: number): Line[] {
  return [
    line(" Signs of the list", "strong"),
    ...[...HEALTHS, "damaged" as const].flatMap((health) => {
      const { glyph, tone, short } = HEALTH_WORDS[health];
      const head: Line = [span(`   ${glyph} `, tone), span(short.padEnd(10))];
      return wrapped(MEANINGS[health], columns - 16, "quiet").map(
        (of, i): Line => [...(i === 0 ? head : [span(" ".repeat(15))]), ...of],
      );
    }),
  ];
}
