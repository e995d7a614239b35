import type { LoopCommand, LoopState } from "@ccw-loop/core";
import type { AppDeps } from "../app/deps.ts";
import { ifMatchRevision } from "../app/etag.ts";

interface By {
  request: Request;
  opId: string | undefined;
}

/** Gives a command as its request asks: once per Idempotency-Key, and only to the state that If-Match names. */
export async function sendBound(
  { service }: AppDeps,
  { request, opId }: By,
  id: string,
  command: LoopCommand,
): Promise<LoopState> {
  const revision = await ifMatchRevision(request, () => service.get(id));
  return service.send(id, command, { opId, revision });
}
