import { setTimeout as delay } from "node:timers/promises";
import type { TurnEvent } from "@ccw-loop/core";
import type { Step } from "./script-schema.ts";

const TICK_MS = 20;
const LINE = "The quick brown fox jumps over the lazy dog, again and again, without an end.";
const PIECE = 64 * 1024;

/** Output of an imaginary command at a steady rate; a late tick catches up, so the total is exact. */
export async function flood(
  { lines_per_second, bytes_per_second, for_ms }: NonNullable<Step["flood"]>,
  emit: (event: TurnEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const perSecond = lines_per_second ?? bytes_per_second ?? 0;
  const command = lines_per_second === undefined ? "flood of bytes" : "flood of lines";
  emit({ type: "command.started", command });
  const began = performance.now();
  let sent = 0;
  for (let elapsed = 0; elapsed < for_ms; ) {
    await delay(TICK_MS, undefined, { signal });
    elapsed = Math.min(performance.now() - began, for_ms);
    const due = Math.floor((elapsed / 1000) * perSecond) - sent;
    sent += due;
    if (lines_per_second === undefined) emitBytes(due, emit);
    else if (due > 0) emit({ type: "command.output", text: numbered(sent - due, due) });
  }
  emit({ type: "command.completed", command, exit_code: 0 });
}

function numbered(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `${from + i + 1} ${LINE}\n`).join("");
}

function emitBytes(count: number, emit: (event: TurnEvent) => void): void {
  for (let left = count; left > 0; left -= PIECE) {
    emit({ type: "command.output", text: "x".repeat(Math.min(left, PIECE)) });
  }
}
