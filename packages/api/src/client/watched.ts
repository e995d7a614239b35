import type { LiveEvent } from "@ccw-loop/core";
import type { Remote } from "./run.ts";
import { openLoopStream } from "./told.ts";

/** See `LoopService.watch`. */
export async function* watchLoop(
  { exchange, reconnect, service }: Remote,
  id: string,
  {
    after,
    since,
    signal,
  }: { after?: number | undefined; since?: string | undefined; signal: AbortSignal },
): AsyncGenerator<LiveEvent> {
  const begin = after ?? (await service.get(id)).revision ?? 0;
  if (signal.aborted) return;
  try {
    const told = await openLoopStream({ exchange, reconnect, id, after: begin, since, signal });
    for await (const { live } of told) yield live;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
