import {
  isLoopError,
  LoopError,
  type LoopService,
  type LoopState,
  type RunOptions,
  requireOpen,
} from "@ccw-loop/core";
import { ready } from "../contract/host.ts";
import type { HttpTransport } from "./exchange.ts";
import { RemoteRun } from "./following.ts";
import type { Reconnect } from "./options.ts";
import { openLoopStream } from "./told.ts";

export interface Remote {
  exchange: HttpTransport;
  reconnect: Reconnect;
  service: LoopService;
}

/**
 * See `LoopService.run`. The server drives, and this follows to where a local run would end; a loop that is driven
 * there already is followed, too.
 */
export async function runRemotely(
  { exchange, reconnect, service }: Remote,
  id: string,
  options: RunOptions,
): Promise<LoopState> {
  const before = await service.get(id);
  requireOpen(before);
  await requireDriver(exchange);
  const over = new AbortController();
  const after = before.revision ?? 0;
  try {
    // Listens before it starts anything, so that nothing happens unheard.
    const told = await openLoopStream({ exchange, reconnect, id, after, signal: over.signal });
    const state = await opened(service, before);
    return await new RemoteRun(service, told, options, over.signal).from(state);
  } finally {
    over.abort();
  }
}

async function requireDriver(exchange: HttpTransport): Promise<void> {
  const { data } = await exchange.json({ path: "/api/ready" }, ready.answer.json);
  if (data.drives !== false) return;
  throw new LoopError(
    "agent_unavailable",
    `Nobody drives loops at ${exchange.address}. Start its server without --no-drive, ` +
      "or start the loop and have it driven there: ccw-loop supervise",
    { details: { drives: false } },
  );
}

/** The loop as it runs. Somebody else may have started it first. */
async function opened(
  service: LoopService,
  { loop_id: id, status }: LoopState,
): Promise<LoopState> {
  if (status === "running") return service.get(id);
  try {
    return await service.send(id, { type: status === "created" ? "start" : "resume" });
  } catch (error) {
    if (!isLoopError(error, "invalid_transition")) throw error;
    const newest = await service.get(id);
    requireOpen(newest);
    if (newest.status !== "running") throw error;
    return newest;
  }
}
